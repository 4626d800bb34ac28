import { randomUUID } from 'node:crypto'

let lastMs = 0
let sequence = 0

/** A lower-case UUIDv7 (RFC 9562 §5.7). Ids of one process sort in the order of their creation. */
export function newId(nowMs = Date.now()): string {
  // Process clock: an id begins with its creation time, so that rows are stored in that order.
  const random = randomUUID()
  // RFC 9562 §6.2 method 1: `rand_a` counts within a millisecond, and an overflow moves the time to the next one.
  if (nowMs > lastMs) {
    lastMs = nowMs
    sequence = Number.parseInt(random.slice(0, 8), 16) & 0x3ff
  } else if (++sequence > 0xfff) {
    lastMs += 1
    sequence = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  // A UUIDv4 has its variant and its last 62 random bits in the same place.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${random.slice(19)}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether the text is a UUID in this service's form, so that it may be compared with a uuid column. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/** A request id: `req_` and a ULID. */
export function newRequestId(nowMs = Date.now()): string {
  // Process clock: a request id begins with its creation time, so that log lines sort by it.
  const random = randomUUID().replaceAll('-', '')
  // The first and the last 40 bits of a UUIDv4 are random.
  const [first, last] = [Number.parseInt(random.slice(0, 10), 16), Number.parseInt(random.slice(-10), 16)]
  return `req_${toBase32(nowMs, 10)}${toBase32(first, 8)}${toBase32(last, 8)}`
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

function toBase32(value: number, width: number): string {
  let text = ''
  for (let left = value; text.length < width; left = Math.floor(left / 32)) text = CROCKFORD.charAt(left % 32) + text
  return text
}

/** The lowest UUIDv7 of a time. Ids made earlier are lower. */
export function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

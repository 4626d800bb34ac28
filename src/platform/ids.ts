import { randomFillSync } from 'node:crypto'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const pool = Buffer.alloc(8192)
let taken = pool.length

/** Random bytes from a pool: a system call for each id would be much of its cost. */
function takeRandom(count: number): Buffer {
  if (taken + count > pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  taken += count
  return Buffer.from(pool.subarray(taken - count, taken))
}

let lastMs = 0
let sequence = 0

/** A lower-case UUIDv7 (RFC 9562 §5.7). Within one process ids sort in the order they were created. */
export function newId(nowMs = Date.now()): string {
  const bytes = takeRandom(16)
  // RFC 9562 §6.2 method 1: `rand_a` is a counter within the millisecond, and carries into the next one.
  if (nowMs > lastMs) {
    lastMs = nowMs
    sequence = bytes.readUInt16BE(6) & 0x3ff
  } else if (++sequence > 0xfff) {
    lastMs += 1
    sequence = 0
  }
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | sequence, 6)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether the text is a UUID as this service writes them, so that it may be compared with a uuid column. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/** A request id: `req_` and a ULID. */
export function newRequestId(nowMs = Date.now()): string {
  let time = ''
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = CROCKFORD.charAt(rest % 32) + time
  let random = ''
  for (const byte of takeRandom(16)) random += CROCKFORD.charAt(byte & 31)
  return `req_${time}${random}`
}

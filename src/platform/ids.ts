import { randomFillSync } from 'node:crypto'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
// Ten bits at a time: joining single characters would be most of the cost of an id.
const PAIRS = Array.from({ length: 1024 }, (_, i) => CROCKFORD.charAt(i >> 5) + CROCKFORD.charAt(i & 31)).join('')
const pool = Buffer.alloc(8192)
let taken = pool.length

/** Where in the pool `count` random bytes begin that nobody has had: a system call for each id would be much of its cost. */
function takeRandom(count: number): number {
  if (taken + count > pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  taken += count
  return taken - count
}

let lastMs = 0
let sequence = 0

/** A lower-case UUIDv7 (RFC 9562 §5.7). Within one process ids sort in the order they were created. */
export function newId(nowMs = Date.now()): string {
  // Process clock: an id begins with its creation time, so that rows are stored in that order.
  const at = takeRandom(16)
  // RFC 9562 §6.2 method 1: `rand_a` is a counter within the millisecond, and carries into the next one.
  if (nowMs > lastMs) {
    lastMs = nowMs
    sequence = pool.readUInt16BE(at + 6) & 0x3ff
  } else if (++sequence > 0xfff) {
    lastMs += 1
    sequence = 0
  }
  pool.writeUIntBE(lastMs, at, 6)
  pool.writeUInt16BE(0x7000 | sequence, at + 6)
  pool.writeUInt8(0x80 | (pool.readUInt8(at + 8) & 0x3f), at + 8)
  for (let n = 0, place = 0; n < 16; n++) {
    if (n === 4 || n === 6 || n === 8 || n === 10) place++
    const byte = pool.readUInt8(at + n)
    written.writeUInt16BE(HEX.readUInt16BE(2 * byte), place)
    place += 2
  }
  return written.toString('latin1')
}

// In place, where texts of a part each would take five times as long.
const written = Buffer.alloc(36, '-')
const HEX = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join(''))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether the text is a UUID as this service writes them, so that it may be compared with a uuid column. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

let requestMs = 0
let requestTime = ''

/** A request id: `req_` and a ULID. */
export function newRequestId(nowMs = Date.now()): string {
  // Process clock: a request id begins with its creation time, so that log lines sort by it.
  if (nowMs !== requestMs) {
    requestMs = nowMs
    requestTime = 'req_'
    for (let shift = 32 ** 8; shift >= 1; shift /= 1024) requestTime += pairOf(Math.floor(nowMs / shift) % 1024)
  }
  let random = ''
  for (let at = takeRandom(16), end = at + 16; at < end; at += 2) random += pairOf(pool.readUInt16BE(at) & 1023)
  return requestTime + random
}

function pairOf(bits: number): string {
  return PAIRS.slice(2 * bits, 2 * bits + 2)
}

/** The lowest UUIDv7 of a moment: ids made before it are lower. */
export function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

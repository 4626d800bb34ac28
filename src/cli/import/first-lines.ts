import { createHash } from 'node:crypto'

const FIRST_SLOTS = 2 ** 12
// Takes 48 MiB of memory.
const MAX_SLOTS = 2 ** 22
const MAX_LOAD = 0.75

/** For each address in a file, the line where it first occurred. */
export interface FirstLines {
  /** Returns the line where the address first occurred: this line, unless an earlier one is known. */
  note(norm: string, line: number): number
}

interface Table {
  /** 53 bits of each address's digest. 0 marks a free slot. */
  digests: Float64Array
  lines: Uint32Array
}

/**
 * Remembers the addresses of a file in 16 bytes each. It remembers at most three million, so memory is limited however
 * long the file is.
 */
export function rememberFirstLines(maxSlots = MAX_SLOTS): FirstLines {
  let table = makeTable(Math.min(FIRST_SLOTS, maxSlots))
  let count = 0
  return {
    note(norm, line) {
      const digest = digestOf(norm)
      const slot = findSlot(table, digest)
      const known = table.lines[slot] ?? 0
      if (known > 0) return known
      if (count + 1 > table.digests.length * MAX_LOAD) {
        if (table.digests.length >= maxSlots) return line
        table = enlarge(table)
      }
      put(table, digest, line)
      count++
      return line
    },
  }
}

function makeTable(slots: number): Table {
  return { digests: new Float64Array(slots), lines: new Uint32Array(slots) }
}

function enlarge({ digests, lines }: Table): Table {
  const larger = makeTable(digests.length * 2)
  for (const [slot, line] of lines.entries()) if (line > 0) put(larger, digests[slot] ?? 0, line)
  return larger
}

function put(table: Table, digest: number, line: number): void {
  const slot = findSlot(table, digest)
  table.digests[slot] = digest
  table.lines[slot] = line
}

/** The slot of a digest, or the free slot for it. */
function findSlot({ digests, lines }: Table, digest: number): number {
  let slot = digest % digests.length
  while (lines[slot] !== 0 && digests[slot] !== digest) slot = (slot + 1) % digests.length
  return slot
}

function digestOf(norm: string): number {
  const digest = createHash('sha256').update(norm).digest()
  return digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) >> 3)
}

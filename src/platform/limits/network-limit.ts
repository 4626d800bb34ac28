import { hash, randomBytes } from 'node:crypto'
import { networkOf } from '../http/client-address.ts'
import { type SteadyRate, spendOne } from './steady-rate.ts'

/** A rate for each client network: an IPv4 address, the /64 of an IPv6 address. */
export interface NetworkLimit {
  /** Counts one more of an address. Returns 0, or for how many seconds its network has none left. */
  count(ip: string, nowMs: number): number
  /** The same without counting. */
  wait(ip: string, nowMs: number): number
}

// Two tables of this many cells: 512 KiB for each limit, however many networks there are.
const CELLS = 2 ** 15

/**
 * Counts in tables of a fixed size, in each of which a network has a cell by its keyed hash; of the two the emptier
 * counts (count-min sketch). No network is ever evicted, so an attacker with many networks gets no more than the limit of
 * each one. Two networks affect each other only if they share both cells.
 */
export function limitNetworks(rate: SteadyRate): NetworkLimit {
  const tables = [new Float64Array(CELLS), new Float64Array(CELLS)]
  const emptyMs = (rate.burst * 1000) / rate.perSecond
  const seed = randomBytes(16).toString('base64')

  function look(ip: string, nowMs: number) {
    const digest = hash('sha256', seed + networkOf(ip), 'buffer')
    const cells = tables.map((table, n) => ({ table, at: digest.readUInt32LE(4 * n) % CELLS }))
    // Later than that only by a clock that was set back.
    for (const { table, at } of cells) table[at] = Math.min(table[at] ?? 0, nowMs + emptyMs)
    const emptier = Math.min(...cells.map(({ table, at }) => table[at] ?? 0))
    return { cells, ...spendOne(rate, emptier, nowMs) }
  }

  return {
    count(ip, nowMs) {
      const { cells, fullAtMs, waitMs } = look(ip, nowMs)
      if (waitMs > 0) return Math.ceil(waitMs / 1000)
      for (const { table, at } of cells) table[at] = Math.max(table[at] ?? 0, fullAtMs)
      return 0
    },
    wait: (ip, nowMs) => Math.ceil(look(ip, nowMs).waitMs / 1000),
  }
}

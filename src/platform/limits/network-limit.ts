import { hash, randomBytes } from 'node:crypto'
import { networkOf } from '../http/client-address.ts'
import { type SteadyRate, spendOne } from './steady-rate.ts'

/** A rate limit for each client network: an IPv4 address, or the /64 of an IPv6 address. */
export interface NetworkLimit {
  /** Counts a request from an address. Returns 0, or for how many seconds the network has used up its limit. */
  count(ip: string, nowMs: number): number
  /** Returns the same without counting. */
  wait(ip: string, nowMs: number): number
}

// There are two tables with this many cells: 512 KiB for each limit, regardless of the number of networks.
const CELLS = 2 ** 15

/**
 * Counts in two tables of fixed size. In each table, a network's keyed hash selects a cell, and the emptier of the two
 * cells counts (count-min sketch). No network is ever evicted, so an attacker with many networks gets no more than the
 * limit of each. Two networks affect each other only if they share both cells.
 */
export function limitNetworks(rate: SteadyRate): NetworkLimit {
  const tables = [new Float64Array(CELLS), new Float64Array(CELLS)]
  const emptyMs = (rate.burst * 1000) / rate.perSecond
  const seed = randomBytes(16).toString('base64')

  function look(ip: string, nowMs: number) {
    const digest = hash('sha256', seed + networkOf(ip), 'buffer')
    const cells = tables.map((table, n) => ({ table, at: digest.readUInt32LE(4 * n) % CELLS }))
    // A value can only be later than that if the clock was set back.
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

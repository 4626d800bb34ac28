import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { limitNetworks } from './network-limit.ts'

const RATE = { perSecond: 10, burst: 50 }
const NOW = 1_800_000_000_000

/** How many of this many simultaneous requests pass. */
function passing(limit: ReturnType<typeof limitNetworks>, ip: string, asked: number, nowMs = NOW): number {
  return Array.from({ length: asked }, () => limit.count(ip, nowMs)).filter((seconds) => seconds === 0).length
}

test('a network has its burst at once and its rate from then on, and another has its own', () => {
  const limit = limitNetworks(RATE)
  expect(passing(limit, '192.0.2.1', 200)).toBe(50)
  expect([limit.wait('192.0.2.1', NOW), limit.count('192.0.2.1', NOW)]).toEqual([1, 1])
  expect(passing(limit, '192.0.2.2', 200)).toBe(50)
  expect(passing(limit, '192.0.2.1', 200, NOW + 1000)).toBe(10)
  expect(passing(limit, '192.0.2.1', 200, NOW + 3600_000)).toBe(50)
})

test('an IPv4 address is one network however it is written, and so are the addresses of an IPv6 /64', () => {
  const limit = limitNetworks(RATE)
  expect(passing(limit, '192.0.2.1', 25) + passing(limit, '::ffff:192.0.2.1', 200)).toBe(50)
  const addresses = Array.from({ length: 200 }, (_, n) => `2001:db8:0:1::${n.toString(16)}`)
  const passed = addresses.filter((ip) => limit.count(ip, NOW) === 0)
  expect(passed).toHaveLength(50)
  expect(passing(limit, '2001:db8:0:2::1', 200)).toBe(50)
})

test('waiting is told without counting, and a clock that was set back locks nobody out', () => {
  const limit = limitNetworks(RATE)
  for (let n = 0; n < 100; n++) expect(limit.wait('192.0.2.1', NOW)).toBe(0)
  expect(passing(limit, '192.0.2.1', 50)).toBe(50)
  const before = NOW - 3600_000
  expect(limit.wait('192.0.2.1', before)).toBe(1)
  expect(passing(limit, '192.0.2.1', 1, before)).toBe(0)
  expect(passing(limit, '192.0.2.1', 20, before + 1000)).toBe(10)
})

test('any number of networks takes no more memory, lifts nobody’s limit and uses up nobody’s', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const limit = limitNetworks(RATE)
  expect(passing(limit, '192.0.2.1', 51)).toBe(50)
  collect()
  const before = getHeapStatistics().used_heap_size
  for (let n = 0; n < 400_000; n++) limit.count(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, NOW)
  collect()
  // Entries of a map would take a hundred bytes each.
  expect(getHeapStatistics().used_heap_size - before).toBeLessThan(8_000_000)
  expect(limit.count('192.0.2.1', NOW)).toBe(1)
  const fresh = Array.from({ length: 1000 }, (_, n) => `198.51.${n >> 8}.${n & 255}`)
  expect(fresh.filter((ip) => limit.count(ip, NOW) > 0)).toEqual([])
})

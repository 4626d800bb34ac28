import { expect, test } from 'vitest'
import { createBreaker, type Patience } from './breaker.ts'

function breakerWith(patience: Partial<Patience>) {
  const time = { ms: 1000 }
  const breaker = createBreaker({ failures: 1, restMs: 0, probes: 2, ...patience }, () => time.ms)
  const attempt = (answered: boolean, takesMs = 0) => {
    const leave = breaker.enter()
    time.ms += takesMs
    leave?.(answered)
    return leave !== null
  }
  return { ...breaker, time, attempt }
}

test('lets few tries through while the peer is in trouble', () => {
  const breaker = breakerWith({})
  const [first, second, third] = [breaker.enter(), breaker.enter(), breaker.enter()]
  first?.(false)
  expect(breaker.enter()).toBeNull()
  second?.(false)
  const probing = breaker.enter()
  expect(probing).not.toBeNull()
  expect(breaker.enter()).toBeNull()
  probing?.(true)
  expect([breaker.enter(), breaker.enter(), breaker.enter()]).not.toContain(null)
  expect(third).not.toBeNull()
})

test('a slow answer is none, where a limit is given', () => {
  const [strict, patient] = [breakerWith({ slowMs: 3000, restMs: 1000 }), breakerWith({ restMs: 1000 })]
  expect([strict.attempt(true, 3000), strict.attempt(true, 3001), strict.attempt(true)]).toEqual([true, true, false])
  expect([patient.attempt(true, 60_000), patient.attempt(true)]).toEqual([true, true])
})

test('after failures in a row none is let through for a while, and then one, which decides', () => {
  const breaker = breakerWith({ failures: 3, restMs: 30_000, probes: 1 })
  const attempts = [false, false, true, false, false].map((answered) => breaker.attempt(answered))
  expect(attempts).toEqual([true, true, true, true, true])
  expect([breaker.attempt(false), breaker.attempt(true)]).toEqual([true, false])
  breaker.time.ms += 29_999
  expect(breaker.enter()).toBeNull()
  breaker.time.ms += 1
  const probe = breaker.enter()
  expect([probe, breaker.enter()]).toEqual([expect.any(Function), null])
  probe?.(false)
  breaker.time.ms += 29_999
  expect(breaker.attempt(true)).toBe(false)
  breaker.time.ms += 1
  expect([breaker.attempt(true), breaker.attempt(false), breaker.attempt(true)]).toEqual([true, true, true])
})

test('one that has nothing to tell is calm', () => {
  const breaker = breakerWith({ failures: 2 })
  const leave = breaker.enter()
  expect(breaker.isCalm()).toBe(false)
  leave?.(true)
  expect(breaker.isCalm()).toBe(true)
  breaker.attempt(false)
  expect(breaker.isCalm()).toBe(false)
})

test('a clock that is put back makes no rest longer', () => {
  const breaker = breakerWith({ restMs: 30_000 })
  breaker.attempt(false)
  breaker.time.ms -= 3600_000
  expect(breaker.attempt(true)).toBe(true)
})

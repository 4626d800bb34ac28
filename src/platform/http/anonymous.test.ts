import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { httpErrors } from '../errors.ts'
import { limitAnonymous } from './anonymous.ts'

test('a refusal is delayed, and if 2000 are, the next one closes its connection at once', async () => {
  const { delay } = limitAnonymous(1)
  const refusal = httpErrors.rateLimited({ headers: { 'retry-after': '1' } })
  let ended = 0
  const delayed = Array.from({ length: 2000 }, async () => {
    const answer = await delay(refusal)
    ended++
    return answer
  })
  const { definition, details } = await delay(refusal)
  expect([definition.code, details.headers]).toEqual(['rate_limited', { 'retry-after': '1', connection: 'close' }])
  for (let n = 0; n < 10; n++) await nextIteration()
  expect(ended).toBe(0)
  expect(new Set(await Promise.all(delayed))).toEqual(new Set([refusal]))
  expect(await delay(refusal)).toBe(refusal)
})

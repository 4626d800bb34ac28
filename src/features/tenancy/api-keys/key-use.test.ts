import { expect, test, vi } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { startDeadline } from '../../../platform/db/deadline.ts'
import { currentPlace, untilDeadline } from '../../../platform/db/lanes.ts'
import { flushKeyUses, noteKeyRefusal, noteKeyUse } from './key-use.ts'

const app = await startApp()
const { platform } = app.app

test('the last uses of keys are saved together, without the deadline of the request that came first', async () => {
  await app.tenant()
  await app.tenant()
  const keys = await platform.db.selectFrom('api_keys').select('id').execute()
  expect(keys).toHaveLength(2)
  const deadlines: unknown[] = []
  // Shared process: intercepts `setTimeout`, and restores it in `finally`.
  const setting = vi.spyOn(globalThis, 'setTimeout').mockImplementation((...[due, ms]) => {
    deadlines.push(currentPlace().deadline)
    return setInterval(due, ms)
  })
  try {
    for (const { id } of keys) untilDeadline(startDeadline(5000), () => noteKeyUse(platform, id, null, new Date()))
  } finally {
    setting.mockRestore()
  }
  expect(deadlines).toEqual([null])
  await flushKeyUses(platform)
  const uses = await platform.db.selectFrom('api_keys').select('last_used_at').execute()
  expect(uses).toEqual(keys.map(() => ({ last_used_at: expect.any(Date) })))
})

test('a refused key is logged once a minute, and again when the clock was set back', () => {
  let ms = Date.now()
  const clock = { ...platform.clock, now: () => new Date(ms) }
  const other = { ...platform, clock }
  const logged = () => app.logLines.filter((line) => line.includes('outside its allowedIps')).length
  const counts = [0, 59_999, 1, -3_600_000, 1].map((step) => {
    ms += step
    noteKeyRefusal(other, 'a-key')
    return logged()
  })
  expect(counts).toEqual([1, 1, 2, 3, 3])
})

import { expect, test } from 'vitest'
import { startApp } from '../../test/harness.ts'
import { recordStatements } from '../../test/rules/sql-recorder.ts'
import { readinessChecks } from './readiness.ts'

const service = await startApp()
const { platform } = service.app

test('probes that come at the same time share a check, and the next one has its own', async () => {
  let running = true
  const check = readinessChecks(platform, { isRunning: () => running, stop: async () => undefined })
  const writes = async (probe: () => Promise<unknown>) =>
    (await recordStatements(probe)).filter((text) => /schema_migrations.*for no key update/.test(text)).length
  const well = { database: 'ok', migrations: 'ok', queue: 'ok', signing_key: 'ok' }
  expect(await writes(() => Promise.all([check(), check(), check()]))).toBe(1)
  expect(await check()).toEqual(well)
  running = false
  expect(await writes(async () => expect(await check()).toEqual({ ...well, queue: 'failed' }))).toBe(1)
})

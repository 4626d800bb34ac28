import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { provisioned, scimCaller } from '../people/scim.ts'
import { startProcesses } from './processes.ts'

const app = await startApp()
const processes = await startProcesses(app, 2)
const tenant = await app.tenant()

test('the rate of an organization is one over all processes', async () => {
  const { subOrgId, token } = await provisioned(app, tenant)
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, scim_requests_per_second: 5 }))
  const callers = processes.map((one) => scimCaller(one, token))
  const start = Date.now()
  const sent = callers.flatMap((call) => Array.from({ length: 60 }, () => call('GET', '/Me')))
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  const seconds = Math.ceil((Date.now() - start) / 1000)
  const served = statuses.filter((status) => status === 501).length
  expect(statuses.filter((status) => status !== 501 && status !== 429)).toEqual([])
  expect(served).toBeGreaterThanOrEqual(20)
  expect(served).toBeLessThanOrEqual(20 + 5 * (seconds + 1))
  expect(served).toBeLessThan(sent.length)
})

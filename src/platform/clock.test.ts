import { expect, test } from 'vitest'
import { startApp, until } from '../../test/harness.ts'
import { signedInUser, signIn } from '../../test/people/sign-in.ts'
import { startSecondApp } from '../../test/second-app.ts'
import { type Clock, followDatabase, systemClock } from './clock.ts'
import { createLog } from './observability/log.ts'

const OFF_MS = 300_000
const service = await startApp()
const tenant = await service.tenant()

const machineOff = (ms: number): Clock => ({ ...systemClock, now: () => new Date(Date.now() + ms) })

test.each([
  ['ahead of', OFF_MS],
  ['behind', -OFF_MS],
])(
  'a process whose machine is five minutes %s the database issues and takes the same tokens as the others',
  async (where, ms) => {
    const lines: string[] = []
    const log = createLog({ logLevel: 'warn' }, { write: (line) => void lines.push(line) })
    const off = await startSecondApp(service, { machineClock: machineOff(ms), log })
    const subOrgId = await tenant.organization()
    const email = `${where.split(' ')[0]}@example.com`
    const { session } = await signedInUser(service, tenant, subOrgId, email)
    const offSession = await signIn(service, off.as(tenant.key), subOrgId, email)
    for (const caller of [tenant, off.as(tenant.key)])
      for (const { access_token: token } of [session, offSession])
        expect((await caller.post('/v1/auth/token/introspect', { token })).body).toMatchObject({ active: true })
    for (const baseUrl of [service.baseUrl, off.baseUrl])
      for (const { access_token } of [session, offSession]) {
        const me = await fetch(`${baseUrl}/v1/me`, { headers: { authorization: `Bearer ${access_token}` } })
        expect(me.status).toBe(200)
      }
    const told = lines.filter((line) => line.includes('The clock of this machine'))
    expect(told).toEqual([expect.stringContaining(`The clock of this machine is 300 s ${where} the database`)])
  },
)

test('a machine whose clock is set meanwhile goes by the database at the next beat, and says so once', async () => {
  const [machine, lines] = [{ aheadMs: 0 }, [] as string[]]
  const clock = followDatabase(
    { ...systemClock, now: () => new Date(1_000_000 + machine.aheadMs) },
    (line) => void lines.push(line),
  )
  const compare = () => clock.compare(async () => [{ ms: 1_000_000 }])
  for (const [aheadMs, told] of [
    [0, 0],
    [1500, 0],
    [60_000, 1],
    [60_000, 1],
    [0, 1],
    [-60_000, 2],
  ] as const) {
    machine.aheadMs = aheadMs
    await compare()
    expect([clock.now().getTime(), lines.length]).toEqual([1_000_000, told])
  }
})

test('what the way to the database takes is no difference of clocks', async () => {
  let machineMs = 0
  const clock = followDatabase({ ...systemClock, now: () => new Date(machineMs) }, () => undefined)
  await clock.compare(async () => {
    machineMs += 1000
    return [{ ms: 900 }]
  })
  expect(clock.now().getTime()).toBe(1000)
})

test('a running process compares its clock with the database again and again', async () => {
  const machine = { aheadMs: 0 }
  const off = await startSecondApp(service, {
    machineClock: { ...systemClock, now: () => new Date(Date.now() + machine.aheadMs) },
  })
  machine.aheadMs = OFF_MS
  const isRight = async () => Math.abs(off.app.platform.clock.now().getTime() - Date.now()) < OFF_MS / 2
  expect(await isRight()).toBe(false)
  await until(isRight)
})

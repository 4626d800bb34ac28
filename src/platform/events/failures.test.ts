import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Reply, startApp, type Tenant, until } from '../../../test/harness.ts'
import { mailLinkTo } from '../../../test/people/mailed-links.ts'
import { newEmail, newUser } from '../../../test/people/people.ts'
import { ofRequests, recordStatements } from '../../../test/rules/sql-recorder.ts'
import { workIn } from '../../../test/work.ts'
import { loginEvents } from '../../features/access/login/events.ts'
import { accountDirectory, directoryOfOrganization } from '../tenancy/directory.ts'
import { recordCountedFailures, recordFailure, TOLD_AN_HOUR } from './failures.ts'

const service = await startApp()
const { platform } = service.app

// Settings are cached for seconds, so a request finds what an earlier one has read.
// Shared process: stops the clock of the process. `afterAll` restores it.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

interface Failure {
  method: string
  reason: string
  count?: number
  first_at?: string
  last_at?: string
}

/** The recorded events of refused sign-ins: their targets and data. */
async function failuresOf({ accountId }: Tenant) {
  const rows = await service.events({ accountId, type: 'auth.login.failed' })
  return rows.map(({ target_id, data }) => ({ target_id, data: data as Failure }))
}

const sum = (failures: { data: Failure }[]) => failures.reduce((total, { data }) => total + (data.count ?? 1), 0)
const tell = () => recordCountedFailures.handle(platform, {}, 1)

/** Uses up the number of failures that a directory records individually. */
async function fill(tenant: Tenant, subOrgId: string): Promise<void> {
  await failOfNobody(tenant, subOrgId, TOLD_AN_HOUR.ofDirectory)
}

async function failOfNobody(tenant: Tenant, subOrgId: string, times: number): Promise<void> {
  const environment = { ...tenant, environmentSlug: 'production' }
  const work = workIn(platform, await directoryOfOrganization(platform, environment, subOrgId))
  const failure = loginEvents.failed({ data: { method: 'otp', reason: 'no_such_user' } })
  for (let n = 0; n < times; n++) await recordFailure(work, null, failure)
}

/** Presents a genuine link with a wrong purpose, because a made-up link is refused before anything is recorded. */
async function wrongLinks(tenant: Tenant, subOrgId: string) {
  const { link } = await mailLinkTo(service, tenant, 'recovery', { subOrgId })
  const { token_hash } = link
  return (email: string) => tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash })
}

test('of one address so many are recorded one by one; the others as a number, with whose, why and when', async () => {
  const tenant = await service.tenant()
  const { id, subOrgId, email } = await newUser(tenant)
  const started = new Date().toISOString()
  const present = await wrongLinks(tenant, subOrgId)
  for (let n = 0; n < 30; n++) expect((await present(email)).status).toBe(400)
  const data = { method: 'magic_link', reason: 'token_invalid' }
  expect(await failuresOf(tenant)).toEqual(Array(TOLD_AN_HOUR.ofAddress).fill({ target_id: id, data }))
  await tell()
  expect(await failuresOf(tenant)).toHaveLength(TOLD_AN_HOUR.ofAddress)
  await service.advance(301)
  // If two jobs run at once, each counted failure is reported only once.
  await Promise.all([tell(), tell()])
  const [last, ...more] = (await failuresOf(tenant)).slice(TOLD_AN_HOUR.ofAddress)
  expect(more).toEqual([])
  const times = { first_at: expect.any(String), last_at: expect.any(String) }
  expect(last).toEqual({ target_id: id, data: { ...data, count: 10, ...times } })
  const [first = '', end = ''] = [last?.data.first_at, last?.data.last_at]
  expect([started <= first, first <= end]).toEqual([true, true])
  // The stream waits for all transactions in progress in the cluster.
  const total = await until(async () => {
    const page = await tenant.get('/v1/events?types=auth.login.failed&limit=1000')
    return sum(page.body.events) >= 30 && sum(page.body.events)
  })
  expect(total).toBe(30)
  await service.advance(3600)
  await (await wrongLinks(tenant, subOrgId))(email)
  expect((await failuresOf(tenant)).at(-1)).toEqual({ target_id: id, data })
})

test('addresses of nobody fill no table, others are not told less, and nothing tells them from users', async () => {
  const [tenant, other] = [await service.tenant(), await service.tenant()]
  const { subOrgId, email } = await newUser(tenant)
  await fill(tenant, subOrgId)
  const before = (await failuresOf(tenant)).length
  expect(before).toBe(TOLD_AN_HOUR.ofDirectory)
  const post = (path: string, body: object) => tenant.post(`/v1/auth/${path}`, { subOrgId, ...body })
  const ways: Record<string, (address: string) => Promise<Reply>> = {
    password: (address) => post('login/password', { email: address, password: 'wrong' }),
    'wrong code': (address) => post('login/otp/verify', { email: address, otp_id: crypto.randomUUID(), code: 'a b' }),
    'wrong link': await wrongLinks(tenant, subOrgId),
  }
  const textsOf = async (ask: () => Promise<unknown>) => ofRequests(await recordStatements(ask))
  let asked = 0
  for (const [name, ask] of Object.entries(ways)) {
    await ask(newEmail())
    const [known, unknown] = [await textsOf(() => ask(email)), await textsOf(() => ask(newEmail()))]
    asked += 3
    expect(known, name).toEqual(unknown)
    expect(known.join(), name).toContain('insert into event_counts')
  }
  for (const way of ['login/otp', 'login/magic-link', 'password/reset'])
    for (let n = 0; n < 20; n++, asked++) expect((await post(`${way}/send`, { email: newEmail() })).status).toBe(200)
  // A decoy costs as much as a real mail: one statement at the end, for what is recorded. Each kind has at most 256
  // rows.
  const [times, most] = [400, asked + 256]
  await failOfNobody(tenant, subOrgId, times)
  asked += times
  const rows = await platform.db.selectFrom('event_counts').select('key').execute()
  expect(rows.length).toBeLessThanOrEqual(most)
  expect(await failuresOf(tenant)).toHaveLength(before)
  const lost = await newUser(other)
  await (await wrongLinks(other, lost.subOrgId))(lost.email)
  expect(await failuresOf(other)).toHaveLength(1)
  await service.advance(301)
  await tell()
  const told = (await failuresOf(tenant)).slice(before)
  expect(sum(told)).toBe(asked)
  // Failures without a user: one event for each method and reason.
  expect(new Set(told.map(({ target_id, data }) => [target_id, data.method, data.reason].join())).size).toBe(
    told.length,
  )
})

test('failures at one address wait for one another alike, whether a user has it: they are counted in one row', async () => {
  const tenant = await service.tenant()
  const { subOrgId, email } = await newUser(tenant)
  await fill(tenant, subOrgId)
  const countersOf = async (address: string) => {
    await service.advance(301)
    await tell()
    const wrong = { subOrgId, email: address, otp_id: crypto.randomUUID(), code: 'a b' }
    await Promise.all(Array.from({ length: 8 }, () => tenant.post('/v1/auth/login/otp/verify', wrong)))
    const rows = await platform.db.selectFrom('event_counts').select('count').execute()
    return rows.map(({ count }) => count)
  }
  expect([await countersOf(email), await countersOf(newEmail())]).toEqual([[8], [8]])
})

test('an address that is asked for codes costs the same statements beyond the bound, whether a user has it', async () => {
  const tenant = await service.tenant()
  const { subOrgId, email } = await newUser(tenant)
  await fill(tenant, subOrgId)
  const send = (address: string) => () => tenant.post('/v1/auth/login/otp/send', { subOrgId, email: address })
  await send(newEmail())()
  const known = ofRequests(await recordStatements(send(email)))
  const unknown = ofRequests(await recordStatements(send(newEmail())))
  expect(unknown).toHaveLength(known.length)
  expect(unknown.filter((text) => text.includes('event_counts'))).toHaveLength(1)
  expect(known.filter((text) => text.includes('insert into "events"'))).toHaveLength(1)
})

test('what is counted in a transaction that is rolled back was not', async () => {
  const tenant = await service.tenant()
  const directory = await accountDirectory(platform, { ...tenant, environmentSlug: 'production' })
  const failure = loginEvents.failed({ data: { method: 'otp', reason: 'no_such_user' } })
  const identity = Buffer.from('ada')
  const work = workIn(platform, directory)
  for (let n = 0; n < TOLD_AN_HOUR.ofAddress; n++) await recordFailure(work, identity, failure)
  const counting = platform.tx(async (db) => {
    await recordFailure({ ...work, db }, identity, failure)
    throw new Error('Rolled back')
  })
  await expect(counting).rejects.toThrow('Rolled back')
  await service.advance(301)
  await tell()
  expect(sum(await failuresOf(tenant))).toBe(TOLD_AN_HOUR.ofAddress)
})

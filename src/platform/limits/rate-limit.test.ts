import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, type Tenant } from '../../../test/harness.ts'
import { startSecondApp } from '../../../test/second-app.ts'
import { workIn } from '../../../test/work.ts'
import { ApiError } from '../errors.ts'
import type { Platform } from '../platform.ts'
import { accountDirectory, type Directory, directoryOfOrganization } from '../tenancy/directory.ts'
import { claimAct, countAct } from './rate-limit.ts'
import { countSend, type SendCeilings } from './send-limit.ts'

const service = await startApp()
const { platform } = service.app
const second = await startSecondApp(service)

const MINUTE = { bucket: 'test.minute', limit: 3, windowSeconds: 60 }
const HOUR = { bucket: 'test.hour', limit: 5, windowSeconds: 3600 }
const ROOMY = { perOrganizationHour: 1000, perKeyHour: 1000, perNetworkHour: 1000 }
const ada = Buffer.from('ada')
const KEY = '01890000-0000-7000-8000-000000000001'

async function directoryOf(tenant: Tenant): Promise<Directory> {
  return accountDirectory(platform, { ...tenant, environmentSlug: 'production' })
}

async function organizationOf(tenant: Tenant): Promise<Directory> {
  const environment = { ...tenant, environmentSlug: 'production' }
  return directoryOfOrganization(platform, environment, await tenant.organization())
}

interface Send {
  directory: Directory
  keyId?: string | null
  target?: string
  ceilings?: Partial<SendCeilings>
  through?: Platform
}

async function send({ directory, keyId = KEY, target = 'ada', ceilings, through = platform }: Send) {
  const work = workIn(through, directory)
  const actor = { type: keyId === null ? ('system' as const) : ('api_key' as const), id: keyId }
  const limits = [MINUTE, HOUR]
  const sender = { ...work, origin: { ...work.origin, actor } }
  return countSend(sender, Buffer.from(target), limits, {
    leaves: true,
    byAnyone: false,
    ceilings: { ...ROOMY, ...ceilings },
  })
}

async function refusal(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(() => null).catch((thrown: unknown) => thrown)
  if (!(error instanceof ApiError)) throw new Error('It was not refused')
  return error
}

const counters = async ({ id }: Directory) => {
  const query = platform.db.selectFrom('rate_counters').select(['bucket', 'count']).where('directory_id', '=', id)
  return Object.fromEntries((await query.execute()).map(({ bucket, count }) => [bucket, count]))
}

test('counts an act in each window, and tells the tightest', async () => {
  const directory = await directoryOf(await service.tenant())
  const act = () => countAct(workIn(platform, directory), ada, [MINUTE, HOUR])
  expect(await act()).toMatchObject({ limit: 3, remaining: 2, windowSeconds: 60 })
  await act()
  await act()
  const refused = await refusal(act())
  expect(refused.details.headers).toMatchObject({
    'ratelimit-policy': '"default";q=3;w=60',
    'x-ratelimit-remaining': '0',
  })
  await service.advance(60)
  expect(await act()).toMatchObject({ limit: 5, remaining: 0, windowSeconds: 3600 })
  expect((await refusal(act())).details.headers).toMatchObject({ 'ratelimit-policy': '"default";q=5;w=3600' })
  await service.advance(3600)
  expect(await act()).toMatchObject({ remaining: 2 })
})

test('a message counts for its target, its organization and its key, which is one over all organizations', async () => {
  const tenant = await service.tenant()
  const [first, other] = [await organizationOf(tenant), await organizationOf(tenant)]
  expect(await send({ directory: first })).toMatchObject({ limit: 3, remaining: 2, windowSeconds: 60 })
  await send({ directory: other })
  await send({ directory: other, keyId: null })
  expect(await counters(first)).toEqual({ 'test.minute': 1, 'test.hour': 1, 'send.organization': 1 })
  expect(await counters(other)).toEqual({ 'test.minute': 2, 'test.hour': 2, 'send.organization': 2 })
  expect(await counters(await directoryOf(tenant))).toEqual({ 'send.key': 2 })
})

test('says whose limit is used up', async () => {
  const directory = await organizationOf(await service.tenant())
  const ceilings = { perOrganizationHour: 2 }
  for (const target of ['a', 'b']) await send({ directory, target, ceilings })
  const organization = await refusal(send({ directory, target: 'c', ceilings }))
  expect(await counters(await accountDirectory(platform, directory))).toEqual({ 'send.key': 2 })
  expect(organization.message).toMatch(/^This organization has sent too many messages: try again in \d+ s\.$/)
  expect(organization.details.headers).toMatchObject({
    'ratelimit-policy': '"organization";q=2;w=3600',
    'x-ratelimit-remaining': '0',
  })
  const key = await refusal(send({ directory, target: 'd', ceilings: { perKeyHour: 2 } }))
  expect(key.message).toMatch(/^This API key has sent too many messages/)
  expect(key.details.headers).toMatchObject({ 'ratelimit-policy': '"key";q=2;w=3600' })
  await send({ directory, target: 'e', keyId: '01890000-0000-7000-8000-000000000002', ceilings: { perKeyHour: 3 } })
  await service.advance(3600)
  expect(await send({ directory, target: 'c', ceilings })).toMatchObject({ remaining: 2 })
})

test('what a target’s own limit refuses uses up nothing that others share', async () => {
  const tenant = await service.tenant()
  const directory = await organizationOf(tenant)
  for (let sent = 0; sent < 3; sent++) await send({ directory })
  for (let refused = 0; refused < 5; refused++)
    expect((await refusal(send({ directory }))).message).toMatch(/^Too many requests/)
  expect(await counters(directory)).toMatchObject({ 'test.minute': 8, 'send.organization': 3 })
  expect(await counters(await directoryOf(tenant))).toEqual({ 'send.key': 3 })
})

test('two processes at once let no message through beyond a shared limit', async () => {
  const directory = await organizationOf(await service.tenant())
  const tries = Array.from({ length: 60 }, (_, at) =>
    send({
      directory,
      target: `target-${at}`,
      ceilings: { perOrganizationHour: 20 },
      through: at % 2 ? platform : second.app.platform,
    }).then(
      () => 'sent',
      () => 'refused',
    ),
  )
  const outcomes = await Promise.all(tries)
  expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(20)
})

test('a claim takes what is left, and what it does not get does not count', async () => {
  const directory = await directoryOf(await service.tenant())
  const claim = (limit: number, through = platform) =>
    claimAct(workIn(through, directory), { bucket: 'test.day', limit, windowSeconds: 86_400 })
  expect(await claim(0)).toBe(false)
  const claims = await Promise.all(
    Array.from({ length: 60 }, (_, at) => claim(25, at % 2 ? platform : second.app.platform)),
  )
  expect(claims.filter(Boolean)).toHaveLength(25)
  expect(await counters(directory)).toEqual({ 'test.day': 25 })
  expect([await claim(26), await claim(26)]).toEqual([true, false])
  await service.advance(86_400)
  expect(await claim(1)).toBe(true)
  expect(await claim(1)).toBe(false)
})

test('a window ends exactly with its last second, for claims and for counts', async () => {
  const directory = await directoryOf(await service.tenant())
  await platform.tx(async (tx) => {
    // In a transaction, the time does not advance.
    const work = workIn({ ...platform, db: tx }, directory)
    const begin = (agoMs: number) =>
      sql`update rate_counters set window_started_at = clock_now() - make_interval(secs => ${agoMs / 1000}::float8)
        where directory_id = ${directory.id}`.execute(tx)
    const claim = () => claimAct(work, { bucket: 'test.claim', limit: 1, windowSeconds: 3600 })
    expect([await claim(), await claim()]).toEqual([true, false])
    await begin(3_599_999)
    expect(await claim()).toBe(false)
    await begin(3_600_000)
    expect([await claim(), await claim()]).toEqual([true, false])
    const count = async () => (await countAct(work, ada, [MINUTE, { ...HOUR, limit: 3 }])).remaining
    expect([await count(), await count()]).toEqual([2, 1])
    await begin(59_999)
    expect(await count()).toBe(0)
    await begin(60_000)
    // The limit per minute is available again, and the limit per hour is used up.
    await expect(count()).rejects.toMatchObject({ definition: { code: 'rate_limited' } })
    const { rows } = await sql<{ bucket: string; count: number; age: number }>`
      select bucket, count, extract(epoch from clock_now() - window_started_at)::int as age from rate_counters
      where directory_id = ${directory.id} and bucket in ('test.minute', 'test.hour') order by bucket`.execute(tx)
    expect(rows).toEqual([
      { bucket: 'test.hour', count: 4, age: 60 },
      { bucket: 'test.minute', count: 1, age: 0 },
    ])
  })
})

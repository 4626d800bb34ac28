import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const path = '/v1/environments'
const { platform } = app.app

async function makeTenant() {
  const tenant = await app.tenant()
  const [own, other] = [await tenant.organization(), await tenant.organization()]
  const scoped = await tenant.withKey({ subOrgId: own })
  const { environment } = (await scoped.post(path, { name: 'Preview', slug: 'preview' })).body
  const updates = () => app.events({ accountId: tenant.accountId, type: 'environment.updated' })
  const idOf = async (slug: string): Promise<string> =>
    (await tenant.get(path)).body.environments.find((each: { slug: string }) => each.slug === slug).id
  return { tenant, scoped, other, environment, updates, idOf }
}

test('is read as the list shows it, and renamed', async () => {
  const { tenant, scoped, environment, updates } = await makeTenant()
  for (const caller of [tenant, scoped]) {
    const read = await caller.get(`${path}/${environment.id.toUpperCase()}`)
    expect([read.status, read.body, read.headers.get('etag')]).toEqual([200, { environment }, 'W/"1"'])
  }
  const reply = await scoped.patch(`${path}/${environment.id}`, { name: 'Next' }, { 'if-match': 'W/"1"' })
  const renamed = { ...environment, name: 'Next' }
  expect([reply.status, reply.body, reply.headers.get('etag')]).toEqual([200, { environment: renamed }, 'W/"2"'])
  expect((await tenant.get(path)).body.environments[2]).toEqual(renamed)
  expect(await updates()).toMatchObject([{ target_id: environment.id, data: renamed, previous: { name: 'Preview' } }])
})

test('a patch that changes nothing has no effect; nothing but name and locale can be patched', async () => {
  const { scoped, environment, updates } = await makeTenant()
  for (const body of [{}, { name: 'Preview' }]) {
    const reply = await scoped.patch(`${path}/${environment.id}`, body)
    expect([reply.status, reply.body, reply.headers.get('etag')]).toEqual([200, { environment }, 'W/"1"'])
  }
  for (const body of [
    { name: ' ' },
    { name: null },
    { locale: 'x' },
    { slug: 'next' },
    { type: 'staging' },
    { name: 'E', subOrgId: 7 },
  ])
    expect((await scoped.patch(`${path}/${environment.id}`, body)).body.code).toBe('invalid_request')
  expect(await updates()).toEqual([])
})

test('only an org-wide key renames what all organizations have, and no key the environment of others', async () => {
  const { tenant, scoped, other, environment, updates, idOf } = await makeTenant()
  const production = await idOf('production')
  expect((await scoped.get(`${path}/${production}`)).body.environment.name).toBe('Production')
  const refused = await scoped.patch(`${path}/${production}`, { name: 'Mine' })
  expect([refused.status, refused.body.code]).toEqual([403, 'sub_org_mismatch'])
  const stranger = await tenant.withKey({ subOrgId: other })
  const elsewhere = await app.tenant()
  for (const [caller, id] of [
    [stranger, environment.id],
    [elsewhere, environment.id],
    [elsewhere, production],
    [tenant, crypto.randomUUID()],
    [tenant, 'production'],
  ] as const) {
    for (const reply of [await caller.get(`${path}/${id}`), await caller.patch(`${path}/${id}`, { name: 'Mine' })])
      expect([reply.status, reply.body.code]).toEqual([404, 'environment_not_found'])
  }
  const narrowed = await tenant.get(`${path}/${environment.id}?subOrgId=${other}`)
  expect([narrowed.status, narrowed.body.code]).toEqual([404, 'environment_not_found'])
  expect(await updates()).toEqual([])
  const staging = await tenant.withKey({ environment: 'staging' })
  const byStaging = await staging.patch(`${path}/${production}`, { name: 'Live' })
  expect([byStaging.status, byStaging.body.code]).toEqual([403, 'production_key_required'])
  expect(await updates()).toEqual([])
  expect((await tenant.patch(`${path}/${production}`, { name: 'Live' })).body.environment).toMatchObject({
    name: 'Live',
    slug: 'production',
  })
  expect(await updates()).toMatchObject([{ previous: { name: 'Production' } }])
})

test('of several that saw the same version one renames, on two processes', async () => {
  const { scoped, environment, updates } = await makeTenant()
  const callers = [scoped, second.as(scoped.key)]
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      callers[i % 2]?.patch(`${path}/${environment.id}`, { name: `By ${i}` }, { 'if-match': 'W/"1"' }),
    ),
  )
  const verdicts = replies.map((reply) => `${reply?.status} ${reply?.body.code ?? ''}`).sort()
  expect(verdicts).toEqual(['200 ', ...Array(5).fill('412 version_conflict')])
  const [event, ...more] = await updates()
  expect(more).toEqual([])
  const row = await platform.db
    .selectFrom('environments')
    .selectAll()
    .where('id', '=', environment.id)
    .executeTakeFirst()
  expect(row).toMatchObject({ version: 2, name: Object(event?.data).name })
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { makeKey } from '../../../platform/crypto/api-key.ts'
import { createApiKey } from '../api-keys/api-keys.ts'

const first = await startApp()
const second = await startSecondApp(first)
const { platform } = first.app

test('production and staging come first, then the custom ones by age', async () => {
  const tenant = await first.tenant()
  const subOrgId = await tenant.organization()
  for (const slug of ['zeta', 'alpha']) {
    const reply = await tenant.post('/v1/environments', { name: slug.toUpperCase(), slug, subOrgId })
    expect(reply.status).toBe(200)
    const { environment } = reply.body
    expect(environment).toEqual({
      id: environment.id,
      name: slug.toUpperCase(),
      slug,
      type: 'custom',
      subOrgId,
      locale: null,
      createdAt: environment.createdAt,
      keyCount: 0,
    })
  }
  const { body } = await tenant.get('/v1/environments')
  expect(body).toMatchObject({
    environments: [
      { name: 'Production', slug: 'production', type: 'production', subOrgId: null, keyCount: 1 },
      { name: 'Staging', slug: 'staging', type: 'staging', subOrgId: null, keyCount: 0 },
      { slug: 'zeta', type: 'custom', subOrgId },
      { slug: 'alpha', type: 'custom', subOrgId },
    ],
    has_more: false,
    next_cursor: null,
  })
  const page = await tenant.get('/v1/environments?limit=3&include_total=true')
  expect(page.body).toMatchObject({ has_more: true, total: 4 })
  const rest = await tenant.get(`/v1/environments?limit=3&cursor=${page.body.next_cursor}`)
  expect(rest.body.environments).toMatchObject([{ slug: 'alpha' }])
  const events = await first.events({ accountId: tenant.accountId, type: 'environment.created' })
  expect(events.map((event) => [event.target_id, event.data])).toEqual(
    body.environments.slice(2).map((environment: { id: string }) => [environment.id, environment]),
  )
})

test.each([
  'production',
  'Production',
  ' staging',
  'staging ',
  'STAGING',
  'ｐｒｏｄｕｃｔｉｏｎ',
  'ﬆaging',
  '\u3000staging\n',
])('the slug %j is reserved', async (slug) => {
  const tenant = await first.tenant()
  const subOrgId = await tenant.organization()
  const reply = await tenant.post('/v1/environments', { name: 'Mine', slug, subOrgId })
  expect([reply.status, reply.body.code]).toEqual([400, 'slug_reserved'])
  expect((await tenant.get('/v1/environments')).body.environments).toHaveLength(2)
})

test.each(['prоduction', 'staging%20', 'stag\u200bing', 'QA', 'q a', '-qa', 'qa--1', 'qa/1', 'a'.repeat(64), ''])(
  'the slug %j is no slug',
  async (slug) => {
    const tenant = await first.tenant()
    const subOrgId = await tenant.organization()
    const reply = await tenant.post('/v1/environments', { name: 'Mine', slug, subOrgId })
    expect([reply.status, reply.body.code, reply.body.errors[0].field]).toEqual([400, 'invalid_request', 'slug'])
    expect(await first.events({ accountId: tenant.accountId, type: 'environment.created' })).toEqual([])
  },
)

test('an org-wide key names the organization', async () => {
  const [tenant, stranger] = [await first.tenant(), await first.tenant()]
  const missing = await tenant.post('/v1/environments', { name: 'QA', slug: 'qa' })
  expect([missing.status, missing.body.code]).toEqual([400, 'sub_org_required'])
  const subOrgId = await stranger.organization()
  const foreign = await tenant.post('/v1/environments', { name: 'QA', slug: 'qa', subOrgId })
  expect([foreign.status, foreign.body.code]).toEqual([404, 'organization_not_found'])
  const scoped = await stranger.withKey({ subOrgId })
  expect((await scoped.post('/v1/environments', { name: 'QA', slug: 'qa' })).body.environment.subOrgId).toBe(subOrgId)
  expect((await tenant.get('/v1/environments')).body.environments).toHaveLength(2)
})

test('a key of one organization sees the shared environments and its own, and counts its own keys', async () => {
  const tenant = await first.tenant()
  const [own, other] = [await tenant.organization(), await tenant.organization()]
  for (const [slug, subOrgId] of [
    ['mine', own],
    ['theirs', other],
  ])
    await tenant.post('/v1/environments', { name: 'E', slug, subOrgId })
  const scoped = await tenant.withKey({ subOrgId: own })
  const { body } = await scoped.get('/v1/environments?include_total=true')
  expect(body).toMatchObject({
    environments: [
      { slug: 'production', keyCount: 1 },
      { slug: 'staging', keyCount: 0 },
      { slug: 'mine', keyCount: 0 },
    ],
    total: 3,
  })
  expect(body.environments).toHaveLength(3)
  expect((await tenant.get('/v1/environments')).body.environments[0].keyCount).toBe(2)
})

test('counts the keys that work', async () => {
  const tenant = await first.tenant()
  const subOrgId = await tenant.organization()
  const { environment } = (await tenant.post('/v1/environments', { name: 'QA', slug: 'qa', subOrgId })).body
  const spec = {
    accountId: tenant.accountId,
    environmentId: environment.id,
    environmentSlug: 'qa',
    organizationId: subOrgId,
    name: 'qa',
    scopes: ['*'],
    expiresAt: null,
    requestsPerSecond: null,
    createdBy: 'test',
  }
  const made = await createApiKey(platform, platform.db, spec)
  await createApiKey(platform, platform.db, { ...spec, expiresAt: new Date(Date.now() - 1000) })
  const revoked = await createApiKey(platform, platform.db, spec)
  await platform.db.updateTable('api_keys').set({ revoked_at: new Date() }).where('id', '=', revoked.row.id).execute()
  const { body } = await first.as(made.key).get('/v1/environments')
  expect(body.environments).toMatchObject([{ keyCount: 0 }, { keyCount: 0 }, { slug: 'qa', keyCount: 1 }])
  await expect(createApiKey(platform, platform.db, { ...spec, organizationId: null })).rejects.toThrow(/only keys of/)
})

test('one of many at once gets a slug, on two processes', async () => {
  const tenant = await first.tenant()
  const subOrgId = await tenant.organization()
  const callers = [tenant, second.as(tenant.key)]
  const body = { name: 'QA', slug: 'qa', subOrgId }
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => callers[i % 2]?.post('/v1/environments', body)),
  )
  expect(replies.map((reply) => reply?.status).sort()).toEqual([200, ...Array(9).fill(409)])
  const refusal = { code: 'slug_taken', detail: 'Another environment of the organization has this slug.' }
  expect(replies.filter((reply) => reply?.status === 409).map((reply) => reply?.body)).toMatchObject(
    Array(9).fill(refusal),
  )
  expect(await first.events({ accountId: tenant.accountId, type: 'environment.created' })).toHaveLength(1)
})

test('an environment may be called like what every object has', async () => {
  expect(makeKey('constructor')).toMatch(/^ww_constructor_[0-9A-Za-z]{49}$/)
  expect([makeKey('production'), makeKey('staging')]).toEqual([
    expect.stringMatching(/^ww_live_/),
    expect.stringMatching(/^ww_stg_/),
  ])
})

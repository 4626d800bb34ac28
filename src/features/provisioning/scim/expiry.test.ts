import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { liftScimRate, provisioned, scimCaller } from '../../../../test/people/scim.ts'
import { answered, expectRefused } from '../../../../test/people/scim-answers.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { tellExpiringTokens } from './expiry.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const { platform } = app.app
const DAY = 86_400
const CONFIG = '/v1/scim/config'

const rotate = async (subOrgId: string, more: object) =>
  succeeded(await tenant.post(CONFIG, { action: 'rotate-token', subOrgId, ...more }))
const configOf = async (subOrgId: string) => succeeded(await tenant.get(`${CONFIG}?subOrgId=${subOrgId}`)).config

/** A client whose token expires. */
async function expiringClient(token_expires_in_days: number) {
  const subOrgId = await tenant.organization()
  await liftScimRate(tenant, subOrgId)
  succeeded(await tenant.patch(CONFIG, { enabled: true, subOrgId }))
  const { token, config } = await rotate(subOrgId, { token_expires_in_days })
  return { subOrgId, token, config, call: scimCaller(app, token) }
}

const tell = () => tellExpiringTokens.handle(platform, {}, 1)

const toldOf = async (id: string) =>
  (await app.events({ accountId: tenant.accountId, type: 'scim.token_expiring' })).filter(
    ({ organization_id }) => organization_id === id,
  )
const daysOf = async (id: string) => (await toldOf(id)).map(({ data }) => Object(data).days)

test('a token expires by its lifetime, in every process, and is told of', async () => {
  const { subOrgId, token, config, call } = await expiringClient(10)
  const ends = new Date(config.tokenRotatedAt).getTime() + 10 * DAY * 1000
  expect(config).toMatchObject({ tokenSet: true, currentTokenExpiresAt: new Date(ends).toISOString() })
  const other = scimCaller(second, token)
  const checklist = async () =>
    succeeded(await tenant.get(`/v1/admin-portal?subOrgId=${subOrgId}`)).overview.setup_checklist.find(
      ({ id }: { id: string }) => id === 'scim',
    ).done
  for (const ask of [call, other]) answered(await ask('GET', '/Users'))
  expect(await checklist()).toBe(true)
  await app.advance(10 * DAY - 60)
  for (const ask of [call, other]) answered(await ask('GET', '/Users'))
  await app.advance(60)
  for (const ask of [call, other])
    for (const [method, path] of [
      ['GET', '/Users'],
      ['POST', '/Bulk'],
      ['GET', '/Me'],
    ] as const) {
      const refused = await ask(method, path, method === 'POST' ? { Operations: [] } : undefined)
      expectRefused(refused, 401)
      expect(refused.headers.get('www-authenticate')).toContain('invalid_token')
      expect(refused.body.detail).toContain('has expired')
    }
  expect(await configOf(subOrgId)).toMatchObject({
    tokenSet: true,
    tokenHint: config.tokenHint,
    currentTokenExpiresAt: config.currentTokenExpiresAt,
  })
  expect(await checklist()).toBe(false)
  const next = await rotate(subOrgId, {})
  expect(next.config.currentTokenExpiresAt).toBeNull()
  answered(await scimCaller(second, next.token)('GET', '/Users'))
})

test('a bulk request under way ends with its token', async () => {
  const { call, token, subOrgId } = await expiringClient(1)
  answered(await call('GET', '/Users'))
  // This process still has the token's earlier row in its cache.
  await platform.db
    .updateTable('scim_tokens')
    .set({ lifetime_ends_at: new Date(0) })
    .where('directory_id', 'in', (eb) =>
      eb.selectFrom('directories').select('id').where('organization_id', '=', subOrgId),
    )
    .execute()
  expectRefused(await scimCaller(app, token)('GET', '/Users'), 401)
})

test.each<[number, number[]]>([
  [40, [30, 7, 1, 0]],
  [30, [7, 1, 0]],
  [20, [7, 1, 0]],
  [7, [1, 0]],
  [1, [0]],
])('of a lifetime of %i days it is told once each, whoever looks: %j', async (days, expected) => {
  const { subOrgId, config } = await expiringClient(days)
  for (let day = 0; day <= days + 1; day++) {
    await Promise.all([tell(), tellExpiringTokens.handle(second.app.platform, {}, 1), tell()])
    await app.advance(DAY)
  }
  expect(await daysOf(subOrgId)).toEqual(expected)
  const [event] = await toldOf(subOrgId)
  expect(event).toMatchObject({
    actor_type: 'system',
    data: { subOrgId, tokenHint: config.tokenHint, expiresAt: config.currentTokenExpiresAt, days: expected[0] },
  })
})

test('after a pause it is told how many days are left now, and not of what has passed', async () => {
  const { subOrgId } = await expiringClient(60)
  await app.advance(55 * DAY)
  await tell()
  expect(await daysOf(subOrgId)).toEqual([5])
})

test('it is told of no token that was replaced, or never expires', async () => {
  const { subOrgId } = await expiringClient(10)
  await rotate(subOrgId, { overlap_seconds: 604_800 })
  const { subOrgId: other } = await provisioned(app, tenant)
  await app.advance(9 * DAY)
  await tell()
  await app.advance(DAY)
  await tell()
  expect([await daysOf(subOrgId), await daysOf(other)]).toEqual([[], []])
})

test.each([
  ['provisioning is off', { path: CONFIG, off: { enabled: false }, on: { enabled: true } }],
  ['the organization is suspended', { path: null, off: { status: 'suspended' }, on: { status: 'active' } }],
  ['the organization is archived', { path: null, off: { status: 'archived' }, on: { status: 'active' } }],
])('it is told of no token while %s', async (_, { path, off, on }) => {
  const { subOrgId } = await expiringClient(40)
  const change = async (body: object) =>
    succeeded(
      await (path === null
        ? tenant.patch(`/v1/organizations/${subOrgId}`, body)
        : tenant.patch(path, { subOrgId, ...body })),
    )
  await change(off)
  await app.advance(20 * DAY)
  await tell()
  expect(await daysOf(subOrgId)).toEqual([])
  await change(on)
  await tell()
  expect(await daysOf(subOrgId)).toEqual([20])
})

test('the previous token ends with the overlap, or before by its own lifetime', async () => {
  const { subOrgId, token, config } = await expiringClient(2)
  const rotated = await rotate(subOrgId, { overlap_seconds: 604_800, token_expires_in_days: 365 })
  expect(rotated.config.tokenExpiresAt).toBe(config.currentTokenExpiresAt)
  expect(new Date(rotated.config.currentTokenExpiresAt).getTime()).toBeGreaterThan(
    new Date(rotated.config.tokenExpiresAt).getTime(),
  )
  answered(await scimCaller(app, token)('GET', '/Users'))
  await app.advance(2 * DAY)
  expectRefused(await scimCaller(app, token)('GET', '/Users'), 401)
  answered(await scimCaller(app, rotated.token)('GET', '/Users'))
})

test.each([0, -1, 731, 1.5, 'soon'])('a lifetime of %j days is refused', async (token_expires_in_days) => {
  const { subOrgId, token } = await provisioned(app, tenant)
  const refused = await tenant.post(CONFIG, { action: 'rotate-token', subOrgId, token_expires_in_days })
  expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'token_expires_in_days'])
  answered(await scimCaller(app, token)('GET', '/Users'))
})

import { expect, test } from 'vitest'
import { type Caller, startApp } from '../../../../test/harness.ts'
import { makeProvenUser, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { accountDirectory } from '../../../platform/tenancy/directory.ts'

const [POLICY, DEFAULTS] = ['/v1/mfa/policy', '/v1/mfa/policy/defaults']
const app = await startApp()

async function setUp() {
  const tenant = await app.tenant()
  const organization = async () => tenant.withKey({ subOrgId: await tenant.organization() })
  const setDefaults = async (patch: object) => succeeded(await tenant.patch(DEFAULTS, patch)).policy
  const events = async () => app.events({ accountId: tenant.accountId, type: 'mfa.policy.updated' })
  return { tenant, organization, setDefaults, events }
}

const read = async (caller: Caller) => succeeded(await caller.get(POLICY)).policy
const change = async (caller: Caller, patch: object) => succeeded(await caller.patch(POLICY, patch)).policy

test('an organization inherits what it does not set, field by field, and null gives a field back', async () => {
  const { tenant, organization, setDefaults, events } = await setUp()
  const [one, other] = [await organization(), await organization()]
  const own = await change(one, { grace_period_days: 3 })
  expect(own).toMatchObject({ require_mfa: false, grace_period_days: 3 })
  const set = await setDefaults({ require_mfa: true, grace_period_days: 30, enforce_for_roles: ['admin'] })
  expect(await read(tenant)).toEqual(set)
  expect(await read(other)).toEqual(set)
  const { required_since } = set
  expect(await read(one)).toMatchObject({
    require_mfa: true,
    grace_period_days: 3,
    enforce_for_roles: ['admin'],
    required_since,
  })
  expect(await change(one, { grace_period_days: null, enforce_for_roles: [] })).toMatchObject({
    require_mfa: true,
    grace_period_days: 30,
    enforce_for_roles: [],
  })
  // A field that was set stays when the inherited value changes. A field that was reset follows it.
  await setDefaults({ grace_period_days: null, enforce_for_roles: ['owner'] })
  expect(await read(one)).toMatchObject({ grace_period_days: 7, enforce_for_roles: [] })
  expect(await read(other)).toMatchObject({ grace_period_days: 7, enforce_for_roles: ['owner'] })
  expect((await events()).map(({ previous }) => previous)).toEqual([
    { grace_period_days: 7 },
    { require_mfa: false, grace_period_days: 7, enforce_for_roles: [], required_since: null },
    { grace_period_days: 3, enforce_for_roles: ['admin'] },
    { grace_period_days: 30, enforce_for_roles: ['admin'] },
  ])
})

test('other environments and accounts inherit nothing, and a key of one organization sets no defaults', async () => {
  const { organization, setDefaults } = await setUp()
  const stranger = await (await setUp()).organization()
  await setDefaults({ require_mfa: true })
  expect(await read(stranger)).toMatchObject({ require_mfa: false, updated_at: null })
  const narrow = await organization()
  const refused = await narrow.patch(DEFAULTS, { require_mfa: false })
  expect([refused.status, refused.body.code]).toEqual([403, 'sub_org_mismatch'])
  expect(await read(narrow)).toMatchObject({ require_mfa: true })
})

test('an inherited requirement holds at sign-ins, but not where an organization has opted out', async () => {
  const { organization, setDefaults } = await setUp()
  const [one, other] = [await organization(), await organization()]
  const [asked, free] = [await makeProvenUser(one), await makeProvenUser(other)]
  await change(other, { require_mfa: false })
  await setDefaults({ require_mfa: true, grace_period_days: 0 })
  expect(succeeded(await signInByLink(one, asked.email))).toMatchObject({ session: null, enrollment_required: true })
  expect(succeeded(await signInByLink(other, free.email)).session).not.toBeNull()
})

test('the moment of the first requirement stays when an organization makes it its own, or off and on', async () => {
  const { organization, setDefaults } = await setUp()
  const one = await organization()
  const { required_since } = await setDefaults({ require_mfa: true })
  await app.advance(60)
  expect((await change(one, { require_mfa: true })).required_since).toBe(required_since)
  expect((await change(one, { require_mfa: false })).required_since).toBe(required_since)
  await app.advance(60)
  expect((await change(one, { require_mfa: true })).required_since).toBe(required_since)
  expect((await change(one, { require_mfa: null })).required_since).toBe(required_since)
})

test('what an organization allows gives way where it contradicts an inherited requirement', async () => {
  const { organization, setDefaults } = await setUp()
  const one = await organization()
  await change(one, { allowed_methods: ['sms'] })
  await setDefaults({ require_mfa: true, allowed_methods: ['totp', 'sms'] })
  expect((await read(one)).allowed_methods).toEqual(['totp', 'sms'])
  const refused = await one.patch(POLICY, { allowed_methods: ['sms'] })
  expect([refused.status, refused.body.errors[0]?.code]).toEqual([400, 'only_sms'])
  // Changing another field keeps the set value, which applies again when the requirement ends.
  await change(one, { grace_period_days: 1 })
  await setDefaults({ require_mfa: false })
  expect((await read(one)).allowed_methods).toEqual(['sms'])
})

test('a default that another process sets holds at once, before its notice comes', async () => {
  const { tenant, organization } = await setUp()
  const { platform } = app.app
  const caller = await organization()
  const { id, email } = await makeProvenUser(caller)
  expect(succeeded(await signInByLink(caller, email)).session).not.toBeNull()
  const { accountId, environmentId } = tenant
  const account = await accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
  const policy = { require_mfa: true, grace_period_days: 0, allowed_methods: ['totp'], enforce_for_roles: [] }
  await platform.db
    .insertInto('mfa_policies')
    .values({ directory_id: account.id, ...policy, required_since: new Date('2020-01-01') })
    .execute()
  const sessions = () => platform.db.selectFrom('sessions').select('id').where('user_id', '=', id).execute()
  const before = await sessions()
  const reply = await signInByLink(caller, email)
  expect([reply.status, reply.body.code]).toEqual([400, 'token_invalid'])
  expect(await sessions()).toEqual(before)
})

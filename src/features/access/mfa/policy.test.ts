import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { makeProvenUser, succeeded } from '../../../../test/people/factors.ts'
import { workIn } from '../../../../test/work.ts'
import { directoryOfOrganization } from '../../../platform/tenancy/directory.ts'
import { inTx } from '../../../platform/work.ts'
import { deleteUser } from '../../directory/users/changes/changes.ts'
import { settleGrace } from './store.ts'

const app = await startApp()
const tenant = await app.tenant()

const organization = async () => tenant.withKey({ subOrgId: await tenant.organization() })
const preview = async (caller: Awaited<ReturnType<typeof organization>>, query: string) =>
  succeeded(await caller.get(`/v1/mfa/policy/preview?${query}`))

test('a policy that was never set requires nothing', async () => {
  const { policy } = succeeded(await (await organization()).get('/v1/mfa/policy'))
  expect(policy).toEqual({
    require_mfa: false,
    grace_period_days: 7,
    allowed_methods: ['totp', 'backup'],
    enforce_for_roles: [],
    required_since: null,
    updated_at: null,
  })
})

test('a change keeps what it leaves out, restores by null, and is recorded with what was before', async () => {
  const caller = await organization()
  const first = succeeded(
    await caller.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 3, enforce_for_roles: ['admin'] }),
  ).policy
  expect(first).toMatchObject({ require_mfa: true, grace_period_days: 3, enforce_for_roles: ['admin'] })
  expect(first.required_since).toBe(first.updated_at)
  await app.advance(60)
  const second = succeeded(await caller.patch('/v1/mfa/policy', { require_mfa: false, enforce_for_roles: null })).policy
  expect(second).toMatchObject({ require_mfa: false, grace_period_days: 3, enforce_for_roles: [] })
  // Turning the requirement off and on again does not begin a new grace period.
  const third = succeeded(await caller.patch('/v1/mfa/policy', { require_mfa: true })).policy
  expect([second.required_since, third.required_since]).toEqual([first.required_since, first.required_since])
  expect(succeeded(await caller.get('/v1/mfa/policy')).policy).toEqual(third)
  const events = await app.events({ accountId: tenant.accountId, type: 'mfa.policy.updated' })
  expect(events.map((event) => event.previous)).toEqual([
    { require_mfa: false, grace_period_days: 7, enforce_for_roles: [], required_since: null },
    { require_mfa: true, enforce_for_roles: ['admin'] },
    { require_mfa: false },
  ])
  expect(events.at(-1)?.data).toEqual(third)
})

test.each([
  ['nothing is allowed', { require_mfa: true, allowed_methods: [] }, 'empty'],
  ['only backup codes', { allowed_methods: ['backup'] }, 'only_backup'],
  ['only backup codes, required', { require_mfa: true, allowed_methods: ['backup'] }, 'only_backup'],
  ['only text messages, required', { require_mfa: true, allowed_methods: ['sms'] }, 'only_sms'],
  ['text messages and backup codes, required', { require_mfa: true, allowed_methods: ['sms', 'backup'] }, 'only_sms'],
  ['an unknown method', { allowed_methods: ['totp', 'email'] }, 'enum'],
  ['an unknown role', { enforce_for_roles: ['root'] }, 'enum'],
  ['a method twice', { allowed_methods: ['totp', 'totp'] }, 'uniqueItems'],
  ['a grace of a year', { grace_period_days: 365 }, 'maximum'],
])('a policy that contradicts itself is refused and changes nothing: %s', async (_, patch, code) => {
  const caller = await organization()
  const reply = await caller.patch('/v1/mfa/policy', patch)
  expect([reply.status, reply.body.code, reply.body.errors[0]?.code]).toEqual([400, 'invalid_request', code])
  expect(succeeded(await caller.get('/v1/mfa/policy')).policy.updated_at).toBeNull()
})

test('the preview counts who would be asked, has time, or would be locked out, and changes nothing', async () => {
  const caller = await organization()
  const people = []
  for (let i = 0; i < 4; i++) people.push(await makeProvenUser(caller))
  const [enrolled, admin, member, inactive] = people
  const { db } = app.app.platform
  await db
    .updateTable('users')
    .set({ mfa_enrolled: true })
    .where('id', '=', enrolled?.id ?? '')
    .execute()
  await db
    .updateTable('users')
    .set({ role: 'admin' })
    .where('id', '=', admin?.id ?? '')
    .execute()
  succeeded(await caller.patch(`/v1/users/${inactive?.id}`, { active: false }))
  expect(await preview(caller, '')).toMatchObject({ users: 3, asked: 1, in_grace: 0, locked_out: 0 })
  expect(await preview(caller, 'require_mfa=true')).toMatchObject({ users: 3, asked: 1, in_grace: 2, locked_out: 0 })
  const none = await preview(caller, 'require_mfa=true&grace_period_days=0')
  expect(none).toMatchObject({ users: 3, asked: 1, in_grace: 0, locked_out: 2 })
  expect(none.roles).toEqual([
    { role: 'admin', users: 1, asked: 0, in_grace: 0, locked_out: 1 },
    { role: 'member', users: 2, asked: 1, in_grace: 0, locked_out: 1 },
  ])
  expect(none.first.asked).toEqual([{ id: enrolled?.id, email: enrolled?.email, role: 'member' }])
  expect(none.first.locked_out.map((person: { id: string }) => person.id).sort()).toEqual(
    [admin?.id, member?.id].sort(),
  )
  const admins = await preview(caller, 'require_mfa=true&grace_period_days=0&enforce_for_roles=admin,owner')
  expect(admins).toMatchObject({ users: 3, asked: 1, in_grace: 0, locked_out: 1 })
  const contradictory = await caller.get('/v1/mfa/policy/preview?require_mfa=true&allowed_methods=backup')
  expect(contradictory.status).toBe(400)
  expect((await caller.get('/v1/mfa/policy/preview?allowed_methods=carrier-pigeon')).status).toBe(400)
  expect(succeeded(await caller.get('/v1/mfa/policy')).policy.updated_at).toBeNull()
  expect(await db.selectFrom('mfa_grace').selectAll().execute()).toEqual([])
})

test('a sign-in that meets a deletion leaves no grace behind', async () => {
  const subOrgId = await tenant.organization()
  const { platform } = app.app
  const directory = await directoryOfOrganization(platform, { ...tenant, environmentSlug: 'production' }, subOrgId)
  const { id } = await makeProvenUser(tenant, subOrgId)
  const { settling } = await inTx(workIn(platform, directory), async (work) => {
    await deleteUser(work, id, { ifMatch: null, force: true })
    const policy = { grace_period_days: 7, required_since: null, enforce_for_roles: [] }
    let settled = false
    const settling = settleGrace(platform.db, directory, id, policy).finally(() => {
      settled = true
    })
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => settled || (await waiting.execute(platform.db)).rows.length > 0)
    return { settling }
  })
  expect(await settling).toBeNull()
  expect(await platform.db.selectFrom('mfa_grace').select('user_id').where('user_id', '=', id).execute()).toEqual([])
})

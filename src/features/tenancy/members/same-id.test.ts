import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { joinedMember } from '../../../../test/people/team.ts'
import { newId } from '../../../platform/ids.ts'
import { keyLimiter } from '../../../platform/limits/rate-limit.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { grantsOfKey } from '../../../platform/tenancy/grants.ts'

// Ids are random, so no route can give a key and a membership the same id. Even if they had one, they must share
// nothing.

const app = await startApp()
const { db } = app.app.platform

/** Creates a key and an owner in one account, and gives the key the id of the membership. */
async function sameId() {
  const tenant = await app.tenant()
  const { membershipId, headers } = await joinedMember(app, tenant, 'owner')
  const made = await tenant.post('/v1/api-keys', { name: 'Same id', scopes: ['*'] })
  await db.updateTable('api_keys').set({ id: membershipId }).where('id', '=', made.body.apiKey.id).execute()
  const callers = { key: { 'x-api-key': made.body.key }, member: headers }
  return { tenant, id: membershipId, callers }
}

test('both say that they are of the same id', async () => {
  const { id, callers } = await sameId()
  for (const [kind, headers] of Object.entries(callers)) {
    const { body } = await app.as(null).get('/v1/api-keys/current', headers)
    expect([body.kind, body.id]).toEqual([kind, id])
  }
})

test.each([
  ['key', 'member'],
  ['member', 'key'],
] as const)('an Idempotency-Key of the %s repeats nothing for the %s', async (first, second) => {
  const { tenant, callers } = await sameId()
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const create = (kind: 'key' | 'member') =>
    app.as(null).post('/v1/users', { subOrgId, email }, { ...callers[kind], 'idempotency-key': 'same' })
  const made = await create(first)
  expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([200, null])
  const other = await create(second)
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  expect(other.text).not.toContain(made.body.user.id)
  const repeated = await create(first)
  expect([repeated.text, repeated.headers.get('idempotent-replayed')]).toEqual([made.text, 'true'])
  expect((await tenant.get(`/v1/users?subOrgId=${subOrgId}&include_total=true`)).body.total).toBe(1)
})

test('a response that the release before has kept is repeated for a day', async () => {
  const { tenant, callers } = await sameId()
  const subOrgId = await tenant.organization()
  const headers = { ...callers.member, 'idempotency-key': 'before' }
  const create = () => app.as(null).post('/v1/users', { subOrgId, email: 'before@example.com' }, headers)
  const made = await create()
  // The previous release stores no kind of caller.
  await db.updateTable('idempotency_keys').set({ caller_kind: null }).where('key', '=', 'before').execute()
  const repeated = await create()
  expect([repeated.text, repeated.headers.get('idempotent-replayed')]).toEqual([made.text, 'true'])
})

test('each has its own count of invitations', async () => {
  const { tenant, callers } = await sameId()
  for (const headers of Object.values(callers))
    expect(
      (await app.as(null).post('/v1/members/invites', { email: newEmail(), role: 'member' }, headers)).status,
    ).toBe(200)
  const { directory_id } = await db
    .selectFrom('members')
    .innerJoin('directories', 'directories.account_id', 'members.account_id')
    .select('directories.id as directory_id')
    .where('members.account_id', '=', tenant.accountId)
    .where('directories.kind', '=', 'console')
    .executeTakeFirstOrThrow()
  const counters = await db
    .selectFrom('rate_counters')
    .select('count')
    .where('bucket', '=', 'team_invite.caller')
    .where('directory_id', '=', directory_id)
    .execute()
  // The third counter is from the tenant's key, which invited the owner.
  expect(counters).toEqual([{ count: 1 }, { count: 1 }, { count: 1 }])
})

test('each has its own rate', () => {
  const limit = keyLimiter(1)
  const [credentialId, rateKeyId] = [newId(), newId()]
  const common = {
    accountId: newId(),
    environmentId: newId(),
    environmentSlug: 'production',
    organizationId: null,
    credentialId,
    grants: grantsOfKey(['*']),
    bounds: { requestsPerSecond: null, expiresAt: null, allowedIps: null },
  }
  const member: ManagerCaller = { ...common, kind: 'member', actor: { type: 'user', id: newId() } }
  const key: ManagerCaller = {
    ...common,
    kind: 'key',
    actor: { type: 'api_key', id: credentialId },
    rateKeyId: null,
    ip: null,
  }
  for (const caller of [key, member, { ...key, credentialId: rateKeyId }])
    expect(limit(caller, 0)).toMatchObject({ limit: 1, remaining: 0 })
  // A previous secret of a rotated key shares the key's rate limit.
  for (const caller of [key, member, { ...key, credentialId: newId(), rateKeyId }])
    expect(() => limit(caller, 0)).toThrow(
      expect.objectContaining({ definition: expect.objectContaining({ code: 'rate_limited' }) }),
    )
})

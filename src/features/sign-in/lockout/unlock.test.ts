import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { mailLinkTo, type Person } from '../../../../test/people/mailed-links.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { snapshot } from '../../../../test/snapshot.ts'

const app = await startApp()
const tenant = await app.tenant()
const second = await startSecondApp(app)

const verdict = (reply: Reply) => [reply.status, reply.body.code]
const unlock = ({ subOrgId, email }: Person, token_hash: string, caller = tenant) =>
  caller.post('/v1/auth/unlock', { subOrgId, email, token_hash })
const statusOf = async ({ userId }: Person) => (await tenant.get(`/v1/users/${userId}`)).body.user.status
const tryPassword = ({ subOrgId, email }: Person) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password: 'not this' })

test('the mailed link ends the lock, once, however many bring it', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'unlock')
  expect([await statusOf(person), ...verdict(await tryPassword(person))]).toEqual(['locked', 429, 'account_locked'])
  const callers = [tenant, { ...tenant, ...second.as(tenant.key) }]
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, i) => unlock(person, link.token_hash, callers[i % 2])),
  )
  expect(replies.map((reply) => reply.body.code ?? 'unlocked').sort()).toEqual([
    ...Array(7).fill('token_invalid'),
    'unlocked',
  ])
  expect([await statusOf(person), ...verdict(await tryPassword(person))]).toEqual([
    'active',
    401,
    'invalid_credentials',
  ])
  const events = await app.events({ accountId: tenant.accountId, type: 'user.unlocked' })
  expect(events.filter((event) => event.target_id === person.userId)).toMatchObject([{ data: { status: 'active' } }])
})

test('a link of somebody else, of another organization or that came too late ends nothing', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'unlock')
  const other = await mailLinkTo(app, tenant, 'unlock')
  const elsewhere = { ...person, subOrgId: other.person.subOrgId }
  const before = await snapshot(app)
  for (const who of [other.person, elsewhere, { ...person, email: 'x@example.com' }])
    expect(verdict(await unlock(who, link.token_hash))).toEqual([400, 'token_invalid'])
  await tenant.patch(`/v1/organizations/${person.subOrgId}`, { status: 'suspended' })
  expect(verdict(await unlock(person, link.token_hash))).toEqual([403, 'organization_suspended'])
  await tenant.patch(`/v1/organizations/${person.subOrgId}`, { status: 'active' })
  expect((await snapshot(app))['lockouts']).toBe(before['lockouts'])
  await app.advance(3601)
  expect(verdict(await unlock(person, link.token_hash))).toEqual([400, 'token_expired'])
})

test('an administrator ends a lock, and the mailed link with it', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'unlock')
  const path = `/v1/users/${person.userId}/unlock`
  const { subOrgId } = person
  expect((await tenant.post(path, { subOrgId })).body).toEqual({ success: true, unlocked: true })
  expect(await statusOf(person)).toBe('active')
  const before = await snapshot(app, { failedSignIns: false })
  expect((await tenant.post(path, { subOrgId })).body).toEqual({ success: true, unlocked: false })
  expect(verdict(await unlock(person, link.token_hash))).toEqual([400, 'token_invalid'])
  expect(await snapshot(app, { failedSignIns: false })).toEqual(before)
  const elsewhere = await tenant.organization()
  expect(verdict(await tenant.post(path, { subOrgId: elsewhere }))).toEqual([404, 'user_not_found'])
})

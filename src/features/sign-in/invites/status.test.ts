import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { freshPassword } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { enrollTotp, succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { provenClient } from '../../../../test/people/provisioning.ts'
import { recordQueries, type SentQuery } from '../../../../test/rules/sql-recorder.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { announceExpiredInvites } from './expiry.ts'

// A change of an invited user that ends the invitation also ends the status `invited`.

const app = await startApp()
const tenant = await app.tenant()
const client = await provenClient(app, tenant)
const { subOrgId } = client
const elsewhere = await tenant.organization()
const second = await startSecondApp(app)
const WEEK_SECONDS = 7 * 86_400

interface User {
  id: string
  status: string
}

interface Invited {
  id: string
  email: string
}

const change = ({ id }: Invited, patch: object) => tenant.patch(`/v1/users/${id}`, { subOrgId, ...patch })
const takeOver = ({ email }: Invited, more: object = {}) => client.add({ userName: email, ...more })
const remove = ({ id }: Invited) => tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}`)
const restore = ({ id }: Invited) => tenant.post(`/v1/users/${id}/restore`, { subOrgId })
const move = ({ id }: Invited) => tenant.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId: elsewhere })

function setPassword({ id }: Invited, more: object = {}) {
  return tenant.put(`/v1/users/${id}/password`, { subOrgId, password: freshPassword(), ...more })
}
const lock = ({ id }: Invited) => tenant.post(`/v1/users/${id}/lock`, { subOrgId, reason: 'Lost laptop' })
const unlock = ({ id }: Invited) => tenant.post(`/v1/users/${id}/unlock`, { subOrgId })
const enroll = ({ id }: Invited) => enrollTotp(tenant, id, { subOrgId })
const removeApp = ({ id }: Invited) => tenant.delete(`/v1/mfa/totp?userId=${id}&subOrgId=${subOrgId}`)

const CHANGES: [string, string, ((who: Invited) => Promise<unknown>)[]][] = [
  ['deactivated', 'inactive', [(who) => change(who, { active: false })]],
  ['reactivated', 'active', [(who) => change(who, { active: false }), (who) => change(who, { active: true })]],
  ['given another address', 'active', [(who) => change(who, { email: newEmail() })]],
  ['deleted and restored', 'active', [remove, restore]],
  ['moved to another organization', 'active', [move]],
  ['taken over by provisioning', 'active', [(who) => takeOver(who)]],
  ['taken over as inactive', 'inactive', [(who) => takeOver(who, { active: false })]],
]

// Changes that end an invitation without an event of the invitation.
const SILENT: [string, string, ((who: Invited) => Promise<unknown>)[]][] = [
  ['given a password', 'active', [(who) => setPassword(who)]],
  ['given a password, with the end of sessions', 'active', [(who) => setPassword(who, { revokeSessions: true })]],
  ['locked', 'locked', [lock]],
  ['locked and unlocked', 'active', [lock, unlock]],
  ['given an authenticator app', 'active', [enroll]],
  ['without the authenticator app', 'active', [removeApp]],
]

const PROOFS = [
  ['an address that is proved', true],
  ['an unproved address', false],
] as const

const cases = [...CHANGES, ...SILENT].flatMap(([change, status, acts]) =>
  PROOFS.map(([proof, emailVerified]) => ({ change, status, acts, proof, emailVerified })),
)
const isSilent = (acts: unknown) => SILENT.some((each) => each[2] === acts)

const find = async (id: string) => succeeded(await tenant.get(`/v1/users/${id}`)).user
const openInvites = async (email: string) =>
  succeeded(await tenant.get(`/v1/users/invites?status=pending&email=${email}`)).invites

test.each(cases)('an invited user with $proof who is $change', async ({ status, acts, emailVerified }) => {
  const email = client.at(newEmail().split('@')[0] ?? '')
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email, emailVerified }))
  if (acts.includes(removeApp)) await enroll({ id: user.id, email })
  const invite = async (at: string, address: string) =>
    succeeded(await tenant.post('/v1/users/invites', { subOrgId: at, email: address })).invite
  const open = await invite(subOrgId, email)
  expect([(await find(user.id)).status, await openInvites(email)]).toMatchObject(['invited', [{ id: open.id }]])

  for (const act of acts) {
    const reply = await act({ id: user.id, email })
    expect(Object(reply).status ?? 200).toBeLessThan(300)
  }
  const after = await find(user.id)
  expect([after.status, await openInvites(email), await openInvites(after.email)]).toEqual([status, [], []])
  const events = await app.events({ accountId: tenant.accountId })
  const ofInvite = events.filter(({ target_id }) => target_id === open.id).map(({ type }) => type)
  expect(ofInvite).toEqual(isSilent(acts) ? ['invite.created'] : ['invite.created', 'invite.revoked'])
  const [last] = events.filter(({ type, target_id }) => type.startsWith('user.') && target_id === user.id).slice(-1)
  expect(Object(last?.data).status).toBe(status)

  if (status !== 'active') return
  await invite(after.subOrgId, after.email)
  expect((await find(user.id)).status).toBe('invited')
})

test('provisioning that takes over a user leaves their sessions and other links', async () => {
  const email = client.at(newEmail().split('@')[0] ?? '')
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email, emailVerified: true }))
  succeeded(await tenant.put(`/v1/users/${user.id}/password`, { subOrgId, password: 'seven green bottles' }))
  const login = { subOrgId, email, password: 'seven green bottles' }
  const { session } = succeeded(await tenant.post('/v1/auth/login/password', login))
  const { invite } = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email }))
  await takeOver({ id: user.id, email })
  expect((await app.as(null).get('/v1/me', { authorization: `Bearer ${session.access_token}` })).status).toBe(200)
  expect(succeeded(await tenant.get(`/v1/users/invites/${invite.id}`)).invite.status).toBe('revoked')
})

test('an invitation that expires leaves a user who is not invited, and the next one keeps its inviter', async () => {
  const email = client.at(newEmail().split('@')[0] ?? '')
  const invite = async (more: object = {}) =>
    succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, ...more }))
  const { user, invite: open } = await invite({ invitedBy: 'Grace Hopper' })
  const renewed = client.at(newEmail().split('@')[0] ?? '')
  const { user: other } = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email: renewed }))
  await app.advance(WEEK_SECONDS - 61)
  succeeded(await tenant.post('/v1/users/invites', { subOrgId, email: renewed }))
  await app.advance(62)
  await Promise.all([app, second].map(({ app: { platform } }) => announceExpiredInvites.handle(platform, {}, 1)))
  expect([(await find(user.id)).status, (await find(other.id)).status]).toEqual(['active', 'invited'])
  const events = await app.events({ accountId: tenant.accountId })
  const told = (id: string) => events.filter(({ target_id }) => target_id === id).map(({ type }) => type)
  expect([told(open.id), told(user.id), told(other.id)]).toEqual([
    ['invite.created', 'invite.expired'],
    ['user.created', 'user.updated'],
    ['user.created'],
  ])
  const [last] = events.filter(({ target_id }) => target_id === user.id).slice(-1)
  expect(last).toMatchObject({ actor_type: 'system', data: { status: 'active' }, previous: { status: 'invited' } })
  const again = await invite()
  expect([again.user.status, again.invite.invited_by]).toEqual(['invited', 'Grace Hopper'])
  const after = await app.events({ accountId: tenant.accountId })
  expect(after.filter(({ target_id }) => target_id === again.invite.id).map(({ type }) => type)).toEqual([
    'invite.created',
  ])
})

test('the expiry of invitations waits for no user that is being changed, and holds few users at a time', async () => {
  const place = await tenant.organization()
  const invited: { id: string; inviteId: string }[] = []
  for (let n = 0; n < 22; n++) {
    const made = succeeded(await tenant.post('/v1/users/invites', { subOrgId: place, email: newEmail() }))
    invited.push({ id: made.user.id, inviteId: made.invite.id })
  }
  const [busy, ...others] = invited
  if (!busy) throw new Error('No user was invited')
  succeeded(await tenant.delete(`/v1/users/${others[0]?.id}?subOrgId=${place}`))
  await app.advance(WEEK_SECONDS + 1)
  const { platform } = app.app
  const expire = () => announceExpiredInvites.handle(platform, {}, 1)
  const statusesOf = async (users: { id: string }[]) => {
    const { users: all } = succeeded(await tenant.get(`/v1/users?subOrgId=${place}&limit=100`))
    return all.filter(({ id }: Invited) => users.some((user) => user.id === id)).map((user: User) => user.status)
  }
  const queries: SentQuery[] = []
  await platform.tx(async (tx) => {
    await sql`select from users where id = ${busy.id} for update`.execute(tx)
    queries.push(...(await recordQueries(expire)))
  })
  expect([await statusesOf([busy]), new Set(await statusesOf(others))]).toEqual([['invited'], new Set(['active'])])
  const held = queries.filter(({ text }) => /from users\s.*for update/s.test(text))
  const sizes = held.map(({ values }) => values.find(Array.isArray)?.length ?? 0)
  expect([Math.max(...sizes) <= 20, sizes.length > 1]).toEqual([true, true])
  await expire()
  expect(await statusesOf([busy])).toEqual(['active'])
  const events = await app.events({ accountId: tenant.accountId })
  const expired = events.filter(({ type }) => type === 'invite.expired').map(({ target_id }) => target_id)
  for (const { inviteId } of [busy, ...others.slice(1)]) expect(expired).toContain(inviteId)
})

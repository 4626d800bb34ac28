import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { provenClient } from '../../../../test/people/provisioning.ts'

// A change of an invited user ends the invitation, and the user is not `invited` any more.

const app = await startApp()
const tenant = await app.tenant()
const client = await provenClient(app, tenant)
const { subOrgId } = client
const elsewhere = await tenant.organization()

interface Invited {
  id: string
  email: string
}

const change = ({ id }: Invited, patch: object) => tenant.patch(`/v1/users/${id}`, { subOrgId, ...patch })
const takeOver = ({ email }: Invited, more: object = {}) => client.add({ userName: email, ...more })
const remove = ({ id }: Invited) => tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}`)
const restore = ({ id }: Invited) => tenant.post(`/v1/users/${id}/restore`, { subOrgId })
const move = ({ id }: Invited) => tenant.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId: elsewhere })

const CHANGES: [string, string, ((who: Invited) => Promise<unknown>)[]][] = [
  ['deactivated', 'inactive', [(who) => change(who, { active: false })]],
  ['reactivated', 'active', [(who) => change(who, { active: false }), (who) => change(who, { active: true })]],
  ['given another address', 'active', [(who) => change(who, { email: newEmail() })]],
  ['deleted and restored', 'active', [remove, restore]],
  ['moved to another organization', 'active', [move]],
  ['taken over by provisioning', 'active', [(who) => takeOver(who)]],
  ['taken over as inactive', 'inactive', [(who) => takeOver(who, { active: false })]],
]

const PROOFS = [
  ['an address that is proved', true],
  ['an unproved address', false],
] as const

const cases = CHANGES.flatMap(([change, status, acts]) =>
  PROOFS.map(([proof, emailVerified]) => ({ change, status, acts, proof, emailVerified })),
)

const find = async (id: string) => succeeded(await tenant.get(`/v1/users/${id}`)).user
const openInvites = async (email: string) =>
  succeeded(await tenant.get(`/v1/users/invites?status=pending&email=${email}`)).invites

test.each(cases)('an invited user with $proof who is $change', async ({ status, acts, emailVerified }) => {
  const email = client.at(newEmail().split('@')[0] ?? '')
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email, emailVerified }))
  const invite = async (at: string, address: string) =>
    succeeded(await tenant.post('/v1/users/invites', { subOrgId: at, email: address })).invite
  const open = await invite(subOrgId, email)
  expect([(await find(user.id)).status, await openInvites(email)]).toMatchObject(['invited', [{ id: open.id }]])

  for (const act of acts) await act({ id: user.id, email })
  const after = await find(user.id)
  expect([after.status, await openInvites(email), await openInvites(after.email)]).toEqual([status, [], []])
  const events = await app.events({ accountId: tenant.accountId })
  const ofInvite = events.filter(({ target_id }) => target_id === open.id).map(({ type }) => type)
  expect(ofInvite).toEqual(['invite.created', 'invite.revoked'])
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

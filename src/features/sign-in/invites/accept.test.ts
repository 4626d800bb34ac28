import { describe, expect, test } from 'vitest'
import { type Caller, type Reply, startApp } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { register } from '../../../../test/people/passkeys.ts'
import { newEmail, sessionsIn } from '../../../../test/people/people.ts'
import { mailedLink, signIn } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { writeBetween } from '../../../../test/write-between.ts'

const app = await startApp()
const tenant = await app.tenant()
const second = await startSecondApp(app)
const PASSWORD = 'correct horse battery staple'

const verdict = (reply: Reply) => [reply.status, reply.body.code]

interface Invited {
  subOrgId: string
  email: string
  userId: string
  inviteId: string
  token: string
}

async function invited(subOrgId?: string): Promise<Invited> {
  const organization = subOrgId ?? (await tenant.organization())
  const email = newEmail()
  const reply = await tenant.post('/v1/users/invites', { subOrgId: organization, email })
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  return { subOrgId: organization, email, userId: reply.body.user.id, inviteId: reply.body.invite.id, token }
}

function accept(who: Invited, changes: object = {}, caller: Caller = tenant) {
  const { subOrgId, token } = who
  return caller.post('/v1/auth/invite/accept', { subOrgId, token, password: PASSWORD, ...changes })
}

const login = ({ subOrgId, email }: Invited, password = PASSWORD) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password })
const sessionsOf = ({ subOrgId }: Invited) => sessionsIn(tenant, subOrgId)
const userOf = async ({ userId }: Invited) => (await tenant.get(`/v1/users/${userId}`)).body.user

test('accepting sets the password, proves the mailbox and opens a session, once', async () => {
  const who = await invited()
  const reply = await accept(who)
  expect(reply.status, reply.text).toBe(200)
  expect(Object.keys(reply.body.session)).toEqual(
    expect.arrayContaining(['access_token', 'refresh_token', 'expires_in']),
  )
  const introspection = await tenant.post('/v1/auth/token/introspect', { token: reply.body.session.access_token })
  expect(introspection.body).toMatchObject({ active: true, amr: ['otp'] })
  expect(await sessionsOf(who)).toMatchObject([{ auth_method: 'invite' }])
  expect(await userOf(who)).toMatchObject({ status: 'active', emailVerified: true, userId: reply.body.session.user_id })
  expect((await login(who)).status).toBe(200)
  const again = await accept(who)
  expect([...verdict(again), again.body.detail]).toEqual([400, 'token_invalid', 'The link was already used.'])
  const { invites } = (await tenant.get(`/v1/users/invites?subOrgId=${who.subOrgId}`)).body
  expect(invites).toMatchObject([{ status: 'accepted', accepted_at: expect.any(String) }])
  const events = await app.events({ accountId: tenant.accountId })
  expect(events.filter((event) => event.target_id === who.inviteId)).toMatchObject([
    { type: 'invite.created' },
    { type: 'invite.accepted', data: invites[0] },
  ])
  expect(events.filter((event) => event.target_id === who.userId).map((event) => event.type)).toEqual([
    'user.created',
    'user.updated',
    'user.email_verified',
    'auth.login.succeeded',
    'auth.login.succeeded',
  ])
  const revoke = await tenant.delete(`/v1/users/invites/${who.inviteId}?subOrgId=${who.subOrgId}`)
  expect(verdict(revoke)).toEqual([409, 'invite_accepted'])
})

test('a password that is refused leaves everything as it was', async () => {
  const who = await invited()
  await accept(who, { password: 'short' })
  const before = await snapshot(app)
  expect(verdict(await accept(who, { password: 'short' }))).toEqual([422, 'weak_password'])
  expect(verdict(await accept(who, { password: 'password123' }))).toEqual([422, 'password_breached'])
  expect(await snapshot(app)).toEqual(before)
  expect((await accept(who)).status).toBe(200)
})

test('where the service of passwords is off, the link alone opens a session', async () => {
  const who = await invited()
  const { subOrgId } = who
  const setServices = (enabledAppIds: string[]) => tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds })
  await setServices(['auth', 'otp', 'sessions'])
  const refused = await accept(who)
  expect([...verdict(refused), refused.body.errors]).toEqual([
    400,
    'invalid_request',
    [expect.objectContaining({ field: 'password', code: 'not_allowed' })],
  ])
  await setServices(['auth', 'scim'])
  expect(verdict(await accept(who, { password: undefined }))).toEqual([403, 'method_disabled'])
  await setServices(['scim'])
  expect(verdict(await accept(who, { password: undefined }))).toEqual([403, 'service_disabled'])
  await setServices(['auth', 'otp', 'sessions'])
  const reply = await accept(who, { password: undefined })
  expect(reply.status, reply.text).toBe(200)
  expect(await sessionsOf(who)).toMatchObject([{ auth_method: 'invite' }])
  expect(await userOf(who)).toMatchObject({ status: 'active', emailVerified: true })
  expect(verdict(await accept(who, { password: undefined }))).toEqual([400, 'token_invalid'])
  expect(await sessionsOf(who)).toHaveLength(1)
})

test('where passwords are off, the link does not sign in a user who has signed in before', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: false }))
  const email = newEmail()
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email, emailVerified: true }))
  await signIn(app, tenant, subOrgId, email)
  succeeded(await tenant.post(`/v1/users/${user.id}/invite`, { subOrgId }))
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  const before = await snapshot(app)
  const reply = await tenant.post('/v1/auth/invite/accept', { token })
  expect([reply.status, reply.body.code]).toEqual([409, 'credential_exists'])
  expect(await snapshot(app)).toEqual(before)
  // A new invitation asks the person to sign in.
  await app.advance(61)
  succeeded(await tenant.post(`/v1/users/${user.id}/invite`, { subOrgId }))
  const mail = (await app.mails(email)).at(-1)
  expect(mail?.text).toContain('sign in as you always do')
})

test('nobody with a password is given another', async () => {
  const who = await invited()
  await signIn(app, tenant, who.subOrgId, who.email)
  await app.advance(61)
  // The proof of the mailbox has voided the first invitation.
  expect(verdict(await accept(who))).toEqual([400, 'token_invalid'])
  await tenant.put(`/v1/users/${who.userId}/password`, { subOrgId: who.subOrgId, password: PASSWORD })
  await tenant.post(`/v1/users/${who.userId}/invite`, { subOrgId: who.subOrgId })
  const { token_hash: token } = await mailedLink(app, who.email, 'invite')
  await accept(who, { token })
  const before = await snapshot(app)
  const refused = await accept(who, { token, password: 'another good sentence' })
  expect(verdict(refused)).toEqual([409, 'credential_exists'])
  expect(await snapshot(app)).toEqual(before)
  expect((await login(who)).status).toBe(200)
})

test('a verified user without a password chooses their first one', async () => {
  const who = await invited()
  const session = await signIn(app, tenant, who.subOrgId, who.email)
  await app.advance(61)
  await tenant.post(`/v1/users/${who.userId}/invite`, { subOrgId: who.subOrgId })
  const { token_hash: token } = await mailedLink(app, who.email, 'invite')
  expect((await accept(who, { token })).status).toBe(200)
  expect((await login(who)).status).toBe(200)
  const introspection = await tenant.post('/v1/auth/token/introspect', { token: session.access_token })
  expect(introspection.body.active).toBe(true)
})

test('a passkey that was registered meanwhile refuses the invitation', async () => {
  const who = await invited()
  const { subOrgId, userId } = who
  await tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: false })
  let registered = 0
  const registerOnce = async () => {
    if (registered++ === 0) expect((await register(tenant, who, newPasskey())).status).toBe(200)
  }
  // The transaction that accepts the invitation begins by locking the user.
  await writeBetween(/from "users".* for update/s, registerOnce, async () => {
    expect(verdict(await accept(who, { password: undefined }))).toEqual([409, 'credential_exists'])
  })
  expect(registered).toBeGreaterThan(0)
  expect(await sessionsOf(who)).toEqual([])
  expect((await tenant.get(`/v1/users/${userId}`)).body.user).toMatchObject({ emailVerified: false, passkeyCount: 1 })
})

test('what somebody set up before the proof is gone: their password, their session', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const body = { subOrgId, email, password: 'mallory was here 1', openSignup: true }
  const signup = await tenant.post('/v1/auth/signup/password', body)
  expect(signup.status, signup.text).toBe(200)
  const made = await tenant.post('/v1/users/invites', { subOrgId, email })
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  const who = { subOrgId, email, token, userId: made.body.user.id, inviteId: made.body.invite.id }
  expect((await accept(who)).status).toBe(200)
  expect(verdict(await login(who, 'mallory was here 1'))).toEqual([401, 'invalid_credentials'])
  expect((await login(who)).status).toBe(200)
  const introspection = await tenant.post('/v1/auth/token/introspect', { token: signup.body.session.access_token })
  expect(introspection.body).toEqual({ active: false })
})

describe('an invitation is refused, and opens nothing,', () => {
  const cases: Record<string, (who: Invited) => Promise<[Invited, string]>> = {
    'with a changed token': async (who) => {
      const { token } = who
      const at = token.length - 12
      return [
        { ...who, token: token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1) },
        'token_invalid',
      ]
    },
    'with a token of no form': async (who) => [{ ...who, token: 'abc' }, 'token_invalid'],
    'in another organization': async (who) => {
      const elsewhere = await tenant.organization()
      await tenant.post('/v1/users', { subOrgId: elsewhere, email: who.email })
      return [{ ...who, subOrgId: elsewhere }, 'token_invalid']
    },
    'when it is a link of another purpose': async (who) => {
      await tenant.post(`/v1/users/${who.userId}/password/reset`, { subOrgId: who.subOrgId })
      return [{ ...who, token: (await mailedLink(app, who.email, 'password_reset')).token_hash }, 'token_invalid']
    },
    'after its user was deactivated': async (who) => {
      await tenant.patch(`/v1/users/${who.userId}`, { subOrgId: who.subOrgId, active: false })
      await tenant.patch(`/v1/users/${who.userId}`, { subOrgId: who.subOrgId, active: true })
      return [who, 'token_invalid']
    },
    'after its user was deleted': async (who) => {
      await tenant.delete(`/v1/users/${who.userId}?subOrgId=${who.subOrgId}`)
      return [who, 'token_invalid']
    },
    'after its user was deleted and made again': async (who) => {
      await tenant.delete(`/v1/users/${who.userId}?subOrgId=${who.subOrgId}`)
      await tenant.post('/v1/users', { subOrgId: who.subOrgId, email: who.email })
      return [who, 'token_invalid']
    },
    'after its user got another address': async (who) => {
      await tenant.patch(`/v1/users/${who.userId}`, { subOrgId: who.subOrgId, email: `new.${who.email}` })
      return [who, 'token_invalid']
    },
    'after its user was moved': async (who) => {
      const targetSubOrgId = await tenant.organization()
      await tenant.post(`/v1/users/${who.userId}`, { subOrgId: who.subOrgId, targetSubOrgId })
      return [who, 'token_invalid']
    },
    'where its user was moved to': async (who) => {
      const targetSubOrgId = await tenant.organization()
      await tenant.post(`/v1/users/${who.userId}`, { subOrgId: who.subOrgId, targetSubOrgId })
      return [{ ...who, subOrgId: targetSubOrgId }, 'token_invalid']
    },
    'while the organization is suspended': async (who) => {
      await tenant.patch(`/v1/organizations/${who.subOrgId}`, { status: 'suspended' })
      return [who, 'organization_suspended']
    },
    'while a lock shuts every door': async (who) => {
      const settings = { lockout_max_attempts: 3, lockout_scope: 'all' }
      await tenant.patch('/v1/auth/settings', { subOrgId: who.subOrgId, ...settings })
      for (const _ of [1, 2, 3]) await login(who, 'not the password')
      return [who, 'account_locked']
    },
  }
  test.each(Object.entries(cases))('%s', async (_, prepare) => {
    const [who, code] = await prepare(await invited())
    const before = await snapshot(app, { failedSignIns: false })
    const reply = await accept(who)
    expect([reply.body.code, reply.body.session]).toEqual([code, undefined])
    expect(await snapshot(app, { failedSignIns: false })).toEqual(before)
    expect(await sessionsOf(who)).toEqual([])
  })
})

test('a lock that has ended, and an organization that is open again, let the invitation pass', async () => {
  const who = await invited()
  await tenant.patch(`/v1/organizations/${who.subOrgId}`, { status: 'suspended' })
  expect(verdict(await accept(who))).toEqual([403, 'organization_suspended'])
  await tenant.patch(`/v1/organizations/${who.subOrgId}`, { status: 'active' })
  expect((await accept(who)).status).toBe(200)
})

test('a session limit that denies new ones refuses all of it', async () => {
  const who = await invited()
  await signIn(app, tenant, who.subOrgId, who.email)
  await app.advance(61)
  await tenant.post(`/v1/users/${who.userId}/invite`, { subOrgId: who.subOrgId })
  const { token_hash: token } = await mailedLink(app, who.email, 'invite')
  const limit = { max_concurrent_sessions: 1, concurrent_session_policy: 'deny_new' }
  await tenant.patch('/v1/auth/settings', { subOrgId: who.subOrgId, ...limit })
  expect(verdict(await accept(who, { token }))).toEqual([403, 'session_limit_reached'])
  expect(verdict(await login(who))).toEqual([401, 'invalid_credentials'])
})

describe('of requests at once', () => {
  const both = (key: string) => [app.as(key), second.as(key)]

  test('that accept one invitation, on two processes, one gets a session', async () => {
    const who = await invited()
    const callers = both(tenant.key)
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => accept(who, { password: `${PASSWORD} ${i}` }, callers[i % 2])),
    )
    const won = replies.findIndex((reply) => reply.status === 200)
    const codes = replies.map((reply) => reply.body.code ?? 'session')
    expect(codes.filter((code) => code === 'session')).toHaveLength(1)
    expect(new Set(codes)).toEqual(new Set(['session', 'token_invalid']))
    expect(await sessionsOf(who)).toHaveLength(1)
    expect((await login(who, `${PASSWORD} ${won}`)).status).toBe(200)
    const accepted = await app.events({ accountId: tenant.accountId, type: 'invite.accepted' })
    expect(accepted.filter((event) => event.target_id === who.inviteId)).toHaveLength(1)
  })

  test('that accept one invitation by the link alone, one gets a session', async () => {
    const who = await invited()
    await tenant.patch('/v1/auth/settings', { subOrgId: who.subOrgId, email_password_enabled: false })
    const callers = both(tenant.key)
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => accept(who, { password: undefined }, callers[i % 2])),
    )
    const codes = replies.map((reply) => reply.body.code ?? 'session')
    expect(codes.toSorted()).toEqual(['session', ...Array(7).fill('token_invalid')])
    expect(await sessionsOf(who)).toHaveLength(1)
  })

  test('that accept and end an invitation, neither leaves a session of somebody who is out', async () => {
    const ends: ((who: Invited) => Promise<Reply>)[] = [
      (who) => second.as(tenant.key).patch(`/v1/users/${who.userId}`, { subOrgId: who.subOrgId, active: false }),
      (who) => second.as(tenant.key).delete(`/v1/users/${who.userId}?subOrgId=${who.subOrgId}`),
      (who) => second.as(tenant.key).delete(`/v1/users/invites/${who.inviteId}?subOrgId=${who.subOrgId}`),
    ]
    for (const end of [...ends, ...ends]) {
      const who = await invited()
      const [accepted, ended] = await Promise.all([accept(who), end(who)])
      expect([200, 409]).toContain(ended.status)
      expect([200, 400, 403]).toContain(accepted.status)
      if (accepted.status !== 200) expect(await sessionsOf(who)).toEqual([])
      const [row] = (await tenant.get(`/v1/users/invites?subOrgId=${who.subOrgId}`)).body.invites
      expect(row.status).toBe(accepted.status === 200 ? 'accepted' : 'revoked')
      if (end === ends[2]) expect(ended.status).toBe(accepted.status === 200 ? 409 : 200)
      else expect(await sessionsOf(who)).toEqual([])
    }
  })
})

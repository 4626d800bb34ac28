import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedCode, signIn } from '../../../../test/people/sign-in.ts'
import { joinedMember, PASSWORD } from '../../../../test/people/team.ts'
import { permissionsOf, TEAM_ROLES } from './team-roles/team-roles.ts'

const app = await startApp()
const tenant = await app.tenant()
const verdict = (reply: Reply) => [reply.status, reply.body.code]

test.each(TEAM_ROLES)(
  'the token of a member says the role %s and what it may do, for this service alone',
  async (role) => {
    const { email, session } = await joinedMember(app, tenant, role)
    // The token that accepting the invitation returns has the same claims.
    expect(decodeJwt(session.access_token)).toMatchObject({ role, permissions: permissionsOf(role).toSorted() })
    const reply = await tenant.post('/v1/auth/login/password', { subOrgId: 'team', email, password: PASSWORD })
    expect(reply.status, reply.text).toBe(200)
    const { access_token: token, refresh_token } = reply.body.session
    expect(decodeJwt(token)).toMatchObject({
      ...{ role, permissions: permissionsOf(role).toSorted(), email, org_id: null },
      aud: `${tenant.accountId}/team`,
    })
    const introspect = async (subOrgId?: string) =>
      (await tenant.post('/v1/auth/token/introspect', { token, ...(subOrgId ? { subOrgId } : {}) })).body
    expect(await introspect('team')).toMatchObject({ active: true, username: email, aud: `${tenant.accountId}/team` })
    expect(await introspect()).toEqual({ active: false })
    const bearer = { authorization: `Bearer ${token}` }
    expect((await app.as(null).get('/v1/auth/userinfo', bearer)).status).toBe(401)
    const refreshed = await tenant.post('/v1/auth/token/refresh', { subOrgId: 'team', refresh_token })
    expect(decodeJwt(refreshed.body.session.access_token)).toMatchObject({ role })
  },
)

test('only a key that may do everything, of production, signs the team in', async () => {
  const { email } = await joinedMember(app, tenant, 'owner')
  const body = { subOrgId: 'team', email, password: PASSWORD }
  const weak = await tenant.withKey({ scopes: ['auth.*', 'links.issue', 'users.*'] })
  const scoped = await tenant.withKey({ subOrgId: await tenant.organization() })
  const staging = await tenant.withKey({ environment: 'staging' })
  const post = (key: Pick<typeof tenant, 'post'>) => key.post('/v1/auth/login/password', body)
  expect(verdict(await post(weak))).toEqual([403, 'insufficient_scope'])
  expect(verdict(await post(scoped))).toEqual([403, 'sub_org_mismatch'])
  expect(verdict(await post(staging))).toEqual([404, 'organization_not_found'])
  expect(verdict(await post(await app.tenant()))).toEqual([401, 'invalid_credentials'])
  // The reserved subOrgId only works for signing in.
  for (const reply of [
    await tenant.get('/v1/users?subOrgId=team'),
    await tenant.patch('/v1/auth/settings', { subOrgId: 'team', password_min_length: 8 }),
    await tenant.post('/v1/auth/signup/otp/send', { subOrgId: 'team', email: newEmail(), openSignup: true }),
  ])
    expect(verdict(reply)).toEqual([404, 'organization_not_found'])
})

test('no key changes how the team signs in', async () => {
  const { email } = await joinedMember(app, tenant, 'admin')
  const changes = [
    await tenant.patch('/v1/auth/settings/defaults', { email_password_enabled: false }),
    await tenant.patch('/v1/mfa/policy/defaults', { require_mfa: true, grace_period_days: 0 }),
  ]
  const { enabledAppIds } = (await tenant.get('/v1/organization-apps')).body
  const left = enabledAppIds.filter((id: string) => id !== 'password')
  changes.push(await tenant.put('/v1/organization-apps/defaults', { enabledAppIds: left }))
  expect(changes.map(({ status }) => status)).toEqual([200, 200, 200])
  const reply = await tenant.post('/v1/auth/login/password', { subOrgId: 'team', email, password: PASSWORD })
  expect([reply.status, reply.body.mfa_required], reply.text).toEqual([200, undefined])
})

test('who has not accepted, or was removed, does not come in', async () => {
  const owner = await app.tenant()
  await joinedMember(app, owner, 'owner')
  const email = newEmail()
  const { member } = (await owner.post('/v1/members/invites', { email, role: 'admin' })).body
  const { otp_id } = (await owner.post('/v1/auth/login/otp/send', { subOrgId: 'team', email })).body
  const code = await mailedCode(app, email)
  const early = await owner.post('/v1/auth/login/otp/verify', { subOrgId: 'team', email, otp_id, code })
  expect(verdict(early)).toEqual([403, 'user_inactive'])
  await owner.delete(`/v1/members/invites/${member.membershipId}`)
  const joined = await joinedMember(app, owner, 'admin', { email })
  const { refresh_token } = await signIn(app, owner, 'team', email)
  expect((await owner.delete(`/v1/members/${joined.membershipId}`)).status).toBe(200)
  expect(verdict(await owner.post('/v1/auth/token/refresh', { subOrgId: 'team', refresh_token }))[0]).toBe(401)
  const again = await owner.post('/v1/auth/login/password', { subOrgId: 'team', email, password: PASSWORD })
  expect(verdict(again)).toEqual([401, 'invalid_credentials'])
})

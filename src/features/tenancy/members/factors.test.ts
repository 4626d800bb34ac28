import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Reply, startApp, type Tenant } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { sentSmsCode, succeeded } from '../../../../test/people/factors.ts'
import { PAGE, signInBy } from '../../../../test/people/passkeys.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedCode, mailedLink } from '../../../../test/people/sign-in.ts'
import { joinedMember, PASSWORD } from '../../../../test/people/team.ts'
import {
  bearing,
  codeNow,
  giveApp,
  type OwnPerson,
  signedInMember,
  steppedUp,
  teamWorld,
} from '../../../../test/walkers/own-world.ts'
import type { TeamRole } from './team-roles/team-roles.ts'

// How second factors of the account's own team are enrolled, requested and required.

const app = await startApp()
const tenant = await app.tenant()
const world = teamWorld(app, tenant)
const DAY = 86_400
const verdict = (reply: Reply) => [reply.status, reply.body.code]
const moment = () => app.app.platform.clock.now().getTime()

const byPassword = (by: Tenant, email: string, password = PASSWORD) =>
  by.post('/v1/auth/login/password', { subOrgId: 'team', email, password })
const verify = (by: Tenant, challenge_token: string, code: string) =>
  by.post('/v1/mfa/challenge/verify', { subOrgId: 'team', challenge_token, code })
const change = async (by: Tenant, membershipId: string, newRole: TeamRole) =>
  succeeded(await by.patch(`/v1/members/${membershipId}`, { newRole }))

/** Enrolls an authenticator app in a member's session. */
async function enroll({ me, world }: OwnPerson): Promise<{ secret: string; backupCodes: string[] }> {
  const { pendingId, secret } = succeeded(await me.post('/v1/me/mfa/totp'))
  const { backupCodes } = succeeded(await me.put('/v1/me/mfa/totp', { pendingId, code: codeNow(world, secret) }))
  return { secret, backupCodes }
}

describe('a member enrolls, and is asked at the next sign-in', () => {
  test('an app, whose code turns the challenge into a session of two factors, and backup codes', async () => {
    const member = await signedInMember(world, 'admin')
    succeeded(await member.me.patch('/v1/me', { locale: 'de' }))
    const { secret, backupCodes } = await enroll(member)
    const told = (await app.mails(member.email)).at(-1)
    expect([told?.kind, told?.subject]).toEqual([
      'mfa_enrolled',
      expect.stringMatching(/Zwei|zweite|Faktor|Bestätigung/i),
    ])
    await app.advance(30)
    const held = succeeded(await byPassword(tenant, member.email))
    expect(held).toMatchObject({ session: null, mfa_required: true, enrollment_required: false })
    expect(held.methods).toEqual(['totp', 'backup'])
    expect(verdict(await verify(tenant, held.challenge_token, '000000'))).toEqual([401, 'mfa_code_invalid'])
    const { session } = succeeded(await verify(tenant, held.challenge_token, codeNow(world, secret)))
    const me = bearing(app, session.access_token)
    expect(decodeJwt(session.access_token)).toMatchObject({ aal: 'aal2', role: 'admin' })
    expect(succeeded(await me.get('/v1/me')).user).toMatchObject({ role: 'admin', mfaEnrolled: true, subOrgId: null })
    // The same token also works for management routes.
    expect((await me.get('/v1/users')).status).toBe(200)

    const again = succeeded(await byPassword(tenant, member.email))
    const [code = ''] = backupCodes
    expect((await verify(tenant, again.challenge_token, code)).status).toBe(200)
    expect((await app.mails(member.email)).at(-1)?.kind).toBe('backup_code_used')
    const third = succeeded(await byPassword(tenant, member.email))
    expect(verdict(await verify(tenant, third.challenge_token, code))).toEqual([401, 'mfa_code_invalid'])
  })

  test('a phone, whatever countries the environment allows', async () => {
    succeeded(await tenant.patch('/v1/otp/settings/defaults', { sms_allowed_countries: ['DE'], sms_daily_limit: 1 }))
    const member = await signedInMember(world)
    const phone = '+14155550177'
    succeeded(await member.me.post('/v1/me/mfa/phone', { phone }))
    succeeded(await member.me.put('/v1/me/mfa/phone', { code: await sentSmsCode(app, phone) }))
    const held = succeeded(await byPassword(tenant, member.email))
    expect(held.methods).toEqual(['sms'])
    const { challenge_token } = held
    const body = { subOrgId: 'team', challenge_token, method: 'sms' }
    expect(succeeded(await tenant.post('/v1/auth/mfa/challenge/send', body)).delivery_hint).toMatch(/77$/)
    succeeded(await verify(tenant, challenge_token, await sentSmsCode(app, phone)))
  })

  test('a passkey, which is both factors', async () => {
    succeeded(await tenant.patch('/v1/auth/passkey/settings/defaults', { rp_id: 'acme.example' }))
    const member = await signedInMember(world, 'owner')
    const passkey = newPasskey()
    const { options, challengeId } = succeeded(await member.me.post('/v1/me/passkeys/options'))
    const credential = passkey.make(options, { origin: PAGE })
    const made = succeeded(await member.me.post('/v1/me/passkeys/verify', { challengeId, credential })).credential
    const holder = { subOrgId: 'team', userId: member.id, email: member.email, passkey, credentialId: made.id }
    for (const email of [member.email, '']) {
      const { session } = succeeded(await signInBy(tenant, holder, { email }))
      expect(decodeJwt(session.access_token)).toMatchObject({ aal: 'aal2', amr: ['pop', 'user', 'mfa'] })
    }
    // After the grace period, a password leads to a challenge for the passkey, never to enrolling another factor.
    await app.advance(8 * DAY)
    const held = succeeded(await byPassword(tenant, member.email))
    expect(held).toMatchObject({ session: null, methods: ['passkey'], enrollment_required: false })
    // The passkey of a former member no longer works.
    await joinedMember(app, tenant, 'owner')
    succeeded(await tenant.delete(`/v1/members/${member.membershipId}`))
    expect(verdict(await signInBy(tenant, holder))).toEqual([401, 'passkey_invalid'])
  })

  test('the last factor stays where one is required of the role, and goes where it is not', async () => {
    const [admin, developer] = [await signedInMember(world, 'admin'), await signedInMember(world, 'developer')]
    for (const member of [admin, developer]) member.secret = await giveApp(member)
    const removed = await (await steppedUp(admin)).me.delete('/v1/me/mfa/totp')
    expect(verdict(removed)).toEqual([409, 'last_factor'])
    succeeded(await (await steppedUp(developer)).me.delete('/v1/me/mfa/totp'))
    expect((await app.mails(developer.email)).at(-1)?.kind).toBe('mfa_removed')
    // This person also has a role on a roster, which requires a factor.
    const other = await signedInMember(world, 'developer')
    other.secret = await giveApp(other)
    const subOrgId = await tenant.organization()
    const members = [
      { membershipId: admin.membershipId, role: 'owner' },
      { membershipId: other.membershipId, role: 'admin' },
    ]
    succeeded(await tenant.put(`/v1/organizations/${subOrgId}/members`, { members }))
    expect(verdict(await (await steppedUp(other)).me.delete('/v1/me/mfa/totp'))).toEqual([409, 'last_factor'])
  })

  test('who has left has no factor when they are invited again', async () => {
    const owner = await signedInMember(world, 'owner')
    const member = await signedInMember(world, 'member')
    await enroll(member)
    succeeded(await tenant.delete(`/v1/members/${member.membershipId}`))
    expect(verdict(await member.me.get('/v1/me'))).toEqual([401, 'access_token_invalid'])
    const again = await joinedMember(app, tenant, 'member', { email: member.email })
    const { enrollment } = succeeded(await bearing(app, again.session.access_token).get('/v1/me/mfa/totp'))
    expect(enrollment.enrolled).toBe(false)
    expect(succeeded(await owner.me.get('/v1/me')).user.email).toBe(owner.email)
  })
})

/** Days until the grace period ends, as a sign-in shows it; null if there is none. */
async function graceOf(by: Tenant, email: string): Promise<number | null> {
  const { session, mfa = null, ...rest } = succeeded(await byPassword(by, email))
  expect(session, JSON.stringify(rest)).not.toBeNull()
  if (mfa === null) return null
  expect(mfa).toMatchObject({ required: true, enrolled: false })
  return Math.round(((Date.parse(mfa.grace_ends_at) - moment()) / DAY / 1000) * 100) / 100
}

describe('the grace period', () => {
  test('of owners and admins is 7 days from their role; then the sign-in ends in an enrollment', async () => {
    const own = await app.tenant()
    const people = Object.fromEntries(
      await Promise.all(
        (['owner', 'admin', 'developer', 'member'] as const).map(
          async (role) => [role, (await joinedMember(app, own, role)).email] as const,
        ),
      ),
    )
    const { owner = '', admin = '', developer = '', member = '' } = people
    const graces = async () => [
      await graceOf(own, owner),
      await graceOf(own, admin),
      await graceOf(own, developer),
      await graceOf(own, member),
    ]
    expect(await graces()).toEqual([7, 7, null, null])
    await app.advance(6 * DAY)
    expect(await graces()).toEqual([1, 1, null, null])
    await app.advance(DAY + 60)
    for (const email of [owner, admin]) {
      const held = succeeded(await byPassword(own, email))
      expect(held).toMatchObject({ session: null, mfa_required: true, enrollment_required: true, methods: ['totp'] })
      expect([held.sub_org_id, held.organization]).toEqual([null, undefined])
    }
    expect([await graceOf(own, developer), await graceOf(own, member)]).toEqual([null, null])
  })

  test('after it the challenge enrolls an app and opens the session, once', async () => {
    const own = await app.tenant()
    const { email } = await joinedMember(app, own, 'owner')
    await app.advance(8 * DAY)
    const { challenge_token, directory_user_id: userId } = succeeded(await byPassword(own, email))
    const named = { subOrgId: 'team', userId, challenge_token }
    const { pendingId, secret } = succeeded(await own.post('/v1/mfa/totp', named))
    expect(verdict(await own.put('/v1/mfa/totp', { ...named, pendingId, code: '000000' }))[1]).toBe('mfa_code_invalid')
    const code = codeNow(world, secret)
    const confirmed = succeeded(await own.put('/v1/mfa/totp', { ...named, pendingId, code }))
    expect(confirmed.backupCodes).toHaveLength(10)
    expect(decodeJwt(confirmed.session.access_token)).toMatchObject({ aal: 'aal2', amr: ['pwd', 'otp', 'mfa'] })
    expect((await app.mails(email)).at(-1)?.kind).toBe('mfa_enrolled')
    expect(verdict(await own.put('/v1/mfa/totp', { ...named, pendingId, code }))).toEqual([400, 'challenge_expired'])
    expect(succeeded(await byPassword(own, email))).toMatchObject({ session: null, enrollment_required: false })
  })

  test('a session of one factor is refreshed until it is over, and then ends in an enrollment', async () => {
    const own = await app.tenant()
    const { session } = await joinedMember(app, own, 'admin')
    const refresh = (refresh_token: string) => own.post('/v1/auth/token/refresh', { subOrgId: 'team', refresh_token })
    await app.advance(6 * DAY)
    const next = succeeded(await refresh(session.refresh_token))
    expect(next.mfa).toMatchObject({ required: true, enrolled: false })
    await app.advance(2 * DAY)
    const held = succeeded(await refresh(next.session.refresh_token))
    expect(held).toMatchObject({ session: null, mfa_required: true, enrollment_required: true })
  })

  test('begins with a role that is given later, in the account or on a roster, and anew after 30 days without one', async () => {
    const own = await app.tenant()
    const owner = await joinedMember(app, own, 'owner')
    const [first, second] = [await joinedMember(app, own, 'member'), await joinedMember(app, own, 'developer')]
    await app.advance(30 * DAY)
    expect([await graceOf(own, first.email), await graceOf(own, second.email)]).toEqual([null, null])
    await change(own, first.membershipId, 'admin')
    const subOrgId = await own.organization()
    const put = (role: TeamRole) =>
      own.put(`/v1/organizations/${subOrgId}/members`, {
        members: [
          { membershipId: owner.membershipId, role: 'owner' },
          { membershipId: second.membershipId, role },
        ],
      })
    succeeded(await put('developer'))
    await app.advance(DAY)
    expect([await graceOf(own, first.email), await graceOf(own, second.email)]).toEqual([6, null])
    succeeded(await put('admin'))
    expect(await graceOf(own, second.email)).toBe(7)
    await app.advance(2 * DAY)
    // A second role does not extend the period, whether it is given in addition or later.
    await change(own, second.membershipId, 'admin')
    expect([await graceOf(own, first.email), await graceOf(own, second.email)]).toEqual([4, 5])
    succeeded(await put('developer'))
    await change(own, first.membershipId, 'member')
    expect([await graceOf(own, first.email), await graceOf(own, second.email)]).toEqual([null, 5])
    await app.advance(30 * DAY)
    await change(own, first.membershipId, 'owner')
    expect(await graceOf(own, first.email)).toBe(7)
    await app.advance(8 * DAY)
    expect(succeeded(await byPassword(own, first.email))).toMatchObject({ session: null, enrollment_required: true })
  })

  test('does not begin with a role on a roster of another environment, which the policy does not cover', async () => {
    const own = await app.tenant()
    const staging = await own.withKey({ environment: 'staging' })
    const made = await staging.post('/v1/organizations', { name: 'Trial', slug: `trial-${fresh()}` })
    const { id: subOrgId } = succeeded(made).subOrganization
    await joinedMember(app, own, 'owner')
    const { email, membershipId } = await joinedMember(app, own, 'member')
    const members = [{ membershipId, role: 'owner' }]
    succeeded(await staging.put(`/v1/organizations/${subOrgId}/members`, { members }))
    const alone = await joinedMember(app, own, 'owner', { subOrgId, by: staging })
    for (const one of [email, alone.email]) expect(await graceOf(own, one)).toBeNull()
    await app.advance(8 * DAY)
    for (const one of [email, alone.email]) {
      const signedIn = succeeded(await byPassword(own, one))
      expect([signedIn.session === null, signedIn.mfa]).toEqual([false, undefined])
      const { refresh_token } = signedIn.session
      const refreshed = succeeded(await own.post('/v1/auth/token/refresh', { subOrgId: 'team', refresh_token }))
      expect([refreshed.session === null, refreshed.mfa]).toEqual([false, undefined])
    }
    // The token contains the role.
    expect(decodeJwt(alone.session.access_token).role).toBe('owner')
    await change(own, membershipId, 'admin')
    expect(await graceOf(own, email)).toBe(7)
  })

  test('is that of the earliest role, of who has not signed in since', async () => {
    const own = await app.tenant()
    await joinedMember(app, own, 'owner')
    const { email, membershipId } = await joinedMember(app, own, 'member')
    const subOrgId = await own.organization()
    succeeded(await own.put(`/v1/organizations/${subOrgId}/members`, { members: [{ membershipId, role: 'owner' }] }))
    await app.advance(5 * DAY)
    await change(own, membershipId, 'admin')
    expect(await graceOf(own, email)).toBe(2)
  })

  test('counts from the acceptance of an invitation', async () => {
    const own = await app.tenant()
    const email = newEmail()
    await joinedMember(app, own, 'owner')
    succeeded(await own.post('/v1/members/invites', { email, role: 'admin' }))
    await app.advance(5 * DAY)
    const { token_hash: token } = await mailedLink(app, email, 'invite')
    const accepted = succeeded(
      await own.post('/v1/auth/invite/accept', { subOrgId: 'team', token, password: PASSWORD }),
    )
    expect(Math.round((Date.parse(accepted.mfa.grace_ends_at) - moment()) / DAY / 1000)).toBe(7)
    expect(await graceOf(own, email)).toBe(7)
  })
})

describe('nobody else touches the factors of a member', () => {
  test('no key and no member, whatever they may do', async () => {
    const own = await app.tenant()
    const team = teamWorld(app, own)
    const [owner, admin] = [await signedInMember(team, 'owner'), await signedInMember(team, 'admin')]
    await enroll(owner)
    const named = { subOrgId: 'team', userId: owner.id }
    const query = `?subOrgId=team&userId=${owner.id}`
    for (const by of [own, owner.me, admin.me]) {
      for (const reply of [
        await by.get(`/v1/mfa/totp${query}`),
        await by.delete(`/v1/mfa/totp${query}`),
        await by.post('/v1/mfa/totp/backup-codes', named),
        await by.post('/v1/mfa/sms', { ...named, phone: '+14155550100' }),
        await by.put('/v1/mfa/sms', { ...named, code: '123456' }),
        await by.delete(`/v1/mfa/sms${query}`),
        await by.post('/v1/auth/passkey/register', { ...named, action: 'options' }),
        await by.get(`/v1/webauthn/credentials${query}`),
        await by.get(`/v1/mfa/trusted-devices${query}`),
      ])
        expect(verdict(reply)).toEqual([404, 'organization_not_found'])
      // The team's users are not users of the environment either.
      const bare = `?userId=${owner.id}`
      for (const reply of [await by.get(`/v1/mfa/totp${bare}`), await by.get(`/v1/webauthn/credentials${bare}`)])
        expect(verdict(reply)).toEqual([404, 'user_not_found'])
    }
    expect(succeeded(await owner.me.get('/v1/me/mfa/totp')).enrollment.enrolled).toBe(true)
  })

  test('an enrollment takes the challenge of that member’s own sign-in', async () => {
    const own = await app.tenant()
    const [owner, admin] = [await joinedMember(app, own, 'owner'), await joinedMember(app, own, 'admin')]
    await app.advance(8 * DAY)
    const [ofOwner, ofAdmin] = [await byPassword(own, owner.email), await byPassword(own, admin.email)].map(succeeded)
    const userId = ofOwner.directory_user_id
    const begin = (more: object) => own.post('/v1/mfa/totp', { subOrgId: 'team', userId, ...more })
    const missing = await begin({})
    expect([...verdict(missing), missing.body.errors?.[0].field]).toEqual([400, 'invalid_request', 'challenge_token'])
    for (const challenge_token of [ofAdmin.challenge_token, `${ofOwner.challenge_token.slice(0, -1)}_`])
      expect(verdict(await begin({ challenge_token }))).toEqual([400, 'challenge_expired'])
    const { challenge_token } = ofOwner
    const { pendingId, secret } = succeeded(await begin({ challenge_token }))
    const confirm = (more: object) =>
      own.put('/v1/mfa/totp', { subOrgId: 'team', userId, pendingId, code: codeNow(world, secret), ...more })
    expect(verdict(await confirm({}))).toEqual([400, 'invalid_request'])
    expect(verdict(await confirm({ challenge_token: ofAdmin.challenge_token }))).toEqual([400, 'challenge_expired'])
    expect(succeeded(await byPassword(own, owner.email)).enrollment_required).toBe(true)
    // The challenge of an enrolled member requires a code and cannot be used to enroll.
    succeeded(await confirm({ challenge_token }))
    const asked = succeeded(await byPassword(own, owner.email))
    expect(verdict(await begin({ challenge_token: asked.challenge_token }))).toEqual([400, 'challenge_expired'])
  })

  test('a code by mail does not stand for the second factor', async () => {
    const member = await signedInMember(world, 'admin')
    member.secret = await giveApp(member)
    const { otp_id } = succeeded(
      await tenant.post('/v1/auth/login/otp/send', { subOrgId: 'team', email: member.email }),
    )
    const code = await mailedCode(app, member.email)
    const body = { subOrgId: 'team', email: member.email, otp_id, code }
    const held = succeeded(await tenant.post('/v1/auth/login/otp/verify', body))
    expect(held).toMatchObject({ session: null, methods: ['totp'] })
    expect(verdict(await verify(tenant, held.challenge_token, code))).toEqual([401, 'mfa_code_invalid'])
    // The challenge is not valid in another directory or account.
    const subOrgId = await tenant.organization()
    const foreign = { challenge_token: held.challenge_token, code: codeNow(world, member.secret) }
    for (const by of [tenant, await app.tenant()]) {
      const where = by === tenant ? subOrgId : 'team'
      const reply = await by.post('/v1/mfa/challenge/verify', { subOrgId: where, ...foreign })
      expect(verdict(reply)).toEqual([400, 'challenge_expired'])
    }
    succeeded(await verify(tenant, held.challenge_token, foreign.code))
  })
})

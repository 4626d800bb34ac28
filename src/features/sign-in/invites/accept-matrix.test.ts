import { describe, expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newHolder } from '../../../../test/people/passkeys.ts'
import { newEmail, sessionsIn } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { mailedLink, signedInUser } from '../../../../test/people/sign-in.ts'
import { snapshot } from '../../../../test/snapshot.ts'

const app = await startApp()
const tenant = await app.tenant()
// Creates the signing keys now, so that no test case creates them.
await signedInUser(app, tenant, await tenant.organization(), newEmail())
const PASSWORD = 'seven green bottles'

const STATES = ['on', 'off'] as const
const PEOPLE = ['new', 'without a credential', 'with a password', 'with a passkey'] as const
const CONDITIONS = ['nothing else', 'enforced SSO', 'required MFA', 'suspended user', 'suspended organization'] as const

type Condition = (typeof CONDITIONS)[number]

const setPasswords = async (subOrgId: string, state: 'on' | 'off') =>
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: state === 'on' }))

/** Creates the person and returns their address. The invitation creates the user if the person is new. */
async function makePerson(kind: (typeof PEOPLE)[number], subOrgId: string): Promise<string> {
  if (kind === 'new') return newEmail()
  if (kind === 'with a passkey') {
    const holder = await newHolder(tenant, subOrgId)
    succeeded(await tenant.patch(`/v1/users/${holder.userId}`, { subOrgId, displayName: 'Holder' }))
    return holder.email
  }
  const { email, userId } = await signedInUser(app, tenant, subOrgId, newEmail())
  if (kind === 'with a password')
    succeeded(await tenant.put(`/v1/users/${userId}/password`, { subOrgId, password: 'correct horse battery' }))
  return email
}

async function enforceSso(subOrgId: string): Promise<void> {
  await verifyDomain(app, tenant, subOrgId, `${fresh()}.example`)
  const provider = { oidc_issuer: 'https://login.acme.example', oidc_client_id: 'ww', oidc_client_secret: 'secret' }
  const made = await tenant.post('/v1/sso/connections', { subOrgId, name: 'Acme', protocol: 'oidc', ...provider })
  const { id } = succeeded(made).connection
  succeeded(await tenant.patch(`/v1/sso/connections/${id}`, { subOrgId, status: 'active' }))
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, enforce_sso: true }))
}

const arrange: Record<Condition, (subOrgId: string, userId: string) => Promise<unknown>> = {
  'nothing else': async () => {},
  'enforced SSO': enforceSso,
  'required MFA': (subOrgId) => tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 }),
  'suspended user': (subOrgId, userId) => tenant.patch(`/v1/users/${userId}`, { subOrgId, active: false }),
  'suspended organization': (subOrgId) => tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' }),
}

/** The response to accepting if the person has no credential. */
const ANSWERS: Record<Condition, string> = {
  'nothing else': 'session',
  'enforced SSO': 'sso_required',
  'required MFA': 'mfa_required',
  'suspended user': 'token_invalid',
  'suspended organization': 'organization_suspended',
}

const answerOf = ({ status, body }: Reply) => {
  if (status !== 200) return body.code
  return body.session ? 'session' : (Object.keys(body).find((key) => body[key] === true) ?? 'challenge')
}

const cases = PEOPLE.flatMap((person) =>
  CONDITIONS.flatMap((condition) =>
    STATES.flatMap((sent) => STATES.map((accepted) => [person, condition, sent, accepted] as const)),
  ),
)

describe('accepting asks for a password where passwords are on then, whatever the mail said', () => {
  test.each(cases)('a user %s, %s: passwords %s, then %s', async (kind, condition, sent, accepted) => {
    const subOrgId = await tenant.organization()
    const email = await makePerson(kind, subOrgId)
    // Where passwords are off, a user who has signed in before cannot accept.
    const signsIn = kind === 'without a credential' && accepted === 'off'
    const hasCredential = signsIn || kind === 'with a password' || kind === 'with a passkey'
    const before = (await sessionsIn(tenant, subOrgId)).length
    await setPasswords(subOrgId, sent)
    const { user, invite } = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email }))
    const mail = (await app.mails(email)).at(-1)
    const asked = kind === 'with a password' ? 'sign in with your password' : 'Choose a password'
    expect(/password/i.test(`${mail?.subject}${mail?.text}${mail?.html}`)).toBe(
      sent === 'on' && kind !== 'with a passkey',
    )
    if (sent === 'on' && kind !== 'with a passkey') expect(mail?.text).toContain(asked)
    await setPasswords(subOrgId, accepted)
    await arrange[condition](subOrgId, user.id)
    const { token_hash: token } = await mailedLink(app, email, 'invite')
    const accept = (password?: string) =>
      tenant.post('/v1/auth/invite/accept', { subOrgId, token, ...(password === undefined ? {} : { password }) })
    const wrong = accepted === 'on' ? undefined : PASSWORD
    const right = accepted === 'on' ? PASSWORD : undefined
    const state = await snapshot(app, { failedSignIns: false })
    const refused = await accept(wrong)
    const isBarred = condition === 'suspended user' || condition === 'suspended organization'
    const isBound = condition === 'enforced SSO'
    const credential = hasCredential && !isBarred && !isBound
    const refusal = isBarred || isBound ? ANSWERS[condition] : 'invalid_request'
    expect(answerOf(refused)).toBe(credential ? 'credential_exists' : refusal)
    expect(await snapshot(app, { failedSignIns: false })).toEqual(state)
    const answer = await accept(right)
    expect(answerOf(answer), answer.text).toBe(credential ? 'credential_exists' : ANSWERS[condition])
    const isIn = answer.status === 200
    if (!isIn) expect(await snapshot(app, { failedSignIns: false })).toEqual(state)
    const events = (await app.events({ accountId: tenant.accountId })).filter(
      ({ target_id }) => target_id === invite.id,
    )
    expect(events.map(({ type }) => type).filter((type) => type !== 'invite.revoked')).toEqual([
      'invite.created',
      ...(isIn ? ['invite.accepted'] : []),
    ])
    if (isBarred) return
    expect((await sessionsIn(tenant, subOrgId)).length - before).toBe(answer.body.session ? 1 : 0)
    const shown = (await tenant.get(`/v1/users/${user.id}`)).body.user
    if (isIn) expect(shown).toMatchObject({ emailVerified: true, status: 'active' })
    await setPasswords(subOrgId, 'on')
    const login = await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
    const hasSet = isIn && accepted === 'on'
    expect(login.body.code === 'invalid_credentials').toBe(!hasSet)
  })
})

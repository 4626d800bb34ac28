import { randomInt } from 'node:crypto'
import { trustDevice } from '../../src/features/access/mfa/devices.ts'
import { inTx } from '../../src/platform/work.ts'
import { fresh, freshPassword } from '../fresh.ts'
import { type Caller, caller, type Tenant, type TestApp } from '../harness.ts'
import { newPasskey } from '../people/authenticator.ts'
import { codeOf, plantTotp, sentSmsCode, succeeded } from '../people/factors.ts'
import type { PlantedMember } from '../people/members.ts'
import { pageOf } from '../people/passkeys.ts'
import { newEmail, type Person } from '../people/people.ts'
import { verifyDomain } from '../people/saml-connection.ts'
import { mailedCode, signIn, type Tokens } from '../people/sign-in.ts'
import { joinedMember, PASSWORD } from '../people/team.ts'
import { getWorkIn } from '../work.ts'
import type { SampleRequest } from './samples.ts'

/** The page from which people call in tests. */
export const OWN_PAGE = 'https://app.example.com'

/** An organization whose people may call from `OWN_PAGE`, and may have every kind of factor. */
export interface OwnWorld {
  app: TestApp
  tenant: Pick<Tenant, keyof Caller | 'organization'>
  subOrgId: string
}

/** Somebody who has signed in a moment ago, and calls with the access token. */
export interface OwnPerson extends Person {
  world: OwnWorld
  session: Tokens
  me: Caller
  /** Of the authenticator app, if they have one. */
  secret?: string
}

export async function ownWorld(app: TestApp, tenant: OwnWorld['tenant']): Promise<OwnWorld> {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, allowed_origins: [OWN_PAGE] }))
  succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, sms_allowed_countries: ['US'] }))
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, allowed_methods: ['totp', 'backup', 'sms'] }))
  return { app, tenant, subOrgId }
}

/** The account's own team in place of an organization. Its members call the same routes. */
export const teamWorld = (app: TestApp, tenant: Tenant): OwnWorld & { tenant: Tenant } => ({
  app,
  tenant,
  subOrgId: 'team',
})

/** A person who has joined the team and has just signed in by a mailed code. */
export async function signedInMember(
  world: OwnWorld & { tenant: Tenant },
  role: PlantedMember['role'] = 'member',
  of: { subOrgId?: string; email?: string } = {},
): Promise<OwnPerson & { membershipId: string }> {
  const { email, membershipId, session } = await joinedMember(world.app, world.tenant, role, of)
  const person = { world, subOrgId: world.subOrgId, email, id: session.directory_user_id }
  return { membershipId, ...withSession(person, await signInAgain(person)) }
}

/** Makes a user whose mailbox is proved, with a password if one is given, and signs them in. */
export async function signedIn(world: OwnWorld, fields: { password?: string } = {}): Promise<OwnPerson> {
  const { tenant, subOrgId } = world
  const email = newEmail()
  const made = succeeded(await tenant.put('/v1/users', { subOrgId, users: [{ email, emailVerified: true }] }))
  const id: string = made.created[0].id
  const { password } = fields
  if (password !== undefined) succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password }))
  return withSession({ world, subOrgId, email, id }, await signInAgain({ world, subOrgId, email, id }))
}

/** The tokens of one more session of somebody, by a mailed code. */
export async function signInAgain({ world, subOrgId, email }: Person & { world: OwnWorld }): Promise<Tokens> {
  return signIn(world.app, withKey(world.tenant), subOrgId, email)
}

/** The same person with the tokens of a session. */
export function withSession(person: Omit<OwnPerson, 'session' | 'me'>, session: Tokens): OwnPerson {
  return { ...person, session, me: bearing(person.world.app, session.access_token) }
}

/** A caller with an access token. */
export function bearing(app: Pick<TestApp, 'baseUrl'>, token: string): Caller {
  const one = caller(app.baseUrl, null)
  const authorized = (headers: Record<string, string> = {}) => ({ authorization: `Bearer ${token}`, ...headers })
  return {
    get: (path, headers) => one.get(path, authorized(headers)),
    post: (path, body, headers) => one.post(path, body, authorized(headers)),
    put: (path, body, headers) => one.put(path, body, authorized(headers)),
    patch: (path, body, headers) => one.patch(path, body, authorized(headers)),
    delete: (path, headers, body) => one.delete(path, authorized(headers), body),
  }
}

const withKey = ({ get, post, put, patch, delete: remove }: Caller): Caller => ({
  get,
  post,
  put,
  patch,
  delete: remove,
})

/** A request that succeeds for somebody, with what it needs made before. `ids` are theirs, which nobody else may name. */
export type OwnSample = (person: OwnPerson) => Promise<SampleRequest> | SampleRequest

/** One for each route that people call about themselves. */
export const ownSamples: Record<string, OwnSample> = {
  'GET /v1/auth/userinfo': () => ({}),
  'GET /v1/me': () => ({}),
  'PATCH /v1/me': () => ({ body: { displayName: 'Ada' } }),
  'GET /v1/me/sessions': () => ({}),
  'DELETE /v1/me/sessions': () => ({}),
  'DELETE /v1/me/sessions/{sessionId}': async (person) => {
    await signInAgain(person)
    const { sessions } = succeeded(await person.me.get('/v1/me/sessions'))
    return { params: { sessionId: sessions.find(({ current }: { current: boolean }) => !current).id } }
  },
  'POST /v1/me/step-up': () => ({ body: { method: 'otp' } }),
  'POST /v1/me/step-up/verify': async (person) => ({ body: await ownCode(person) }),
  'POST /v1/me/password': ({ subOrgId }) => ({
    body: { ...(subOrgId === 'team' ? { current_password: PASSWORD } : {}), new_password: freshPassword() },
  }),
  'POST /v1/me/email': () => ({ body: { email: newEmail() } }),
  'POST /v1/me/email/verify': async ({ me, world }) => {
    const email = newEmail()
    const { otp_id } = succeeded(await me.post('/v1/me/email', { email }))
    return { body: { email, otp_id, code: await mailedCode(world.app, email) } }
  },
  'GET /v1/me/mfa/totp': () => ({}),
  'POST /v1/me/mfa/totp': () => ({}),
  'PUT /v1/me/mfa/totp': async ({ me, world }) => {
    const { pendingId, secret } = succeeded(await me.post('/v1/me/mfa/totp'))
    return { body: { pendingId, code: codeNow(world, secret) } }
  },
  'DELETE /v1/me/mfa/totp': withApp(() => ({})),
  'POST /v1/me/mfa/totp/backup-codes': withApp(() => ({})),
  'POST /v1/me/mfa/phone': () => ({ body: { phone: freshPhone() } }),
  'PUT /v1/me/mfa/phone': async ({ me, world }) => {
    const phone = freshPhone()
    succeeded(await me.post('/v1/me/mfa/phone', { phone }))
    return { body: { code: await sentSmsCode(world.app, phone) } }
  },
  'DELETE /v1/me/mfa/phone': withApp(async ({ me, world }) => {
    const phone = freshPhone()
    succeeded(await me.post('/v1/me/mfa/phone', { phone }))
    succeeded(await me.put('/v1/me/mfa/phone', { code: await sentSmsCode(world.app, phone) }))
    return {}
  }),
  'GET /v1/me/trusted-devices': () => ({}),
  'DELETE /v1/me/trusted-devices/{id}': async (person) => {
    const device = { userId: person.id, userAgent: null, days: 30 }
    const { row } = await inTx(await workOf(person), (work) => trustDevice(work, device))
    return { params: { id: row.id } }
  },
  'GET /v1/me/passkeys': () => ({}),
  'POST /v1/me/passkeys/options': () => ({}),
  'POST /v1/me/passkeys/verify': async ({ me }) => {
    const { options, challengeId } = succeeded(await me.post('/v1/me/passkeys/options'))
    return { body: { challengeId, credential: newPasskey().make(options, { origin: pageOf(options.rp.id) }) } }
  },
  'PATCH /v1/me/passkeys/{id}': async (person) => ({
    params: { id: await givePasskey(person) },
    body: { deviceName: 'Phone' },
  }),
  'DELETE /v1/me/passkeys/{id}': async (person) => ({ params: { id: await givePasskey(person) } }),
}

/** Whose people have an authenticator app, and a session of two factors. */
export const ownSamplesWithApp = [
  'DELETE /v1/me/mfa/totp',
  'POST /v1/me/mfa/totp/backup-codes',
  'DELETE /v1/me/mfa/phone',
]

function withApp(sample: OwnSample): OwnSample {
  return async (person) => {
    person.secret = await giveApp(person)
    Object.assign(person, await steppedUp(person))
    return sample(person)
  }
}

async function givePasskey({ me }: OwnPerson): Promise<string> {
  const { options, challengeId } = succeeded(await me.post('/v1/me/passkeys/options'))
  const credential = newPasskey().make(options, { origin: pageOf(options.rp.id) })
  return succeeded(await me.post('/v1/me/passkeys/verify', { challengeId, credential })).credential.id
}

const freshPhone = () => `+1415555${String(randomInt(10_000)).padStart(4, '0')}`

async function workOf({ world: { app }, id }: Person & { world: OwnWorld }) {
  const { platform } = app.app
  const row = await platform.db
    .selectFrom('users')
    .select('directory_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return getWorkIn(platform, row.directory_id)
}

/** Has a code mailed to somebody who steps up; returns what proves who they are. */
export async function ownCode({ world, me, email }: OwnPerson) {
  const { otp_id } = succeeded(await me.post('/v1/me/step-up', { method: 'otp' }))
  return { otp_id: String(otp_id), code: await mailedCode(world.app, email) }
}

/** Changes the address of whoever calls, by the code that is mailed to the new one. */
export async function changeAddress(app: TestApp, me: Caller, email: string) {
  const { otp_id } = succeeded(await me.post('/v1/me/email', { email }))
  return me.post('/v1/me/email/verify', { email, otp_id, code: await mailedCode(app, email) })
}

/** The same person with a token of a proof of now, by their app or else a mailed code. */
export async function steppedUp(person: OwnPerson): Promise<OwnPerson> {
  const proof = person.secret === undefined ? await ownCode(person) : await appCode(person, person.secret)
  const { access_token } = succeeded(await person.me.post('/v1/me/step-up/verify', proof))
  return withSession(person, { ...person.session, access_token })
}

async function appCode({ me, world }: OwnPerson, secret: string) {
  const { challenge_token } = succeeded(await me.post('/v1/me/step-up', { method: 'totp' }))
  return { challenge_token, code: codeNow(world, secret) }
}

/** Gives somebody an authenticator app, without ending any session. Returns its secret. */
export async function giveApp(person: OwnPerson): Promise<string> {
  const { directory } = await workOf(person)
  return (await plantTotp(person.world.app, directory, person.id, true)).secret
}

/** Lets nobody of the world's organization in but by single sign-on. */
export async function enforceSso(
  { app, tenant, subOrgId }: Pick<OwnWorld, 'app' | 'tenant' | 'subOrgId'>,
  domain = `${fresh()}.example`,
): Promise<string> {
  await verifyDomain(app, tenant, subOrgId, domain)
  const { connection } = succeeded(
    await tenant.post('/v1/sso/connections', {
      subOrgId,
      name: 'Acme',
      protocol: 'oidc',
      oidc_issuer: 'https://login.acme.example',
      oidc_client_id: 'watchword',
      oidc_client_secret: 'secret',
    }),
  )
  succeeded(await tenant.patch(`/v1/sso/connections/${connection.id}`, { subOrgId, status: 'active' }))
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, enforce_sso: true }))
  return connection.id
}

/** The code that an app shows by the clock of the service. */
export function codeNow({ app }: OwnWorld, secret: string): string {
  return codeOf(secret, 0, (app.app.platform.clock.now().getTime() - Date.now()) / 1000)
}

import { randomUUID } from 'node:crypto'
import { makeLink } from '../src/features/links/links.ts'
import { getUser } from '../src/features/users/users.ts'
import { hashIdentity } from '../src/platform/crypto/identity.ts'
import { findDirectory } from '../src/platform/http/directory.ts'
import { inTx } from '../src/platform/work.ts'
import { makeFactors } from './factors.ts'
import type { Caller, Tenant, TestApp } from './harness.ts'
import { makePasskeyRecords } from './passkeys.ts'
import { mailedCode, mailedLink } from './sign-in.ts'
import { workIn } from './work.ts'

export const kinds = [
  'organization',
  'user',
  'authAccount',
  'session',
  'apiKey',
  'generatedOtp',
  'loginOtp',
  'signupOtp',
  'linkUser',
  'passwordUser',
  'resetLink',
  'magicLink',
  'verificationLink',
  'signupLink',
  'invite',
  'inviteToken',
  'unlockLink',
  'factorUser',
  'pendingUser',
  'pendingTotp',
  'challengeToken',
  'trustedDevice',
  'passkeyUser',
  'passkey',
  'passkeyChallenge',
  'registrationChallenge',
  'refreshToken',
  'accessToken',
] as const

/** What an id in a request stands for. */
export type Kind = (typeof kinds)[number]

/** One organization in one environment, with a record of every kind, made over the API. */
export interface World {
  accountId: string
  /** Where the records are. */
  directoryId: string
  /** An org-wide key of the environment. */
  orgWide: Caller & { key: string }
  /** A key of this organization alone. */
  scoped: Caller & { key: string }
  ids: Record<Kind, string>
  /** Of the user; the sign-in code has been mailed to `loginEmail`, the sign-up code to `signupEmail`. */
  email: string
  loginEmail: string
  loginCode: string
  signupEmail: string
  signupCode: string
  generatedCode: string
  /** Of `linkUser`, who has been mailed a sign-in link and one that verifies the address. */
  linkEmail: string
  /** Of `passwordUser`, who has `password` and has been mailed a link to choose another. */
  passwordEmail: string
  password: string
  /** Of the app of `factorUser`, who has a phone and a trusted device too and signs in at this moment. */
  factorSecret: string
  /** Of the app that `pendingUser` enrolls, who was sent `smsCode` for a phone. */
  pendingSecret: string
  smsCode: string
  /** Of nobody yet: a sign-up link is on its way. */
  newcomerEmail: string
  /** Of `passkeyUser`, with what browsers answer to the two challenges. */
  passkeyEmail: string
  passkeyAnswer: object
  madePasskey: object
}

/** Makes a world in the tenant; `organizationId`: in an organization that is there already. */
export async function makeWorld(
  app: TestApp,
  tenant: Tenant,
  options: { environment?: 'production' | 'staging'; organizationId?: string } = {},
): Promise<World> {
  const { environment = 'production' } = options
  const subOrgId = options.organizationId ?? (await tenant.organization())
  const orgWide = environment === 'production' ? tenant : await tenant.withKey({ environment })
  const scoped = await tenant.withKey({ environment, subOrgId })
  const [email, loginEmail, signupEmail] = [makeEmail('ada'), makeEmail('bob'), makeEmail('eve')]
  const [linkEmail, newcomerEmail] = [makeEmail('dan'), makeEmail('fay')]
  const user = await succeed(scoped.post('/v1/users', { email }))
  await succeed(scoped.post('/v1/users', { email: loginEmail }))
  const { session } = await signIn(app, scoped, email)
  const sessions = await succeed(scoped.get('/v1/sessions'))
  const login = await succeed(scoped.post('/v1/auth/login/otp/send', { email: loginEmail }))
  const signup = await succeed(scoped.post('/v1/auth/signup/otp/send', { email: signupEmail, openSignup: true }))
  const generated = await succeed(scoped.post('/v1/otp/generate', {}))
  const linkUser = (await succeed(scoped.post('/v1/users', { email: linkEmail }))).user.id
  const [passwordEmail, password] = [makeEmail('gus'), `plum-${randomUUID()}`]
  const passwordUser = (await succeed(scoped.post('/v1/users', { email: passwordEmail }))).user.id
  await succeed(scoped.put(`/v1/users/${passwordUser}/password`, { password }))
  await succeed(scoped.post('/v1/auth/password/reset/send', { email: passwordEmail }))
  await succeed(scoped.post('/v1/auth/login/magic-link/send', { email: linkEmail }))
  await succeed(scoped.post(`/v1/users/${linkUser}/verify/resend`, {}))
  const invited = await succeed(scoped.post('/v1/users/invites', { email: makeEmail('gus'), deliver: false }))
  const signupLink = { email: newcomerEmail, openSignup: true }
  await succeed(scoped.post('/v1/auth/signup/authenticate-email/send', signupLink))
  const apiKey = await succeed(scoped.post('/v1/api-keys', { name: 'Of the organization', scopes: ['users.read'] }))
  const factors = await makeFactors(app, scoped)
  const passkeys = await makePasskeyRecords(scoped, subOrgId)
  return {
    ...passkeys,
    accountId: tenant.accountId,
    directoryId: await directoryOf(app, user.user.id),
    orgWide,
    scoped,
    email,
    loginEmail,
    loginCode: await mailedCode(app, loginEmail),
    signupEmail,
    signupCode: await mailedCode(app, signupEmail),
    generatedCode: generated.code,
    linkEmail,
    passwordEmail,
    password,
    newcomerEmail,
    factorSecret: factors.factorSecret,
    pendingSecret: factors.pendingSecret,
    smsCode: factors.smsCode,
    ids: {
      ...factors.ids,
      ...passkeys.ids,
      organization: subOrgId,
      user: user.user.id,
      authAccount: session.user_id,
      session: sessions.users[0].sessions[0].id,
      apiKey: apiKey.apiKey.id,
      generatedOtp: generated.otp_id,
      loginOtp: login.otp_id,
      signupOtp: signup.otp_id,
      linkUser,
      passwordUser,
      resetLink: (await mailedLink(app, passwordEmail, 'password_reset')).token_hash,
      magicLink: (await mailedLink(app, linkEmail, 'magic_link')).token_hash,
      verificationLink: (await mailedLink(app, linkEmail, 'email_verification')).token_hash,
      invite: invited.invite.id,
      inviteToken: new URL(invited.invite.invite_url).searchParams.get('token_hash') ?? '',
      unlockLink: await makeUnlockLink(app, user.user.id),
      signupLink: (await mailedLink(app, newcomerEmail, 'signup_link')).token_hash,
      refreshToken: session.refresh_token,
      accessToken: session.access_token,
    },
  }
}

/** The link in the mail about a lock, without the many wrong passwords that lead to it. */
async function makeUnlockLink(app: TestApp, userId: string): Promise<string> {
  const { platform } = app.app
  const directory = await findDirectory(platform, await directoryOf(app, userId))
  if (!directory) throw new Error('A user without a directory')
  const work = workIn(platform, directory)
  const { email_norm: norm } = await getUser(work, userId)
  const link = { purpose: 'unlock' as const, userId, identity: hashIdentity(platform, norm), ttlSeconds: 3600 }
  return (await inTx(work, (work) => makeLink(work, link))).token
}

async function directoryOf(app: TestApp, userId: string): Promise<string> {
  const { db } = app.app.platform
  return (await db.selectFrom('users').select('directory_id').where('id', '=', userId).executeTakeFirstOrThrow())
    .directory_id
}

const tokens: Kind[] = [
  'refreshToken',
  'accessToken',
  'magicLink',
  'verificationLink',
  'signupLink',
  'inviteToken',
  'resetLink',
  'unlockLink',
  'challengeToken',
]

/** An id of a kind that nothing has, of the same form. */
export function unknownId(world: World, kind: Kind): string {
  if (!tokens.includes(kind)) return randomUUID()
  const token = world.ids[kind]
  // Within the secret or the signature, so that only the last check can refuse it.
  const at = token.length - 12
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
}

async function signIn(app: TestApp, caller: Caller, email: string) {
  const { otp_id } = await succeed(caller.post('/v1/auth/login/otp/send', { email }))
  return succeed(caller.post('/v1/auth/login/otp/verify', { email, otp_id, code: await mailedCode(app, email) }))
}

function makeEmail(name: string): string {
  return `${name}-${randomUUID().slice(0, 8)}@example.com`
}

async function succeed(call: ReturnType<Caller['get']>) {
  const reply = await call
  if (reply.status !== 200) throw new Error(`The world could not be made: ${reply.text}`)
  return reply.body
}

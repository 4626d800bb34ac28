import { randomUUID } from 'node:crypto'
import type { Caller, Tenant, TestApp } from './harness.ts'

export const kinds = [
  'organization',
  'user',
  'authAccount',
  'session',
  'apiKey',
  'generatedOtp',
  'loginOtp',
  'signupOtp',
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
  const user = await succeed(scoped.post('/v1/users', { email }))
  await succeed(scoped.post('/v1/users', { email: loginEmail }))
  const { session } = await signIn(app, scoped, email)
  const sessions = await succeed(scoped.get('/v1/sessions'))
  const login = await succeed(scoped.post('/v1/auth/login/otp/send', { email: loginEmail }))
  const signup = await succeed(scoped.post('/v1/auth/signup/otp/send', { email: signupEmail, openSignup: true }))
  const generated = await succeed(scoped.post('/v1/otp/generate', {}))
  const apiKey = await succeed(scoped.post('/v1/api-keys', { name: 'Of the organization', scopes: ['users.read'] }))
  return {
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
    ids: {
      organization: subOrgId,
      user: user.user.id,
      authAccount: session.user_id,
      session: sessions.users[0].sessions[0].id,
      apiKey: apiKey.apiKey.id,
      generatedOtp: generated.otp_id,
      loginOtp: login.otp_id,
      signupOtp: signup.otp_id,
      refreshToken: session.refresh_token,
      accessToken: session.access_token,
    },
  }
}

async function directoryOf(app: TestApp, userId: string): Promise<string> {
  const { db } = app.app.platform
  return (await db.selectFrom('users').select('directory_id').where('id', '=', userId).executeTakeFirstOrThrow())
    .directory_id
}

/** An id of a kind that nothing has, of the same form. */
export function unknownId(world: World, kind: Kind): string {
  if (kind !== 'refreshToken' && kind !== 'accessToken') return randomUUID()
  const token = world.ids[kind]
  // Within the secret or the signature, so that only the last check can refuse it.
  const at = token.length - 12
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
}

async function signIn(app: TestApp, caller: Caller, email: string) {
  const { otp_id } = await succeed(caller.post('/v1/auth/login/otp/send', { email }))
  return succeed(caller.post('/v1/auth/login/otp/verify', { email, otp_id, code: await mailedCode(app, email) }))
}

/** The two words of the newest mail to an address. */
async function mailedCode(app: TestApp, email: string): Promise<string> {
  const mail = (await app.mails(email)).at(-1)
  const code = mail?.text.split('\n').find((line) => /^[a-z]+ [a-z]+$/.test(line))
  if (!code) throw new Error(`No code in the mails to ${email}`)
  return code
}

function makeEmail(name: string): string {
  return `${name}-${randomUUID().slice(0, 8)}@example.com`
}

async function succeed(call: ReturnType<Caller['get']>) {
  const reply = await call
  if (reply.status !== 200) throw new Error(`The world could not be made: ${reply.text}`)
  return reply.body
}

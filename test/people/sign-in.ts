import type { Caller, TestApp } from '../harness.ts'

export interface Tokens {
  access_token: string
  refresh_token: string
  expires_in: number
  refresh_expires_in: number
  user_id: string
  directory_user_id: string
}

/** The newest word pair mailed to an address. */
export async function mailedCode(app: TestApp, email: string): Promise<string> {
  const mail = (await app.mails(email)).at(-1)
  const code = mail?.text.split('\n').find((line) => /^[a-z]+ [a-z]+$/.test(line))
  if (!code) throw new Error(`No code was mailed to ${email}`)
  return code
}

/** Has a code mailed to whoever signs up; returns what redeems it. */
export async function sendSignupCode(
  app: TestApp,
  caller: Pick<Caller, 'post'>,
  { subOrgId, email }: { subOrgId: string; email: string },
) {
  const sent = await caller.post('/v1/auth/signup/otp/send', { subOrgId, email, openSignup: true })
  if (sent.status !== 200) throw new Error(`No code: ${sent.text}`)
  return { subOrgId, email, otp_id: String(sent.body.otp_id), code: await mailedCode(app, email) }
}

/** Signs a user in the way people do: a mailed word pair for a session. */
export async function signIn(app: TestApp, caller: Caller, subOrgId: string, email: string): Promise<Tokens> {
  const sent = await caller.post('/v1/auth/login/otp/send', { subOrgId, email })
  const code = await mailedCode(app, email)
  const reply = await caller.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id: sent.body.otp_id, code })
  if (reply.status !== 200) throw new Error(`No session: ${reply.text}`)
  return reply.body.session
}

/** Creates a user and signs them in. */
export async function signedInUser(app: TestApp, caller: Caller, subOrgId: string, email: string) {
  const made = await caller.post('/v1/users', { subOrgId, email })
  if (made.status !== 200) throw new Error(`No user: ${made.text}`)
  return { userId: made.body.user.id as string, email, session: await signIn(app, caller, subOrgId, email) }
}

export interface MailedLink {
  url: string
  token_hash: string
  email: string
  type: string
}

/** The link in the newest mail of a kind to an address. */
export async function mailedLink(app: TestApp, email: string, kind: string): Promise<MailedLink> {
  const mail = (await app.mails(email)).filter((each) => each.kind === kind).at(-1)
  const line = mail?.text.split('\n').find((each) => each.startsWith('http') && each.includes('token_hash='))
  if (!line) throw new Error(`No link of ${kind} was mailed to ${email}`)
  const { searchParams } = new URL(line)
  const read = (name: string) => searchParams.get(name) ?? ''
  return { url: line, token_hash: read('token_hash'), email: read('email'), type: read('type') }
}

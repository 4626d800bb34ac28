import { createHash, randomBytes } from 'node:crypto'
import { SECRET_LENGTH } from '../../src/platform/crypto/tokens.ts'
import type { Reply, Tenant, TestApp } from '../harness.ts'
import { newEmail } from '../people/people.ts'
import { mailedCode, mailedLink } from '../people/sign-in.ts'

/** What callers and people sent, and the answers they got. */
export interface Used {
  passwords: string[]
  /** Of imports. */
  hashes: string[]
  /** The secret part of links, and codes. */
  tokens: string[]
  /** Every answer, as text. */
  replies: string[]
}

/** Uses everything that accepts a password or a mailed link, with right and wrong ones. */
export async function useMailboxMethods(app: TestApp, tenant: Tenant): Promise<Used> {
  const caller = await makeCaller(app, tenant)
  await usePasswords(caller)
  await useSignUp(caller)
  await useInvitations(caller)
  await useLinks(caller)
  await useLock(caller)
  await useImport(caller)
  return caller.used
}

type SecretsCaller = Awaited<ReturnType<typeof makeCaller>>

async function makeCaller(app: TestApp, tenant: Tenant) {
  const used: Used = { passwords: [], hashes: [], tokens: [], replies: [] }
  const subOrgId = await tenant.organization()
  const check = async (expected: number, sent: Promise<Reply>) => {
    const { status, text, body } = await sent
    if (status !== expected) throw new Error(`${status} instead of ${expected}: ${text}`)
    used.replies.push(text)
    return body
  }
  const post = (path: string, body: object, expected = 200) => check(expected, tenant.post(path, { subOrgId, ...body }))
  const keepToken = (token: string) => {
    // The part before the secret names the directory.
    used.tokens.push(token.slice(-SECRET_LENGTH))
    return token
  }
  return {
    used,
    post,
    put: (path: string, body: object) => check(200, tenant.put(path, { subOrgId, ...body })),
    change: (settings: object) => check(200, tenant.patch('/v1/auth/settings', { subOrgId, ...settings })),
    newPassword() {
      const password = `Canary ${randomBytes(9).toString('hex')}`
      used.passwords.push(password)
      return password
    },
    async newUser() {
      const email = newEmail()
      return { email, id: String((await post('/v1/users', { email })).user.id) }
    },
    keepToken,
    linkTo: async (email: string, kind: string) => keepToken((await mailedLink(app, email, kind)).token_hash),
    codeTo: async (email: string) => keepToken(await mailedCode(app, email)),
    /** Opens the page of a link, and sends its form. */
    async press(expected: number, fields: { email: string; token_hash: string; type: string; password: string }) {
      const { password: _, ...link } = fields
      const opened = await fetch(`${app.baseUrl}/auth/link?${new URLSearchParams(link)}`)
      const pressed = await fetch(`${app.baseUrl}/auth/link`, { method: 'POST', body: new URLSearchParams(fields) })
      const text = await pressed.text()
      if (opened.status !== 200 || pressed.status !== expected) throw new Error(`${pressed.status}: ${text}`)
      used.replies.push(await opened.text(), text)
    },
  }
}

async function usePasswords({ post, put, change, press, newUser, newPassword, keepToken, linkTo }: SecretsCaller) {
  await change({ password_history: 5 })
  const { email, id } = await newUser()
  const [first, due] = [newPassword(), newPassword()]
  await put(`/v1/users/${id}/password`, { password: first })
  await post('/v1/auth/login/password', { email, password: newPassword() }, 401)
  await post('/v1/auth/login/password', { email: newEmail(), password: newPassword() }, 401)
  await post('/v1/auth/login/password', { email, password: first })
  await put(`/v1/users/${id}/password`, { password: due, mustChange: true })
  const token_hash = keepToken((await post('/v1/auth/login/password', { email, password: due }, 403)).token_hash)
  const confirm = '/v1/auth/password/reset/confirm'
  await post(confirm, { email, token_hash, password: newPassword() })
  await post('/v1/auth/password/reset/send', { email })
  const reset = { email, token_hash: await linkTo(email, 'password_reset') }
  await post(confirm, { ...reset, password: newPassword().repeat(8) }, 422)
  await post(confirm, { ...reset, password: newPassword() })
  await post(`/v1/users/${id}/password/reset`, {})
  const link = { email, token_hash: await linkTo(email, 'password_reset'), type: 'recovery' }
  await press(200, { ...link, password: newPassword() })
}

async function useSignUp({ post, newPassword, linkTo }: SecretsCaller) {
  const [email, password] = [newEmail(), newPassword()]
  await post('/v1/auth/signup/password', { email, password, openSignup: true })
  const verify = { email, token_hash: await linkTo(email, 'email_verification') }
  await post('/v1/auth/email/verify', { ...verify, password: newPassword() }, 401)
  await post('/v1/auth/email/verify', { ...verify, password })
}

async function useInvitations({ post, press, newPassword, keepToken, linkTo }: SecretsCaller) {
  const { invite } = await post('/v1/users/invites', { email: newEmail(), deliver: false })
  const token = keepToken(new URL(invite.invite_url).searchParams.get('token_hash') ?? '')
  await post('/v1/auth/invite/accept', { token, password: newPassword().repeat(8) }, 422)
  await post('/v1/auth/invite/accept', { token, password: newPassword() })
  const email = newEmail()
  await post('/v1/users/invites', { email })
  const link = { email, token_hash: await linkTo(email, 'invite'), type: 'invite' }
  await press(422, { ...link, password: newPassword().repeat(8) })
  await press(200, { ...link, password: newPassword() })
}

async function useLinks({ post, newUser, linkTo, codeTo }: SecretsCaller) {
  const { email } = await newUser()
  await post('/v1/auth/login/magic-link/send', { email })
  await codeTo(email)
  const link = { email, token_hash: await linkTo(email, 'magic_link') }
  await post('/v1/auth/login/magic-link/verify', { ...link, email: newEmail() }, 400)
  await post('/v1/auth/login/magic-link/verify', link)
  await post('/v1/auth/login/magic-link/verify', link, 400)
  const newcomer = newEmail()
  await post('/v1/auth/signup/authenticate-email/send', { email: newcomer, openSignup: true })
  const signUp = { email: newcomer, token_hash: await linkTo(newcomer, 'signup_link') }
  await post('/v1/auth/signup/authenticate-email/verify', signUp)
}

async function useLock({ post, change, newUser, newPassword, linkTo }: SecretsCaller) {
  await change({ lockout_max_attempts: 3 })
  const { email } = await newUser()
  for (const _ of [1, 2, 3]) await post('/v1/auth/login/password', { email, password: newPassword() }, 401)
  const unlock = { email, token_hash: await linkTo(email, 'account_locked') }
  await post('/v1/auth/unlock', { ...unlock, email: newEmail() }, 400)
  await post('/v1/auth/unlock', unlock)
}

/** Imports two users, one of whom signs in and so gets a new hash, and a third row that is refused. */
async function useImport({ used, post, put, newPassword }: SecretsCaller) {
  const bring = (password: string) => {
    const salt = randomBytes(8)
    const digest = createHash('sha1').update(password).update(salt).digest()
    const hash = Buffer.concat([digest, salt]).toString('base64')
    used.hashes.push(hash)
    return { email: newEmail(), passwordHash: `{SSHA}${hash}`, passwordHashType: 'ssha' }
  }
  const password = newPassword()
  const signsIn = bring(password)
  const refused = bring(newPassword())
  const users = [signsIn, bring(newPassword()), { ...refused, passwordHash: `!${refused.passwordHash}` }]
  const { created, failed } = await put('/v1/users', { users })
  if (created.length !== 2 || failed.length !== 1) throw new Error('Other rows were taken')
  await post('/v1/auth/login/password', { email: signsIn.email, password })
}

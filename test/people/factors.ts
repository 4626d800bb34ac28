import { randomUUID } from 'node:crypto'
import { confirmTotp, insertPendingTotp, updateMfaEnrolled } from '../../src/features/sign-in/factors/store.ts'
import { makeTotpSecret, stepAt, totpCode } from '../../src/features/sign-in/factors/totp.ts'
import { listKeptSms } from '../../src/platform/sms/outbox.ts'
import type { Directory } from '../../src/platform/tenancy/directory.ts'
import type { Caller, Reply, TestApp } from '../harness.ts'

/**
 * The code that an app shows now, or so many steps from now. `aheadSeconds`: by how much the test has moved the clock.
 */
export function codeOf(secret: string, stepsAhead = 0, aheadSeconds = 0): string {
  return totpCode(secret, stepAt(Date.now() / 1000 + aheadSeconds) + stepsAhead)
}

/** Enrolls an authenticator app over the API, which consumes the current code. */
export async function enrollTotp(
  caller: Caller,
  userId: string,
  options: { subOrgId?: string; ahead?: number; revokeSessions?: boolean } = {},
) {
  const { subOrgId, ahead = 0, ...ends } = options
  const named = { userId, ...(subOrgId ? { subOrgId } : {}) }
  const { pendingId, secret } = succeeded(await caller.post('/v1/mfa/totp', named))
  const confirmed = await caller.put('/v1/mfa/totp', { ...named, pendingId, code: codeOf(secret, 0, ahead), ...ends })
  return { secret: secret as string, backupCodes: succeeded(confirmed).backupCodes as string[] }
}

export function succeeded(reply: Reply) {
  if (reply.status !== 200) throw new Error(`Not made: ${reply.text}`)
  return reply.body
}

/** A user whose mailbox has been proved, which leaves the factors that are set from now on. */
export async function makeProvenUser(caller: Caller, subOrgId?: string): Promise<{ id: string; email: string }> {
  const email = `${randomUUID()}@example.com`
  const users = [{ email, emailVerified: true }]
  const made = succeeded(await caller.put('/v1/users', { users, ...(subOrgId ? { subOrgId } : {}) }))
  return { id: made.created[0].id, email }
}

/** Signs in by a link, which the answer carries instead of a mail. */
export async function signInByLink(
  caller: Caller,
  email: string,
  options: { subOrgId?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const named = { email, ...(options.subOrgId ? { subOrgId: options.subOrgId } : {}) }
  const { url } = succeeded(await caller.post('/v1/auth/login/magic-link/send', { ...named, deliver: false }))
  const token_hash = new URL(url).searchParams.get('token_hash') ?? ''
  return caller.post('/v1/auth/login/magic-link/verify', { ...named, token_hash }, options.headers)
}

/** An app, set without the many hashes of its backup codes. */
export async function plantTotp(app: TestApp, directory: Directory, userId: string, isConfirmed: boolean) {
  const { platform } = app.app
  const id = randomUUID()
  const secret = makeTotpSecret()
  const place = { table: 'totp_enrollments', column: 'secret_sealed', row: id, accountId: directory.accountId }
  const secretSealed = await platform.keyring.seal(place, secret)
  await insertPendingTotp(platform.db, directory, { userId, id, secretSealed, ttlSeconds: 600 })
  await platform.tx(async (tx) => {
    if (isConfirmed) await confirmTotp(tx, directory, { userId, id, step: 0 })
    await updateMfaEnrolled(tx, directory, userId)
  })
  return { id, secret }
}

/** The newest code sent by text message to a phone, in development. */
export async function sentSmsCode(app: TestApp, phone: string): Promise<string> {
  const messages = await listKeptSms(app.app.platform, { limit: 200, to: null })
  const code = /\d{6}/.exec(messages.find((message) => message.to === phone)?.text ?? '')?.[0]
  if (!code) throw new Error(`No code was sent to ${phone}`)
  return code
}

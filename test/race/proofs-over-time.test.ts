import { expect, test } from 'vitest'
import { startApp, until } from '../harness.ts'
import { codeOf, enrollTotp, succeeded } from '../people/factors.ts'
import { newEmail, newPasswordUser } from '../people/people.ts'
import { mailedLink } from '../people/sign-in.ts'

// What was proved is worth nothing any more once the user has been cut off, as by a new password, before it is used.

const app = await startApp()
const { platform } = app.app
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'

/** Cuts a user off while a request, which has proved something, waits for their row. */
async function cutOffDuring<T>(userId: string, ask: () => Promise<T>): Promise<T> {
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const cutting = platform.tx(async (tx) => {
    await tx
      .updateTable('users')
      .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
      .where('id', '=', userId)
      .execute()
    held.resolve()
    await go.promise
  })
  await held.promise
  const asking = ask()
  await until(async () => {
    const { rows } = await platform.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rows.length > 0
  }).finally(() => go.resolve())
  await cutting
  return asking
}

test('a password that is due for change, and replaced while it is verified, gives no token to change it', async () => {
  const { subOrgId, email, id } = await newPasswordUser(tenant, { password: PASSWORD, mustChange: true })
  const login = () => tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
  const reply = await cutOffDuring(id, login)
  expect([reply.status, reply.body.code]).toEqual([401, 'invalid_credentials'])
  expect((await login()).body.code).toBe('password_change_required')
})

test('a challenge is not passed where the user is cut off meanwhile', async () => {
  const { subOrgId, email, id } = await newPasswordUser(tenant, { password: PASSWORD })
  await tenant.patch('/v1/auth/settings', { subOrgId, trusted_device_days: 30 })
  const { secret } = await enrollTotp(tenant, id, { subOrgId })
  const login = await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
  const { challenge_token } = succeeded(login)
  for (const trust_device of [true, false]) {
    const body = { subOrgId, challenge_token, code: codeOf(secret, 1), trust_device }
    const pass = () => tenant.post('/v1/mfa/challenge/verify', body)
    const reply = trust_device ? await cutOffDuring(id, pass) : await pass()
    expect([reply.status, reply.body.code]).toEqual([400, 'challenge_expired'])
  }
})

test('a password that is replaced while it is proved is not kept by the proof of the mailbox', async () => {
  const [subOrgId, email] = [await tenant.organization(), newEmail()]
  const signUp = { subOrgId, email, password: PASSWORD, openSignup: true }
  const { session } = succeeded(await tenant.post('/v1/auth/signup/password', signUp))
  const { token_hash } = await mailedLink(app, email, 'email_verification')
  const verify = () => tenant.post('/v1/auth/email/verify', { subOrgId, email, token_hash, password: PASSWORD })
  const reply = await cutOffDuring(session.directory_user_id, verify)
  expect([reply.status, reply.body.code]).toEqual([400, 'token_invalid'])
  // It is still there for whoever proves the present password.
  expect((await verify()).status).toBe(200)
})

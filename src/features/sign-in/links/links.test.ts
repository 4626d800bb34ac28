import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { inThisOrder } from '../../../../test/in-order.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { mailedCode, mailedLink } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const tenant = await app.tenant()
const second = (await startSecondApp(app)).as(tenant.key)
const { platform } = app.app
const PASSWORD = 'correct horse battery staple'

async function newPerson() {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId, open_signup_default: true })
  return { subOrgId, email: newEmail() }
}

const newUserHere = async () => newUser(tenant, await newPerson())

const liveLinks = async () =>
  platform.db
    .selectFrom('links')
    .select(['id', 'purpose'])
    .where('closed_at', 'is', null)
    .where('used_at', 'is', null)
    .execute()

test('of links asked for at once, on two processes, one stays good', async () => {
  const { subOrgId, email } = await newUserHere()
  const before = (await liveLinks()).length
  await Promise.all(
    [tenant, second, tenant].map((each) => each.post('/v1/auth/password/reset/send', { subOrgId, email })),
  )
  expect((await liveLinks()).length - before).toBe(1)
})

test('a sign-up link ends with what ends the ways in of whoever has its address by then', async () => {
  for (const end of ['reset', 'deleted', 'late'] as const) {
    const person = await newPerson()
    const { subOrgId, email } = person
    await tenant.post('/v1/auth/signup/authenticate-email/send', person)
    const { token_hash } = await mailedLink(app, email, 'signup_link')
    const { user } = (await tenant.post('/v1/users', person)).body
    if (end === 'reset') await tenant.put(`/v1/users/${user.id}/password`, { subOrgId, password: PASSWORD })
    if (end === 'deleted') await tenant.delete(`/v1/users/${user.id}?subOrgId=${subOrgId}`)
    if (end === 'late') await app.advance(601)
    const reply = await tenant.post('/v1/auth/signup/authenticate-email/verify', { ...person, token_hash })
    expect([reply.status, reply.body.code], end).toEqual([400, end === 'late' ? 'token_expired' : 'token_invalid'])
  }
})

test('what is being redeemed while the password is set opens nothing afterwards', async () => {
  for (const kind of ['link', 'code'] as const) {
    const { subOrgId, email, id } = await newUserHere()
    const sent = await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email })
    const { token_hash } = await mailedLink(app, email, 'magic_link')
    const code = await mailedCode(app, email)
    // The address is already proved, so that redeeming a link takes one statement.
    await platform.db.updateTable('users').set({ email_verified: true }).where('id', '=', id).execute()
    const redeem = () =>
      kind === 'link'
        ? tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash })
        : tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id: sent.body.otp_id, code })
    const set = () => tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD })
    const [, redeemed] = await inThisOrder(platform, id, set, redeem)
    const refusal = kind === 'link' ? [400, 'token_invalid'] : [401, 'otp_invalid']
    expect([redeemed.status, redeemed.body.code]).toEqual(refusal)
    expect((await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)).body.users).toEqual([])
  }
})

test('whoever holds a link gets few tries at a password, with a key and without', async () => {
  const { subOrgId, email } = await newUserHere()
  await tenant.post('/v1/auth/password/reset/send', { subOrgId, email })
  const { token_hash } = await mailedLink(app, email, 'password_reset')
  const attempt = (password: string) =>
    tenant.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash, password })
  for (let i = 0; i < 10; i++) expect((await attempt('short')).status).toBe(422)
  expect((await attempt(PASSWORD)).body.code).toBe('rate_limited')
  await app.advance(61)
  expect((await attempt(PASSWORD)).status).toBe(200)
})

test('mails of all kinds to one address have one limit', async () => {
  const { subOrgId, email, id } = await newUserHere()
  const asks = [
    () => tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email }),
    () => tenant.post('/v1/auth/password/reset/send', { subOrgId, email }),
    () => tenant.post('/v1/auth/signup/authenticate-email/send', { subOrgId, email }),
    () => tenant.post(`/v1/users/${id}/verify/resend`, { subOrgId }),
    () => tenant.post(`/v1/users/${id}/invite`, { subOrgId }),
  ]
  const statuses = []
  for (let round = 0; round < 3; round++) for (const ask of asks) statuses.push((await ask()).status)
  expect(statuses).toEqual([...Array(10).fill(200), ...Array(5).fill(429)])
  expect(await app.mails(email)).toHaveLength(10)
})

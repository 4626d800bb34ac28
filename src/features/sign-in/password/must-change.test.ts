import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { codeOf, enrollTotp, makeProvenUser, succeeded } from '../../../../test/people/factors.ts'
import { sessionRowsOf } from '../../../../test/people/people.ts'

// A password that must be changed counts as a first factor only: a person with nothing else cannot change anything.

const app = await startApp()
const tenant = await app.tenant()
const TEMPORARY = 'for the first morning'
const CHOSEN = 'nine green bottles hanging'
let ahead = 0

async function pass(seconds: number) {
  ahead += seconds
  await app.advance(seconds)
}

async function person({ enrolled = true } = {}) {
  const subOrgId = await tenant.organization()
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: 'seven green bottles' }))
  const session = succeeded(
    await tenant.post('/v1/auth/login/password', { subOrgId, email, password: 'seven green bottles' }),
  )
  const factor = enrolled
    ? await enrollTotp(tenant, id, { subOrgId, ahead, revokeSessions: false })
    : { secret: '', backupCodes: [] }
  const temporary = { subOrgId, password: TEMPORARY, mustChange: true, revokeSessions: false }
  succeeded(await tenant.put(`/v1/users/${id}/password`, temporary))
  const refresh = () =>
    tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.session.refresh_token })
  return { subOrgId, id, email, refresh, ...factor }
}

type Somebody = Awaited<ReturnType<typeof person>>

const login = ({ subOrgId, email }: Somebody, password: string) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password })
const codeOfLogin = async (who: Somebody, password: string) => (await login(who, password)).body.code

async function choose(who: Somebody, password = CHOSEN): Promise<Reply> {
  const due = await login(who, TEMPORARY)
  expect([due.status, due.body.code]).toEqual([403, 'password_change_required'])
  const { subOrgId, email } = who
  return tenant.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash: due.body.token_hash, password })
}

const answer = ({ subOrgId }: Somebody, challenge_token: string, code: string) =>
  tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code })

const changesOf = async (who: Somebody) => {
  const events = await app.events({ accountId: tenant.accountId, type: 'auth.password.changed' })
  return events.filter((event) => event.target_id === who.id && event.actor_type === 'user').length
}
const noticesTo = async (who: Somebody) =>
  (await app.mails(who.email)).filter((mail) => mail.kind === 'password_changed').length

test('without the second factor nothing is changed, and nothing is lost', async () => {
  const who = await person()
  const before = [await changesOf(who), await noticesTo(who)]
  const held = await choose(who)
  expect(held.body).toMatchObject({ session: null, mfa_required: true, enrollment_required: false })
  expect((await answer(who, held.body.challenge_token, '000000')).status).toBe(401)
  expect(await codeOfLogin(who, CHOSEN)).toBe('invalid_credentials')
  expect(await codeOfLogin(who, TEMPORARY)).toBe('password_change_required')
  expect((await who.refresh()).status).toBe(200)
  expect([await changesOf(who), await noticesTo(who)]).toEqual(before)
  await pass(301)
  const late = await answer(who, held.body.challenge_token, codeOf(who.secret, 1, ahead))
  expect(late.body.code).toBe('challenge_expired')
  const again = await choose(who)
  const passed = await answer(who, again.body.challenge_token, codeOf(who.secret, 1, ahead))
  expect(passed.status).toBe(200)
})

test.each([
  ['an app', (who: Somebody) => codeOf(who.secret, 1, ahead)],
  ['a backup code', (who: Somebody) => who.backupCodes[0] ?? ''],
])('with %s the chosen password is there, and what was before has ended', async (_, code) => {
  const who = await person()
  const before = [await changesOf(who), await noticesTo(who)]
  const { challenge_token } = succeeded(await choose(who))
  const { session } = succeeded(await answer(who, challenge_token, code(who)))
  expect([await changesOf(who), await noticesTo(who)]).toEqual(before.map((count) => count + 1))
  expect(await codeOfLogin(who, TEMPORARY)).toBe('invalid_credentials')
  expect((await who.refresh()).status).toBe(401)
  const refreshed = await tenant.post('/v1/auth/token/refresh', {
    subOrgId: who.subOrgId,
    refresh_token: session.refresh_token,
  })
  expect(refreshed.status).toBe(200)
  expect((await login(who, CHOSEN)).body).toMatchObject({ session: null, mfa_required: true })
  expect((await answer(who, challenge_token, code(who))).status).toBe(400)
})

test('whoever has to enroll a factor first gets the password with it', async () => {
  const who = await person({ enrolled: false })
  const { subOrgId, id } = who
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 }))
  const held = succeeded(await choose(who))
  expect(held).toMatchObject({ session: null, enrollment_required: true })
  expect(await codeOfLogin(who, CHOSEN)).toBe('invalid_credentials')
  const { pendingId, secret } = succeeded(await tenant.post('/v1/mfa/totp', { subOrgId, userId: id }))
  const code = codeOf(secret, 0, ahead)
  const body = { subOrgId, userId: id, pendingId, code, challenge_token: held.challenge_token }
  expect(succeeded(await tenant.put('/v1/mfa/totp', body)).session).toMatchObject({ expires_in: 3600 })
  expect((await login(who, CHOSEN)).body.mfa_required).toBe(true)
  expect(await codeOfLogin(who, TEMPORARY)).toBe('invalid_credentials')
})

test('without a second factor the password is there at once', async () => {
  const who = await person({ enrolled: false })
  expect(succeeded(await choose(who)).session).toMatchObject({ expires_in: 3600 })
  expect(await codeOfLogin(who, TEMPORARY)).toBe('invalid_credentials')
  expect((await login(who, CHOSEN)).status).toBe(200)
  expect((await who.refresh()).status).toBe(401)
})

test('a password that an administrator sets meanwhile stays', async () => {
  const who = await person()
  const { challenge_token } = succeeded(await choose(who))
  const another = { subOrgId: who.subOrgId, password: 'eight green bottles', revokeSessions: false }
  succeeded(await tenant.put(`/v1/users/${who.id}/password`, another))
  expect((await answer(who, challenge_token, codeOf(who.secret, 1, ahead))).body.code).toBe('challenge_expired')
  expect(await codeOfLogin(who, CHOSEN)).toBe('invalid_credentials')
  expect((await login(who, 'eight green bottles')).body.mfa_required).toBe(true)
})

test('of many at once that show the factor one changes the password', async () => {
  const who = await person()
  const { challenge_token } = succeeded(await choose(who))
  const [before, code] = [await sessionRowsOf(app.app.platform.db, who.id), codeOf(who.secret, 1, ahead)]
  const replies = await Promise.all(Array.from({ length: 4 }, () => answer(who, challenge_token, code)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await sessionRowsOf(app.app.platform.db, who.id)).toHaveLength(before.length + 1)
  expect((await login(who, CHOSEN)).body.mfa_required).toBe(true)
})

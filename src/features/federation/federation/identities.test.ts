import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { codeOf, enrollTotp, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { person, RULES, signInAs, workOfOrganization } from '../../../../test/people/federation.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { inTx } from '../../../platform/work.ts'
import { cleanUpFederatedSessions } from '../../access/federated-sessions/cleanup.ts'
import { findFederatedSession } from '../../access/federated-sessions/federated-sessions.ts'
import { closeSource, unlinkSource } from './identities.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform

async function makeOrganization() {
  const subOrgId = await tenant.organization()
  await newUser(tenant, { subOrgId })
  return { subOrgId, work: await workOfOrganization(app, subOrgId) }
}

const { subOrgId, work } = await makeOrganization()

const newcomer = (more = {}) =>
  person({ email: newEmail(), emailVerified: true, logoutHint: 'what a logout takes', ...more })

const pathOf = (userId: string, id = '') => `/v1/users/${userId}/identities${id && `/${id}`}?subOrgId=${subOrgId}`
const listOf = async (userId: string) => succeeded(await tenant.get(pathOf(userId))).identities
const isLive = async (token = '', organization = subOrgId) =>
  succeeded(await tenant.post('/v1/auth/token/introspect', { subOrgId: organization, token })).active

/** The session id in a token. */
const sessionOf = (token = '') => String(JSON.parse(atob(token.split('.')[1] ?? ''))['sid'])

test('lists who a user is at providers, to the caller of the organization alone', async () => {
  const ada = newcomer()
  const { directory_user_id: id = '' } = await signInAs(work, ada)
  await app.advance(60)
  await signInAs(work, ada)
  await signInAs(work, { ...ada, issuer: 'https://other.example', subject: 'ada' }, RULES, { source: 'github' })
  const [first, second, ...more] = await listOf(id)
  expect(more).toEqual([])
  expect(first).toMatchObject({ method: 'social', source: 'google', issuer: ada.issuer, subject: ada.subject })
  expect(first.email).toBe(ada.email)
  expect(Date.parse(first.lastUsedAt) - Date.parse(first.createdAt)).toBeGreaterThan(59_000)
  expect(second).toMatchObject({ source: 'github', issuer: 'https://other.example', subject: 'ada' })
  const page = succeeded(await tenant.get(`${pathOf(id)}&limit=1&order=desc`))
  expect([page.identities.map(({ id }: { id: string }) => id), page.has_more]).toEqual([[second.id], true])
  const elsewhere = await app.tenant()
  const stranger = await elsewhere.withKey({ subOrgId: await elsewhere.organization() })
  const other = await tenant.withKey({ subOrgId: await tenant.organization() })
  for (const caller of [stranger, other]) {
    expect((await caller.get(`/v1/users/${id}/identities`)).status).toBe(404)
    expect((await caller.delete(`/v1/users/${id}/identities/${first.id}`)).status).toBe(404)
  }
  expect(await listOf(id)).toHaveLength(2)
  await app.advance(-60)
})

test('a link that is removed takes the sessions along that came by it, and no others', async () => {
  const ada = newcomer()
  const google = await signInAs(work, ada)
  const github = await signInAs(work, { ...ada, subject: 'ada' }, RULES, { source: 'github' })
  const { directory_user_id: id = '' } = google
  const { session } = succeeded(await signInByLink(tenant, ada.email ?? '', { subOrgId }))
  const [identity] = await listOf(id)
  const removed = await tenant.delete(pathOf(id, identity.id))
  expect(removed.body).toEqual({ success: true, revoked: 1 })
  expect(
    await Promise.all([google['access_token'], github['access_token'], session.access_token].map((one) => isLive(one))),
  ).toEqual([false, true, true])
  const events = await app.events({ accountId: tenant.accountId, type: 'identity.unlinked' })
  expect(events.map(({ data }) => Object(data).id)).toEqual([identity.id])
  const revoked = await app.events({ accountId: tenant.accountId, type: 'session.revoked' })
  expect(revoked.map(({ data }) => Object(data).reason)).toEqual(['identity_unlinked'])
  expect((await listOf(id)).map(({ source }: { source: string }) => source)).toEqual(['github'])
  const again = await tenant.delete(pathOf(id, identity.id))
  expect([again.status, again.body.code]).toEqual([404, 'identity_not_found'])
  expect((await tenant.delete(pathOf(id, 'x'))).status).toBe(404)
})

test('a session of which nobody knows by which link it came ends with every link of its kind', async () => {
  const ada = newcomer()
  const before = await signInAs(work, ada)
  await db.deleteFrom('federated_sessions').where('id', '=', sessionOf(before['access_token'])).execute()
  const id = before['directory_user_id'] ?? ''
  const [identity] = await listOf(id)
  expect((await tenant.delete(pathOf(id, identity.id))).body.revoked).toBe(1)
  expect(await isLive(before['access_token'])).toBe(false)
})

test('the link of somebody else is not removed by way of a user', async () => {
  const [ada, bo] = [await signInAs(work, newcomer()), await signInAs(work, newcomer())]
  const [hers] = await listOf(ada['directory_user_id'] ?? '')
  expect((await tenant.delete(pathOf(bo['directory_user_id'] ?? '', hers.id))).status).toBe(404)
  expect(await isLive(ada['access_token'])).toBe(true)
})

test('a code, or a challenge, of a link that is removed gives no session', async () => {
  const ada = newcomer()
  const { code = '' } = await signInAs(work, ada, RULES, { responseMode: 'code' })
  const known = db.selectFrom('identities').select('user_id').where('email', '=', ada.email)
  const { user_id: id } = await known.executeTakeFirstOrThrow()
  const { secret } = await enrollTotp(tenant, id, { subOrgId })
  const { challenge_token } = await signInAs(work, ada)
  const [identity] = await listOf(id)
  succeeded(await tenant.delete(pathOf(id, identity.id)))
  const exchanged = await tenant.post('/v1/auth/token/exchange', { subOrgId, code })
  expect([exchanged.status, exchanged.body.code]).toEqual([400, 'code_invalid'])
  const passed = await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: codeOf(secret, 1) })
  expect([passed.status, passed.body.code]).toEqual([400, 'challenge_expired'])
  // At the next sign-in the person is unknown again, and is linked by the address.
  expect(await signInAs(work, ada)).toMatchObject({ mfa_required: 'true' })
  const [next] = await listOf(id)
  expect([next.subject, next.id === identity.id]).toEqual([ada.subject, false])
})

test.each([
  ['switched off', closeSource],
  ['deleted', unlinkSource],
])('a challenge of a provider that is %s gives no session, and that of another one does', async (_, close) => {
  const arrive = async (source: string) => {
    const ada = newcomer()
    const { directory_user_id: id = '' } = await signInAs(work, ada, RULES, { source })
    const { secret } = await enrollTotp(tenant, id, { subOrgId, revokeSessions: false })
    const { challenge_token } = await signInAs(work, ada, RULES, { source })
    return () => tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: codeOf(secret, 1) })
  }
  const [gone, other] = [await arrive('google'), await arrive('github')]
  await inTx(work, (work) => close(work, { method: 'social', source: 'google' }))
  const refused = await gone()
  expect([refused.status, refused.body.code]).toEqual([400, 'challenge_expired'])
  expect(succeeded(await other()).session.access_token).toBeTypeOf('string')
})

test('a session knows by which link it came, however it was handed over', async () => {
  const ada = newcomer()
  const federatedOf = async (token: string) => findFederatedSession(work, sessionOf(token))
  const plain = await signInAs(work, ada)
  const federated = { method: 'social', source: 'google', issuer: ada.issuer, hint: 'what a logout takes' }
  expect(await federatedOf(plain['access_token'] ?? '')).toEqual(federated)
  const { code } = await signInAs(work, ada, RULES, { responseMode: 'code' })
  const exchanged = succeeded(await tenant.post('/v1/auth/token/exchange', { subOrgId, code }))
  expect(await federatedOf(exchanged.session.access_token)).toEqual(federated)
  const { secret, backupCodes } = await enrollTotp(tenant, plain['directory_user_id'] ?? '', {
    subOrgId,
    revokeSessions: false,
  })
  const pass = async (challenge_token: string, code = '') => {
    const body = { subOrgId, challenge_token, code }
    return succeeded(await tenant.post('/v1/mfa/challenge/verify', body)).session
  }
  const held = await signInAs(work, ada)
  expect(await federatedOf((await pass(held['challenge_token'] ?? '', codeOf(secret, 1))).access_token)).toEqual(
    federated,
  )
  // A session that must add a second factor is replaced by another session, which keeps the tie.
  await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
  const refreshed = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: plain['refresh_token'] })
  expect(await federatedOf((await pass(refreshed.body.challenge_token, backupCodes[0])).access_token)).toEqual(
    federated,
  )
  await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: false })
})

test('what a logout takes is sealed, and goes when the session can be no more', async () => {
  const { access_token = '' } = await signInAs(work, newcomer())
  const big = await signInAs(work, newcomer({ logoutHint: 'x'.repeat(4097) }))
  expect(await findFederatedSession(work, sessionOf(big['access_token']))).toMatchObject({ hint: null })
  const rows = await db.selectFrom('federated_sessions').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain('what a logout takes')
  await cleanUpFederatedSessions.handle(app.app.platform, {}, 1)
  expect(await findFederatedSession(work, sessionOf(access_token))).not.toBeNull()
  await app.advance(30 * 24 * 3600 + 3601)
  expect(await findFederatedSession(work, sessionOf(access_token))).toBeNull()
  await app.advance(3660)
  await cleanUpFederatedSessions.handle(app.app.platform, {}, 1)
  expect(await db.selectFrom('federated_sessions').selectAll().execute()).toEqual([])
  await app.advance(-(30 * 24 * 3600 + 7261))
})

test('the link to the provider session costs a sign-in no statement of its own', async () => {
  const ada = newcomer()
  const statements = (text: string[]) => text.filter((one) => /federated_sessions/.test(one))
  const texts = await recordStatements(async () => void (await signInAs(work, ada)))
  expect(statements(texts)).toHaveLength(1)
  expect(statements(texts)[0]).toMatch(/insert into sessions/)
  const { code } = await signInAs(work, ada, RULES, { responseMode: 'code' })
  const exchange = async () => void succeeded(await tenant.post('/v1/auth/token/exchange', { subOrgId, code }))
  const exchanged = statements(await recordStatements(exchange))
  expect(exchanged).toHaveLength(1)
  expect(exchanged[0]).toMatch(/insert into sessions/)
})

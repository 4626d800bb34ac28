import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh, freshPassword } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { register } from '../../../../test/people/passkeys.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { USER } from '../../../../test/people/scim-answers.ts'
import { mailedCode, mailedLink, type Tokens } from '../../../../test/people/sign-in.ts'
import {
  bearing,
  changeAddress,
  giveApp,
  type OwnPerson,
  ownWorld,
  signedIn,
  steppedUp,
} from '../../../../test/walkers/own-world.ts'

// The undo link restores the old address while other changes are under way.

const app = await startApp()
const { db } = app.app.platform
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)
const { subOrgId } = world

const undo = (email: string, token_hash: string) => tenant.post('/v1/auth/email/undo', { subOrgId, email, token_hash })
const undoLink = async (email: string) => (await mailedLink(app, email, 'own_email_changed')).token_hash
const userOf = async ({ id }: { id: string }) => (await tenant.get(`/v1/users/${id}`)).body.user
const rowOf = ({ id }: { id: string }) =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

async function setPassword(email: string, password: string) {
  succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }))
  const { token_hash } = await mailedLink(app, email, 'password_reset')
  return tenant.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash, password })
}

test('what was set up since the change goes with the undo, and its events and mails tell', async () => {
  const person = await signedIn(world)
  const email = newEmail()
  succeeded(await changeAddress(app, person.me, email))
  const token = await undoLink(person.email)
  const password = freshPassword()
  succeeded(await setPassword(email, password))
  succeeded(await register(tenant, { subOrgId, userId: person.id }, newPasskey({ algorithm: 'ES256' })))
  await giveApp(person)
  const seen = (await app.events({ accountId: tenant.accountId })).length
  succeeded(await undo(person.email, token))
  expect(await rowOf(person)).toMatchObject({ email: person.email, mfa_enrolled: false, passkey_count: 0 })
  const events = (await app.events({ accountId: tenant.accountId })).slice(seen).map(({ type }) => type)
  expect(events.filter((type) => /^(mfa|passkey)\./.test(type)).sort()).toEqual(['mfa.removed', 'passkey.deleted'])
  const kinds = (await app.mails(person.email)).map(({ kind }) => kind)
  expect(kinds.filter((kind) => /^(mfa|passkey)_/.test(kind)).sort()).toEqual(['mfa_removed', 'passkey_deleted'])
  const entered = await tenant.post('/v1/auth/login/password', { subOrgId, email: person.email, password })
  expect([entered.status, entered.body.code]).toEqual([401, 'invalid_credentials'])
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: person.email }))
  const code = await mailedCode(app, person.email)
  const back = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email: person.email, otp_id, code })
  expect(succeeded(back).session.access_token).toBeTypeOf('string')
})

test('what the person had before stays', async () => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  const secret = await giveApp(person)
  succeeded(await register(tenant, { subOrgId, userId: person.id }, newPasskey({ algorithm: 'ES256' })))
  await app.advance(3600)
  const again = await steppedUp({ ...person, secret, me: bearing(app, (await refreshed(person)).access_token) })
  succeeded(await changeAddress(app, again.me, newEmail()))
  succeeded(await undo(person.email, await undoLink(person.email)))
  expect(await rowOf(person)).toMatchObject({ email: person.email, mfa_enrolled: true, passkey_count: 1 })
  const entered = await tenant.post('/v1/auth/login/password', { subOrgId, email: person.email, password })
  expect(succeeded(entered).mfa_required).toBe(true)
})

test('who signs up with the address meanwhile, without a proof, does not keep it', async () => {
  const person = await signedIn(world)
  succeeded(await changeAddress(app, person.me, newEmail()))
  const token = await undoLink(person.email)
  const sent = { subOrgId, email: person.email, password: freshPassword(), openSignup: true }
  const squatter = succeeded(await tenant.post('/v1/auth/signup/password', sent)).session
  succeeded(await undo(person.email, token))
  expect((await userOf(person)).email).toBe(person.email)
  expect((await tenant.get(`/v1/users/${squatter.directory_user_id}`)).status).toBe(404)
})

test('changing the address gives no new allowance of strangers mailed', async () => {
  const person = await signedIn(world)
  const begin = () => person.me.post('/v1/me/email', { email: newEmail() })
  for (let i = 0; i < 5; i++) succeeded(await begin())
  succeeded(await changeAddress(app, person.me, newEmail()))
  for (let i = 0; i < 4; i++) succeeded(await begin())
  expect((await begin()).body.code).toBe('rate_limited')
})

test('the link that undoes is of its organization, account and address', async () => {
  const person = await signedIn(world)
  succeeded(await changeAddress(app, person.me, newEmail()))
  const token = await undoLink(person.email)
  const stranger = await app.tenant()
  const other = await ownWorld(app, tenant)
  const asked = { email: person.email, token_hash: token }
  const refused = [
    await tenant.post('/v1/auth/email/undo', { subOrgId: other.subOrgId, ...asked }),
    await stranger.post('/v1/auth/email/undo', { subOrgId: await stranger.organization(), ...asked }),
    await stranger.post('/v1/auth/email/undo', { subOrgId, ...asked }),
    await undo(newEmail(), token),
  ]
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 404, 400])
  succeeded(await undo(person.email, token))
})

async function refreshed({ session }: OwnPerson): Promise<Tokens> {
  return succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token }))
    .session
}

type Stop = (person: OwnPerson) => Promise<{ status: number }>

/** Starts a change of address while `stop`, which prevents it, already waits for the lock of the user's row. */
async function changeBehind(stop: Stop, prepare: (person: OwnPerson) => Promise<unknown> = async () => {}) {
  const person = await signedIn(world)
  await prepare(person)
  const email = newEmail()
  const { otp_id } = succeeded(await person.me.post('/v1/me/email', { email }))
  const code = await mailedCode(app, email)
  const [held, locked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = db.transaction().execute(async (tx) => {
    await sql`select id from users where id = ${person.id} for update`.execute(tx)
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const stopped = stop(person)
  await waiting(1)
  const changed = person.me.post('/v1/me/email/verify', { email, otp_id, code })
  await waiting(2)
  held.resolve()
  await holding
  const replies = [await stopped, await changed]
  return { person, statuses: replies.map(({ status }) => status), address: (await rowOf(person)).email }
}

async function waiting(count: number) {
  const locks = () => sql<{ n: number }>`select count(*)::int as n from pg_locks where not granted`.execute(db)
  await expect.poll(async () => (await locks()).rows[0]?.n, { timeout: 20_000 }).toBeGreaterThanOrEqual(count)
}

test('a change under way does not outlive a deactivation, nor the end of the session', async () => {
  const stops: Stop[] = [
    ({ id }) => tenant.patch(`/v1/users/${id}`, { subOrgId, active: false }),
    ({ id }) => tenant.delete(`/v1/users/${id}/sessions?subOrgId=${subOrgId}`),
  ]
  for (const stop of stops) {
    const { person, statuses, address } = await changeBehind(stop)
    expect([statuses, address]).toEqual([[200, 401], person.email])
  }
})

test('nor is it above a change by the backend, or the undo of an earlier one', async () => {
  const email = newEmail()
  const set = await changeBehind(({ id }) => tenant.patch(`/v1/users/${id}`, { subOrgId, email }))
  expect([set.statuses, set.address]).toEqual([[200, 401], email])
  const undone = await changeBehind(
    async (person) => undo(person.email, await undoLink(person.email)),
    async (person) => succeeded(await changeAddress(app, person.me, newEmail())),
  )
  expect([undone.statuses, undone.address]).toEqual([[200, 401], undone.person.email])
})

test('an address that provisioning has taken over since is not taken back', async () => {
  const person = await signedIn(world)
  const domain = `${fresh()}.example`
  const email = `ada@${domain}`
  succeeded(await changeAddress(app, person.me, email))
  const token = await undoLink(person.email)
  await verifyDomain(app, tenant, subOrgId, domain)
  const { call } = await provisioned(app, tenant, subOrgId)
  expect((await call('POST', '/Users', { userName: email, schemas: [USER] })).status).toBe(201)
  const before = await userOf(person)
  expect(before).toMatchObject({ email, scimManaged: true })
  const sessions = await tenant.get(`/v1/sessions?userId=${person.id}`)
  const kept = await undo(person.email, token)
  expect([kept.status, kept.body.code]).toEqual([409, 'scim_managed'])
  expect([await userOf(person), (await tenant.get(`/v1/sessions?userId=${person.id}`)).body]).toEqual([
    before,
    sessions.body,
  ])
})

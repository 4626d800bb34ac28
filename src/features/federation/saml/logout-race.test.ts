import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { untilWaiting } from '../../../../test/in-order.ts'
import { encodeMessage, signXml } from '../../../../test/peers/saml-messages.ts'
import {
  broughtBack,
  makeSamlOrganization,
  postResponse,
  providerPair,
} from '../../../../test/people/saml-connection.ts'
import type { Tx } from '../../../platform/db/pool.ts'
import { ns } from '../xml/saml-names.ts'

// A logout concurrent with a sign-in of the same person, whose assertion was issued before: SAML core §3.7.3.1.

const app = await startApp()
const { platform } = app.app
const { db } = platform
const tenant = await app.tenant()
const organization = await makeSamlOrganization(app, tenant, { idp_slo_url: 'https://idp.example/slo' })
const { subOrgId, connectionId, entityId, domain, sp } = organization
const sloUrl = sp.acs_url.replace('/acs/', '/slo/')
const newName = () => `${fresh()}@${domain}`.toLowerCase()

async function logOut(nameId: string, indexes: string[]) {
  const xml =
    `<samlp:LogoutRequest xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="_${fresh()}" Version="2.0" ` +
    `IssueInstant="${platform.clock.now().toISOString()}" Destination="${sloUrl}">` +
    `<saml:Issuer>${entityId}</saml:Issuer><saml:NameID>${nameId}</saml:NameID>` +
    `${indexes.map((one) => `<samlp:SessionIndex>${one}</samlp:SessionIndex>`).join('')}</samlp:LogoutRequest>`
  const body = new URLSearchParams({ SAMLRequest: encodeMessage(signXml(xml, 'LogoutRequest', providerPair)) })
  const { status } = await fetch(app.baseUrl + new URL(sloUrl).pathname, { method: 'POST', body, redirect: 'manual' })
  return status
}

/** Prepares a response. Returns a function that posts it, which signs the person in. */
async function arriving(nameId: string, { mode = 'query', sessionIndex = 's-1' } = {}) {
  const start = await organization.start({ response_mode: mode })
  const xml = organization.respond(start, { nameId, sessionIndex })
  return async () => broughtBack(await postResponse(app, new URL(sp.acs_url).pathname, xml, start.state))
}

const signIn = async (...how: Parameters<typeof arriving>) => (await arriving(...how))()

async function statesOf(email: string) {
  const sessions = db.selectFrom('sessions').innerJoin('users', 'users.id', 'sessions.user_id')
  const rows = await sessions.select('sessions.revoked_at').where('users.email_norm', '=', email).execute()
  return rows.map(({ revoked_at }) => (revoked_at === null ? 'live' : 'ended'))
}

/** Holds a lock while `run` starts requests that wait for it. Then releases the lock. */
async function whileHeld<T>(hold: (tx: Tx) => Promise<unknown>, run: () => T | Promise<T>): Promise<{ began: T }> {
  return platform.tx(async (tx) => {
    await hold(tx)
    return { began: await run() }
  })
}

test.each([
  ['of who is known, of that session', true, ['s-1'], ['live']],
  ['of who is known, of all', true, [], ['ended']],
  ['of who has never been here', false, ['s-1'], ['ended']],
])('a logout %s, between assertion and session, lets nobody in', async (_, isKnown, indexes, states) => {
  const name = newName()
  if (isKnown) await signIn(name, { sessionIndex: 's-0' })
  const go = await arriving(name)
  await app.advance(2)
  // The lock stops the sign-in just before it writes the session and its tie to the provider.
  const held = (tx: Tx) => sql`lock table federated_sessions in share mode`.execute(tx)
  const { began } = await whileHeld(held, async () => {
    const came = go()
    await untilWaiting(platform, 1)
    const out = logOut(name, indexes)
    // If the person is new, the logout waits for the sign-in, which has locked the connection.
    if (isKnown) await out
    else await untilWaiting(platform, 2)
    return { came, out }
  })
  expect([(await began.came).error === undefined, await began.out]).toEqual([!isKnown, 303])
  expect(await statesOf(name)).toEqual(states)
})

test('who has never been here does not come in behind a logout, by an assertion that was accepted before it', async () => {
  const name = newName()
  const go = await arriving(name)
  await app.advance(2)
  const held = (tx: Tx) => sql`select from sso_connections where id = ${connectionId} for update`.execute(tx)
  const { began } = await whileHeld(held, async () => {
    const out = logOut(name, ['s-1'])
    await untilWaiting(platform, 1)
    const came = go()
    await untilWaiting(platform, 2)
    return { came, out }
  })
  expect([await began.out, (await began.came).error]).toEqual([303, 'response_invalid'])
  expect(await statesOf(name)).toEqual([])
})

test('a code that is written behind a logout is none', async () => {
  const name = newName()
  await signIn(name, { sessionIndex: 's-0' })
  const go = await arriving(name, { mode: 'code' })
  await app.advance(2)
  const held = (tx: Tx) => sql`lock table exchange_codes in exclusive mode`.execute(tx)
  const { began } = await whileHeld(held, async () => {
    const came = go()
    await untilWaiting(platform, 1)
    const out = logOut(name, ['s-1'])
    await untilWaiting(platform, 2)
    return { came, out }
  })
  const { code } = await began.came
  expect(await began.out).toBe(303)
  const reply = await tenant.post('/v1/auth/token/exchange', { subOrgId, code: code ?? 'none' })
  expect(reply.status).toBe(400)
})

test('a logout and the exchange of a code wait for one another, and never both', async () => {
  const name = newName()
  await signIn(name)
  const { code } = await signIn(name, { mode: 'code' })
  const { id } = await db.selectFrom('users').select('id').where('email_norm', '=', name).executeTakeFirstOrThrow()
  const held = (tx: Tx) => tx.selectFrom('users').select('id').where('id', '=', id).forUpdate().execute()
  const { began } = await whileHeld(held, async () => {
    const exchanged = tenant.post('/v1/auth/token/exchange', { subOrgId, code })
    await untilWaiting(platform, 1)
    const out = logOut(name, [])
    await untilWaiting(platform, 2)
    return { exchanged, out }
  })
  expect([(await began.exchanged).status, await began.out]).toEqual([200, 303])
  expect(await statesOf(name)).toEqual(['ended', 'ended'])
})

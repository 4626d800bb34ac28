import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../../test/harness.ts'
import { succeeded } from '../../../../../test/people/factors.ts'
import { newEmail } from '../../../../../test/people/people.ts'
import { cleanUpCeremonies } from '../cleanup.ts'

// Limits how many passkey sign-ins a network may start. Autofill starts one at each visit of a login page.

const app = await startApp()
const tenant = await app.tenant()
const SETTINGS = '/v1/auth/passkey/settings'
const PER_ADDRESS = 10
/** A request from an office whose computers share one address. */
const office = (host = 7) => ({ 'x-end-user-ip': `192.0.2.${host}` })

const start = (body: object, headers: Record<string, string> = office(), by = tenant) =>
  by.post('/v1/auth/login/passkey/options', body, headers)
const outcomeOf = ({ status, body }: Reply) => (status === 200 ? 200 : body.code)

async function startOften(times: number, body: object, headers = office(), by = tenant) {
  const outcomes = []
  for (let n = 0; n < times; n++) outcomes.push(outcomeOf(await start(body, headers, by)))
  return outcomes
}

const countRows = async () =>
  (await app.app.platform.db.selectFrom('webauthn_ceremonies').select('id').execute()).length

test('an office starts 300 sign-ins without an address a minute, and one for an address as often as before', async () => {
  const subOrgId = await tenant.organization()
  const autofill = { subOrgId, conditional: true }
  for (const body of [{}, autofill]) {
    expect(new Set(await startOften(300, body))).toEqual(new Set([200]))
    const rows = await countRows()
    const refused = await start(body)
    expect([refused.status, outcomeOf(refused)]).toEqual([429, 'rate_limited'])
    expect(refused.body.retry_after).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=300;w=60')
    expect(await countRows()).toBe(rows)
    expect(outcomeOf(await start(body, office(8)))).toBe(200)
  }
  const email = newEmail()
  for (const body of [{ email }, { subOrgId, email }])
    expect(await startOften(PER_ADDRESS + 1, body)).toEqual([...Array(PER_ADDRESS).fill(200), 'rate_limited'])
  await app.advance(60)
  expect([outcomeOf(await start({})), outcomeOf(await start({ email }))]).toEqual([200, 200])
})

test('the limit is a setting of the organization and, without one, of the defaults', async () => {
  const own = await app.tenant()
  const subOrgId = await own.organization()
  const other = await own.organization()
  succeeded(await own.patch(`${SETTINGS}/defaults`, { start_limit_per_minute_network: 2 }))
  succeeded(await own.patch(SETTINGS, { subOrgId, start_limit_per_minute_network: 3 }))
  const conditional = true
  expect(await startOften(3, {}, office(), own)).toEqual([200, 200, 'rate_limited'])
  expect(await startOften(3, { subOrgId: other, conditional }, office(), own)).toEqual([200, 200, 'rate_limited'])
  expect(await startOften(4, { subOrgId, conditional }, office(), own)).toEqual([200, 200, 200, 'rate_limited'])
  // Networks are counted, because an IPv6 client can choose any address in a /64.
  const v6 = (host: string) => ({ 'x-end-user-ip': `2001:db8:1:2::${host}` })
  expect([
    ...(await startOften(2, {}, v6('a'), own)),
    ...(await startOften(1, {}, v6('b'), own)),
    ...(await startOften(1, {}, { 'x-end-user-ip': '2001:db8:1:3::a' }, own)),
  ]).toEqual([200, 200, 'rate_limited', 200])
  for (const value of [0, 100_001, 'many'])
    expect((await own.patch(SETTINGS, { subOrgId, start_limit_per_minute_network: value })).status).toBe(400)
})

test('a challenge is removed when it has ended, answered or not', async () => {
  await app.advance(300)
  await cleanUpCeremonies.handle(app.app.platform, {}, 1)
  expect(await countRows()).toBe(0)
  succeeded(await start({}, office(9)))
  await app.advance(299)
  await cleanUpCeremonies.handle(app.app.platform, {}, 1)
  expect(await countRows()).toBe(1)
  await app.advance(2)
  await cleanUpCeremonies.handle(app.app.platform, {}, 1)
  expect(await countRows()).toBe(0)
})

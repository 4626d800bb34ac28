import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { mailLinkTo, organizationLinkTypes, redeemBody, redeemedAt } from '../../../../test/people/mailed-links.ts'
import { ofRequests, recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { ID_LENGTH, randomBase62, SECRET_LENGTH, tagOf } from '../../../platform/crypto/tokens.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { hashLinkToken } from './token.ts'

const app = await startApp()
const tenant = await app.tenant()
const { platform } = app.app
const PASSWORD = 'correct horse battery staple'

// The clock stands still, because settings are cached for seconds and the rate limit depends on time.
// Shared process: stops the clock of the process. `afterAll` restores it.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterAll(() => void vi.useRealTimers())

/** Tokens that a stranger can build from a token that they have seen: its directory, and everything else made up. */
function forgeries(token: string): string[] {
  const place = token.slice(0, ID_LENGTH)
  const another = hashPurposeOfTest
  const body = place + randomBase62(SECRET_LENGTH)
  return [
    token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
    token.slice(0, 40) + (token[40] === 'A' ? 'B' : 'A') + token.slice(41),
    body + token.slice(ID_LENGTH + SECRET_LENGTH),
    body + tagOf(platform.keyring.hashKey(another), body),
    // The format of tokens before tags were added.
    body,
    randomBase62(ID_LENGTH + SECRET_LENGTH),
    randomBase62(token.length),
    'abc',
  ]
}
const hashPurposeOfTest = hashPurpose('test-of-made-up-tokens')

async function page(method: 'GET' | 'POST', fields: { email: string; type: string; token_hash: string }) {
  const query = new URLSearchParams({ ...fields, password: PASSWORD })
  const response =
    method === 'GET'
      ? await fetch(`${app.baseUrl}/auth/link?${query}`)
      : await fetch(`${app.baseUrl}/auth/link`, { method, body: query, redirect: 'manual' })
  return { status: response.status, text: await response.text() }
}

const statementsOf = async (act: () => Promise<unknown>) => ofRequests(await recordStatements(act))

test.each(organizationLinkTypes)(
  '%s: a made-up token is refused without a statement, at the API and on the page',
  async (type) => {
    const { person, link } = await mailLinkTo(app, tenant, type)
    const { subOrgId, email } = person
    const send = (token: string) => tenant.post(redeemedAt[type], { subOrgId, ...redeemBody(type, email, token) })
    const all = async () => {
      for (const token of forgeries(link.token_hash)) {
        const reply = await send(token)
        expect([token, reply.status, reply.body.code, reply.body.detail]).toEqual([
          token,
          400,
          'token_invalid',
          'The link was never mailed to this address, was already used, was withdrawn, or was replaced by a newer link. Request a new link.',
        ])
        const fields = { email, type, token_hash: token }
        for (const shown of [await page('GET', fields), await page('POST', fields)]) {
          expect(shown.status).toBe(400)
          expect(shown.text).toContain('This link does not work')
        }
      }
    }
    await all()
    expect(await statementsOf(all)).toEqual([])
    const failed = await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })
    expect(failed.filter((event) => JSON.stringify(event).includes('token_invalid'))).toEqual([])
    const genuine = await statementsOf(() => page('GET', { email, type, token_hash: link.token_hash }))
    expect(genuine.join()).toContain('from links')
  },
)

test('the page of a made-up token has the brand of its organization, as that of a link for somebody else', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'magiclink')
  await tenant.patch('/v1/mail/settings', { subOrgId: person.subOrgId, brand_name: 'Acme Works' })
  const fields = { email: person.email, type: 'magiclink', token_hash: link.token_hash }
  const ofAnother = await page('GET', { ...fields, email: 'somebody.else@example.com' })
  const madeUp = await page('GET', { ...fields, token_hash: `${link.token_hash.slice(0, -5)}00000` })
  expect(madeUp).toEqual(ofAnother)
  expect(madeUp.text).toContain('Acme Works')
})

/** Turns a link into one from before tags were added, and returns its token. */
async function untag(token: string, email: string): Promise<string> {
  const short = token.slice(0, ID_LENGTH + SECRET_LENGTH)
  const links = await sql<{ id: string; directory_id: string }>`
    select id, directory_id from links order by created_at desc, id desc limit 1`.execute(platform.db)
  const [row] = links.rows
  const directory = row && (await findDirectory(platform, row.directory_id))
  if (!directory) throw new Error(`No link for ${email}`)
  await platform.db
    .updateTable('links')
    .set({ token_hash: hashLinkToken(platform, directory, short), tagged: false })
    .where('directory_id', '=', directory.id)
    .where('id', '=', row.id)
    .execute()
  return short
}

test('a link of the release before works until it expires, and nothing without a tag is looked up after the last', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'magiclink')
  const { subOrgId, email } = person
  const token_hash = await untag(link.token_hash, email)
  // Beyond the time for which the process caches that there are no untagged links.
  // Shared process: moves the stopped clock. `afterAll` restores it.
  const later = () => void vi.setSystemTime(Date.now() + 6000)
  later()
  const fields = { email, type: 'magiclink', token_hash }
  expect((await page('GET', fields)).status).toBe(200)
  const redeem = () => tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash })
  expect((await redeem()).status).toBe(200)
  expect((await redeem()).body.reason).toBe('used')
  const unnamed = await tenant.post('/v1/auth/login/magic-link/verify', { email, token_hash })
  expect(unnamed.body.reason).toBe('used')
  await app.advance(11 * 60)
  later()
  expect((await redeem()).body.code).toBe('token_invalid')
  expect((await page('GET', fields)).status).toBe(400)
  expect(await statementsOf(() => page('GET', fields))).toEqual([])
})

test('while such links are about, what has no tag is looked up a bounded number of times', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'magiclink')
  const token_hash = await untag(link.token_hash, person.email)
  // Shared process: moves the stopped clock. `afterAll` restores it.
  vi.setSystemTime(Date.now() + 6000)
  const forged = { email: person.email, type: 'magiclink', token_hash: `${token_hash.slice(0, -5)}00000` }
  const statuses: number[] = []
  const texts = await statementsOf(async () => {
    const pages = await Promise.all(Array.from({ length: 600 }, () => page('GET', forged)))
    statuses.push(...pages.map(({ status }) => status))
  })
  expect(new Set(statuses)).toEqual(new Set([400, 503]))
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(100)
  expect(texts.length).toBeLessThan(500)
})

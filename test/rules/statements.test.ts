import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { codeOf, enrollTotp, makeProvenUser, succeeded } from '../people/factors.ts'
import { newEmail, newPasswordUser, newUser } from '../people/people.ts'
import { provisioned } from '../people/scim.ts'
import { mailedCode } from '../people/sign-in.ts'
import { recordStatements } from './sql-recorder.ts'

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
const PASSWORD = 'correct horse battery staple'

// Settings are cached for seconds: what one request has read the next finds.
// Shared process: stops the clock of the process. `afterAll` restores it.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

type Request = () => Promise<Reply>

/** What the service sends to the database to answer a request, `begin` and `commit` among it. */
async function roundTripsOf(ask: Request, status: number): Promise<string[]> {
  let reply: Reply | undefined
  const texts = await recordStatements(async () => {
    reply = await ask()
  })
  expect(reply?.status, reply?.text).toBe(status)
  // What jobs send, and the last use of keys, belongs to no request.
  return texts.filter((text) => !/graphile_worker\.|update api_keys/.test(text))
}

/** The same of the second such request, for which the caches are warm. */
async function warmRoundTripsOf(prepare: () => Promise<Request>): Promise<string[]> {
  const [first, second] = [await prepare(), await prepare()]
  await roundTripsOf(first, 200)
  return roundTripsOf(second, 200)
}

const provenEmail = async () => (await makeProvenUser(tenant, subOrgId)).email
const unprovenEmail = async () => (await newUser(tenant, { subOrgId })).email

const passwordEmail = async () => (await newPasswordUser(tenant, { subOrgId, password: PASSWORD })).email

const sendCode = async (email: string): Promise<string> =>
  succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })).otp_id

const verifyCode = (body: { email: string; otp_id: string; code: string }) => () =>
  tenant.post('/v1/auth/login/otp/verify', { subOrgId, ...body })

const verifyLink = (body: { email: string; token_hash: string }) => () =>
  tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, ...body })

const verifyPassword = (email: string, password: string) => () =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password })

async function byCode(email: string): Promise<Request> {
  const otp_id = await sendCode(email)
  return verifyCode({ email, otp_id, code: await mailedCode(app, email) })
}

async function sendLink(email: string): Promise<string> {
  const body = { subOrgId, email, deliver: false }
  const { url } = succeeded(await tenant.post('/v1/auth/login/magic-link/send', body))
  return new URL(url).searchParams.get('token_hash') ?? ''
}

const byLink = async (email: string) => verifyLink({ email, token_hash: await sendLink(email) })

async function byChallenge(): Promise<Request> {
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD }))
  const { secret } = await enrollTotp(tenant, id, { subOrgId })
  const { challenge_token } = succeeded(await verifyPassword(email, PASSWORD)())
  const body = { subOrgId, challenge_token, code: codeOf(secret, 1) }
  return () => tenant.post('/v1/mfa/challenge/verify', body)
}

async function byRefresh(): Promise<Request> {
  const { session } = succeeded(await (await byCode(await provenEmail()))())
  return () => tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token })
}

async function bySignup(): Promise<Request> {
  const email = newEmail()
  const { otp_id } = succeeded(await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email, openSignup: true }))
  const body = { subOrgId, email, otp_id, code: await mailedCode(app, email) }
  return () => tenant.post('/v1/auth/signup/otp/verify', body)
}

test.each<[string, number, () => Promise<Request>]>([
  ['a code', 2, async () => byCode(await provenEmail())],
  ['a magic link', 2, async () => byLink(await provenEmail())],
  ['a password', 3, async () => verifyPassword(await passwordEmail(), PASSWORD)],
  ['a challenge passed with an app', 2, byChallenge],
  ['a refresh', 2, byRefresh],
])('%s: at most %i statements, each its own transaction', async (_name, most, prepare) => {
  const texts = await warmRoundTripsOf(prepare)
  expect(texts.length, texts.join('\n')).toBeLessThanOrEqual(most)
  expect(texts.filter((text) => /insert into sessions|update sessions/.test(text))).toHaveLength(1)
})

test.each<[string, () => Promise<Request>]>([
  ['code', async () => byCode(await unprovenEmail())],
  ['magic link', async () => byLink(await unprovenEmail())],
  ['code of a sign-up', bySignup],
])('the first sign-in of a mailbox, by a %s: at most 6 round trips', async (_name, prepare) => {
  const texts = await warmRoundTripsOf(prepare)
  expect(texts.length, texts.join('\n')).toBeLessThanOrEqual(6)
  expect(texts.filter((text) => /^(begin|commit)$/.test(text))).toEqual(['begin', 'commit'])
})

test('whatever a sign-in shares is prepared, however long its text is', async () => {
  const unprepared: string[] = []
  const { query } = pg.Client.prototype
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      const { name, text } = Object.assign({ name: undefined, text: '' }, args[0])
      if (name === undefined && String(text).includes('asked as materialized')) unprepared.push(text)
      return Reflect.apply(query, this, args)
    },
  })
  onTestFinished(() => void Object.assign(pg.Client.prototype, { query }))
  const ways = [provenEmail, unprovenEmail]
  const prepare = () => Promise.all(ways.flatMap((email) => [byCode, byLink].map(async (by) => by(await email()))))
  // Its first two occurrences are not.
  for (let n = 0; n < 2; n++) for (const ask of await prepare()) succeeded(await ask())
  const requests = await prepare()
  unprepared.length = 0
  for (const ask of requests) succeeded(await ask())
  expect(unprepared).toEqual([])
})

test.each([
  ['code of an open sign-up', '/v1/auth/signup/otp/send', { subOrgId, openSignup: true }],
  ['link of an open sign-up', '/v1/auth/signup/authenticate-email/send', { subOrgId, openSignup: true }],
  ['code of discovery', '/v1/auth/discovery/otp/send', {}],
  ['link of discovery', '/v1/auth/discovery/magic-link/send', {}],
])(
  'where everybody is mailed, a %s costs a stranger the statements of a user, and the answer is the same',
  async (_way, path, where) => {
    const send = (email: string) => () => tenant.post(path, { ...where, email })
    const emails = [newEmail(), await provenEmail(), await unprovenEmail(), newEmail()]
    const [warming, ...requests] = emails.map(send)
    if (warming) await roundTripsOf(warming, 200)
    const sent: unknown[] = []
    for (const ask of requests) {
      let keys: string[] = []
      const texts = await roundTripsOf(async () => {
        const reply = await ask()
        keys = Object.keys(reply.body)
        return reply
      }, 200)
      sent.push({ texts, keys })
    }
    expect(sent).toEqual(sent.map(() => sent[0]))
    for (const email of emails) expect(await app.mails(email)).toHaveLength(1)
  },
)

/** Each of them is refused with the same answer, at the cost of the same statements, the record of it among them. */
async function expectSameCost(status: number, requests: Request[]) {
  const [warming] = requests
  if (warming) await roundTripsOf(warming, status)
  const sent: string[][] = []
  for (const ask of requests) sent.push(await roundTripsOf(ask, status))
  expect(sent[0]?.at(-1)).toContain('insert into "events"')
  expect(sent).toEqual(sent.map(() => sent[0]))
}

test('a wrong code costs a stranger the statements of a user', async () => {
  const emails = [await provenEmail(), await unprovenEmail(), newEmail()]
  const otpIds = await Promise.all(emails.map(sendCode))
  const tried = emails.map((email, i) => verifyCode({ email, otp_id: otpIds[i] ?? '', code: 'wrong words' }))
  const unknown = emails.map((email) => verifyCode({ email, otp_id: crypto.randomUUID(), code: 'wrong words' }))
  await expectSameCost(401, [...tried, ...unknown])
})

test('an unknown link costs a stranger the statements of a user', async () => {
  const known = await provenEmail()
  const ofAnother = await sendLink(await provenEmail())
  const withdrawn = newEmail()
  const token_hash = await sendLink(withdrawn)
  await sendLink(withdrawn)
  const requests = [known, newEmail()].flatMap((email) => [
    verifyLink({ email, token_hash }),
    verifyLink({ email, token_hash: ofAnother }),
  ])
  await expectSameCost(400, requests)
})

test('a wrong password costs a stranger the statements of a user, with a password or without', async () => {
  const emails = [await passwordEmail(), await provenEmail(), await unprovenEmail(), newEmail()]
  await expectSameCost(
    401,
    emails.map((each) => verifyPassword(each, 'wrong horse battery staple')),
  )
})

test('provisioning is counted, asks whether it is served, and is kept last, the last two by statements that requests share', async () => {
  const { call } = await provisioned(app, tenant, subOrgId)
  const read = () => call('GET', '/Users?filter=userName eq "nobody@acme.example"')
  const own = (texts: string[]) => texts.filter((text) => /scim_configs|scim_logs/.test(text))
  await roundTripsOf(read, 200)
  const alone = await roundTripsOf(read, 200)
  expect(alone[0]).toContain('rate_counters')
  expect([own(alone).length, alone.length], alone.join('\n')).toEqual([2, 4])
  const together = await recordStatements(() => Promise.all(Array.from({ length: 20 }, read)))
  // Alone each would send two; how many share depends on how busy the machine is.
  expect(own(together).length).toBeLessThan(40)
})

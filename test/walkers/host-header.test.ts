import { request } from 'node:http'
import { expect, test } from 'vitest'
import type { Route } from '../../src/platform/http/route.ts'
import { mailKinds } from '../../src/platform/mail/kinds.ts'
import { routes } from '../../src/wiring/routes.ts'
import { fresh } from '../fresh.ts'
import { startApp } from '../harness.ts'
import { enrollTotp, makeProvenUser, signInByLink, succeeded } from '../people/factors.ts'
import { mailedLink } from '../people/sign-in.ts'
import { enforceSso, ownSamples, ownWorld, signedIn } from './own-world.ts'
import { nameOf, orgWideOnly, type SampleRequest, sampleOf } from './samples.ts'
import { makeWorld, makeWorldFor, type World } from './world.ts'

// Host-header poisoning: no forged header or request target changes a mail or where a link leads. Forwarded headers are
// trusted here, as they are behind a proxy.

const BASE_URL = 'https://auth.acme.example'
const EVIL = 'evil.example'
const app = await startApp({ env: { WATCHWORD_BASE_URL: BASE_URL, WATCHWORD_TRUST_PROXY: '127.0.0.0/8' } })
const { port } = new URL(app.baseUrl)
const account = await app.tenant()
/** For requests that change nothing in it. */
const common = await makeWorld(app, account)
const people = await ownWorld(app, account)

/** Every route that sends a mail, or returns a link to be mailed. */
const MAILING_ROUTES = [
  'DELETE /v1/me/mfa/phone',
  'DELETE /v1/me/mfa/totp',
  'DELETE /v1/me/passkeys/{id}',
  'DELETE /v1/mfa/sms',
  'DELETE /v1/mfa/totp',
  'DELETE /v1/webauthn/credentials/{credentialId}',
  'PATCH /v1/users/{userId}',
  'POST /v1/auth/discovery/magic-link/send',
  'POST /v1/auth/discovery/otp/send',
  'POST /v1/auth/email/verify',
  'POST /v1/auth/login/magic-link/send',
  'POST /v1/auth/login/otp/send',
  'POST /v1/auth/login/password',
  'POST /v1/auth/passkey/register',
  'POST /v1/auth/password/reset/confirm',
  'POST /v1/auth/password/reset/send',
  'POST /v1/auth/signup',
  'POST /v1/auth/signup/authenticate-email/send',
  'POST /v1/auth/signup/otp/send',
  'POST /v1/auth/signup/password',
  'POST /v1/me/email',
  'POST /v1/me/email/verify',
  'POST /v1/me/passkeys/verify',
  'POST /v1/me/password',
  'POST /v1/me/step-up',
  'POST /v1/members/invites',
  'POST /v1/mfa/challenge/verify',
  'POST /v1/otp/generate',
  'POST /v1/users/invites',
  'POST /v1/users/{userId}/impersonate',
  'POST /v1/users/{userId}/invite',
  'POST /v1/users/{userId}/password/reset',
  'POST /v1/users/{userId}/verify/resend',
  'PUT /v1/me/mfa/phone',
  'PUT /v1/me/mfa/totp',
  'PUT /v1/mfa/sms',
  'PUT /v1/mfa/totp',
  'PUT /v1/users/{userId}/password',
]

/** No request has a part in these. */
const SENT_BY_JOBS = ['webhook_disabled', 'new_device']
/** Sent at the end of a sign-in at a provider, which no request here has been to. It has no link. */
const SENT_AFTER_PROVIDERS = ['identity_linked']

interface Asked {
  make: (world: World) => SampleRequest | Promise<SampleRequest>
  /** What `make` reads of the world, where it also calls the service. */
  reads?: (world: World) => unknown
}

/** Requests that send a mail, for routes whose sample does not. */
const more: Record<string, Asked[]> = {
  'PATCH /v1/users/{userId}': [
    { make: ({ ids, email }) => ({ params: { userId: ids.user }, body: { email: `new-${email}` } }) },
  ],
  'POST /v1/auth/login/otp/send': [
    {
      reads: ({ scoped, ids }) => [scoped, ids.organization],
      async make({ scoped, ids }) {
        const { email } = await makeProvenUser(scoped)
        await enforceSso({ app, tenant: account, subOrgId: ids.organization })
        return { body: { email } }
      },
    },
    ...(['active', 'testing'] as const).map((status) => ({
      reads: ({ scoped, ids }: World) => [scoped, ids.organization],
      async make({ scoped, ids }: World) {
        const domain = `acme-${fresh()}.example`
        const { email } = succeeded(await scoped.post('/v1/users', { email: `ada@${domain}` })).user
        const connectionId = await enforceSso({ app, tenant: account, subOrgId: ids.organization }, domain)
        succeeded(await scoped.patch(`/v1/sso/connections/${connectionId}`, { status }))
        return { body: { email } }
      },
    })),
  ],
  'POST /v1/otp/generate': [{ make: ({ email }) => ({ body: { email } }) }],
  'POST /v1/auth/login/password': [
    {
      reads: ({ passwordEmail }) => passwordEmail,
      async make(world) {
        await failTwice(world, world.passwordEmail)
        return { body: { email: world.passwordEmail, password: 'the third mistake' } }
      },
    },
  ],
  'POST /v1/auth/email/verify': [
    {
      reads: ({ linkEmail, ids }) => [linkEmail, ids.verificationLink],
      async make(world) {
        await failTwice(world, world.linkEmail)
        const { linkEmail: email, ids } = world
        return { body: { email, token_hash: ids.verificationLink, password: 'the third mistake' } }
      },
    },
  ],
  'POST /v1/mfa/challenge/verify': [
    {
      reads: ({ ids }) => ids.challengeToken,
      async make({ scoped, ids }) {
        await scoped.patch('/v1/auth/settings', { lockout_max_attempts: 3 })
        const body = { challenge_token: ids.challengeToken, code: '000000' }
        for (const _ of [1, 2]) await scoped.post('/v1/mfa/challenge/verify', body)
        return { body }
      },
    },
    {
      reads: ({ scoped }) => scoped,
      async make({ scoped }) {
        const { id, email } = await makeProvenUser(scoped)
        const { backupCodes } = await enrollTotp(scoped, id)
        const { challenge_token } = (await signInByLink(scoped, email)).body
        return { body: { challenge_token, code: backupCodes[0] ?? '' } }
      },
    },
  ],
}

async function failTwice({ scoped }: World, email: string): Promise<void> {
  await scoped.patch('/v1/auth/settings', { lockout_max_attempts: 3 })
  for (const _ of [1, 2]) await scoped.post('/v1/auth/login/password', { email, password: 'a mistake' })
}

/** Requests to a route: its sample, others that send a mail, and, where possible, one with the link in the answer. */
function requestsOf(route: Route): Asked[] {
  const sample = (world: World) => (route.auth === 'key' ? sampleOf(route, world) : {})
  const takesLink = 'deliver' in (route.body?.properties ?? {})
  const answered = (world: World) => ({ ...sample(world), body: { ...sample(world).body, deliver: false } })
  return [{ make: sample }, ...(more[nameOf(route)] ?? []), ...(takesLink ? [{ make: answered }] : [])]
}

interface Disguise {
  headers: Record<string, string>
  target: string
}

const none: Disguise = { headers: {}, target: '' }
const disguises: Record<string, Disguise> = {
  'a forged Host and every forwarded header': {
    headers: {
      host: EVIL,
      'x-forwarded-host': EVIL,
      'x-forwarded-proto': 'http',
      'x-forwarded-port': '8080',
      'x-forwarded-server': EVIL,
      'x-forwarded-prefix': `//${EVIL}`,
      forwarded: `for=192.0.2.1;host=${EVIL};proto=http`,
      'x-host': EVIL,
      'x-original-host': EVIL,
      'x-original-url': `http://${EVIL}/`,
      'x-rewrite-url': `http://${EVIL}/`,
      referer: `http://${EVIL}/`,
    },
    target: '',
  },
  // RFC 9112 §3.2.2: the target counts, and Host does not.
  'an absolute request target': { headers: { host: EVIL }, target: `http://${EVIL}` },
}

/** The sample of a route that people call about themselves, and the token of one of them. */
async function ownRequest(route: Route) {
  const person = await signedIn(people)
  const sample: SampleRequest = (await ownSamples[nameOf(route)]?.(person)) ?? {}
  return { sample, token: person.session.access_token }
}

/** Where a route may change things: with a key of the account, some change what all of it inherits. */
async function worldFor(route: Route, { make, reads = make }: Asked): Promise<World> {
  if (route.auth !== 'key' || route.method === 'GET') return common
  const tenant = orgWideOnly.includes(nameOf(route)) ? await app.tenant() : account
  return makeWorldFor(app, tenant, route, reads)
}

/** Sends the request verbatim, and reads what it has queued. */
async function ask(route: Route, asked: Asked, { headers, target }: Disguise) {
  const own = route.auth === 'user' ? await ownRequest(route) : null
  const world = await worldFor(route, asked)
  const { params = {}, query = {}, body } = own?.sample ?? (await asked.make(world))
  await app.app.platform.db.deleteFrom('mail_outbox').execute()
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const search = new URLSearchParams(query).toString()
  const { key } = orgWideOnly.includes(nameOf(route)) ? world.orgWide : world.scoped
  const reply = await send(route.method, target + path + (search && `?${search}`), {
    headers: {
      ...(own ? { authorization: `Bearer ${own.token}` } : { 'x-api-key': key }),
      ...(route.body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    body: route.body ? JSON.stringify(body ?? {}) : '',
  })
  return { ...reply, mails: await app.mails() }
}

async function send(
  method: string,
  path: string,
  { headers, body }: { headers: Record<string, string>; body: string },
) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; head: string; text: string }>()
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  const options = { agent: false, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } }
  const call = request(options, async (response) => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const head = JSON.stringify(response.headers)
    resolve({ status: response.statusCode ?? 0, head, text: Buffer.concat(chunks).toString() })
  })
  call.on('error', reject)
  call.end(body)
  return promise
}

type Answer = Awaited<ReturnType<typeof ask>>

function mailsOrLinks({ mails, text }: Answer): boolean {
  return mails.length > 0 || text.includes('token_hash=')
}

/** What was mailed and answered, without what differs between requests. */
function outline({ status, text, mails }: Answer): string {
  // The seconds left of an impersonation are those of a session that began at another part of a second.
  return JSON.stringify([status, text, mails])
    .replaceAll(/token_hash=[0-9A-Za-z]+/g, 'token_hash')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replaceAll(/\b(new-)*[a-z]+-[0-9a-f]{8}\b/g, 'name')
    .replaceAll(/\w•••@/g, 'masked')
    .replaceAll(/expires_in\\":\d+/g, 'seconds left')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'moment')
    .replaceAll(/ey[\w-]+\.[\w-]+\.[\w-]+|\b[0-9A-Za-z]{40,}\b|rt_\w+|req_\w+/g, 'token')
    .replaceAll(/(\\n|>|\\")[a-z]+ [a-z]+(?=\\n|<|\\")/g, '$1code')
    .replaceAll(/\b\d{6}\b/g, 'digits')
    .replaceAll(/\b[0-9A-Z]-[0-9A-Z]{5}-[0-9A-Z]{5}\b/g, 'backup code')
    .replaceAll(/\\"credentialId\\":\\"[\w-]+/g, 'credential')
}

/** Those of all requests that really send a mail. The document of the API and the guides print links as examples. */
async function findMailing() {
  const found = []
  for (const route of routes.filter(({ path }) => path !== '/v1/openapi.json' && !path.startsWith('/docs')))
    for (const [index, asked] of requestsOf(route).entries()) {
      const plain = await ask(route, asked, none)
      if (index === 0 && route.auth === 'key') expect(plain.status, `${nameOf(route)}: ${plain.text}`).toBe(200)
      if (mailsOrLinks(plain)) found.push({ name: `${nameOf(route)} (${index + 1})`, route, asked, plain })
    }
  return found
}

const mailing = await findMailing()

test('every route that mails, and every kind of mail, is known here', () => {
  const found = new Set(mailing.map(({ route }) => nameOf(route)))
  expect([...found].sort(), 'Is there a new one? Add it to MAILING_ROUTES').toEqual(MAILING_ROUTES)
  const kinds = new Set(mailing.flatMap(({ plain }) => plain.mails.map(({ kind }) => kind)))
  const asked = mailKinds().filter((kind) => ![...SENT_BY_JOBS, ...SENT_AFTER_PROVIDERS].includes(kind))
  expect([...kinds].sort(), 'Is there a new kind? Add a request that sends it to `more`').toEqual(asked)
})

test.each(mailing)('$name: mails and links are the same, whatever host the request claims', async (each) => {
  const { route, asked, plain } = each
  for (const [what, disguise] of Object.entries(disguises)) {
    const answer = await ask(route, asked, disguise)
    expect(outline(answer), what).toBe(outline(plain))
    const all = JSON.stringify(answer)
    expect(all, what).not.toContain(EVIL)
    for (const [url] of all.matchAll(/https?:\/\/[^/?\s"\\<]+/g)) expect(url, what).toBe(BASE_URL)
    if (all.includes('token_hash=')) expect(all, what).toContain(`${BASE_URL}/auth/link?token_hash=`)
  }
})

test('the page of a link, and the mail that it sends, are the same as well', async () => {
  const seen = []
  for (const { headers, target } of [none, ...Object.values(disguises)]) {
    const { passwordEmail: email } = await makeWorld(app, await app.tenant())
    const { url, token_hash, type } = await mailedLink(app, email, 'password_reset')
    await app.app.platform.db.deleteFrom('mail_outbox').execute()
    const shown = await send('GET', target + url.slice(BASE_URL.length), { headers, body: '' })
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    const fields = new URLSearchParams({ token_hash, email, type, password: 'a quite different sentence' })
    const pressed = await send('POST', `${target}/auth/link`, { headers: form, body: fields.toString() })
    const mails = await app.mails()
    expect([shown.status, pressed.status, mails.map(({ kind }) => kind)]).toEqual([200, 200, ['password_changed']])
    expect(JSON.stringify([shown, pressed, mails])).not.toContain(EVIL)
    seen.push(JSON.stringify([shown.text, pressed.text, mails]).replaceAll(token_hash, 'token').replaceAll(email, 'to'))
  }
  expect(new Set(seen).size).toBe(1)
})

import { request } from 'node:http'
import { expect, test } from 'vitest'
import { PRODUCTION, startApp } from '../../../../test/harness.ts'
import { linkTypes, mailLinkTo } from '../../../../test/people/mailed-links.ts'
import { newEmail, newUser, type Person } from '../../../../test/people/people.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import { joinedMember } from '../../../../test/people/team.ts'

const app = await startApp()
const tenant = await app.tenant()
const PAGE = 'https://app.example.com/auth/callback?next=%2Fhome'

/** Every route that mails a link, and the kind of its mail. */
const sends: [path: (user: Person) => string, kind: string][] = [
  [() => '/v1/auth/login/magic-link/send', 'magic_link'],
  [() => '/v1/auth/signup/authenticate-email/send', 'signup_link'],
  [() => '/v1/auth/password/reset/send', 'password_reset'],
  [({ id }) => `/v1/users/${id}/verify/resend`, 'email_verification'],
  [({ id }) => `/v1/users/${id}/password/reset`, 'password_reset'],
]

function bodyOf(path: string, { subOrgId, email }: Person) {
  return path.startsWith('/v1/users/') ? { subOrgId } : { subOrgId, email }
}

const refusedEverywhere = [
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://app.example.com/auth/callback',
  '//evil.example',
  '/\\evil.example',
  'https:\\\\app.example.com/auth/callback?next=%2Fhome',
  'https://app.example.com\\@evil.example/',
  'https:/app.example.com/auth/callback?next=%2Fhome',
  'https:app.example.com/auth/callback?next=%2Fhome',
  'https:///app.example.com/auth/callback?next=%2Fhome',
  'https://user@app.example.com/auth/callback?next=%2Fhome',
  'https://app.example.com@evil.example/auth/callback?next=%2Fhome',
  'https://:pass@app.example.com/auth/callback?next=%2Fhome',
  `${PAGE}#fragment`,
  `${PAGE}#`,
  'https://*.example.com/auth/callback?next=%2Fhome',
  'https://app.example.com.evil.example/auth/callback?next=%2Fhome',
  'https://evil-app.example.com/auth/callback?next=%2Fhome',
  'https://app.example.com:444/auth/callback?next=%2Fhome',
  'http://app.example.com/auth/callback?next=%2Fhome',
  'https://app.example.com/auth/other?next=%2Fhome',
  'https://app.example.com/auth/callback/../../x',
  'https://app.example.com/Auth/Callback?next=%2Fhome',
  'https://app.example.com/auth/callback/?next=%2Fhome',
  'https://app.example.com/auth/callback',
  `${PAGE}&more=1`,
  'http://localhost.evil.example/auth/callback',
  'http://localhost@evil.example/',
  'http://127.0.0.1.evil.example/',
  'http://localhost:3000/',
  ` ${PAGE}`,
  `${PAGE}\t`,
  'https://app.example.com/auth/call\nback?next=%2Fhome',
  'https://app.example.com/auth/callback?next=%2Fhome\u0001',
  'https://app.example.com/auth/callback?next=%2Fhome\u202e',
  'https://xn--/auth/callback',
  '',
  'x',
]

test('a link leads where the directory allows, exactly, and nowhere else', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [PAGE] })
  for (const [pathOf, kind] of sends) {
    const user = await newUser(tenant, { subOrgId })
    const path = pathOf(user)
    const send = (redirectTo: string) => tenant.post(path, { ...bodyOf(path, user), redirectTo })
    for (const redirectTo of refusedEverywhere) {
      const reply = await send(redirectTo)
      expect([redirectTo, reply.status, reply.body.code]).toEqual([redirectTo, 400, 'invalid_redirect_uri'])
    }
    expect(await app.mails(user.email), path).toEqual([])
    // Different spellings of one URL are the same URL (WHATWG).
    for (const redirectTo of [PAGE, 'HTTPS://APP.example.com:443/auth/x/../callback?next=%2Fhome']) {
      const reply = await send(redirectTo)
      expect(reply.status, reply.text).toBe(200)
      const { url, token_hash } = await mailedLink(app, user.email, kind)
      expect(url.startsWith(`${PAGE}&token_hash=${token_hash}&email=`), url).toBe(true)
    }
  }
})

test('an application cannot slip parameters of ours into its address', async () => {
  const subOrgId = await tenant.organization()
  const redirectTo = 'https://app.example.com/?token_hash=mine&email=eve%40evil.example&type=recovery&org_id=mine'
  await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [redirectTo] })
  const user = await newUser(tenant, { subOrgId })
  await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email: user.email, redirectTo })
  const { url, token_hash } = await mailedLink(app, user.email, 'magic_link')
  const query = [...new URL(url).searchParams]
  expect(query).toEqual([
    ['token_hash', token_hash],
    ['email', user.email],
    ['type', 'magiclink'],
    ['org_id', subOrgId],
  ])
  expect(token_hash).not.toBe('mine')
})

const orgIdsOf = (url: string) => new URL(url).searchParams.getAll('org_id')

test.each(linkTypes)('%s: a link carries the id of its organization, if it has one', async (type) => {
  const { person, link } = await mailLinkTo(app, tenant, type)
  expect(orgIdsOf(link.url)).toEqual(type === 'discovery' ? [] : [person.subOrgId])
  const mail = (await app.mails(person.email)).find(({ text }) => text.includes(link.token_hash))
  // The HTML part has the same link as the text part.
  expect(mail?.html).toContain(link.url.replaceAll('&', '&amp;'))
})

test('a link that the caller mails carries it too, wherever it leads', async () => {
  const subOrgId = await tenant.organization()
  const own = `${PAGE}&org_id=mine`
  await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [PAGE] })
  for (const [pathOf] of sends)
    for (const redirectTo of [undefined, PAGE]) {
      const user = await newUser(tenant, { subOrgId })
      const path = pathOf(user)
      const { body } = await tenant.post(path, { ...bodyOf(path, user), redirectTo, deliver: false })
      expect(orgIdsOf(body.url)).toEqual([subOrgId])
    }
  // A discovery begins without an organization, so its links have no `org_id`, not even one set by the application.
  const discovering = await app.tenant()
  await discovering.patch('/v1/auth/settings/defaults', { allowed_redirect_uris: [own] })
  const found = await discovering.post('/v1/auth/discovery/magic-link/send', {
    email: newEmail(),
    redirectTo: own,
    deliver: false,
  })
  expect(new URL(found.body.url).searchParams.get('next')).toBe('/home')
  expect(orgIdsOf(found.body.url)).toEqual([])
})

test('links of the team carry no org_id', async () => {
  const { email } = await joinedMember(app, tenant, 'owner', { subOrgId: await tenant.organization() })
  const links = [await mailedLink(app, email, 'invite')]
  await tenant.post('/v1/auth/password/reset/send', { subOrgId: 'team', email })
  links.push(await mailedLink(app, email, 'password_reset'))
  expect(links.map(({ url }) => orgIdsOf(url))).toEqual([[], []])
})

test('an empty list allows this machine in development, and nothing in production', async () => {
  const production = await startApp({ env: PRODUCTION })
  for (const [owner, statuses] of [
    [tenant, [200, 200, 200, 400, 400, 400]],
    [await production.tenant(), [400, 400, 400, 400, 400, 400]],
  ] as const) {
    const subOrgId = await owner.organization()
    const found = []
    for (const redirectTo of [
      'http://localhost:3000/callback',
      'http://127.0.0.1/',
      'http://[::1]:8080/x',
      'http://localhost.evil.example/',
      'http://192.168.0.1/',
      'https://app.example.com/',
    ]) {
      const { email } = await newUser(owner, { subOrgId })
      found.push((await owner.post('/v1/auth/login/magic-link/send', { subOrgId, email, redirectTo })).status)
    }
    expect(found).toEqual(statuses)
  }
  const owner = await production.tenant()
  const subOrgId = await owner.organization()
  const loopback = { subOrgId, allowed_redirect_uris: ['http://localhost:3000/callback'] }
  expect((await owner.patch('/v1/auth/settings', loopback)).status).toBe(400)
})

/** Sends headers that fetch would not. */
function postRaw(path: string, body: object, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const { port } = new URL(app.baseUrl)
  const all = { 'content-type': 'application/json', 'x-api-key': tenant.key, ...headers }
  const call = request({ agent: false, host: '127.0.0.1', port, method: 'POST', path, headers: all }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0))
  })
  call.on('error', reject)
  call.end(JSON.stringify(body))
  return promise
}

test('no header of a request changes where a mailed link leads', async () => {
  const subOrgId = await tenant.organization()
  const forged = [
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', 'x-forwarded-port': '81' },
    { forwarded: 'host=evil.example;proto=http', 'x-original-host': 'evil.example', 'x-host': 'evil.example' },
    { origin: 'https://evil.example', referer: 'https://evil.example/', 'x-original-url': '//evil.example' },
  ]
  for (const [pathOf, kind] of sends)
    for (const headers of forged) {
      const user = await newUser(tenant, { subOrgId })
      const path = pathOf(user)
      expect(await postRaw(path, bodyOf(path, user), headers)).toBe(200)
      const { url } = await mailedLink(app, user.email, kind)
      expect(url.startsWith('http://localhost:4000/auth/link?token_hash=')).toBe(true)
      expect(JSON.stringify(await app.mails(user.email))).not.toContain('evil.example')
    }
})

test('a caller that mails the link itself needs the scope for it, and then nothing is mailed', async () => {
  const subOrgId = await tenant.organization()
  const scopes = ['auth.login', 'auth.signup', 'users.write']
  const [plain, issuer] = [
    await tenant.withKey({ scopes }),
    await tenant.withKey({ scopes: [...scopes, 'links.issue'] }),
  ]
  for (const [pathOf] of sends) {
    const user = await newUser(tenant, { subOrgId })
    const path = pathOf(user)
    const body = { ...bodyOf(path, user), deliver: false }
    const refused = await plain.post(path, body)
    expect([refused.status, refused.body.code, refused.body.scope]).toEqual([403, 'insufficient_scope', 'links.issue'])
    const links = () => app.app.platform.db.selectFrom('links').selectAll().where('user_id', '=', user.id).execute()
    expect(await links()).toEqual([])
    const reply = await issuer.post(path, body)
    expect(reply.body.url, reply.text).toMatch(
      /^http:\/\/localhost:4000\/auth\/link\?token_hash=[0-9A-Za-z]{60,}&email=/,
    )
    expect(await app.mails(user.email)).toEqual([])
    const delivered = await plain.post(path, { ...body, deliver: true })
    expect(delivered.body).not.toHaveProperty('url')
    expect(await app.mails(user.email)).toHaveLength(1)
  }
})

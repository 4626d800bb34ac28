import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Caller, startApp } from '../../../../test/harness.ts'
import { type DnsAnswer, startDnsPeer } from '../../../../test/peers/dns-peer.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const dns = await startDnsPeer()
const app = await startApp({ env: { WATCHWORD_DNS_SERVER: dns.address } })
const tenant = await app.tenant()

const PORTAL = '/v1/admin-portal'
const freshDomain = () => `acme-${fresh()}.example`

async function makeOrganization(environment: 'production' | 'staging' = 'production') {
  const id = await tenant.organization()
  return { id, key: await tenant.withKey({ subOrgId: id, environment }) }
}

const add = (key: Caller, domain: string) => key.post(PORTAL, { action: 'add_domain', domain })
const verify = (key: Caller, domainId: string) => key.post(PORTAL, { action: 'verify_domain', domainId })
const remove = (key: Caller, domainId: string) => key.post(PORTAL, { action: 'remove_domain', domainId })

async function addOne(key: Caller, domain = freshDomain()) {
  const { body } = await add(key, domain)
  return body.domain
}

/** Publishes the DNS record of a domain. */
function publish({ verification }: { verification: { name: string; value: string } }): void {
  dns.answers.set(verification.name, { texts: [verification.value] })
}

async function verifyOne(key: Caller, domain = freshDomain()) {
  const added = await addOne(key, domain)
  publish(added)
  const { body } = await verify(key, added.id)
  return body.domain
}

async function eventsOf(organizationId: string): Promise<string[]> {
  const events = await app.events({ accountId: tenant.accountId })
  return events
    .filter((event) => event.organization_id === organizationId && event.type.startsWith('domain.'))
    .map(({ type }) => type)
}

test('a domain waits for its proof, fails without it, and is the organization’s with it', async () => {
  const { id, key } = await makeOrganization()
  const name = freshDomain()
  const added = await add(key, name.toUpperCase())
  expect(added.body).toMatchObject({ success: true, error: null })
  const { domain } = added.body
  expect(domain).toEqual({
    id: expect.any(String),
    domain: name,
    unicode: null,
    status: 'pending',
    verification: {
      type: 'dns_txt',
      name: `_watchword-challenge.${name}`,
      value: expect.stringMatching(/^watchword-verify=[0-9A-Za-z]{43}$/),
    },
    verified_at: null,
    last_checked_at: null,
    last_error: null,
  })
  expect((await add(key, name)).body.domain).toEqual(domain)

  const missing = await verify(key, domain.id)
  expect(missing.status).toBe(200)
  expect(missing.body).toMatchObject({ success: false, error: 'txt_not_found', domain: { status: 'failed' } })
  publish(domain)
  const proved = await verify(key, domain.id)
  expect(proved.body).toMatchObject({ success: true, error: null, domain: { status: 'verified', last_error: null } })
  expect(proved.body.overview.domains).toEqual([proved.body.domain])
  expect((await verify(key, domain.id)).body.domain.verified_at).toBe(proved.body.domain.verified_at)
  const organization = (await tenant.get(`/v1/organizations/${id}`)).body.subOrganization
  expect(organization.domains).toEqual([name])

  dns.answers.delete(domain.verification.name)
  const gone = await verify(key, domain.id)
  expect(gone.body).toMatchObject({ success: false, domain: { status: 'verified', last_error: 'txt_not_found' } })
  expect((await remove(key, domain.id)).body).toMatchObject({ success: true, domain: null, overview: { domains: [] } })
  expect((await remove(key, domain.id)).body.code).toBe('domain_not_found')
  const failed = 'domain.verification_failed'
  expect(await eventsOf(id)).toEqual(['domain.added', failed, 'domain.verified', failed, 'domain.removed'])
})

const ANSWERS: [string, (value: string) => DnsAnswer, string | null][] = [
  ['one of several records', (value) => ({ texts: ['v=spf1 -all', value, 'other'] }), null],
  ['a record in several strings', (value) => ({ texts: [[value.slice(0, 9), value.slice(9)]] }), null],
  ['white space around it', (value) => ({ texts: [` ${value} `] }), null],
  ['an alias', (value) => ({ alias: 'proof.elsewhere.example', texts: [value] }), null],
  ['too many records for UDP', (value) => ({ texts: [...Array(200).fill('x'.repeat(250)), value] }), null],
  ['the whole of an answer without it', () => ({ texts: [Array(250).fill('x'.repeat(255))] }), 'txt_mismatch'],
  ['another value', (value) => ({ texts: [value.slice(0, -1)] }), 'txt_mismatch'],
  ['the value within a longer one', (value) => ({ texts: [`a ${value}`, `${value}a`] }), 'txt_mismatch'],
  ['its two halves in two records', (value) => ({ texts: [value.slice(0, 9), value.slice(9)] }), 'txt_mismatch'],
  ['an alias to nothing', () => ({ alias: 'gone.example', texts: [] }), 'txt_not_found'],
  ['no text', () => ({ texts: [] }), 'txt_not_found'],
  ['a server that fails', () => 'servfail', 'dns_unavailable'],
  ['a server that is silent', () => 'silence', 'dns_unavailable'],
]

test.each(ANSWERS)('the DNS has %s', async (_, answerWith, error) => {
  const { key } = await makeOrganization()
  const { id, verification } = await addOne(key)
  dns.answers.set(verification.name, answerWith(verification.value))
  const { status, body } = await verify(key, id)
  expect([status, body.success, body.error]).toEqual([200, error === null, error])
  const isTold = error !== 'dns_unavailable'
  expect(body.domain.status).toBe(error === null ? 'verified' : isTold ? 'failed' : 'pending')
})

test('what is too long for UDP is asked for by TCP', async () => {
  const { key } = await makeOrganization()
  const { id, verification } = await addOne(key)
  dns.answers.set(verification.name, { texts: ['x'.repeat(255), 'y'.repeat(255), 'z'.repeat(255)] })
  await verify(key, id)
  expect(dns.asked.tcp).toContain(verification.name)
})

test.each([
  ['https://acme.com', 'scheme'],
  ['acme.com/path', 'path'],
  ['acme.com?x', 'path'],
  ['acme.com:443', 'port'],
  ['*.acme.com', 'wildcard'],
  ['ada@acme.com', 'follows the @'],
  ['acme.com.', 'dot at the end'],
  ['acme。', 'dot at the end'],
  ['192.0.2.7', 'IP address'],
  ['2001:db8::7', 'IP address'],
  ['[2001:db8::7]', 'IP address'],
  ['127.1', 'IP address'],
  ['0x7f.1', 'IP address'],
  ['localhost', 'one word'],
  ['com', 'one word'],
  ['acme..com', 'no domain name'],
  ['-acme.com', 'no domain name'],
  ['a_b.acme.com', 'no domain name'],
  ['acme.123', 'no domain name'],
  ['acme;x.com', 'no domain name'],
  ['xn--a.example', 'no domain name'],
  ['%61cme.com', 'characters'],
  ['acme .com', 'characters'],
  ['ac\u200bme.com', 'characters'],
  ['ac\u0000me.com', 'characters'],
  [`${'a'.repeat(64)}.com`, 'no domain name'],
  [`${`${'a'.repeat(50)}.`.repeat(4)}${'b'.repeat(30)}.com`, 'longer'],
])('%j is refused: %s', async (text, reason) => {
  const { body, status } = await add((await makeOrganization()).key, text)
  expect([status, body.code, body.errors?.[0]?.field]).toEqual([400, 'invalid_request', 'domain'])
  expect(body.detail).toContain(reason)
})

test.each(['co.uk', 'github.io', '公司.cn', 'xn--55qx5d.cn', 'foo.ck', 'gmail.com', 'GMAIL.com', 'mail.gmail.com'])(
  '%s is everybody’s',
  async (text) => {
    const { body, status } = await add((await makeOrganization()).key, text)
    expect([status, body.code]).toEqual([422, 'domain_not_allowed'])
  },
)

test('a name in other scripts is kept in ASCII, and shown as written unless it looks like another', async () => {
  const { key } = await makeOrganization()
  const shown = async (text: string) => {
    const { domain, unicode } = await addOne(key, text)
    return [domain, unicode]
  }
  expect(await shown('Bücher.example')).toEqual(['xn--bcher-kva.example', 'bücher.example'])
  expect(await shown('例え.example')).toEqual(['xn--r8jz45g.example', '例え.example'])
  // One name has a Cyrillic а among Latin letters; the other has only Cyrillic letters that look like Latin ones.
  expect(await shown('аcme.example')).toEqual(['xn--cme-5cd.example', null])
  expect(await shown('аррӏе.example')).toEqual(['xn--80ak6aa92e.example', null])
  expect(await shown('почта.example')).toEqual(['xn--80a1acny.example', 'почта.example'])
})

test('one organization of an environment has a domain; others wait until it is free', async () => {
  const [first, second, third] = [await makeOrganization(), await makeOrganization(), await makeOrganization()]
  const name = freshDomain()
  const waiting = await addOne(second.key, name)
  const owned = await verifyOne(first.key, name)
  expect([(await add(third.key, name)).status, (await add(third.key, name)).body.code]).toEqual([409, 'domain_claimed'])
  dns.answers.set(waiting.verification.name, { texts: [owned.verification.value, waiting.verification.value] })
  const refused = await verify(second.key, waiting.id)
  expect([refused.status, refused.body.code]).toEqual([409, 'domain_claimed'])
  const staging = await makeOrganization('staging')
  expect((await add(staging.key, name)).status).toBe(200)

  const removal = { action: 'remove_domain', domainId: owned.id }
  expect((await first.key.post(PORTAL, removal)).status).toBe(200)
  expect((await verify(second.key, waiting.id)).body).toMatchObject({ success: true })
})

test('an archived organization keeps its domains, no other organization claims them, and it adds none until it is active', async () => {
  const [first, second] = [await makeOrganization(), await makeOrganization()]
  const name = freshDomain()
  const waiting = await addOne(second.key, name)
  const pending = await addOne(first.key)
  publish(pending)
  const owned = await verifyOne(first.key, name)
  const path = `/v1/organizations/${first.id}`
  const shown = async () => (await tenant.get(path)).body.subOrganization.domains
  dns.answers.set(waiting.verification.name, { texts: [owned.verification.value, waiting.verification.value] })

  expect((await tenant.delete(path)).status).toBe(200)
  expect(await shown()).toEqual([name])
  for (const reply of [await verify(second.key, waiting.id), await add((await makeOrganization()).key, name)])
    expect([reply.status, reply.body.code]).toEqual([409, 'domain_claimed'])
  for (const reply of [await add(first.key, freshDomain()), await verify(first.key, pending.id)])
    expect([reply.status, reply.body.code]).toEqual([409, 'organization_archived'])
  expect((await tenant.patch(path, { status: 'active' })).status).toBe(200)
  expect(await shown()).toEqual([name])
  expect((await verify(first.key, pending.id)).body.success).toBe(true)
  expect(await eventsOf(first.id)).toEqual(['domain.added', 'domain.added', 'domain.verified', 'domain.verified'])
})

test('of two organizations that prove a domain at once, by two processes, one has it', async () => {
  const other = await startSecondApp(app)
  for (let round = 0; round < 5; round++) {
    const [first, second] = [await makeOrganization(), await makeOrganization()]
    const name = freshDomain()
    const [mine, theirs] = [await addOne(first.key, name), await addOne(second.key, name)]
    dns.answers.set(mine.verification.name, { texts: [mine.verification.value, theirs.verification.value] })
    const replies = await Promise.all([
      verify(first.key, mine.id),
      verify(other.as(second.key.key), theirs.id),
      verify(other.as(first.key.key), mine.id),
      verify(second.key, theirs.id),
    ])
    const owners = replies.map(({ body }) => body.success ?? body.code)
    expect([owners.filter((one) => one === true).length, new Set(owners)]).toEqual([
      2,
      new Set([true, 'domain_claimed']),
    ])
    const verified = [...(await eventsOf(first.id)), ...(await eventsOf(second.id))]
    expect(verified.filter((type) => type === 'domain.verified')).toHaveLength(1)
  }
})

test('a domain that is proved while its organization is archived is either verified or free', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, key } = await makeOrganization()
    const added = await addOne(key)
    publish(added)
    const [verified] = await Promise.all([verify(key, added.id), tenant.delete(`/v1/organizations/${id}`)])
    expect([true, 'organization_archived']).toContain(verified.body.success ?? verified.body.code)
    const isVerified = verified.status === 200
    const { domains } = (await tenant.get(`/v1/organizations/${id}`)).body.subOrganization
    expect(domains).toEqual(isVerified ? [added.domain] : [])
    expect((await add((await makeOrganization()).key, added.domain)).status).toBe(isVerified ? 409 : 200)
  }
})

test('an organization has twenty domains at most, also if they are added at once', async () => {
  const { key } = await makeOrganization()
  const replies = await Promise.all(Array.from({ length: 24 }, () => add(key, freshDomain())))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
  const [refused] = replies.filter(({ status }) => status !== 200)
  expect([refused?.status, refused?.body.code]).toEqual([409, 'domain_limit_reached'])
})

test('an organization has its domains checked sixty times an hour at most', async () => {
  const { key } = await makeOrganization()
  const { id, verification } = await addOne(key)
  for (let i = 0; i < 60; i++) await verify(key, id)
  const asked = dns.asked.udp.filter((name) => name === verification.name).length
  const refused = await verify(key, id)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(dns.asked.udp.filter((name) => name === verification.name)).toHaveLength(asked)
  expect((await verify((await makeOrganization()).key, id)).body.code).toBe('domain_not_found')
})

test('a request that is sent again does nothing twice', async () => {
  const { id, key } = await makeOrganization()
  const body = { action: 'add_domain', domain: freshDomain() }
  const headers = { 'idempotency-key': fresh() }
  const [first, again] = [await key.post(PORTAL, body, headers), await key.post(PORTAL, body, headers)]
  expect(again.text).toBe(first.text)
  expect(await eventsOf(id)).toEqual(['domain.added'])
})

test('each operation answers and records what its action does', async () => {
  const DOMAINS = `${PORTAL}/domains`
  const operations = {
    add: (key: Caller, domain: string) => key.post(DOMAINS, { domain }),
    verify: (key: Caller, id: string) => key.post(`${DOMAINS}/${id}/verify`, {}),
    remove: (key: Caller, id: string) => key.delete(`${DOMAINS}/${id}`),
  }
  const seen = []
  for (const way of [{ add, verify, remove }, operations]) {
    const { id, key } = await makeOrganization()
    const name = freshDomain()
    const { domain } = (await way.add(key, name)).body
    const replies = [await way.add(key, name), await way.verify(key, domain.id)]
    publish(domain)
    replies.push(await way.verify(key, domain.id))
    expect((await key.get(DOMAINS)).body).toEqual({ domains: [replies.at(-1)?.body.domain] })
    replies.push(await way.remove(key, domain.id), await way.remove(key, domain.id), await way.verify(key, domain.id))
    replies.push(await way.add(key, 'gmail.com'), await way.add(key, 'not a domain'))
    expect((await key.get(DOMAINS)).body).toEqual({ domains: [] })
    const shown = replies.map(({ status, body: { success, error, domain: after, code } }) => [
      status,
      // Adding a domain can only succeed, so its response has no `success`.
      after && success === undefined ? true : success,
      error ?? null,
      after?.status ?? null,
      code ?? null,
    ])
    seen.push([shown, await eventsOf(id)])
  }
  const [byAction, byOperation] = seen
  expect(byOperation).toEqual(byAction)
  expect(byAction?.[0]?.map(([status]) => status)).toEqual([200, 200, 200, 200, 404, 404, 422, 400])
})

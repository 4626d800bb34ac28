import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startApp, type Tenant } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { newHolder, register, signInBy, signInOptions } from '../../../../test/people/passkeys.ts'

const app = await startApp()
const tenant = await app.tenant()
const PATH = '/v1/auth/passkey/settings'

const change = (subOrgId: string, patch: object, by: Tenant = tenant) => by.patch(PATH, { subOrgId, ...patch })

/** The related origins that a browser gets from a host. */
async function wellKnown(host: string): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const call = request(`${app.baseUrl}/.well-known/webauthn`, { headers: { host } }, async (response) => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    resolve(Buffer.concat(chunks).toString())
  })
  call.on('error', reject)
  call.end()
  return JSON.parse(await promise).origins
}

test('without settings passkeys are of the host of the service', async () => {
  const subOrgId = await tenant.organization()
  const reply = await tenant.get(`${PATH}?subOrgId=${subOrgId}&effective=true`)
  expect(reply.body).toEqual({
    settings: {
      rp_id: null,
      rp_name: null,
      origins: [],
      related_origins: [],
      user_verification: 'required',
      require_recent_sign_in_seconds: 0,
      start_limit_per_minute_network: 300,
    },
    relying_party: { id: 'localhost', name: 'Watchword', origins: ['https://localhost'] },
    sources: Object.fromEntries(Object.keys(reply.body.settings).map((name) => [name, 'default'])),
  })
})

test('each organization may have a relying party of its own, whose pages alone are taken', async () => {
  const subOrgId = await tenant.organization()
  const settings = { rp_id: 'acme.example', rp_name: 'Acme', origins: ['https://login.acme.example'] }
  const changed = await change(subOrgId, { ...settings, related_origins: ['https://acme.test'] })
  expect(changed.body.relying_party).toEqual({
    id: 'acme.example',
    name: 'Acme',
    origins: ['https://login.acme.example', 'https://acme.test'],
  })
  const holder = await newHolder(tenant, subOrgId, { origin: 'https://login.acme.example' })
  expect((await signInBy(tenant, holder, { origin: 'https://login.acme.example' })).status).toBe(200)
  expect((await signInBy(tenant, holder, { origin: 'https://acme.test' })).status).toBe(200)
  for (const origin of ['https://acme.example', 'http://localhost:3000', 'https://login.acme.example:8443'])
    expect((await signInBy(tenant, holder, { origin })).body.code).toBe('passkey_invalid')
  // With an empty list, the default applies again: the relying party's own page.
  await change(subOrgId, { origins: null })
  expect((await signInBy(tenant, holder, { origin: 'https://acme.example' })).status).toBe(200)
})

test('a passkey works for the relying party alone that it was made for', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  await change(subOrgId, { rp_id: 'acme.example' })
  const origin = 'https://acme.example'
  const { options } = await signInOptions(tenant, subOrgId, holder.email)
  expect(options.allowCredentials.map(({ id }: { id: string }) => id)).not.toContain(holder.passkey.id)
  expect((await signInBy(tenant, holder, { origin })).body.code).toBe('passkey_invalid')
  expect((await signInBy(tenant, holder, { origin, email: '' })).body.code).toBe('passkey_invalid')
  const second = newPasskey()
  expect((await register(tenant, holder, second, { origin })).body.credential.rpId).toBe('acme.example')
  expect((await signInBy(tenant, { ...holder, passkey: second }, { origin })).status).toBe(200)
})

test('what could never be used is refused', async () => {
  const subOrgId = await tenant.organization()
  const wrong: [object, string][] = [
    [{ rp_id: 'https://acme.example' }, 'rp_id'],
    [{ rp_id: 'Acme.example' }, 'rp_id'],
    [{ rp_id: '192.0.2.1' }, 'rp_id'],
    [{ rp_id: 'example' }, 'rp_id'],
    [{ rp_id: 'acme.example', origins: ['https://other.example'] }, 'origins.0'],
    [{ rp_id: 'acme.example', origins: ['https://evilacme.example'] }, 'origins.0'],
    [{ rp_id: 'acme.example', origins: ['https://acme.example', 'http://acme.example'] }, 'origins.1'],
    [{ rp_id: 'acme.example', origins: ['https://acme.example/'] }, 'origins.0'],
    [{ rp_id: 'acme.example', origins: ['https://*.acme.example'] }, 'origins.0'],
    [{ related_origins: ['http://acme.example'] }, 'related_origins.0'],
    [{ related_origins: ['null'] }, 'related_origins.0'],
  ]
  for (const [patch, field] of wrong) {
    const reply = await change(subOrgId, patch)
    expect([patch, reply.status, reply.body.errors?.[0].field]).toEqual([patch, 400, field])
  }
  expect((await tenant.get(`${PATH}?subOrgId=${subOrgId}`)).body.relying_party.id).toBe('localhost')
})

test('a relying party’s host lists its related origins, which its organizations inherit', async () => {
  const account = await app.tenant()
  const [own, heir] = [await account.organization(), await account.organization()]
  const defaults = { rp_id: 'brand.example', related_origins: ['https://brand.test'] }
  await account.patch(`${PATH}/defaults`, defaults)
  expect(await wellKnown('brand.example')).toEqual(['https://brand.test'])
  await change(heir, { related_origins: ['https://heir.test'] }, account)
  await change(own, { rp_id: 'own.example', related_origins: ['https://own.test'] }, account)
  expect(await wellKnown('Brand.Example:443')).toEqual(['https://brand.test', 'https://heir.test'])
  expect(await wellKnown('own.example')).toEqual(['https://own.test'])
  expect(await wellKnown('nobody.example')).toEqual([])
})

test('a host belongs to the account that names it first, and that of the service to its operator', async () => {
  const [one, two] = [await app.tenant(), await app.tenant()]
  const related_origins = ['https://evil.example']
  await change(await one.organization(), { rp_id: 'claimed.example', related_origins: ['https://ours.test'] }, one)
  const [late, early] = [await two.organization(), await two.organization()]
  await change(early, { rp_id: 'other.example', related_origins }, two)
  for (const subOrgId of [late, early]) await change(subOrgId, { rp_id: 'claimed.example', related_origins }, two)
  await two.patch(`${PATH}/defaults`, { rp_id: 'claimed.example', related_origins })
  expect(await wellKnown('claimed.example')).toEqual(['https://ours.test'])
  await change(await two.organization(), { rp_id: null, related_origins }, two)
  await change(await two.organization(), { rp_id: 'localhost', related_origins }, two)
  expect(await wellKnown('localhost')).toEqual([])
  // The first account of a deployment belongs to its operator.
  await change(await tenant.organization(), { related_origins: ['https://operator.test'] })
  expect(await wellKnown('localhost:4000')).toEqual(['https://operator.test'])
})

test('whoever gives a host up makes room for the next', async () => {
  const [one, two] = [await app.tenant(), await app.tenant()]
  const [first, second] = [await one.organization(), await two.organization()]
  await change(first, { rp_id: 'given.example', related_origins: ['https://one.test'] }, one)
  await change(second, { rp_id: 'given.example', related_origins: ['https://two.test'] }, two)
  await change(first, { rp_id: null }, one)
  expect(await wellKnown('given.example')).toEqual(['https://two.test'])
  // The account now comes after others that named the host meanwhile, although its settings are older.
  await change(first, { rp_id: 'given.example' }, one)
  expect(await wellKnown('given.example')).toEqual(['https://two.test'])
})

test('one organization of an account neither fills nor empties the list of another', async () => {
  const account = await app.tenant()
  const [owner, guest] = [await account.organization(), await account.organization()]
  const own = ['https://zeta.test', 'https://beta.test']
  await change(owner, { rp_id: 'shop.example', related_origins: own }, account)
  const key = await account.withKey({ subOrgId: guest })
  const many = Array.from({ length: 20 }, (_, i) => `https://aaa${i}.test`)
  expect((await key.patch(PATH, { rp_id: 'shop.example', related_origins: many })).status).toBe(200)
  expect(await wellKnown('shop.example')).toEqual(own)
  expect((await key.patch(PATH, { rp_id: null })).status).toBe(200)
  expect(await wellKnown('shop.example')).toEqual(own)
})

test('organizations that share the host of their account take turns behind it', async () => {
  const account = await app.tenant()
  const [greedy, modest] = [await account.organization(), await account.organization()]
  const many = Array.from({ length: 20 }, (_, i) => `https://aaa${i}.test`)
  await change(greedy, { related_origins: many }, account)
  await change(modest, { rp_id: 'shared.example', related_origins: ['https://modest.test'] }, account)
  const defaults = { rp_id: 'shared.example', related_origins: ['https://zeta.test', 'https://eta.test'] }
  await account.patch(`${PATH}/defaults`, defaults)
  const [first, second, ...rest] = many.slice(0, 5)
  expect(await wellKnown('shared.example')).toEqual([
    'https://zeta.test',
    'https://eta.test',
    first,
    'https://modest.test',
    second,
    ...rest,
  ])
})

test.each([
  ['http://localhost', true],
  ['http://localhost:4000', true],
  ['https://localhost', false],
  ['http://auth.acme.example', false],
  ['http://localhost.acme.example', false],
  ['https://auth.acme.example/localhost', false],
])('in production at %s, pages of http://localhost are taken: %s', async (baseUrl, isTaken) => {
  const production = await startApp({ env: { NODE_ENV: 'production', WATCHWORD_BASE_URL: baseUrl } })
  const owner = await production.tenant()
  const subOrgId = await owner.organization()
  await change(subOrgId, { rp_id: 'localhost' }, owner)
  const holder = await newHolder(owner, subOrgId, { origin: 'https://localhost' })
  for (const origin of ['http://localhost', 'http://localhost:3000']) {
    const reply = await signInBy(owner, holder, { origin })
    expect([origin, reply.status, reply.body.code]).toEqual([
      origin,
      ...(isTaken ? [200, undefined] : [401, 'passkey_invalid']),
    ])
    expect((await change(subOrgId, { origins: [origin] }, owner)).status).toBe(isTaken ? 200 : 400)
    await change(subOrgId, { origins: null }, owner)
  }
  for (const origin of ['http://localhost.acme.example', 'http://127.0.0.1:4000', 'http://app.localhost'])
    expect((await signInBy(owner, holder, { origin })).body.code).toBe('passkey_invalid')
})

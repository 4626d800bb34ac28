import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail, newUser } from '../people/people.ts'
import { provisioned } from '../people/scim.ts'
import { ownWorld, signedIn } from './own-world.ts'

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization()

const refusal = { status: 400, body: { code: 'invalid_request', errors: [{ field: 'locale', code: 'format' }] } }
const environments = async () => (await tenant.get('/v1/environments')).body.environments

test('users have a locale, in canonical form, null by default', async () => {
  const user = await newUser(tenant, { subOrgId })
  const path = `/v1/users/${user.id}`
  const read = async () => (await tenant.get(path)).body.user.locale
  expect(await read()).toBe(null)
  for (const [given, stored] of [
    ['de-at', 'de-AT'],
    ['PT_br', null],
    ['ja', 'ja'],
    ['', null],
    ['zh-hant-hk', 'zh-Hant-HK'],
    [null, null],
  ]) {
    const before = await read()
    const reply = await tenant.patch(path, { subOrgId, locale: given })
    if (given === 'PT_br') expect([reply, await read()]).toMatchObject([refusal, before])
    else expect([reply.status, reply.body.user.locale, await read()]).toEqual([200, stored, stored])
  }
  expect((await app.events({ accountId: tenant.accountId, type: 'user.updated' })).at(-1)).toMatchObject({
    target_id: user.id,
    data: { locale: null },
    previous: { locale: 'zh-Hant-HK' },
  })
})

test('a locale that is none is refused by its name, wherever it may be set', async () => {
  const [production] = await environments()
  const user = await newUser(tenant, { subOrgId })
  for (const locale of ['german!', 'de_DE', 'd', 'x-klingon', 'en\u0000', 'de-1996-1996', `en-${'a'.repeat(70)}`]) {
    const replies = [
      await tenant.post('/v1/users', { subOrgId, email: newEmail(), locale }),
      await tenant.patch(`/v1/users/${user.id}`, { subOrgId, locale }),
      await tenant.post('/v1/organizations', { name: 'X', slug: 'x', locale }),
      await tenant.patch(`/v1/organizations/${subOrgId}`, { locale }),
      await tenant.post('/v1/environments', { subOrgId, name: 'X', slug: 'x', locale }),
      await tenant.patch(`/v1/environments/${production.id}`, { locale }),
    ]
    for (const reply of replies)
      expect([locale, reply.status, reply.body.errors?.[0]?.field]).toEqual([locale, 400, 'locale'])
  }
  const { created, failed } = succeeded(
    await tenant.put('/v1/users', {
      subOrgId,
      users: [
        { email: newEmail(), locale: 'es-mx' },
        { email: 'bad@example.com', locale: 'es_MX' },
      ],
    }),
  )
  expect(created).toMatchObject([{ locale: 'es-MX' }])
  expect(failed).toEqual([{ email: 'bad@example.com', error: 'invalid_field:locale' }])
})

test('organizations and environments have one', async () => {
  const made = succeeded(await tenant.post('/v1/organizations', { name: 'Acme', slug: 'acme', locale: 'FR' }))
  expect(made.subOrganization.locale).toBe('fr')
  const path = `/v1/organizations/${made.subOrganization.id}`
  expect(succeeded(await tenant.patch(path, { name: 'A' })).subOrganization.locale).toBe('fr')
  expect(succeeded(await tenant.patch(path, { locale: null })).subOrganization.locale).toBe(null)
  const custom = { subOrgId, name: 'Preview', slug: 'preview', locale: 'pt-br' }
  const { environment } = succeeded(await tenant.post('/v1/environments', custom))
  expect(environment.locale).toBe('pt-BR')
  const one = `/v1/environments/${environment.id}`
  expect(succeeded(await tenant.patch(one, { name: 'P' })).environment.locale).toBe('pt-BR')
  expect(succeeded(await tenant.patch(one, { locale: 'ja' })).environment).toMatchObject({ name: 'P', locale: 'ja' })
  expect(succeeded(await tenant.patch(one, { locale: null })).environment.locale).toBe(null)
  expect((await environments()).at(-1)).toMatchObject({ id: environment.id, locale: null })
})

test('people set their own, also where provisioning has made them, and applications read it', async () => {
  const person = await signedIn(await ownWorld(app, tenant))
  const claims = async () => (await person.me.get('/v1/auth/userinfo')).body
  expect(await claims()).not.toHaveProperty('locale')
  expect(succeeded(await person.me.patch('/v1/me', { locale: 'de-ch' })).user.locale).toBe('de-CH')
  expect(await claims()).toMatchObject({ sub: person.session.user_id, locale: 'de-CH' })
  expect(await person.me.patch('/v1/me', { locale: 'Deutsch (CH)' })).toMatchObject(refusal)
  expect(succeeded(await person.me.get('/v1/me')).user.locale).toBe('de-CH')
})

test('provisioning says the locale, and goes on saying it over no choice since', async () => {
  const client = await provisioned(app, tenant)
  const localeOf = async (id: string) => (await tenant.get(`/v1/users/${id}`)).body.user.locale
  const email = newEmail()
  const said = { userName: email, preferredLanguage: 'fr-ca, en;q=0.8', locale: 'en_US' }
  const { id } = (await client.call('POST', '/Users', said)).body
  expect(await localeOf(id)).toBe('fr-CA')
  expect((await tenant.patch(`/v1/users/${id}`, { subOrgId: client.subOrgId, locale: 'es' })).status).toBe(200)
  const same = await client.call('PUT', `/Users/${id}`, { ...said, title: 'Dr' })
  expect([same.status, same.body.preferredLanguage, await localeOf(id)]).toEqual([200, said.preferredLanguage, 'es'])
  await client.call('PUT', `/Users/${id}`, { ...said, preferredLanguage: 'tlh klingon' })
  expect(await localeOf(id)).toBe('en-US')
  const Operations = [{ op: 'remove', path: 'locale' }]
  expect((await client.call('PATCH', `/Users/${id}`, { Operations })).status).toBe(200)
  expect(await localeOf(id)).toBe(null)
})

import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { defineSettingsPart, joinSettings } from '../../src/platform/settings/settings.ts'
import { directoryOfOrganization } from '../../src/platform/tenancy/directory.ts'
import { authSettingsFamily, parts } from '../../src/wiring/auth-settings.ts'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
import { snapshot } from '../snapshot.ts'
import { nameOf, sampleOf, sendSample } from '../walkers/samples.ts'
import { makeWorld } from '../walkers/world.ts'
import { readSources } from './source.ts'

const SETTINGS = '/v1/auth/settings'
const service = await startApp()
const { platform } = service.app
const tenant = await service.tenant()

async function setUp() {
  const subOrgId = await tenant.organization()
  const { accountId, environmentId } = tenant
  const environment = { accountId, environmentId, environmentSlug: 'production' }
  // The first change of anything makes the directory.
  await tenant.patch(SETTINGS, { subOrgId, invite_ttl_seconds: 3600 })
  const directory = await directoryOfOrganization(platform, environment, subOrgId)
  return { subOrgId, work: { platform, directory } }
}

test('the settings of every noun are in the table of contents', () => {
  const defining = readSources('src/features').flatMap(({ path, text }) =>
    [...text.matchAll(/defineSettingsPart\(\s*'auth_settings'/g)].map(() => path),
  )
  expect(defining.length).toBeGreaterThan(8)
  expect(parts.length).toBe(defining.length)
})

test('each noun reads its own part of what is set as a whole', async () => {
  const { subOrgId, work } = await setUp()
  const changes = {
    impersonation_enabled: true,
    allow_sign_up: false,
    open_signup_default: true,
    password_min_length: 12,
    lockout_max_attempts: 7,
    magic_link_ttl_seconds: 120,
    allowed_redirect_uris: ['https://app.acme.example/auth'],
    sms_sign_in_enabled: true,
    email_verification_ttl_seconds: 600,
    invite_ttl_seconds: 7200,
    session_idle_timeout_seconds: 3600,
    refresh_reuse_interval_seconds: 5,
    audience: 'https://api.acme.example',
    trusted_device_days: 30,
    scim_requests_per_second: 50,
    notify_new_device: false,
    sso_exempt_user_ids: ['0198b6f2-81d0-7b55-8c0e-2f64a9d7b310'],
  }
  // Each has read before the change, which therefore has to reach all.
  for (const part of parts) await part.effective(work)
  const ofDefaults = { discovery_create_limit_per_day: 5 }
  await tenant.patch(`${SETTINGS}/defaults`, ofDefaults)
  const { body } = await tenant.patch(SETTINGS, { subOrgId, ...changes })
  expect(body.settings).toMatchObject({ ...changes, ...ofDefaults })
  const read = await Promise.all(parts.map((part) => part.effective(work)))
  expect(Object.assign({}, ...read)).toEqual(body.settings)
  for (const [at, part] of parts.entries()) {
    const names = Object.keys(part.schema.properties)
    expect(Object.keys(read[at] ?? {}).sort()).toEqual(names.sort())
    expect(
      names.some((name) => name in { ...changes, ...ofDefaults }),
      names.join(),
    ).toBe(true)
  }
})

test.each([
  [{ allowed_origins: ['https://app.example.com', 'https://*.example.com'] }, 'allowed_origins.1', 'origin'],
  [{ allowed_redirect_uris: ['https://app.example.com/#here'] }, 'allowed_redirect_uris.0', 'redirect_uri'],
  [{ default_redirect_uri: 'http://app.example.com/' }, 'default_redirect_uri', 'redirect_uri'],
  [{ password_min_length: 100, password_max_length: 99 }, 'password_min_length', 'range'],
])('the noun that owns a setting refuses %j, and nothing of the change is kept', async (patch, field, code) => {
  const { subOrgId } = await setUp()
  const { body: before } = await tenant.get(`${SETTINGS}?subOrgId=${subOrgId}`)
  const refused = await tenant.patch(SETTINGS, { subOrgId, trusted_device_days: 3, ...patch })
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
  expect(refused.body.errors).toMatchObject([{ field, code }])
  expect((await tenant.get(`${SETTINGS}?subOrgId=${subOrgId}`)).body).toEqual(before)
})

test('a limit is compared with what is in force, too', async () => {
  const { subOrgId } = await setUp()
  expect((await tenant.patch(SETTINGS, { subOrgId, password_max_length: 64 })).status).toBe(200)
  const refused = await tenant.patch(SETTINGS, { subOrgId, password_min_length: 65 })
  expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([400, 'password_min_length'])
  expect((await tenant.patch(SETTINGS, { subOrgId, password_min_length: 64 })).status).toBe(200)
})

test('no setting has two owners, nor a family parts of another', () => {
  const again = defineSettingsPart('auth_settings', Type.Object({ allow_sign_up: Type.Boolean() }), {
    allow_sign_up: true,
  })
  const foreign = defineSettingsPart('otp_settings', Type.Object({ colour: Type.String() }), { colour: 'red' })
  expect(() => joinSettings(authSettingsFamily, again)).toThrow('allow_sign_up')
  expect(() => joinSettings(authSettingsFamily, foreign)).toThrow('auth_settings')
})

const defaults = routes.filter(({ method, path }) => method !== 'GET' && path.endsWith('/defaults'))

test.each(defaults.map((route) => [nameOf(route), route] as const))(
  '%s: what all organizations inherit, no key of one of them sets',
  async (_, route) => {
    const owner = await service.tenant()
    const { orgWide, scoped, ids } = await makeWorld(service, owner)
    const sample = sampleOf(route, { ...(await makeWorld(service, owner)), orgWide, scoped })
    const before = await snapshot(service)
    const inOrganization = { ...sample, query: { ...sample.query, subOrgId: ids.organization } }
    for (const [caller, request] of [
      [scoped, sample],
      [scoped, inOrganization],
      [orgWide, inOrganization],
    ] as const) {
      const reply = await sendSample(caller, route, request)
      expect([reply.status, reply.body.code], reply.text).toEqual([403, 'sub_org_mismatch'])
    }
    expect(await snapshot(service)).toEqual(before)
    expect((await sendSample(orgWide, route, sample)).status).toBe(200)
    expect(defaults.length).toBeGreaterThan(5)
  },
)

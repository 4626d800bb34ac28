import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'

// Uses the OTP settings as an example of all families, and the mail settings as an example of a family with a group.

const service = await startApp()
const { db } = service.app.platform
const [OTP, MAIL] = ['/v1/otp/settings', '/v1/mail/settings']

/** An account with one organization, and functions to call its settings and its inherited defaults. */
async function setUp() {
  const tenant = await service.tenant()
  const subOrgId = await tenant.organization()
  const own = await tenant.withKey({ subOrgId })
  const read = async (path = OTP) => {
    const { settings, sources } = (await own.get(`${path}?effective=true`)).body
    return { settings, sources }
  }
  const patch = async (body: object, path = OTP) => succeed(await own.patch(path, body))
  const patchDefaults = async (body: object, path = OTP) => succeed(await tenant.patch(`${path}/defaults`, body))
  const events = async (type = 'otp.settings.updated') =>
    (await service.events({ accountId: tenant.accountId, type })).map(({ data, previous }) => ({ data, previous }))
  return { tenant, subOrgId, read, patch, patchDefaults, events }
}

function succeed({ status, body, text }: { status: number; body: { settings: object }; text: string }) {
  expect(status, text).toBe(200)
  return body.settings
}

test('a directory inherits from the account, and that from the defaults', async () => {
  const { tenant, read, patch, patchDefaults } = await setUp()
  const before = await read()
  expect(before.settings).toMatchObject({ ttl_seconds: 300, max_attempts: 5, mode: 'phrase' })
  expect(new Set(Object.values(before.sources))).toEqual(new Set(['default']))

  await patchDefaults({ ttl_seconds: 60, max_attempts: 3 })
  expect(await patch({ max_attempts: 4 })).toMatchObject({ ttl_seconds: 60, max_attempts: 4, mode: 'phrase' })
  expect(await read()).toMatchObject({
    settings: { ttl_seconds: 60, max_attempts: 4, mode: 'phrase' },
    sources: { ttl_seconds: 'account', max_attempts: 'directory', mode: 'default' },
  })
  const defaults = (await tenant.get(`${OTP}?effective=true`)).body
  expect(defaults).toMatchObject({
    settings: { ttl_seconds: 60, max_attempts: 3 },
    sources: { ttl_seconds: 'account', max_attempts: 'account', mode: 'default' },
  })

  // A value that was set stays when the inherited value changes, even if both were equal before.
  await patch({ ttl_seconds: 60 })
  await patchDefaults({ ttl_seconds: 90 })
  expect(await read()).toMatchObject({ settings: { ttl_seconds: 60 }, sources: { ttl_seconds: 'directory' } })
})

test('null resets to what is inherited, layer by layer', async () => {
  const { read, patch, patchDefaults, events } = await setUp()
  await patchDefaults({ max_attempts: 3 })
  await patch({ max_attempts: 4 })
  expect(await patch({ max_attempts: null })).toMatchObject({ max_attempts: 3 })
  expect(await read()).toMatchObject({ sources: { max_attempts: 'account' } })
  await patchDefaults({ max_attempts: null })
  expect(await read()).toMatchObject({ settings: { max_attempts: 5 }, sources: { max_attempts: 'default' } })
  expect(await events()).toEqual([
    { data: { max_attempts: 3 }, previous: { max_attempts: 5 } },
    { data: { max_attempts: 4 }, previous: { max_attempts: 3 } },
    { data: { max_attempts: null }, previous: { max_attempts: 4 } },
    { data: { max_attempts: null }, previous: { max_attempts: 3 } },
  ])
})

test('a group is changed, inherited and reset field by field', async () => {
  const { read, patch, patchDefaults } = await setUp()
  await patchDefaults({ subjects: { login_otp: 'Account', invite: 'Account' } }, MAIL)
  await patch({ brand_name: 'Acme', subjects: { login_otp: 'Own' } }, MAIL)
  expect(await patch({ subjects: { magic_link: 'Own' } }, MAIL)).toMatchObject({
    brand_name: 'Acme',
    subjects: { login_otp: 'Own', invite: 'Account', magic_link: 'Own' },
  })
  await patch({ subjects: { login_otp: null } }, MAIL)
  expect((await read(MAIL)).settings).toMatchObject({
    subjects: { login_otp: 'Account', invite: 'Account', magic_link: 'Own' },
  })
  await patch({ subjects: null }, MAIL)
  expect(await read(MAIL)).toMatchObject({
    settings: { brand_name: 'Acme', subjects: { login_otp: 'Account', magic_link: null } },
    sources: { brand_name: 'directory', subjects: 'account' },
  })
})

test('a list is replaced as a whole', async () => {
  const { patch } = await setUp()
  await patch({ sms_allowed_countries: ['US', 'DE'] })
  expect(await patch({ sms_allowed_countries: ['FR'] })).toMatchObject({ sms_allowed_countries: ['FR'] })
})

test('what an earlier release stored and this one does not accept is inherited, the rest stays', async () => {
  const { subOrgId, read, patch, patchDefaults } = await setUp()
  await patchDefaults({ max_attempts: 3 })
  const stored = { max_attempts: 99, mode: 'smoke', ttl_seconds: 60, carrier: 'pigeon' }
  // The first change creates the directory.
  await patch({ brand_name: 'Acme' }, MAIL)
  await sql`insert into otp_settings (directory_id, settings)
    select id, ${JSON.stringify(stored)}::jsonb from directories where organization_id = ${subOrgId}`.execute(db)
  const { settings } = await read()
  expect(settings).toMatchObject({ max_attempts: 3, mode: 'phrase', ttl_seconds: 60 })
  expect(settings).not.toHaveProperty('carrier')
  expect(await patch({ max_attempts: 4 })).toMatchObject({ max_attempts: 4, mode: 'phrase', ttl_seconds: 60 })
})

test('of two first changes at once, one follows the other', async () => {
  for (let round = 0; round < 10; round++) {
    const { read, patch, events } = await setUp()
    const before = await read()
    await Promise.all([patch({ max_attempts: 3 }), patch({ max_attempts: 4 })])
    const [first, second] = await events()
    expect(first?.previous).toEqual({ max_attempts: before.settings.max_attempts })
    expect(second?.previous).toEqual(first?.data)
    expect((await read()).settings).toMatchObject(Object(second?.data))
  }
})

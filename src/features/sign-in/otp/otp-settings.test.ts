import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { systemOrigin } from '../../../platform/events/events.ts'
import { accountDirectory } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'
import { settingsFamily } from './settings.ts'

const { tenant, events, app } = await startApp()
const { platform } = app

const DEFAULTS = {
  mode: 'phrase',
  ttl_seconds: 300,
  channel_sms: false,
  channel_email: true,
  max_attempts: 5,
  resend_interval_seconds: 30,
  rate_limit_per_minute: 3,
  rate_limit_per_hour: 10,
  sms_allowed_countries: [],
  sms_daily_limit: 100,
  send_limit_per_hour_organization: 10_000,
  send_limit_per_hour_key: 50_000,
  send_limit_per_hour_network: 1000,
}

test('begin with the defaults', async () => {
  const owner = await tenant()
  const subOrgId = await owner.organization()
  for (const query of ['', `?subOrgId=${subOrgId}`])
    expect((await owner.get(`/v1/otp/settings${query}`)).body).toEqual({ settings: DEFAULTS })
  const { sources } = (await owner.get(`/v1/otp/settings?effective=true&subOrgId=${subOrgId}`)).body
  expect(sources).toEqual(Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, 'default'])))
})

test('a change is kept, recorded, and undone by null', async () => {
  const owner = await tenant()
  const subOrgId = await owner.organization()
  const changed = await owner.patch('/v1/otp/settings', { subOrgId, mode: 'digit', max_attempts: 3, ttl_seconds: 300 })
  expect(changed.body).toEqual({ settings: { ...DEFAULTS, mode: 'digit', max_attempts: 3 } })
  const undone = await owner.patch('/v1/otp/settings', { subOrgId, mode: null })
  expect(undone.body.settings).toEqual({ ...DEFAULTS, max_attempts: 3 })
  const recorded = await events({ accountId: owner.accountId, type: 'otp.settings.updated' })
  expect(recorded.map(({ data, previous }) => ({ data, previous }))).toEqual([
    { data: { mode: 'digit', max_attempts: 3, ttl_seconds: 300 }, previous: { mode: 'phrase', max_attempts: 5 } },
    { data: { mode: null }, previous: { mode: 'digit' } },
  ])
  expect(recorded.map((event) => event.organization_id)).toEqual([subOrgId, subOrgId])
})

test('a directory inherits what the account-level one sets, at once', async () => {
  const owner = await tenant()
  const subOrgId = await owner.organization()
  const settings = async () => (await owner.get(`/v1/otp/settings?effective=true&subOrgId=${subOrgId}`)).body
  await owner.patch('/v1/otp/settings', { subOrgId, ttl_seconds: 120 })
  const { accountId, environmentId } = owner
  const directory = await accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
  const work: Work = { platform, directory, origin: systemOrigin(), db: platform.db }
  const change = (patch: object) => settingsFamily.update(work, { ...patch })
  await change({ mode: 'both', ttl_seconds: 600 })
  expect(await settings()).toMatchObject({
    settings: { ...DEFAULTS, mode: 'both', ttl_seconds: 120 },
    sources: { mode: 'account', ttl_seconds: 'directory', max_attempts: 'default' },
  })
  await owner.patch('/v1/otp/settings', { subOrgId, ttl_seconds: null })
  expect((await settings()).settings.ttl_seconds).toBe(600)
  await change({ mode: null })
  expect((await settings()).settings).toEqual({ ...DEFAULTS, ttl_seconds: 600 })
})

test('stay within their organization and environment', async () => {
  const owner = await tenant()
  const [first, second] = [await owner.organization(), await owner.organization()]
  await owner.patch('/v1/otp/settings', { subOrgId: first, max_attempts: 1 })
  expect((await owner.get(`/v1/otp/settings?subOrgId=${second}`)).body.settings).toEqual(DEFAULTS)
  const staging = await owner.withKey({ environment: 'staging' })
  expect((await staging.get(`/v1/otp/settings?subOrgId=${first}`)).body.settings).toEqual(DEFAULTS)
  const foreign = await (await tenant()).patch('/v1/otp/settings', { subOrgId: first, max_attempts: 2 })
  expect([foreign.status, foreign.body.code]).toEqual([404, 'organization_not_found'])
})

test('refuse what is out of range or has no name', async () => {
  const owner = await tenant()
  const subOrgId = await owner.organization()
  const bodies = [
    { mode: 'words' },
    { ttl_seconds: 29 },
    { ttl_seconds: 3601 },
    { ttl_seconds: '300' },
    { max_attempts: 0 },
    { max_attempts: 11 },
    { resend_interval_seconds: 601 },
    { rate_limit_per_minute: 61 },
    { rate_limit_per_hour: 0 },
    { channel_email: 'yes' },
    { channels: [] },
  ]
  for (const body of bodies) {
    const reply = await owner.patch('/v1/otp/settings', { subOrgId, ...body })
    expect([body, reply.status, reply.body.code]).toEqual([body, 400, 'invalid_request'])
  }
  expect((await owner.patch('/v1/otp/settings', { max_attempts: 3 })).body.code).toBe('sub_org_required')
  expect(await events({ accountId: owner.accountId, type: 'otp.settings.updated' })).toEqual([])
})

test('need their scopes', async () => {
  const owner = await tenant()
  const subOrgId = await owner.organization()
  const reader = await owner.withKey({ scopes: ['otp.settings.read'] })
  const writer = await owner.withKey({ scopes: ['otp.settings.write'] })
  expect((await reader.get(`/v1/otp/settings?subOrgId=${subOrgId}`)).status).toBe(200)
  expect((await reader.patch('/v1/otp/settings', { subOrgId, mode: 'digit' })).body.code).toBe('insufficient_scope')
  expect((await writer.get(`/v1/otp/settings?subOrgId=${subOrgId}`)).body.code).toBe('insufficient_scope')
  expect((await writer.patch('/v1/otp/settings', { subOrgId, mode: 'digit' })).status).toBe(200)
})

test('govern the codes made from then on', async () => {
  const owner = await tenant()
  const subOrgId = await owner.organization()
  const make = async () => (await owner.post('/v1/otp/generate', { subOrgId })).body
  const check = async (made: { otp_id: string }, code: string) =>
    (await owner.post('/v1/otp/validate', { subOrgId, otp_id: made.otp_id, code })).body

  await owner.patch('/v1/otp/settings', { subOrgId, mode: 'digit', ttl_seconds: 3600, max_attempts: 1 })
  const digits = await make()
  expect([digits.code, 'digit_code' in digits]).toEqual([expect.stringMatching(/^[0-9]{6}$/), false])
  expect(Date.parse(digits.expires_at) - Date.now()).toBeGreaterThan(3_500_000)
  expect(await check(digits, `${digits.code.slice(0, 3)}-${digits.code.slice(3)}`)).toEqual({ valid: true })
  const single = await make()
  expect(await check(single, 'amber falcon')).toEqual({ valid: false, message: 'Invalid code' })
  expect(await check(single, single.code)).toEqual({ valid: false, message: 'Too many attempts' })

  await owner.patch('/v1/otp/settings', { subOrgId, mode: 'both' })
  const [one, two] = [await make(), await make()]
  expect([one.code, one.digit_code]).toEqual([
    expect.stringMatching(/^[a-z]+ [a-z]+$/),
    expect.stringMatching(/^[0-9]{6}$/),
  ])
  expect(await check(one, one.digit_code)).toEqual({ valid: true })
  expect(await check(one, one.code)).toEqual({ valid: false, message: 'Code has already been used' })
  expect(await check(two, two.code)).toEqual({ valid: true })
})

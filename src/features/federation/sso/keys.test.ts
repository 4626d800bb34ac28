import { webcrypto } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { untilWaiting } from '../../../../test/in-order.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const tenant = await app.tenant()
const second = await startSecondApp(app)
const KEYS = '/v1/sso/keys'

interface Key {
  use: string
  certificate: { status: string; fingerprint_sha256: string }
}

const shown = (keys: Key[]) => keys.map(({ use, certificate }) => `${use} ${certificate.status}`)
const printOf = (keys: Key[], status: string) =>
  keys.find(({ certificate }) => certificate.status === status)?.certificate.fingerprint_sha256

test('keys are changed in three steps, each published before it counts and after', async () => {
  expect((await tenant.get(KEYS)).body.keys).toEqual([])
  const subOrgId = await tenant.organization()
  await tenant.post('/v1/sso/connections', { subOrgId, name: 'Acme', protocol: 'saml' })
  const before: Key[] = (await tenant.get(KEYS)).body.keys
  expect(shown(before)).toEqual(['signing current', 'encryption current'])
  const change = async (action: string) => tenant.post(KEYS, { action })
  for (const action of ['activate', 'retire']) {
    const refused = await change(action)
    expect([refused.status, refused.body.code]).toEqual([409, 'sp_keys_conflict'])
  }
  const prepared: Key[] = (await change('prepare')).body.keys
  expect(shown(prepared)).toEqual(['signing current', 'signing next', 'encryption current', 'encryption next'])
  expect(printOf(prepared, 'current')).toBe(printOf(before, 'current'))
  // Shared process: counts the created keys, and restores the function afterwards.
  const generated = vi.spyOn(webcrypto.subtle, 'generateKey')
  expect((await change('prepare')).status).toBe(409)
  expect(generated).not.toHaveBeenCalled()
  generated.mockRestore()
  const active: Key[] = (await change('activate')).body.keys
  expect(shown(active)).toEqual(['signing current', 'signing former', 'encryption current', 'encryption former'])
  expect([printOf(active, 'current'), printOf(active, 'former')]).toEqual([
    printOf(prepared, 'next'),
    printOf(prepared, 'current'),
  ])
  const retired: Key[] = (await change('retire')).body.keys
  expect(shown(retired)).toEqual(['signing current', 'encryption current'])
  expect(printOf(retired, 'current')).toBe(printOf(active, 'current'))
})

test('a key of one organization sees them, and changes none', async () => {
  const key = await tenant.withKey({ subOrgId: await tenant.organization() })
  expect((await key.get(KEYS)).body).toEqual((await tenant.get(KEYS)).body)
  expect((await key.post(KEYS, { action: 'prepare' })).body.code).toBe('sub_org_mismatch')
})

test('each environment has keys of its own, which a key of another one does not touch', async () => {
  const other = await app.tenant()
  const staging = await other.withKey({ environment: 'staging' })
  const subOrgId = await other.organization()
  for (const caller of [other, staging])
    expect((await caller.post('/v1/sso/connections', { subOrgId, name: 'Acme', protocol: 'saml' })).status).toBe(200)
  const [before, theirs]: Key[][] = [(await other.get(KEYS)).body.keys, (await staging.get(KEYS)).body.keys]
  expect(printOf(before ?? [], 'current')).not.toBe(printOf(theirs ?? [], 'current'))
  expect((await staging.post(KEYS, { action: 'prepare' })).status).toBe(200)
  expect((await other.get(KEYS)).body.keys).toEqual(before)
})

test.each([
  ['prepare', [], ['signing current', 'signing next', 'encryption current', 'encryption next']],
  ['activate', ['prepare'], ['signing current', 'signing former', 'encryption current', 'encryption former']],
  ['retire', ['prepare', 'activate'], ['signing current', 'encryption current']],
])('a step that two processes take at once is taken once: %s', async (action, before, left) => {
  const other = await app.tenant()
  const subOrgId = await other.organization()
  await other.post('/v1/sso/connections', { subOrgId, name: 'Acme', protocol: 'saml' })
  for (const step of before) await other.post(KEYS, { action: step })
  const { platform } = app.app
  const { answers } = await platform.tx(async (tx) => {
    await tx.selectFrom('sp_keys').select('id').where('environment_id', '=', other.environmentId).forUpdate().execute()
    const answers = [other, second.as(other.key)].map((caller) => caller.post(KEYS, { action }))
    await untilWaiting(platform, 2)
    return { answers }
  })
  const codes = (await Promise.all(answers)).map(({ status, body }) => `${status} ${body.code ?? ''}`)
  expect(codes.sort()).toEqual(['200 ', '409 sp_keys_conflict'])
  expect(shown((await other.get(KEYS)).body.keys)).toEqual(left)
  const events = await app.events({ accountId: other.accountId, type: 'sso.keys.changed' })
  expect(events.map(({ data }) => data)).toEqual([...before, action].map((step) => ({ action: step })))
})

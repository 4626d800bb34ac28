import { webcrypto } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { startApp } from '../../../test/harness.ts'

const app = await startApp()
const tenant = await app.tenant()
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

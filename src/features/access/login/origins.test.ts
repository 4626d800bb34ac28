import { expect, test } from 'vitest'
import { PRODUCTION, startApp } from '../../../../test/harness.ts'
import { directoryOfOrganization } from '../../../platform/tenancy/directory.ts'
import { isOriginAllowed } from './origins.ts'

const app = await startApp()
const tenant = await app.tenant()

async function allows(subOrgId: string, origin: string): Promise<boolean> {
  const { platform } = app.app
  const { accountId, environmentId } = tenant
  const environment = { accountId, environmentId, environmentSlug: 'production' }
  const directory = await directoryOfOrganization(platform, environment, subOrgId)
  return isOriginAllowed({ platform, directory }, origin)
}

test('pages of the origins that a directory names may call, compared exactly, and no others', async () => {
  const subOrgId = await tenant.organization()
  const other = await tenant.organization()
  const { body } = await tenant.get(`/v1/auth/settings?subOrgId=${subOrgId}`)
  expect(body.settings.allowed_origins).toEqual([])
  expect(await allows(subOrgId, 'http://localhost:3000')).toBe(false)

  const allowed_origins = ['https://app.example.com', 'https://app.example.com:8443', 'https://xn--bcher-kva.example']
  const changed = await tenant.patch('/v1/auth/settings', { subOrgId, allowed_origins })
  expect([changed.status, changed.body.settings.allowed_origins]).toEqual([200, allowed_origins])
  for (const origin of allowed_origins) expect(await allows(subOrgId, origin)).toBe(true)
  for (const origin of [
    'https://example.com',
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'null',
  ])
    expect(await allows(subOrgId, origin)).toBe(false)
  expect(await allows(other, 'https://app.example.com')).toBe(false)

  await tenant.patch('/v1/auth/settings/defaults', { allowed_origins: ['https://account.example.com'] })
  expect(await allows(other, 'https://account.example.com')).toBe(true)
  expect(await allows(subOrgId, 'https://account.example.com')).toBe(false)
})

test('an entry that is not the origin of a page is refused', async () => {
  const subOrgId = await tenant.organization()
  for (const entry of [
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://app.example.com:443',
    'https://App.example.com',
    'https://bücher.example',
    'https://ada@app.example.com',
    'https://*.example.com',
    'https:\\\\app.example.com',
    ' https://app.example.com',
    'http://app.example.com',
    'http://localhost.evil.example',
    'wss://app.example.com',
    'blob:https://app.example.com/x',
    'app.example.com',
    '*',
    'null',
  ]) {
    const patch = { subOrgId, allowed_origins: ['https://app.example.com', entry] }
    const refused = await tenant.patch('/v1/auth/settings', patch)
    const fields = refused.body.errors?.map(({ field, code }: Record<string, unknown>) => [field, code])
    expect([entry, refused.status, fields]).toEqual([entry, 400, [['allowed_origins.1', 'origin']]])
    const { subOrgId: _, ...defaults } = patch
    expect((await tenant.patch('/v1/auth/settings/defaults', defaults)).status).toBe(400)
  }
  const many = Array.from({ length: 101 }, (_, index) => `https://app${index}.example.com`)
  const tooMany = await tenant.patch('/v1/auth/settings', { subOrgId, allowed_origins: many })
  expect([tooMany.status, tooMany.body.errors[0].field]).toEqual([400, 'allowed_origins'])
})

test('this machine may be named by http in development, and not in production', async () => {
  const production = await startApp({ env: PRODUCTION })
  for (const [owner, status, wanted] of [
    [tenant, 200, 'an https origin, or in development http on this machine, without path or wildcard'],
    [await production.tenant(), 400, 'an https origin without path or wildcard'],
  ] as const) {
    const subOrgId = await owner.organization()
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:8080'])
      expect((await owner.patch('/v1/auth/settings', { subOrgId, allowed_origins: [origin] })).status).toBe(status)
    const refused = await owner.patch('/v1/auth/settings', { subOrgId, allowed_origins: ['*'] })
    expect(refused.body.detail).toContain(`an entry must be ${wanted}, such as`)
  }
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'

const app = await startApp()
const path = '/v1/api-keys'

async function limitedKey(requestsPerSecond: number) {
  const tenant = await app.tenant()
  const made = (await tenant.post(path, { name: 'Limited', scopes: ['*'], requestsPerSecond })).body
  return { tenant, id: made.apiKey.id as string, key: made.key as string }
}

test('a key with a rate creates no keys and rotates no others', async () => {
  const { tenant, id, key } = await limitedKey(1000)
  const subOrgId = await tenant.organization()
  const other = (await tenant.post(path, { name: 'Other', scopes: ['users.read'], requestsPerSecond: 1 })).body
  const keys = (await tenant.get(path)).body.apiKeys.length
  const limited = app.as(key)
  const mint = (body: object) => limited.post(path, { name: 'K', scopes: ['users.read'], ...body })
  const attempts = [
    ...[{}, { requestsPerSecond: 1 }, { requestsPerSecond: 1000 }, { requestsPerSecond: null }, { subOrgId }].map(mint),
    limited.post(`${path}/${other.apiKey.id}/rotate`, {}),
    limited.post(`${path}/${other.apiKey.id}/rotate`, { overlap_seconds: 60 }),
  ]
  for (const { status, body } of await Promise.all(attempts)) {
    expect([status, body.code]).toEqual([403, 'privilege_escalation'])
    expect(body.detail).toContain('Use a key without requestsPerSecond')
  }
  expect((await tenant.get(path)).body.apiKeys).toHaveLength(keys)
  expect(await app.events({ accountId: tenant.accountId, type: 'api_key.rotated' })).toEqual([])
  expect((await app.as(other.key).get(`${path}/current`)).status).toBe(200)
  const rotated = await limited.post(`${path}/${id}/rotate`, {})
  expect([rotated.status, rotated.body.apiKey.requestsPerSecond]).toEqual([200, 1000])
  expect((await app.as(key).get(`${path}/current`)).status).toBe(401)
})

test('the previous secrets of a key count against its rate', async () => {
  const { tenant, id, key } = await limitedKey(2)
  const secrets = [key]
  for (let turn = 0; turn < 3; turn++) {
    await app.advance(2)
    const rotated = await app.as(secrets.at(-1) ?? '').post(`${path}/${id}/rotate`, { overlap_seconds: 3600 })
    expect(rotated.status, rotated.text).toBe(200)
    secrets.push(rotated.body.key)
  }
  await app.advance(2)
  const uses = secrets.flatMap((secret) => Array.from({ length: 4 }, () => app.as(secret).get(`${path}/current`)))
  const codes = (await Promise.all(uses)).map(({ status }) => status)
  // These requests fall into two seconds at most.
  expect(codes.filter((status) => status === 200).length).toBeLessThanOrEqual(4)
  expect(codes.filter((status) => ![200, 429].includes(status))).toEqual([])
  expect((await tenant.get(`${path}/current`)).status).toBe(200)
  await app.advance(2)
  // Each secret still works.
  for (const secret of secrets) {
    await app.advance(1)
    expect((await app.as(secret).get(`${path}/current`)).status).toBe(200)
  }
})

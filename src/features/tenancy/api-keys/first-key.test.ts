import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { makeKey } from '../../../platform/crypto/api-key.ts'
import { firstDevelopmentKey, storeBootstrapKey } from './first-key.ts'

const given = 'operator-made-0123456789abcdefghijkl'

async function state(app: Awaited<ReturnType<typeof startApp>>) {
  const { db } = app.app.platform
  return {
    accounts: await db.selectFrom('accounts').select(['name', 'home']).execute(),
    keys: await db.selectFrom('api_keys').select(['name', 'scopes', 'organization_id', 'created_by']).execute(),
  }
}

test('of several first starts one stores the key of the operator', async () => {
  const first = await startApp()
  const second = await startSecondApp(first)
  const platforms = [first.app.platform, second.app.platform, first.app.platform, second.app.platform]
  const stored = await Promise.all(platforms.map((platform) => storeBootstrapKey(platform, given)))
  expect(stored.filter(Boolean)).toHaveLength(1)
  expect(await state(first)).toEqual({
    accounts: [{ name: 'Default', home: true }],
    keys: [{ name: 'bootstrap', scopes: ['*'], organization_id: null, created_by: 'bootstrap' }],
  })
  for (const app of [first, second]) {
    const { body } = await app.as(given).get('/v1/environments')
    expect(body.environments).toMatchObject([{ slug: 'production', keyCount: 1 }, { slug: 'staging' }])
  }
  expect(await storeBootstrapKey(first.app.platform, `${given}-another`)).toBe(false)
  expect(await firstDevelopmentKey(first.app.platform)).toBeNull()
  expect((await first.as(`${given}-another`).get('/v1/environments')).status).toBe(401)
})

test('of several first starts one makes a key for development', async () => {
  const first = await startApp()
  const second = await startSecondApp(first)
  const made = await Promise.all([first, second, first].map(({ app: { platform } }) => firstDevelopmentKey(platform)))
  const [key, ...rest] = made.filter((text) => text !== null)
  expect([key?.startsWith('ww_live_'), rest]).toEqual([true, []])
  expect((await state(first)).accounts).toHaveLength(1)
  expect((await second.as(key ?? '').get('/v1/environments')).status).toBe(200)
})

test('a revoked key keeps the deployment from getting a first one again', async () => {
  const first = await startApp()
  const { platform } = first.app
  expect(await storeBootstrapKey(platform, given)).toBe(true)
  const [{ id }] = (await first.as(given).get('/v1/api-keys')).body.apiKeys
  expect((await first.as(given).delete(`/v1/api-keys/${id}`)).status).toBe(200)
  expect(await storeBootstrapKey(platform, given)).toBe(false)
  expect(await firstDevelopmentKey(platform)).toBeNull()
  expect((await first.as(given).get('/v1/environments')).status).toBe(401)
})

test('a key that could never be presented is refused before anything is made', async () => {
  const first = await startApp()
  for (const key of ['x'.repeat(201), 'with a space in it, 32 characters', 'schlüssel-'.repeat(4)])
    await expect(storeBootstrapKey(first.app.platform, key)).rejects.toThrow(
      /^WATCHWORD_BOOTSTRAP_API_KEY cannot be sent in a header: use 32 to 200 visible ASCII characters/,
    )
  expect(await state(first)).toEqual({ accounts: [], keys: [] })
})

test('a key of our own making that is mistyped or cut off is refused as just that', async () => {
  const first = await startApp()
  const { platform } = first.app
  const key = makeKey('production')
  const typo = key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  for (const damaged of [typo, key.slice(0, -1), key.slice(0, 40), `${key}A`])
    await expect(storeBootstrapKey(platform, damaged)).rejects.toThrow(
      /^WATCHWORD_BOOTSTRAP_API_KEY looks like .* but is mistyped or truncated: its checksum does not match\./,
    )
  expect(await state(first)).toEqual({ accounts: [], keys: [] })
  expect(await storeBootstrapKey(platform, key)).toBe(true)
  expect((await first.as(key).get('/v1/environments')).status).toBe(200)
})

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp, until } from '../../test/harness.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'
import { runFile } from '../../test/process/service.ts'
import { createAccount } from '../features/tenancy/accounts/accounts.ts'

const service = await startApp()
const env = settingsOf(service)

test('rotates signing keys, and in an emergency withdraws the old ones', async () => {
  const { platform } = service.app
  await platform.tx((tx) => createAccount(tx, 'Home'))
  const published = async () => {
    const reply = await service.as(null).get('/.well-known/jwks.json')
    return reply.body.keys.map((key: { kid: string }) => key.kid)
  }
  const [active, next] = await published()
  const rotated = await runCommand(env, 'signing-keys', 'rotate', '--json')
  expect([rotated.code, rotated.json]).toEqual([0, { active: next, emergency: false }])
  const after = await until(async () => {
    const kids = await published()
    return kids.length === 3 && kids
  })
  expect(after).toEqual(expect.arrayContaining([active, next]))
  const listed = (await runCommand(env, 'signing-keys', 'list', '--json')).json.signingKeys
  expect(listed.map((key: { id: string; state: string }) => [key.id, key.state])).toEqual([
    [active, 'retired'],
    [next, 'active'],
    [after.find((kid: string) => kid !== active && kid !== next), 'next'],
  ])
  expect((await runCommand(env, 'signing-keys', 'rotate', '--emergency')).code).toBe(0)
  await until(async () => (await published()).every((kid: string) => !after.includes(kid)))
  expect((await runCommand(env, 'signing-keys', 'rotate', '--env', 'nowhere')).code).toBe(1)
})

test('a rotation of the master key that is killed goes on, and then the old key is not needed', {
  timeout: 60_000,
}, async () => {
  const { platform } = service.app
  const place = { table: 'test', column: 'value', row: '1' }
  const sealed: { accountId: string; text: string }[] = []
  for (let n = 0; n < 150; n++) {
    const { accountId } = await platform.tx((tx) => createAccount(tx, `Account ${n}`))
    sealed.push({ accountId, text: await platform.keyring.seal({ ...place, accountId }, `secret ${n}`) })
  }
  const fresh = randomBytes(32).toString('base64')
  const both = { ...env, WATCHWORD_MASTER_KEY: `${fresh},${service.masterKeyText}` }
  const first = runFile('cli.ts', ['master-key', 'rotate'], both)
  await until(async () => first.stderr().includes('Wrapped 100 data keys'))
  first.child.kill('SIGKILL')
  await first.ended

  const second = await runCommand(both, 'master-key', 'rotate', '--json')
  expect([second.code, second.json.removable]).toEqual([0, [service.masterKey.id]])
  expect(second.json.wrapped).toBeLessThanOrEqual(52)
  expect((await runCommand(both, 'master-key', 'rotate', '--json')).json.wrapped).toBe(0)
  const alone = { ...env, WATCHWORD_MASTER_KEY: fresh }
  expect((await runCommand(alone, 'keys', 'list', '--json')).code).toBe(0)
  const old = await runCommand(env, 'keys', 'list')
  expect([old.code, old.stderr]).toEqual([
    1,
    expect.stringMatching(/^The master key does not fit this database, [^\n]*\n$/),
  ])
  platform.keyring.forget()
  const { openKeyring } = await import('../platform/crypto/keyring.ts')
  const { parseMasterKey } = await import('../platform/crypto/master-key.ts')
  const keyring = await openKeyring(platform.db, [parseMasterKey(fresh, 'test')])
  for (const [n, { accountId, text }] of sealed.entries())
    expect(await keyring.open({ ...place, accountId }, text)).toBe(`secret ${n}`)
})

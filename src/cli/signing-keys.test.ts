import { expect, test } from 'vitest'
import { startApp } from '../../test/harness.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'

const service = await startApp()
const env = settingsOf(service)
const tenant = await service.tenant()
const cli = (...args: string[]) => runCommand(env, 'signing-keys', ...args, '--account', tenant.accountId, '--json')
const listed = async (environment: string) => {
  const { json } = await cli('list', '--env', environment)
  return json.signingKeys.map(({ state }: { state: string }) => state)
}

test('a list creates no keys, and shows which are withdrawn', async () => {
  expect(await listed('staging')).toEqual([])
  expect(
    await runCommand(env, 'signing-keys', 'list', '--env', 'staging', '--account', tenant.accountId),
  ).toMatchObject({
    code: 0,
    stderr: 'staging has no keys yet: the service creates them when it needs the first.\n',
  })
  expect(await listed('staging')).toEqual([])
  await cli('rotate')
  expect(await listed('production')).toEqual(['retired', 'active', 'next'])
  await cli('rotate', '--emergency')
  expect(await listed('production')).toEqual(['withdrawn', 'withdrawn', 'withdrawn', 'active', 'next'])
  expect(await listed('staging')).toEqual([])
})

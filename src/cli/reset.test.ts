import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../test/process/cli.ts'
import { makeDataDir, startService } from '../../test/process/service.ts'

test('deletes the embedded database and its key, after asking, and nothing that is not ours', async () => {
  const dataDir = makeDataDir()
  const env = { WATCHWORD_DATA_DIR: dataDir }
  const reset = (...args: string[]) => runCommand(env, 'reset', ...args)
  expect((await reset('--yes')).stdout).toBe('There is nothing to delete.\n')

  const service = await startService(env)
  await service.ready()
  expect(await reset('--yes')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'The embedded database is running: stop the service first.\n',
  })
  service.child.kill('SIGTERM')
  await service.ended
  const first = (await runCommand(env, 'keys', 'list', '--json')).json.apiKeys
  expect(await reset()).toMatchObject({ code: 2, stderr: 'There is no terminal to ask: add --yes.\n' })
  expect((await runCommand(env, 'keys', 'list', '--json')).json.apiKeys).toEqual(first)

  writeFileSync(join(dataDir, 'notes.txt'), 'of another program')
  // A start stores an older log here.
  writeFileSync(join(dataDir, 'postgres.log.1'), 'old lines')
  expect((await reset('--yes', '--json')).json.deleted).toEqual([dataDir, join(dirname(dataDir), 'master.key')])
  expect([readdirSync(dataDir), existsSync(join(dirname(dataDir), 'master.key'))]).toEqual([['notes.txt'], false])

  const again = await startService(env)
  await again.ready()
  const { apiKeys } = (await runCommand(env, 'keys', 'list', '--json')).json
  expect(apiKeys.map(({ createdBy }: { createdBy: string }) => createdBy)).toEqual(['development'])
  expect(apiKeys[0].id).not.toBe(first[0].id)
})

test('is for the embedded database in development only', async () => {
  const settings = { WATCHWORD_DATA_DIR: makeDataDir() }
  const other = await runCommand({ ...settings, DATABASE_URL: 'postgres://localhost/x' }, 'reset', '--yes')
  expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/^DATABASE_URL is set, /)])
})

import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../platform/config/config.ts'
import { isInUse } from '../platform/embedded/embedded.ts'
import { findHomes } from '../platform/embedded/home.ts'
import { confirm } from './confirm.ts'
import { CliError, print } from './print.ts'

export function addReset(program: Command): void {
  program
    .command('reset')
    .description('delete the embedded database and its master key, to start over')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', '\nFor development only.\n\nExample:\n  $ npx watchword reset')
    .action(reset)
}

async function reset(options: { yes?: boolean; json?: boolean }): Promise<void> {
  const config = loadConfig()
  if (config.databaseUrl)
    throw new CliError(
      'DATABASE_URL is set, and reset deletes only the embedded database. Drop and create your database yourself.',
    )
  if (config.production) throw new CliError('NODE_ENV is production: reset is for development.')
  const found = findHomes(config.dataDir)
  for (const home of found)
    if (await isInUse(home)) throw new CliError('The embedded database is running: stop the service first.')
  const homes = found.map(({ directory }) => directory)
  const key = join(dirname(config.dataDir), 'master.key')
  const paths = [...homes, ...(config.masterKeyFile || config.masterKeys.length ? [] : [key])].filter(existsSync)
  if (!paths.length) return print(options, { deleted: [] }, ['There is nothing to delete.'])
  if (!options.yes)
    await confirm({
      lines: [
        'This deletes every organization, user and key in the embedded database, for good:',
        ...paths.map(indent),
      ],
      word: 'reset',
      refused: 'Nothing was deleted.',
    })
  for (const home of homes) for (const name of OURS) rmSync(join(home, name), { recursive: true, force: true })
  rmSync(key, { force: true })
  for (const path of [...homes, dirname(config.dataDir)]) removeIfEmpty(path)
  print(options, { deleted: paths }, ['Deleted. The next start creates a new database.'])
}

const indent = (path: string) => `  ${path}`

/** The entries that we create in a data directory, which may also be used for other things. */
const OURS = ['postgres', 'postgres.log', 'postgres.log.1', 'socket', 'database-id']

function removeIfEmpty(directory: string): void {
  if (existsSync(directory) && readdirSync(directory).length === 0) rmdirSync(directory)
}

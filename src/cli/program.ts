import { Command, CommanderError } from 'commander'
import { type Config, loadConfig } from '../platform/config/config.ts'
import { ApiError } from '../platform/errors.ts'
import { version } from '../process/announce.ts'
import { explainStartFailure } from '../process/start-failure.ts'
import { addAudit } from './audit.ts'
import { addDistribute } from './distribute.ts'
import { addDoctor } from './doctor.ts'
import { addImport } from './import-users.ts'
import { addKeys } from './keys.ts'
import { addMail } from './mail.ts'
import { addMasterKey } from './master-key.ts'
import { addMembers } from './members.ts'
import { addMigrate } from './migrate.ts'
import { addOpenApi } from './openapi.ts'
import { addOrganizations } from './orgs.ts'
import { addOutgoing } from './outgoing.ts'
import { CliError, print } from './print.ts'
import { addRecover } from './recover.ts'
import { addReset } from './reset.ts'
import { addSetup } from './setup.ts'
import { addSigningKeys } from './signing-keys.ts'
import { addUsers } from './users.ts'

const VERSION = `Watchword ${version} (Node ${process.versions.node})`

const OVERVIEW = `
Settings are read from the environment, in development also from .env; check them with \`npx watchword doctor\`.

Examples:
  $ npx watchword setup
  $ npx watchword keys create --name backend --org acme
  $ npx watchword doctor`

/**
 * Runs the command line. Returns the exit code: 0 for success, 1 for a failure or a problem found, 2 for wrong usage,
 * 3 for failed rows of an import, 130 for a stopped import.
 */
export async function runCli(argv: string[]): Promise<number> {
  let exitCode = 0
  const program = new Command('watchword')
    .description('Sets up, maintains and checks a Watchword deployment.')
    .addHelpText('after', OVERVIEW)
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for usage)')
    .exitOverride()
    .version(VERSION, '-V, --version', 'print the version')
  addSetup(program)
  addKeys(program)
  addSigningKeys(program)
  addMasterKey(program)
  addMigrate(program)
  addRecover(program)
  addOutgoing(program)
  addDistribute(program)
  addDoctor(program, (code) => {
    exitCode = code
  })
  addImport(program, (code) => {
    exitCode = code
  })
  addOrganizations(program)
  addUsers(program)
  addMembers(program)
  addMail(program)
  addAudit(program, (code) => {
    exitCode = code
  })
  addOpenApi(program)
  addReset(program)
  addVersion(program)
  try {
    await program.parseAsync(argv)
    return exitCode
  } catch (error) {
    // Commander has already written its own message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const line =
      error instanceof CliError || error instanceof ApiError ? error.message : explainStartFailure(error, findConfig())
    process.stderr.write(`${line ?? `Unexpected error. ${error instanceof Error ? error.stack : error}`}\n`)
    return error instanceof CliError && error.isUsage ? 2 : 1
  }
}

/** Null if a setting is invalid. */
function findConfig(): Config | null {
  try {
    return loadConfig()
  } catch {
    return null
  }
}

function addVersion(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .option('--json', 'print JSON for scripts')
    .action((options: { json?: boolean }) => {
      print(options, { watchword: version, node: process.versions.node }, [VERSION])
    })
}

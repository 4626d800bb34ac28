import type { Command } from 'commander'
import { migrate, migrationStatus, refuseNewerSchema } from '../platform/db/migrate.ts'
import { withDatabase } from './deployment.ts'
import { note, print } from './print.ts'

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to the schema of this release')
    .option('--status', 'only show which migrations are applied')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', '\nExamples:\n  $ npx watchword migrate --status\n  $ npx watchword migrate')
    .action(async (options: { status?: boolean; json?: boolean }) => {
      await withDatabase(async (_config, url) => {
        if (options.status) return printStatus(options, url)
        const applied: string[] = []
        await migrate(url, { onApplied: (name) => applied.push(name), notice: note })
        print(
          options,
          { applied },
          applied.length ? applied.map((name) => `Applied ${name}`) : ['The schema is up to date.'],
        )
      })
    })
}

async function printStatus(options: { json?: boolean }, url: string): Promise<void> {
  const status = await migrationStatus(url)
  print(options, status, [
    ...status.applied.map((name) => `applied  ${name}`),
    ...status.pending.map((name) => `pending  ${name}`),
    ...status.unknown.map((name) => `unknown  ${name} (of a newer release)`),
  ])
  refuseNewerSchema(status.unknown)
}

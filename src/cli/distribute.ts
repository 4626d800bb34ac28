import type { Command } from 'commander'
import { requireSchema, withDatabase } from './deployment.ts'
import { distribute } from './distribution.ts'
import { note, print } from './print.ts'

export function addDistribute(program: Command): void {
  program
    .command('distribute')
    .description('distribute the tables of a migrated database over the workers of a Citus cluster')
    .option('--json', 'print JSON for scripts')
    .addHelpText(
      'after',
      '\nStop the service first. Repeat it after each upgrade, and after adding workers or moving shards: it changes only what is missing.\n\nExample:\n  $ npx watchword migrate && npx watchword distribute',
    )
    .action(async (options: { json?: boolean }) => {
      await withDatabase(async (config, url) => {
        await requireSchema(config, url)
        const done: string[] = []
        await distribute(url, (line) => {
          done.push(line)
          note(line)
        })
        print(options, { done }, [done.length ? 'The database is distributed.' : 'Everything is distributed already.'])
      })
    })
}

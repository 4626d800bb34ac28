import { type Command, Option } from 'commander'
import type { ImportOptions } from './import/import.ts'
import { formats } from './import/person.ts'

/** `report` receives the exit code: 3 if rows failed, 130 if the import was stopped. */
export function addImport(program: Command, report: (exitCode: number) => void): void {
  program
    .command('import')
    .description('import data from a file')
    .command('users')
    .description('import users, with their passwords, from CSV, NDJSON or the export of another system')
    .argument('<file>', 'the file in UTF-8, of any size')
    .option('--org <slug>', 'the target organization, by slug or id; default: the field `organization` of each row')
    .option('--create-organizations', 'create organizations for slugs that do not exist')
    .option('--env <slug>', 'its environment, by slug or id', 'production')
    .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
    .addOption(new Option('--format <format>', 'the format of the file').choices(['auto', ...formats]).default('auto'))
    .option('--dry-run', 'check everything, and write only the report')
    .option('--report <file>', 'rows that were skipped or failed, as NDJSON or .csv (default: <file>.report.ndjson)')
    .option('--checkpoint <file>', 'progress of the import (default: <file>.checkpoint.json)')
    .option('--restart', 'start at the first row and ignore the checkpoint')
    .option('--map <column=field>', 'for csv and ndjson: the column of a field; repeatable', collect, [])
    .option('--hash-type <type>', 'the type of hashes without a type')
    .option('--without-passwords', 'import no passwords')
    .option('--drop-unreadable-hashes', 'import users without their password if it cannot be imported')
    .option('--firebase-hash-config <file>', 'hash_config { … } as the Firebase console shows it')
    .option('--firebase-signer-key <base64>', 'its base64_signer_key')
    .option('--firebase-salt-separator <base64>', 'its base64_salt_separator', 'Bw==')
    .option('--firebase-rounds <n>', 'its rounds', '8')
    .option('--firebase-mem-cost <n>', 'its mem_cost', '14')
    .option('--json', 'print the summary as JSON for scripts')
    .addHelpText(
      'after',
      `
Existing users stay unchanged. Run a stopped import again to continue where it stopped.
Exits with 0 if no row failed, 3 if rows failed, 130 if it was stopped. See docs/directory/import.md.

Examples:
  $ npx watchword import users people.csv --org acme --dry-run
  $ npx watchword import users people-of-all-customers.csv --create-organizations --dry-run
  $ npx watchword import users realm-export.json --org acme --env staging
  $ npx watchword import users users.json --org acme --firebase-hash-config hash-config.txt
  $ npx watchword import users hr.csv --org acme --map "Work mail=email" --map "Badge=metadata.badge"`,
    )
    .action(async (file: string, options: ImportOptions) => {
      const { importUsers } = await import('./import/import.ts')
      report(await importUsers(file, options))
    })
}

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

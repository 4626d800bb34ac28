import { type Command, Option } from 'commander'
import type { ImportOptions } from './import/import.ts'
import { formats } from './import/person.ts'

/** `report` takes the exit code: 2 when rows failed, 130 when it was stopped. */
export function addImport(program: Command, report: (exitCode: number) => void): void {
  program
    .command('import')
    .description('bring people over from a file')
    .command('users')
    .description('import users, with their passwords, from CSV, NDJSON or the export of another system')
    .argument('<file>', 'UTF-8; read piece by piece, however large')
    .requiredOption('--org <slug>', 'the organization that they come into, by slug or id')
    .option('--env <slug>', 'its environment', 'production')
    .option('--account <name>', 'by name or id; without, the deployment’s first account')
    .addOption(new Option('--format <format>', 'what the file is').choices(['auto', ...formats]).default('auto'))
    .option('--dry-run', 'check everything and write nothing but the report')
    .option('--report <file>', 'rows that were skipped or failed, as NDJSON or .csv (default: <file>.report.ndjson)')
    .option('--checkpoint <file>', 'how far the import is (default: <file>.checkpoint.json)')
    .option('--restart', 'begin at the first row, whatever the checkpoint says')
    .option('--map <column=field>', 'of csv and ndjson: where a field is; may be given many times', collect, [])
    .option('--hash-type <type>', 'of hashes that come without their type')
    .option('--without-passwords', 'leave all passwords behind')
    .option('--drop-unreadable-hashes', 'import people whose password cannot come over without it')
    .option('--firebase-hash-config <file>', 'hash_config { … } as the Firebase console shows it')
    .option('--firebase-signer-key <base64>', 'base64_signer_key of it')
    .option('--firebase-salt-separator <base64>', 'base64_salt_separator of it', 'Bw==')
    .option('--firebase-rounds <n>', 'rounds of it', '8')
    .option('--firebase-mem-cost <n>', 'mem_cost of it', '14')
    .option('--json', 'the summary for scripts')
    .addHelpText(
      'after',
      `
Whoever is there already stays as they are. An import that was stopped goes on where it was when it is run again.
Exits with 0 when every row is there now, 2 when rows failed, 130 when it was stopped. See docs/import.md.

Examples:
  $ npx watchword import users people.csv --org acme --dry-run
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

import type { Command } from 'commander'
import { loadConfig } from '../platform/config/config.ts'
import { parseEmail } from '../platform/mail/address.ts'
import type { MailSuppression } from '../platform/mail/bounces/schema.ts'
import type { Platform } from '../platform/platform.ts'
import { findDirectory, resolveReach } from '../platform/tenancy/directory.ts'
import { cliOrigin, withPlatform } from './deployment.ts'
import { firstPage, getScope } from './lookups.ts'
import { CliError, counted, noteMore, print, tableLines } from './print.ts'

interface Options {
  account?: string
  env: string
  org?: string
  json?: boolean
}

const MAX_ROWS = 1000

export function addMail(program: Command): void {
  const mail = program.command('mail').description('send a test mail, list and clear suppressed addresses')
  mail
    .command('test')
    .description('send one test mail through SMTP_URL, and print what the mail server answers')
    .argument('<address>', 'the recipient')
    .option('--json', 'print JSON for scripts')
    .addHelpText(
      'after',
      `
Sends at once, also to a suppressed address and while messages are held. Needs no database. Exits with 1 if the server does not
accept the mail.

Example:
  $ npx watchword mail test ada@acme.com`,
    )
    .action(sendTest)
  const suppressions = mail
    .command('suppressions')
    .description('list and clear the addresses that receive no mails after a bounce or complaint')
  const add = (name: string, description: string, example: string) =>
    suppressions
      .command(name)
      .description(description)
      .option('--org <slug>', 'only those of this organization, by slug or id; default: all of the environment')
      .option('--env <slug>', 'their environment, by slug or id', 'production')
      .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
      .option('--json', 'print JSON for scripts')
      .addHelpText('after', `\nExample:\n  $ npx watchword mail suppressions ${name}${example}`)
  add('list', `list suppressed addresses, at most ${MAX_ROWS}`, '')
    .option('--email <address>', 'only this address')
    .action(listSuppressions)
  add('clear', 'clear every suppression of an address', ' ada@acme.example')
    .argument('<address>', 'the address')
    .action(clearSuppressions)
}

async function sendTest(address: string, options: { json?: boolean }): Promise<void> {
  const to = readAddress(address)
  const { sendTestMail, TEST_SUBJECT } = await import('../platform/mail/test-mail.ts')
  const sent = await sendTestMail(loadConfig(), to)
  print(options, sent, [
    `${sent.server} accepted the mail from ${sent.from} to ${sent.to}: ${sent.answer}`,
    `Look for "${TEST_SUBJECT}" in the mailbox, also among spam.`,
  ])
}

async function listSuppressions(options: Options & { email?: string }): Promise<void> {
  const email = options.email === undefined ? null : readAddress(options.email)
  await withPlatform(async (platform) => {
    const { toSuppression } = await import('../platform/mail/bounces/schema.ts')
    const rows = await findRows(platform, options, email?.norm ?? null)
    const suppressions = rows.slice(0, MAX_ROWS).map((row) => toSuppression(row, row.organization_id))
    const heading = ['EMAIL', 'REASON', 'STATUS', 'SOURCE', 'SINCE', 'UNTIL', 'WITHHELD', 'ORGANIZATION']
    print(options, { suppressions }, tableLines(heading, suppressions.map(cellsOf)))
    noteMore(rows, MAX_ROWS)
  })
}

function cellsOf(row: MailSuppression): string[] {
  const minute = (moment: string) => moment.slice(0, 16).replace('T', ' ')
  return [
    ...[row.email, row.reason, row.status ?? '', row.source, minute(row.suppressed_at)],
    ...[row.suppressed_until === null ? 'cleared' : minute(row.suppressed_until), String(row.withheld)],
    row.sub_org_id ?? 'all of the environment',
  ]
}

async function clearSuppressions(address: string, options: Options): Promise<void> {
  const { email, norm } = readAddress(address)
  await withPlatform(async (platform) => {
    const { clearSuppression } = await import('../platform/mail/bounces/bounces.ts')
    const { toSuppression } = await import('../platform/mail/bounces/schema.ts')
    const cleared: MailSuppression[] = []
    for (const row of await findRows(platform, options, norm)) {
      const directory = await findDirectory(platform, row.directory_id)
      const work = directory && { platform, directory, origin: cliOrigin(), db: platform.db }
      if (work && (await clearSuppression(work, row.id))) cleared.push(toSuppression(row, row.organization_id))
    }
    if (cleared.length === 0) throw new CliError(`${email} is not suppressed.`)
    const places = cleared.map(({ sub_org_id }) => sub_org_id ?? 'all of the environment').join(', ')
    print(options, { cleared }, [`Cleared ${counted(cleared.length, 'suppression')} of ${email}: ${places}.`])
  })
}

async function findRows(platform: Platform, options: Options, emailNorm: string | null) {
  const { findSuppressionPage } = await import('../platform/mail/bounces/store.ts')
  const scope = await getScope(platform, options)
  const reach = await resolveReach(platform, scope, scope.organizationId)
  return (await findSuppressionPage(platform.db, reach, emailNorm, firstPage(MAX_ROWS))).rows
}

function readAddress(text: string) {
  const address = parseEmail(text)
  if (!address) throw new CliError(`${text} is not an email address.`, { isUsage: true })
  return address
}

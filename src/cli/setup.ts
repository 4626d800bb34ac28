import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { listSettings, loadConfig } from '../platform/config/config.ts'
import { migrate, migrationStatus } from '../platform/db/migrate.ts'
import { describeDatabase } from '../platform/db/reach.ts'
import { hasDatabase } from '../platform/embedded/home.ts'
import { parseEmail } from '../platform/mail/address.ts'
import { isName } from '../platform/schema.ts'
import { slugOf } from '../platform/slug.ts'
import { confirm } from './confirm.ts'
import { openDeployment, requireSchema, withDatabase } from './deployment.ts'
import { CliError, note, print } from './print.ts'

interface Answers {
  accountName: string
  ownerEmail: string
  ownerName: string
  organizationName: string
  organizationSlug: string
}

interface Question {
  flag: string
  text: string
  suggest?(answers: Partial<Answers>): string
  /** Why the answer is not accepted, or null. */
  refuse(answer: string): string | null
}

const named = (what: string) => (answer: string) =>
  isName(answer) ? null : `${what} must be one line of 1 to 200 characters.`

const questions: Record<keyof Answers, Question> = {
  accountName: { flag: '--account <name>', text: 'Name of your company', refuse: named('The account') },
  ownerEmail: {
    flag: '--owner-email <address>',
    text: 'Email address of the owner',
    refuse: (answer) => (parseEmail(answer) ? null : `${answer || 'An empty text'} is not an email address.`),
  },
  ownerName: {
    flag: '--owner-name <name>',
    text: 'Name of the owner',
    suggest: (answers) => answers.ownerEmail?.split('@')[0] ?? '',
    refuse: named('The owner’s name'),
  },
  organizationName: {
    flag: '--organization <name>',
    text: 'Name of the first organization, a customer of yours',
    refuse: named('The organization'),
  },
  organizationSlug: {
    flag: '--slug <slug>',
    text: 'Its short name in URLs',
    suggest: (answers) => slugOf(answers.organizationName ?? '', ''),
    refuse: (answer) =>
      answer.length <= 63 && /^[a-z0-9](-?[a-z0-9])*$/.test(answer)
        ? null
        : 'A slug has up to 63 characters: a-z, 0-9 and single hyphens between them.',
  },
}

export function addSetup(program: Command): void {
  const command = program.command('setup').description('create the account, its owner and its first organization')
  for (const { flag, text } of Object.values(questions)) command.option(flag, text.toLowerCase())
  command
    .option('--json', 'print JSON for scripts')
    .addHelpText(
      'after',
      `
On a terminal, asks for missing options. Takes over the account that a first start created on its own.

Examples:
  $ npx watchword setup
  $ npx watchword setup --account Acme --owner-email ada@acme.com --organization "First Customer"`,
    )
    .action(setUp)
}

interface Options {
  account?: string
  ownerEmail?: string
  ownerName?: string
  organization?: string
  slug?: string
  json?: boolean
}

async function setUp(options: Options): Promise<void> {
  const { databaseUrl, dataDir } = loadConfig()
  // In production, missing variables would otherwise set up a database that the service never uses.
  if (databaseUrl === null && !namesDataDir() && !hasDatabase(dataDir)) {
    const cure = 'Set DATABASE_URL to the database of the service'
    if (process.stdin.isTTY !== true)
      throw new CliError(`There is no database in ${dataDir}. ${cure}, or WATCHWORD_DATA_DIR to create one there.`)
    const lines = [`There is no database in ${dataDir}: setup creates one, for development. ${cure} otherwise.`]
    await confirm({ lines, word: 'create', refused: 'Nothing was created.' })
  }
  // Ask all questions before the first change.
  const setup = await complete({
    accountName: options.account,
    ownerEmail: options.ownerEmail,
    ownerName: options.ownerName,
    organizationName: options.organization,
    organizationSlug: options.slug,
  })
  await withDatabase(async (config, url) => {
    if (config.migrateOnStart && (await migrationStatus(url)).unknown.length === 0) await migrate(url, { notice: note })
    await requireSchema(config, url)
    await openDeployment(config, url, async (platform) => {
      const { setUpAccount } = await import('../features/tenancy/accounts/setup.ts')
      const made = await platform.tx((tx) => setUpAccount(tx, setup))
      print(options, made, [
        `Database      ${describeDatabase(config.databaseUrl)}${config.databaseUrl === null ? ` in ${config.dataDir}` : ''}`,
        `Account       ${setup.accountName} (${made.accountId})`,
        `Owner         ${setup.ownerEmail}`,
        `Organization  ${setup.organizationName} (${made.organizationId})`,
        '',
        `Next: npx watchword keys create --name backend --org ${setup.organizationSlug}`,
        `Password of the owner: npx watchword members link ${setup.ownerEmail}`,
      ])
    })
  })
}

function namesDataDir(): boolean {
  return listSettings().some(({ name, isSet }) => name === 'WATCHWORD_DATA_DIR' && isSet)
}

async function complete(given: { [K in keyof Answers]: string | undefined }): Promise<Answers> {
  const isTerminal = process.stdin.isTTY === true
  const terminal = isTerminal ? createInterface({ input: process.stdin, output: process.stderr }) : null
  try {
    const answers: Partial<Answers> = {}
    for (const key of answerKeys) answers[key] = await answer(questions[key], given[key], answers, terminal)
    return { accountName: '', ownerEmail: '', ownerName: '', organizationName: '', organizationSlug: '', ...answers }
  } finally {
    terminal?.close()
  }
}

const answerKeys = ['accountName', 'ownerEmail', 'ownerName', 'organizationName', 'organizationSlug'] as const

async function answer(
  question: Question,
  given: string | undefined,
  answers: Partial<Answers>,
  terminal: { question(text: string): Promise<string> } | null,
): Promise<string> {
  const suggestion = question.suggest?.(answers) ?? ''
  let text = given?.trim() ?? (terminal ? null : suggestion || null)
  if (text === null && !terminal)
    throw new CliError(`${question.flag} is missing, and there is no terminal to ask for it.`, { isUsage: true })
  for (;;) {
    if (text === null && terminal) {
      const typed = await terminal.question(`${question.text}${suggestion ? ` [${suggestion}]` : ''}: `)
      text = typed.trim() || suggestion
    }
    const reason = question.refuse(text ?? '')
    if (reason === null) return text ?? ''
    if (given !== undefined || !terminal) throw new CliError(`${question.flag}: ${reason}`, { isUsage: true })
    process.stderr.write(`${reason}\n`)
    text = null
  }
}

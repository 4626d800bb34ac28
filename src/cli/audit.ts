import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { KeptHead } from '../features/records/audit/verify.ts'
import type { Range } from '../features/records/audit/verify-store.ts'
import type { Db } from '../platform/db/pool.ts'
import { isId } from '../platform/ids.ts'
import { withPlatform } from './deployment.ts'
import { getAccount, getEnvironment, getOrganizationId } from './lookups.ts'
import { CliError, print } from './print.ts'

interface Options {
  account?: string
  org?: string
  env?: string
  heads?: string
  json?: boolean
}

/** `report` receives the exit code: 1 if something does not match. */
export function addAudit(program: Command, report: (exitCode: number) => void): void {
  const audit = program.command('audit').description('verify the audit log')
  withRange(audit.command('verify').description('compare the events of the audit log with their hash chains'))
    .option('--heads <file>', 'heads that `audit heads` printed earlier; finds events that were cut off since')
    .option('--json', 'print JSON for scripts')
    .addHelpText(
      'after',
      '\nWithout options, checks all directories of the deployment. Exits with 1 if a chain does not match.\n\nExamples:\n' +
        '  $ npx watchword audit verify\n  $ npx watchword audit verify --org acme --heads heads.ndjson',
    )
    .action(async (options: Options) => report(await verify(options)))
  withRange(audit.command('heads').description('print the head of each chain as NDJSON, to store elsewhere'))
    .addHelpText('after', '\nExample:\n  $ npx watchword audit heads > heads.ndjson')
    .action(printHeads)
}

function withRange(command: Command): Command {
  return command
    .option('--org <slug>', 'only this organization, by slug or id')
    .option('--env <slug>', 'only this environment, by slug or id')
    .option('--account <name>', 'only this account, by name or id; default with --org or --env: the first account')
}

async function verify(options: Options): Promise<number> {
  const heads = options.heads === undefined ? [] : readHeadsFile(options.heads)
  return withPlatform(async (platform) => {
    const { verifyChains } = await import('../features/records/audit/verify.ts')
    const findings: object[] = []
    const lines: string[] = []
    const range = await readRange(platform.db, options)
    const compared = await verifyChains(platform, range, heads, ({ directory, event, block, kind, detail }) => {
      const { id, environment, organization, organizationId } = directory
      findings.push({
        ...{
          kind,
          event_id: event && `evt_${event.id}`,
          event_type: event?.type ?? null,
          timestamp: event?.at ?? null,
        },
        ...{ directory: id, environment, organization, sub_org_id: organizationId, block, detail },
      })
      const where = `${organization ?? directory.kind} in ${environment}`
      const what = event ? `evt_${event.id}${event.type ? ` ${event.type}` : ''} of ${event.at}` : `block ${block}`
      lines.push(`${kind.padEnd(14)} ${where}: ${what}. ${detail}`)
    })
    const { directories, events } = compared
    const erased = compared.erased.map(({ directory, organizationId, events, by }) => ({
      ...{ directory: directory.id, environment: directory.environment, sub_org_id: organizationId, events },
      by: by.map(({ id, at }) => ({ event_id: `evt_${id}`, timestamp: at })),
    }))
    const erasedLines = compared.erased.map(
      ({ directory, organizationId, events, by }) =>
        `${'erased'.padEnd(14)} ${directory.kind} in ${directory.environment}: ${events} events, with the organization ` +
        `${organizationId}. Covered by ${by.map(({ id, at }) => `evt_${id} of ${at}`).join(', ')}.`,
    )
    const sum = `Compared ${events} events of ${directories} directories: ${findings.length || 'no'} findings.`
    const reply = { intact: findings.length === 0, directories, events, erased, findings }
    print(options, reply, [...erasedLines, ...lines, sum])
    return findings.length ? 1 : 0
  })
}

async function printHeads(options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { readHeads } = await import('../features/records/audit/verify.ts')
    for await (const head of readHeads(platform, await readRange(platform.db, options)))
      process.stdout.write(`${JSON.stringify(head)}\n`)
  })
}

async function readRange(db: Db, { account, org, env }: Options): Promise<Range> {
  if (account === undefined && org === undefined && env === undefined) return {}
  const { id: accountId } = await getAccount(db, account)
  const organizationId = org === undefined ? null : await getOrganizationId(db, accountId, org)
  const found = env === undefined ? null : await getEnvironment(db, accountId, env, organizationId)
  return {
    accountId,
    ...(organizationId === null ? {} : { organizationId }),
    ...(found ? { environmentId: found.environmentId } : {}),
  }
}

function readHeadsFile(file: string): KeptHead[] {
  const lines = readText(file).split('\n').filter(Boolean)
  return lines.map((line, index) => {
    const head = parseHead(line)
    if (head) return head
    throw new CliError(`${file} has no head in line ${index + 1}: use what \`npx watchword audit heads\` printed.`, {
      isUsage: true,
    })
  })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CliError(`${file} cannot be read.`, { isUsage: true, cause })
  }
}

function parseHead(line: string): KeptHead | null {
  try {
    const { directory, block, hash } = Object(JSON.parse(line))
    return isId(directory) && Number.isInteger(block) && /^[0-9a-f]{64}$/.test(hash) ? { directory, block, hash } : null
  } catch {
    return null
  }
}

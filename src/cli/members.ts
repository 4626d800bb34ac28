import type { Command } from 'commander'
import type { MemberRow } from '../features/tenancy/members/schema.ts'
import type { Platform } from '../platform/platform.ts'
import { teamDirectory } from '../platform/tenancy/directory.ts'
import { cliOrigin, withPlatform } from './deployment.ts'
import { firstPage, getAccount, getScope } from './lookups.ts'
import { note, noteMore, print, tableLines } from './print.ts'

const MAX_ROWS = 1000
const DEFAULT_BASE_URL = 'http://localhost:4000'

interface Options {
  account?: string
  json?: boolean
}

export function addMembers(program: Command): void {
  const members = program.command('members').description('list the team of the account, and help members sign in')
  const add = (name: string, description: string, example: string) =>
    members
      .command(name)
      .description(description)
      .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
      .option('--json', 'print JSON for scripts')
      .addHelpText('after', `\nExample:\n  $ npx watchword members ${example}`)
  add('list', `list members and invitations, at most ${MAX_ROWS}`, 'list').action(listMembers)
  add(
    'link',
    'print a link that sets a member’s password, or accepts an invitation; the audit log records it',
    'link ada@acme.com',
  )
    .argument('<email>', 'their email address')
    .action(printMemberLink)
  add(
    'reset-factors',
    'remove lost second factors and passkeys of a member, and end the member’s sessions',
    'reset-factors owner@example.com',
  )
    .argument('<email>', 'their email address')
    .action(resetFactorsOf)
}

async function listMembers(options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { findMemberPage } = await import('../features/tenancy/members/store.ts')
    const account = await getAccount(platform.db, options.account)
    // Without an environment, covers the rosters of every environment.
    const team = { accountId: account.id, organizationId: null }
    const { rows } = await findMemberPage(platform.db, team, {}, firstPage(MAX_ROWS))
    const members = rows.slice(0, MAX_ROWS).map(shown)
    const cells = members.map((each) => [each.membershipId, each.email, each.role, each.status, each.subOrgId ?? ''])
    print(options, { members }, tableLines(['ID', 'EMAIL', 'ROLE', 'STATUS', 'ORGANIZATION'], cells))
    noteMore(rows, MAX_ROWS)
  })
}

const shown = ({ membership_id: membershipId, email, role, status, organization_id: subOrgId }: MemberRow) => ({
  ...{ membershipId, email, role, status, subOrgId },
})

async function printMemberLink(email: string, options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { printLink } = await import('./member-link.ts')
    const account = await getScope(platform, { ...options, env: 'production' })
    const printed = await printLink({ platform, account, origin: cliOrigin(), db: platform.db }, email)
    print(options, printed, [printed.url])
    const what = printed.purpose === 'invite' ? 'accepts the invitation' : 'sets a new password'
    if (!options.json) noteBaseUrl(platform)
    if (!options.json) note(`The link ${what} of ${printed.email}. It works once. member.link_printed records it.`)
  })
}

/** Printed and mailed links lead to the base URL. Warns if it is still the default. */
function noteBaseUrl({ config }: Platform): void {
  note(`Links lead to ${config.baseUrl}.`)
  if (config.baseUrl === DEFAULT_BASE_URL)
    note('This is the default. If the service has another address, set WATCHWORD_BASE_URL or PORT here as well.')
}

async function resetFactorsOf(email: string, options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { resetFactors } = await import('./member-factors.ts')
    const account = await getAccount(platform.db, options.account)
    const directory = await teamDirectory(platform, account.id)
    const reset = await resetFactors({ platform, directory, origin: cliOrigin(), db: platform.db }, email)
    const had = reset.methods.join(', ')
    if (had && !options.json) noteBaseUrl(platform)
    print(options, reset, [
      had
        ? `Removed ${had} of ${reset.email}, and ended their sessions. A mail notifies them.`
        : `${reset.email} has no second factor and no passkey. Nothing was changed.`,
    ])
  })
}

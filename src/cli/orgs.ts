import type { Command } from 'commander'
import type { Organization } from '../features/tenancy/organizations/schema.ts'
import type { Platform } from '../platform/platform.ts'
import { accountDirectory, homeEnvironmentOf } from '../platform/tenancy/directory.ts'
import { cliOrigin, withPlatform } from './deployment.ts'
import { firstPage, getDirectory, getOrganizationId, getScope } from './lookups.ts'
import { fieldLines, note, noteMore, print, tableLines } from './print.ts'

const MAX_ROWS = 1000

interface Options {
  account?: string
  env: string
  json?: boolean
}

export function addOrganizations(program: Command): void {
  const orgs = program.command('orgs').description('list and show organizations')
  orgs
    .command('list')
    .description(`list organizations, at most ${MAX_ROWS}`)
    .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
    .option('--env <slug>', 'shows the organizations of this environment and counts its users', 'production')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', '\nExample:\n  $ npx watchword orgs list')
    .action(listOrganizations)
  orgs
    .command('show')
    .description('show an organization')
    .argument('<organization>', 'its slug or id')
    .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
    .option('--env <slug>', 'shows the organizations of this environment and counts its users', 'production')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', '\nExample:\n  $ npx watchword orgs show acme')
    .action(showOrganization)
  orgs
    .command('erase')
    .description(
      'erase an organization within ten minutes instead of 30 days, for example one that a restore brought back',
    )
    .argument('<organization>', 'its slug or id')
    .requiredOption('--name <name>', 'its name, as a confirmation')
    .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
    .option('--env <slug>', 'an environment in which the organization exists', 'production')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', '\nExample:\n  $ npx watchword orgs erase acme --name "Acme Inc."')
    .action(eraseOrganization)
}

async function listOrganizations(options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { findCountedPage } = await import('../features/tenancy/organizations/counted.ts')
    const { toOrganization } = await import('../features/tenancy/organizations/schema.ts')
    const { rows } = await findCountedPage(platform.db, await getScope(platform, options), {}, firstPage(MAX_ROWS))
    const subOrganizations = rows.slice(0, MAX_ROWS).map(toOrganization)
    const heading = ['ID', 'SLUG', 'NAME', 'STATUS', 'USERS', 'CREATED', 'ERASED ON']
    const cells = ({ id, slug, name, status, userCount, createdAt, eraseAt }: Organization) => [
      id,
      slug,
      name,
      status,
      String(userCount),
      createdAt.slice(0, 10),
      eraseAt?.slice(0, 10) ?? '',
    ]
    print(options, { subOrganizations }, tableLines(heading, subOrganizations.map(cells)))
    noteMore(rows, MAX_ROWS)
  })
}

async function showOrganization(named: string, options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { getOrganization } = await import('../features/tenancy/organizations/organizations.ts')
    const { toOrganization } = await import('../features/tenancy/organizations/schema.ts')
    const account = await getScope(platform, options)
    const id = await getOrganizationId(platform.db, account.accountId, named)
    await getDirectory(platform, account, id)
    const work = { platform, account, origin: cliOrigin(), db: platform.db }
    const subOrganization = toOrganization(await getOrganization(work, id))
    print(options, { subOrganization }, fieldLines(subOrganization))
  })
}

async function eraseOrganization(named: string, options: Options & { name: string }): Promise<void> {
  await withPlatform(async (platform) => {
    const { requestErasure } = await import('../features/tenancy/erasure/schedule.ts')
    const { toOrganization } = await import('../features/tenancy/organizations/schema.ts')
    const scope = await getScope(platform, options)
    const id = await getOrganizationId(platform.db, scope.accountId, named)
    await getDirectory(platform, scope, id)
    // The organization's events are recorded in its home environment.
    const home = await homeEnvironmentOf(platform, scope.accountId, id)
    const account = { ...scope, directory: await accountDirectory(platform, home) }
    const work = { platform, account, origin: cliOrigin(), db: platform.db, caller: null }
    const { name } = options
    const subOrganization = toOrganization(await requestErasure(work, id, { name, isAtOnce: true }))
    print(options, { subOrganization }, fieldLines(subOrganization))
    if (!options.json) note(await describeErasure(platform))
  })
}

async function describeErasure(platform: Platform): Promise<string> {
  const { isOutgoingHeld } = await import('../platform/lifecycle/deployment.ts')
  const until =
    'Until then, PATCH /v1/organizations/{subOrgId} with status active cancels it; afterwards it cannot be undone.'
  return (await isOutgoingHeld(platform))
    ? `Messages are held: it is erased within ten minutes after \`npx watchword outgoing release\`. ${until}`
    : `A running service erases it within ten minutes. ${until}`
}

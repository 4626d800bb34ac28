import type { Command } from 'commander'
import type { NewApiKey } from '../features/tenancy/api-keys/api-keys.ts'
import type { ApiKey } from '../features/tenancy/api-keys/schema.ts'
import { record } from '../platform/events/events.ts'
import { isId } from '../platform/ids.ts'
import type { Platform } from '../platform/platform.ts'
import { isName } from '../platform/schema.ts'
import { type AccountScope, accountDirectory, resolveAccount } from '../platform/tenancy/directory.ts'
import { isScopePattern } from '../platform/tenancy/scopes.ts'
import { inTx } from '../platform/work.ts'
import { cliOrigin, withPlatform } from './deployment.ts'
import { findAccount, getAccount, getEnvironment, getOrganizationId } from './lookups.ts'
import { CliError, print, tableLines } from './print.ts'

const MAX_OVERLAP_SECONDS = 604_800

interface CreateOptions {
  name: string
  scopes: string
  env: string
  org?: string
  account?: string
  expires?: string
  requestsPerSecond?: string
  json?: boolean
}

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys')
  keys
    .command('create')
    .description('create an API key and print it, only once')
    .option('--name <name>', 'what the key is for', 'cli')
    .option('--scopes <list>', 'scopes or wildcards, separated by commas', '*')
    .option('--env <slug>', 'its environment, by slug or id', 'production')
    .option('--org <slug>', 'the only organization it reaches, by slug, path of slugs or id; default: all')
    .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
    .option('--expires <when>', 'days from now, such as 90d, or a date, such as 2030-01-31')
    .option('--requests-per-second <n>', 'a rate limit of its own')
    .option('--json', 'print JSON for scripts')
    .addHelpText(
      'after',
      `
Examples:
  $ npx watchword keys create --name backend
  $ npx watchword keys create --name scim-sync --org acme --env staging --scopes users.read,users.write --expires 90d
  $ KEY=$(npx watchword keys create --json | jq -r .key)`,
    )
    .action(createKey)
  keys
    .command('list')
    .description('list API keys, including revoked ones')
    .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', '\nExample:\n  $ npx watchword keys list')
    .action(listKeys)
  keys
    .command('revoke')
    .description('revoke an API key: every process refuses it within 5 s')
    .argument('<id>', 'the id that `keys list` shows')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', '\nExample:\n  $ npx watchword keys revoke 0198c6d5-2f7a-7c31-a1a4-4f3f5a1c9b20')
    .action(revokeKey)
  keys
    .command('rotate')
    .description('give an API key a new secret and print it, only once')
    .argument('<id>', 'the id that `keys list` shows')
    .option('--overlap <seconds>', 'how long the previous secret still works, up to 604800', '0')
    .option('--json', 'print JSON for scripts')
    .addHelpText(
      'after',
      '\nExample:\n  $ npx watchword keys rotate 0198c6d5-2f7a-7c31-a1a4-4f3f5a1c9b20 --overlap 3600',
    )
    .action(rotateKey)
}

async function createKey(options: CreateOptions): Promise<void> {
  const wanted = readWanted(options)
  await withPlatform(async (platform) => {
    const { createApiKey } = await import('../features/tenancy/api-keys/api-keys.ts')
    const { apiKeyEvents } = await import('../features/tenancy/api-keys/events.ts')
    const { homeAccount } = await import('../features/tenancy/accounts/accounts.ts')
    const { toApiKey } = await import('../features/tenancy/api-keys/schema.ts')
    const account = await findAccount(platform.db, options.account)
    // A new deployment may not have an account yet.
    const accountId = account?.id ?? (await platform.tx(homeAccount)).accountId
    const organizationId = options.org ? await getOrganizationId(platform.db, accountId, options.org) : null
    const environment = await getEnvironment(platform.db, accountId, options.env, organizationId)
    const directory = await accountDirectory(platform, environment)
    const work = { platform, directory, origin: cliOrigin(), db: platform.db }
    const { key, row } = await inTx(work, async (work) => {
      const made = await createApiKey(platform, work.db, { ...wanted, ...environment, organizationId })
      const target = { type: 'api_key', id: made.row.id }
      await record(work, apiKeyEvents.created({ target, data: toApiKey(made.row) }))
      return made
    })
    const apiKey = toApiKey(row)
    print(options, { apiKey, key }, [key])
    if (!options.json) process.stderr.write(`Key ${apiKey.id} (${apiKey.name}): it is shown only once.\n`)
  })
}

/** Makes the checks that need no database. */
function readWanted(
  options: CreateOptions,
): Pick<NewApiKey, 'name' | 'scopes' | 'expiresAt' | 'requestsPerSecond' | 'createdBy'> {
  const scopes = options.scopes
    .split(',')
    .map((scope) => scope.trim())
    .filter(Boolean)
  const unknown = scopes.find((scope) => !isScopePattern(scope))
  if (unknown !== undefined || scopes.length === 0)
    throw new CliError(`--scopes has ${unknown ?? 'none'}: use scopes such as users.read, users.* or *.`, {
      isUsage: true,
    })
  const name = options.name.trim()
  if (!isName(name)) throw new CliError('--name must be one line of 1 to 200 characters.', { isUsage: true })
  const limit = options.requestsPerSecond
  if (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit))
    throw new CliError(`--requests-per-second is ${limit}: use a whole number from 1 to 999999.`, { isUsage: true })
  const requestsPerSecond = limit === undefined ? null : Number(limit)
  return { name, scopes, expiresAt: readExpiry(options.expires), requestsPerSecond, createdBy: 'cli' }
}

function readExpiry(text: string | undefined): Date | null {
  if (text === undefined) return null
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1]
  const at = days ? new Date(Date.now() + Number(days) * 86_400_000) : new Date(text)
  // Only ISO dates, because other formats are ambiguous.
  if ((days || /^\d{4}-\d{2}-\d{2}/.test(text)) && at.getTime() > Date.now()) return at
  throw new CliError(`--expires is ${text}: use days from now, such as 90d, or a future date, such as 2030-01-31.`, {
    isUsage: true,
  })
}

async function listKeys(options: { account?: string; json?: boolean }): Promise<void> {
  await withPlatform(async (platform) => {
    const { listApiKeys } = await import('../features/tenancy/api-keys/api-keys.ts')
    const { toApiKey } = await import('../features/tenancy/api-keys/schema.ts')
    const account = await getAccount(platform.db, options.account)
    const apiKeys = (await listApiKeys(platform.db, account.id)).map(toApiKey)
    const heading = ['ID', 'NAME', 'START', 'ENVIRONMENT', 'ORGANIZATION', 'LAST USED', 'STATE', 'SCOPES']
    print(options, { apiKeys }, tableLines(heading, apiKeys.map(keyCells)))
  })
}

function keyCells(key: ApiKey): string[] {
  const isExpired = key.expiresAt !== null && new Date(key.expiresAt) <= new Date()
  const state = key.revokedAt
    ? 'revoked'
    : isExpired
      ? 'expired'
      : key.expiresAt
        ? `until ${inMinutes(key.expiresAt)}`
        : 'live'
  const lastUsed = key.lastUsedAt ? inMinutes(key.lastUsedAt) : 'never'
  return [key.id, key.name, key.start, key.environment, key.subOrgId ?? 'all', lastUsed, state, key.scopes.join(',')]
}

function inMinutes(time: string): string {
  return `${time.slice(0, 16)}Z`
}

async function revokeKey(given: string, options: { json?: boolean }): Promise<void> {
  const id = readKeyId(given)
  await withPlatform(async (platform) => {
    const { revokeApiKey } = await import('../features/tenancy/api-keys/lifecycle.ts')
    const { reach, wasLive } = await findKey(platform, id)
    const { accountId, directory } = reach
    const work = { platform, directory, origin: cliOrigin(), db: platform.db, caller: null }
    await revokeApiKey(work, { accountId, environmentId: null, organizationId: null }, id)
    print(options, { id, revoked: true, wasLive }, [wasLive ? `Revoked ${id}.` : `${id} was already revoked.`])
  })
}

async function rotateKey(given: string, options: { overlap: string; json?: boolean }): Promise<void> {
  const id = readKeyId(given)
  const overlap = Number(options.overlap)
  if (!/^\d{1,6}$/.test(options.overlap) || overlap > MAX_OVERLAP_SECONDS)
    throw new CliError(
      `--overlap is ${options.overlap}: use a whole number of seconds from 0 to ${MAX_OVERLAP_SECONDS}.`,
      { isUsage: true },
    )
  await withPlatform(async (platform) => {
    const { rotateApiKey } = await import('../features/tenancy/api-keys/lifecycle.ts')
    const { reach: account } = await findKey(platform, id)
    const work = { platform, account, origin: cliOrigin(), db: platform.db, caller: null }
    const { apiKey, key } = await rotateApiKey(work, id, overlap)
    print(options, { apiKey, key }, [key])
    if (!options.json) process.stderr.write(`Key ${apiKey.id} (${apiKey.name}): it is shown only once.\n`)
  })
}

function readKeyId(given: string): string {
  const id = given.toLowerCase()
  if (isId(id)) return id
  throw new CliError(`${given} is not the id of a key: see \`npx watchword keys list\`.`, { isUsage: true })
}

async function findKey(platform: Platform, id: string): Promise<{ reach: AccountScope; wasLive: boolean }> {
  const row = await platform.db
    .selectFrom('api_keys')
    .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
    .select(['api_keys.account_id', 'api_keys.environment_id', 'environments.slug', 'api_keys.revoked_at'])
    .where('api_keys.id', '=', id)
    .executeTakeFirst()
  if (!row) throw new CliError(`There is no key ${id}: see \`npx watchword keys list\`.`)
  const environment = { accountId: row.account_id, environmentId: row.environment_id, environmentSlug: row.slug }
  const reach = await resolveAccount(platform, { ...environment, organizationId: null }, null)
  return { reach, wasLive: row.revoked_at === null }
}

import type { Command } from 'commander'
import { withPlatform } from './deployment.ts'
import { getAccount, getEnvironment } from './lookups.ts'
import { note, print, tableLines } from './print.ts'

interface Options {
  env: string
  account?: string
  json?: boolean
  emergency?: boolean
}

export function addSigningKeys(program: Command): void {
  const keys = program.command('signing-keys').description('list and rotate the keys that sign access tokens')
  keys
    .command('list')
    .description('list the signing keys of an environment')
    .option('--env <slug>', 'the environment, by slug or id', 'production')
    .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', '\nExample:\n  $ npx watchword signing-keys list --env staging')
    .action(listKeys)
  keys
    .command('rotate')
    .description('sign with the next key from now on; the service does so automatically every 90 days')
    .option('--env <slug>', 'the environment, by slug or id', 'production')
    .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
    .option('--emergency', 'if a key has leaked: withdraw all keys, which invalidates all access tokens')
    .option('--json', 'print JSON for scripts')
    .addHelpText(
      'after',
      '\nExamples:\n  $ npx watchword signing-keys rotate\n  $ npx watchword signing-keys rotate --env staging --emergency',
    )
    .action(rotateKeys)
}

async function listKeys(options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { listSigningKeys } = await import('../platform/crypto/signing-keys.ts')
    const account = await getAccount(platform.db, options.account)
    const { environmentId } = await getEnvironment(platform.db, account.id, options.env)
    const keys = (await listSigningKeys(platform, environmentId)).map(
      ({ id, algorithm, state, createdAt, activatedAt, isWithdrawn }) => ({
        id,
        algorithm,
        state: isWithdrawn ? 'withdrawn' : state,
        createdAt: createdAt.toISOString(),
        activatedAt: activatedAt?.toISOString() ?? null,
      }),
    )
    const rows = keys.map((key) => [key.id, key.algorithm, key.state, key.createdAt, key.activatedAt ?? 'not yet'])
    if (keys.length === 0) note(`${options.env} has no keys yet: the service creates them when it needs the first.`)
    print(options, { signingKeys: keys }, tableLines(['ID', 'ALGORITHM', 'STATE', 'CREATED', 'ACTIVE SINCE'], rows))
  })
}

async function rotateKeys(options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { rotateSigningKeys } = await import('../platform/crypto/signing-keys.ts')
    const account = await getAccount(platform.db, options.account)
    const { environmentId } = await getEnvironment(platform.db, account.id, options.env)
    const active = await rotateSigningKeys(platform, environmentId, { emergency: options.emergency ?? false })
    const effect = options.emergency
      ? 'All earlier keys are withdrawn: their access tokens stop verifying as soon as verifiers reload the JWKS.'
      : 'The previous key stays published while its tokens are valid.'
    print(options, { active, emergency: options.emergency ?? false }, [
      `${active} now signs the tokens of ${options.env}.`,
      effect,
    ])
  })
}

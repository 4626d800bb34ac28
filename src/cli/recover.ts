import type { Command } from 'commander'
import { sqlState } from '../platform/db/failure.ts'
import { describeDatabase } from '../platform/db/reach.ts'
import type { Platform } from '../platform/platform.ts'
import type { AccountWork } from '../platform/work.ts'
import { confirm } from './confirm.ts'
import { cliOrigin, withPlatform } from './deployment.ts'
import { getScope } from './lookups.ts'
import { counted, note, print } from './print.ts'
import { TRUSTED_DEVICES } from './recovery-tables.ts'

const HELP = `
Run it after you restored a backup, before you start the service. Run it after a failover that lost transactions, while the
service runs. You can interrupt the command and run it again. It asks first; --yes skips that. It
  - holds mails, text messages and webhooks until \`npx watchword outgoing release\`, and discards
    waiting mails and text messages,
  - ends every session of users and of the team, and forgets trusted devices,
  - refuses codes, links, invitations, challenges and sign-ins in progress,
  - refuses cursors of the event feed that are beyond the restored events.
People sign in again. It cannot see what the lost transactions did to passwords, keys, roles and users: it prints what to
check.

Examples:
  $ npx watchword recover
  $ npx watchword recover --yes`

/** Checks that only the operator can make. The guide lists the same ones. */
const CHECKS = [
  'Not restored to the state before the loss, because the database no longer has it. Check:',
  '  - API keys that were revoked or rotated: `npx watchword keys list`, `keys revoke`.',
  '  - The team and its roles: `npx watchword members list`.',
  '  - Organizations that were suspended or archived are active again: `npx watchword orgs list`.',
  '  - Organizations that were erased are there again: `npx watchword orgs erase`.',
  '  - Users that were locked, deactivated or deleted are active again, with the roles that they have lost since:',
  '    `npx watchword users show <id>`, your identity provider, and your own records. `users lock` locks a user.',
  '  - SSO connections, domains and webhooks that were removed or disabled work again: remove or disable them.',
  '  - Services that were switched off are on, and settings are as before, such as `impersonation_enabled`: change them.',
  '  - Second factors and passkeys that were removed are valid again: remove them.',
  '  - Passwords that were changed after a leak: reset them (`POST /v1/users/{userId}/password/reset`).',
  '  - Backup codes that were used are valid again: ask users to create new ones.',
  '  - SCIM tokens and webhook secrets that were rotated: rotate them again.',
  '  - Signing keys that were withdrawn: `npx watchword signing-keys rotate --emergency`. It also ends access tokens from',
  '    before, which verifiers without introspection accept until they expire.',
  '  - Invitations: send them again. The links from before are refused.',
]

export function addRecover(program: Command): void {
  program
    .command('recover')
    .description('end all sessions and refuse old secrets, after a restore or a failover that lost data')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', HELP)
    .action(async (options: { yes?: boolean; json?: boolean }) => {
      await withPlatform(async (platform) => {
        if (!options.yes) await confirmRecovery(platform)
        const report = await recover(platform, note)
        print(options, report, [...linesOf(report), '', ...CHECKS, '', RELEASE])
      })
    })
}

const RELEASE = 'Mails, text messages and webhooks are held. When you have checked: `npx watchword outgoing release`.'

const UNFINISHED = 'Not finished. Messages stay held. Run `npx watchword recover` again.'
const UNSURE = 'Not finished. Messages may be held. Run `npx watchword recover` again.'

async function confirmRecovery({ config }: Platform): Promise<void> {
  await confirm({
    lines: [
      `This changes ${describeDatabase(config.databaseUrl)}. It`,
      '  - ends every session of users and of the team: everyone signs in again,',
      '  - refuses codes, links and invitations, and forgets trusted devices,',
      '  - discards waiting mails and text messages, and holds all webhooks and later messages until you release them.',
    ],
    word: 'recover',
    refused: 'Nothing was changed.',
  })
}

export interface RecoveryReport {
  recoveredAt: string
  organizations: number
  users: number
  /** The number of rows by kind. */
  refused: Record<string, number>
  discarded: { mails: number; sms: number }
}

function linesOf({ organizations, users, refused, discarded }: RecoveryReport): string[] {
  const { [TRUSTED_DEVICES]: forgotten = 0, ...secrets } = refused
  const others = Object.entries(secrets).filter(([, count]) => count > 0)
  return [
    `Ended the sessions of ${counted(organizations, 'organization')} and of ` +
      `${users === 1 ? '1 user or team member' : `${users} users and team members`} without an organization.`,
    others.length
      ? `Refused: ${others.map(([holds, count]) => `${holds} (${count})`).join(', ')}.`
      : 'No code, link or other one-time secret was valid.',
    `Forgot ${counted(forgotten, 'trusted device')}.`,
    `Discarded ${counted(discarded.mails, 'waiting mail')} and ${counted(discarded.sms, 'waiting text message')}.`,
    'Cursors of the event feed beyond the restored events are refused.',
  ]
}

/**
 * Makes a database safe that has lost its last transactions. Ends all sessions at the start, so that old sessions
 * create no more secrets, and again at the end, because a secret may have been consumed meanwhile. Can be repeated.
 * After a failure, `progress` says whether messages are held.
 */
export async function recover(platform: Platform, progress: (line: string) => void): Promise<RecoveryReport> {
  const { holdOutgoing, noteRecovery } = await import('../platform/lifecycle/deployment.ts')
  const holding = platform.tx(async (tx) => {
    await holdOutgoing(platform, tx, 'recovered')
    return noteRecovery(platform, tx)
  })
  const recoveredAt = await holding.catch((error: unknown) => {
    // The commit may have succeeded although no response arrived.
    if (sqlState(error) === null) progress(UNSURE)
    throw error
  })
  progress('Mails, text messages and webhooks are held.')
  try {
    return await endAndRefuse(platform, recoveredAt, progress)
  } catch (error) {
    progress(UNFINISHED)
    throw error
  }
}

async function endAndRefuse(
  platform: Platform,
  recoveredAt: Date,
  progress: (line: string) => void,
): Promise<RecoveryReport> {
  const { expireLostCursors } = await import('../platform/events/event-epoch.ts')
  const { refuseSecrets } = await import('./recover-secrets.ts')
  const { endEverySession } = await import('./recover-sessions.ts')
  const accounts = await accountsOf(platform)
  const end = async () => {
    const ended = { organizations: 0, users: 0 }
    for (const work of accounts) {
      const { organizations, users } = await endEverySession(work)
      ended.organizations += organizations
      ended.users += users
    }
    return ended
  }
  const first = await end()
  progress('Ended the sessions (first pass). Refusing one-time secrets.')
  const { refused, before } = await refuseSecrets(platform.db, recoveredAt, progress)
  const last = await end()
  const discarded = await discardMessages(platform, before)
  await expireLostCursors(platform)
  await recordRecovery(accounts, recoveredAt)
  const { organizations } = last
  return { recoveredAt: recoveredAt.toISOString(), organizations, users: first.users + last.users, refused, discarded }
}

async function accountsOf(platform: Platform): Promise<AccountWork[]> {
  const rows = await platform.db.selectFrom('accounts').select('id').orderBy('id').execute()
  const works = rows.map(async ({ id }) => {
    const account = await getScope(platform, { account: id, env: 'production' })
    return { platform, account, origin: cliOrigin(), db: platform.db }
  })
  return Promise.all(works)
}

/** Their codes and links are refused, and messages from a backup may already have been sent. */
async function discardMessages(platform: Platform, createdBefore: Date): Promise<RecoveryReport['discarded']> {
  const { mailDelivery } = await import('../platform/mail/jobs.ts')
  const { smsDelivery } = await import('../platform/sms/jobs.ts')
  return {
    mails: await mailDelivery.discard(platform, createdBefore),
    sms: await smsDelivery.discard(platform, createdBefore),
  }
}

async function recordRecovery(accounts: AccountWork[], recoveredAt: Date): Promise<void> {
  const { record } = await import('../platform/events/events.ts')
  const { deploymentEvents } = await import('../platform/lifecycle/deployment.ts')
  const data = { recoveredAt: recoveredAt.toISOString() }
  for (const work of accounts) {
    const target = { type: 'account', id: work.account.accountId }
    await record({ ...work, directory: work.account.directory }, deploymentEvents.recovered({ target, data }))
  }
}

import type { Command } from 'commander'
import type { AccountScope } from '../platform/http/directory.ts'
import type { Platform } from '../platform/platform.ts'
import type { Work } from '../platform/work.ts'
import { cliOrigin, withPlatform } from './deployment.ts'
import { getScope } from './lookups.ts'
import { note, print } from './print.ts'

const HELP = `
Run it after you restored a backup, and after a failover that lost transactions. The service may run meanwhile. You can
interrupt the command and run it again. It
  - holds mails, text messages and webhooks until \`npx watchword outgoing release\`, and discards
    waiting mails and text messages,
  - ends every session of users and of the team, and forgets trusted devices,
  - refuses codes, links, invitations, challenges and sign-ins in progress,
  - refuses cursors of the event feed that are beyond the restored events.
People sign in again. It cannot see what the lost transactions did to passwords, keys, roles and users: it prints what to
check.

Example:
  $ npx watchword recover`

/** What only the operator can know. The guide lists the same. */
const CHECKS = [
  'Not restored to the state before the loss, because the database no longer has it. Check:',
  '  - API keys that were revoked or rotated: `npx watchword keys list`, `keys revoke`.',
  '  - The team and its roles: `npx watchword members list`.',
  '  - Users that were locked, deactivated or deleted, and roles that were removed: `npx watchword users show <id>`, your',
  '    identity provider, and your own records. `users lock` locks a user.',
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
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', HELP)
    .action(async (options: { json?: boolean }) => {
      await withPlatform(async (platform) => {
        const report = await recover(platform, note)
        print(options, report, [...linesOf(report), '', ...CHECKS, '', RELEASE])
      })
    })
}

const RELEASE = 'Mails, text messages and webhooks are held. When you have checked: `npx watchword outgoing release`.'

export interface RecoveryReport {
  recoveredAt: string
  organizations: number
  users: number
  /** Rows by what they held. */
  refused: Record<string, number>
  discarded: { mails: number; sms: number }
}

function linesOf({ organizations, users, refused, discarded }: RecoveryReport): string[] {
  const others = Object.entries(refused).filter(([, count]) => count > 0)
  return [
    `Ended all sessions: of ${organizations} organizations, and of ${users} users and team members without one.`,
    others.length
      ? `Refused: ${others.map(([holds, count]) => `${count} ${holds}`).join(', ')}.`
      : 'No code, link or other one-time secret was valid.',
    `Discarded ${discarded.mails} mails and ${discarded.sms} text messages that waited.`,
    'Refused the cursors of the event feed that are beyond the restored events.',
  ]
}

/**
 * Makes a database safe that lacks its last transactions. First and last it ends the sessions: first, so that sessions from
 * before create no more secrets; last, because a secret may have been consumed meanwhile. Can be repeated.
 */
export async function recover(platform: Platform, progress: (line: string) => void): Promise<RecoveryReport> {
  const { holdOutgoing, noteRecovery } = await import('../platform/deployment.ts')
  const { expireLostCursors } = await import('../platform/event-epoch.ts')
  const { refuseSecrets } = await import('./recover-secrets.ts')
  const { endEverySession } = await import('./recover-sessions.ts')
  const recoveredAt = await platform.tx(async (tx) => {
    await holdOutgoing(platform, tx, 'recovered')
    return noteRecovery(platform, tx)
  })
  progress('Mails, text messages and webhooks are held.')
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
  progress('Ended the sessions. Now the secrets, and the sessions again.')
  const { refused, before } = await refuseSecrets(platform.db, recoveredAt, progress)
  const last = await end()
  const discarded = await discardMessages(platform, before)
  await expireLostCursors(platform)
  await recordRecovery(accounts, recoveredAt)
  const { organizations } = last
  return { recoveredAt: recoveredAt.toISOString(), organizations, users: first.users + last.users, refused, discarded }
}

async function accountsOf(platform: Platform): Promise<Work<AccountScope>[]> {
  const rows = await platform.db.selectFrom('accounts').select('id').orderBy('id').execute()
  const works = rows.map(async ({ id }) => {
    const directory = await getScope(platform, { account: id, env: 'production' })
    return { platform, directory, origin: cliOrigin(), db: platform.db }
  })
  return Promise.all(works)
}

/** Their codes and links are refused, and those of a backup may have been sent before. */
async function discardMessages(platform: Platform, createdBefore: Date): Promise<RecoveryReport['discarded']> {
  const { mailDelivery } = await import('../platform/mail/jobs.ts')
  const { smsDelivery } = await import('../platform/sms/jobs.ts')
  return {
    mails: await mailDelivery.discard(platform, createdBefore),
    sms: await smsDelivery.discard(platform, createdBefore),
  }
}

async function recordRecovery(accounts: Work<AccountScope>[], recoveredAt: Date): Promise<void> {
  const { record } = await import('../platform/events.ts')
  const { deploymentEvents } = await import('../platform/deployment.ts')
  const data = { recoveredAt: recoveredAt.toISOString() }
  for (const work of accounts) {
    const target = { type: 'account', id: work.directory.accountId }
    await record({ ...work, directory: work.directory.directory }, deploymentEvents.recovered({ target, data }))
  }
}

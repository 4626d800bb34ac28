import type { Command } from 'commander'
import type { User } from '../features/directory/users/schema.ts'
import type { ListedUserRow } from '../features/directory/users/store.ts'
import { isId } from '../platform/ids.ts'
import type { MailSuppression } from '../platform/mail/bounces/schema.ts'
import type { Platform } from '../platform/platform.ts'
import { directoryOfOrganization, resolveReach } from '../platform/tenancy/directory.ts'
import type { ReachWork, Work } from '../platform/work.ts'
import { cliOrigin, withPlatform } from './deployment.ts'
import { firstPage, getScope } from './lookups.ts'
import { CliError, fieldLines, noteMore, print, tableLines } from './print.ts'

interface Options {
  account?: string
  env: string
  org?: string
  json?: boolean
}

export function addUsers(program: Command): void {
  const users = program
    .command('users')
    .description('list and show users, end their sessions, lock them, mail a link again')
  const add = (name: string, description: string, example: string) =>
    users
      .command(name)
      .description(description)
      .option('--org <slug>', 'their organization, by slug or id; default: any')
      .option('--env <slug>', 'their environment, by slug or id', 'production')
      .option('--account <name>', 'the account, by name or id; default: the deployment’s first account')
      .option('--json', 'print JSON for scripts')
      .addHelpText('after', `\nExample:\n  $ npx watchword users ${name} ${example}`)
  const who = ['<user>', 'their id or email address'] as const
  add('list', 'list users, the oldest first', '--org acme')
    .option('--email <address>', 'only who has this address')
    .option('--limit <n>', 'at most so many, up to 1000', '100')
    .action(listUsers)
  add('show', 'show a user', 'ada@acme.example')
    .argument(...who)
    .action(showUser)
  add('end-sessions', 'end every session of a user', 'ada@acme.example')
    .argument(...who)
    .action(endSessions)
  add('lock', 'refuse every sign-in of a user and end their sessions', 'ada@acme.example --reason "Laptop stolen"')
    .argument(...who)
    .requiredOption('--reason <text>', 'why; managers and the audit log show it')
    .option('--until <time>', 'when the lock ends, as ISO 8601; default: with "users unlock"')
    .action(lock)
  add('unlock', 'end every lock of a user', 'ada@acme.example')
    .argument(...who)
    .action(unlock)
  add('resend', 'mail the invitation again, or the link that verifies the address', 'ada@acme.example')
    .argument(...who)
    .action(resend)
}

async function listUsers(options: Options & { email?: string; limit: string }): Promise<void> {
  const limit = Number(options.limit)
  if (!/^\d{1,4}$/.test(options.limit) || limit < 1 || limit > 1000)
    throw new CliError(`--limit is ${options.limit}: use a whole number from 1 to 1000.`, { isUsage: true })
  await withPlatform(async (platform) => {
    const users = await import('../features/directory/users/administration.ts')
    const { toUser } = await import('../features/directory/users/schema.ts')
    const work = await reachOf(platform, options)
    const filter = options.email === undefined ? {} : { email: options.email }
    const { rows } = await users.listUsers(work, filter, firstPage(limit))
    const listed = rows.slice(0, limit).map((row) => toUser(row, row.organization_id))
    const heading = ['ID', 'EMAIL', 'NAME', 'STATUS', 'ROLE', 'LAST SIGN-IN', 'ORGANIZATION']
    const cells = (user: User) => [
      ...[user.id, user.email, user.displayName ?? '', user.status, user.role],
      ...[user.lastLoginAt?.slice(0, 16).replace('T', ' ') ?? 'never', user.subOrgId ?? ''],
    ]
    print(options, { users: listed }, tableLines(heading, listed.map(cells)))
    noteMore(rows, limit)
  })
}

async function showUser(named: string, options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { toUser } = await import('../features/directory/users/schema.ts')
    const row = await findUser(platform, named, options)
    const user = toUser(row, row.organization_id)
    const email_suppression = await suppressionOf(platform, row)
    print(options, { user, email_suppression }, fieldLines({ ...user, email_suppression }))
  })
}

async function endSessions(named: string, options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { revokeUserSessions } = await import('../features/access/sessions/sessions.ts')
    const { endReasons } = await import('../features/access/sessions/end-reasons.ts')
    const row = await findUser(platform, named, options)
    const revoked = await revokeUserSessions(await workOn(platform, options, row), row.id, endReasons.revoked)
    print(options, { id: row.id, revoked }, [`Ended ${revoked} sessions of ${row.email}.`])
  })
}

async function lock(
  named: string,
  { reason, until, ...options }: Options & { reason: string; until?: string },
): Promise<void> {
  if (until !== undefined && Number.isNaN(Date.parse(until)))
    throw new CliError(`--until is ${until}: use a time such as 2027-01-31T12:00:00Z.`, { isUsage: true })
  await withPlatform(async (platform) => {
    const { lockUser } = await import('../features/sign-in/lockout/lock.ts')
    const row = await findUser(platform, named, options)
    const end = until === undefined ? null : new Date(until).toISOString()
    const { ended } = await lockUser(await workOn(platform, options, row), row.id, { reason, until: end })
    const lasts = end === null ? 'until it is unlocked' : `until ${end}`
    print(options, { id: row.id, until: end, revoked: ended }, [
      `Locked ${row.email} ${lasts}. Ended ${ended} sessions.`,
    ])
  })
}

async function unlock(named: string, options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { unlockUser } = await import('../features/sign-in/lockout/unlock.ts')
    const row = await findUser(platform, named, options)
    const unlocked = await unlockUser(await workOn(platform, options, row), row.id)
    print(options, { id: row.id, unlocked }, [unlocked ? `Unlocked ${row.email}.` : `${row.email} is not locked.`])
  })
}

async function resend(named: string, options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { inviteUser } = await import('../features/sign-in/invites/invites.ts')
    const { toUser } = await import('../features/directory/users/schema.ts')
    const { resendVerification } = await import('../features/sign-in/email-verification/email-verification.ts')
    const row = await findUser(platform, named, options)
    const work = await workOn(platform, options, row)
    const delivery = { redirectTo: null, deliver: true }
    const isInvited = toUser(row, row.organization_id).status === 'invited' && row.invited_at !== null
    const sent = isInvited
      ? await inviteUser(work, row.id, { delivery })
      : await resendVerification(work, row.id, delivery)
    const what = isInvited ? 'invitation' : 'verification'
    const email_suppression = sent ? await suppressionOf(platform, row) : null
    const line = email_suppression
      ? describeSuppression(email_suppression, options)
      : `The ${what} is on its way to ${row.email}.`
    print(options, { id: row.id, sent: sent && !email_suppression ? what : null, email_suppression }, [
      sent ? line : `${row.email} is verified: there is nothing to mail.`,
    ])
  })
}

/** The suppression as an org-wide key sees it. */
async function suppressionOf(platform: Platform, row: ListedUserRow): Promise<MailSuppression | null> {
  const { showSuppression } = await import('../platform/mail/bounces/bounces.ts')
  return showSuppression({ platform, db: platform.db, caller: { organizationId: null } }, row)
}

function describeSuppression({ email, reason, sub_org_id }: MailSuppression, { env }: Options): string {
  const place = `${sub_org_id === null ? '' : ` --org ${sub_org_id}`}${env === 'production' ? '' : ` --env ${env}`}`
  return `Nothing is mailed: ${email} is suppressed (${reason}). Run \`npx watchword mail suppressions clear ${email}${place}\`, then try again.`
}

async function reachOf(platform: Platform, options: Options): Promise<ReachWork> {
  const scope = await getScope(platform, options)
  const reach = await resolveReach(platform, scope, scope.organizationId)
  return { platform, reach, origin: cliOrigin(), db: platform.db }
}

async function findUser(platform: Platform, named: string, options: Options): Promise<ListedUserRow> {
  const users = await import('../features/directory/users/administration.ts')
  const work = await reachOf(platform, options)
  if (isId(named.toLowerCase())) return users.getUserInReach(work, named)
  const { rows } = await users.listUsers(work, { email: named }, firstPage(1))
  const [found] = rows
  if (!found) throw new CliError(`There is no user ${named}: name one by id or email address.`)
  if (rows.length > 1) throw new CliError(`Several organizations have a user ${named}: say which with --org.`)
  return found
}

/** Work in the directory of a user that was found. */
async function workOn(platform: Platform, options: Options, row: ListedUserRow): Promise<Work> {
  const scope = await getScope(platform, options)
  const directory = row.organization_id
    ? await directoryOfOrganization(platform, scope, row.organization_id)
    : scope.directory
  return { platform, directory, origin: cliOrigin(), db: platform.db }
}

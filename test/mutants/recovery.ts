import type { Mutant } from './mutant.ts'

const RECOVERY_TEST = 'test/recovery.test.ts'
const OUTGOING_TEST = 'src/cli/outgoing.test.ts'
const TABLES = 'src/cli/recovery-tables.ts'

/** What a restored database must not accept or send. */
export const recovery: Mutant[] = [
  {
    name: 'recover ends the sessions again after it refused the secrets',
    file: 'src/cli/recover.ts',
    find: 'const last = await end()',
    replace: 'const last = first',
    tests: [RECOVERY_TEST],
    only: 'passes during recover',
  },
  {
    name: 'recover refuses what was made while it ran',
    file: 'src/cli/recover-secrets.ts',
    find: "of ['first', 'again']",
    replace: "of ['first']",
    tests: [RECOVERY_TEST],
    only: 'made during recover',
  },
  {
    name: 'recover ends the sessions of the team',
    file: 'src/cli/recover-sessions.ts',
    find: 'users += await endSessionsIn(work, id)',
    replace: 'users += id.length',
    tests: [RECOVERY_TEST],
    only: 'every session at once',
  },
  {
    name: 'recover refuses links',
    file: TABLES,
    find: "refuse('links', 'links', { where: sql`used_at is null",
    replace: "refuse('links', 'links', { where: sql`false and used_at is null",
    tests: [RECOVERY_TEST],
    only: 'every one-time secret',
  },
  {
    name: 'recover refuses the code of the time step',
    file: TABLES,
    find: 'last_step < ${step}`',
    replace: 'last_step < ${step} and false`',
    tests: [RECOVERY_TEST],
    only: 'authenticator app',
  },
  {
    name: 'cursors beyond the restored events are refused',
    file: 'src/platform/event-epoch.ts',
    find: '|| state.ahead || state.lost)',
    replace: '|| state.ahead)',
    tests: [RECOVERY_TEST],
    only: 'cursors',
  },
  {
    name: 'an assertion from before a recovery is refused',
    file: 'src/features/saml/acs.ts',
    find: 'if (isRemembered && (await',
    replace: 'if (String(isRemembered) && (await',
    tests: ['src/features/saml/acs.test.ts'],
    only: 'after a recovery',
  },
  {
    name: 'no mail is sent while messages are held',
    file: 'src/platform/outbox/delivery.ts',
    find: 'if (await isOutgoingHeld(platform)) return',
    replace: 'if (platform.db === null) return',
    tests: [OUTGOING_TEST],
    only: 'wait in every process',
  },
  {
    name: 'no webhook is sent while messages are held',
    file: 'src/platform/webhooks/serve.ts',
    find: 'if (await isOutgoingHeld(platform)) return []',
    replace: 'if (platform.db === null) return []',
    tests: [OUTGOING_TEST],
    only: 'wait in every process',
  },
  {
    name: 'a release enqueues what waited',
    file: 'src/cli/outgoing.ts',
    find: 'mails: await mailDelivery.resume(platform)',
    replace: 'mails: await mailDelivery.countWaiting(platform)',
    tests: [OUTGOING_TEST],
    only: 'wait in every process',
  },
  {
    name: 'a copy of the database holds messages',
    file: 'src/start.ts',
    find: 'await checkDatabaseIdentity(url, log, wasMoved)',
    replace: 'if (wasMoved) await checkDatabaseIdentity(url, log, false)',
    tests: ['test/process/restore.test.ts'],
  },
]

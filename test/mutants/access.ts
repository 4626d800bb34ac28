import type { Mutant } from './mutant.ts'

/** The gates of a sign-in, sessions and the policy of second factors. */
export const access: Mutant[] = [
  {
    name: 'a session is not written after a concurrent cut-off',
    in: 'spendText',
    find: 'and users.epoch = asked.epoch',
    replace: '',
    tests: ['cut-off-race.test.ts'],
  },
  {
    name: 'a session is written only if the state that the gates read still holds',
    in: 'spendText',
    find: "deleted_at is null${joinText(holds, '')}",
    replace: 'deleted_at is null',
    tests: ['gates.test.ts'],
  },
  {
    name: 'concurrent sign-ins do not exceed the session limit',
    in: 'sessionRoom',
    find: 'holds: () => sqlText`users.sessions_at_most < asked.session_limit`,',
    replace: 'holds: () => sqlText`true`,',
    tests: ['race/sign-in.test.ts'],
  },
  {
    name: 'a list of sessions stays in its directory',
    in: 'sessions/store/selectScope',
    find: "? eb('sessions.directory_id', '=', directory.id)",
    replace: "? eb('sessions.environment_id', '=', reach.environmentId)",
    tests: ['sessions.test.ts', 'matrix-ids.test.ts'],
  },
  {
    name: 'an inactive user is refused',
    in: 'activeGate',
    find: 'if (!facts.active) throw loginErrors.userInactive()',
    replace: '',
    tests: ['gates.test.ts', 'password/password.test.ts'],
  },
  {
    name: 'users of a suspended organization are refused',
    in: 'organizationGate',
    find: "if (status !== 'active') throw httpErrors.organizationSuspended",
    replace: 'if (!status) throw httpErrors.organizationSuspended',
    tests: ['matrix-states.test.ts'],
  },
  {
    name: 'a required second factor must be enrolled',
    in: 'demandFactor',
    find: 'if (!(required || subject.mfa_enrolled) ||',
    replace: 'if (!subject.mfa_enrolled ||',
    tests: ['requirement.test.ts'],
  },
  {
    name: 'the grace period for enrollment ends',
    in: 'settleGrace',
    find: 'ends_at <= clock_now() as over from (\n',
    replace: 'false as over from (\n',
    tests: ['requirement.test.ts'],
  },
  {
    name: 'the first proof of a mailbox removes earlier credentials',
    in: 'completeMailboxLogin',
    find: 'if (facts.email_verified && !facts.pending && !also)',
    replace: 'if (!facts.pending && !also)',
    tests: ['pre-hijacking.test.ts'],
  },
  {
    name: 'a user with a passkey passes it before enrolling another factor',
    in: 'withoutFactor',
    find: "return hasPasskey ? 'challenge' : 'enrollment'",
    replace: "return 'enrollment'",
    tests: ['requirement.test.ts', 'bypass.test.ts'],
  },
  {
    name: 'users end only their own sessions',
    in: 'endOwnSession',
    find: 'sessionExists(db, directory, id, caller.directoryUserId)',
    replace: 'sessionExists(db, directory, id)',
    tests: ['matrix-own.test.ts'],
  },
]

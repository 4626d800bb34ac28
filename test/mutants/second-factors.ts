import type { Mutant } from './mutant.ts'

const CHALLENGES = 'src/features/challenges/store.ts'
const FACTORS = 'src/features/factors/store.ts'
const CHALLENGE = 'src/features/challenges/challenge.test.ts'
const BYPASS = 'src/features/challenges/bypass.test.ts'
const REQUIREMENT = 'src/features/mfa/requirement.test.ts'
const RACE = 'test/race/mfa.test.ts'
const MEANWHILE = 'src/features/mfa/meanwhile.test.ts'

/** Second factors, their policy, and devices that replace them. */
export const secondFactors: Mutant[] = [
  {
    name: 'a challenge is of the network that a backend has told',
    file: 'src/features/challenges/token.ts',
    find: "work.origin.actor.type === 'api_key' ? network : null",
    replace: 'network',
    tests: ['src/features/oidc/callback.test.ts'],
  },
  {
    name: 'who has a second factor is asked for it',
    file: 'src/features/challenges/gate.ts',
    find: "if (entry.aal !== 'aal1') return null",
    replace: 'if (entry.aal) return null',
    tests: [CHALLENGE],
  },
  {
    name: 'the phone that was the first factor is not the second',
    file: 'src/features/challenges/second-factors.ts',
    find: "sms: has.sms && !amr.includes('sms')",
    replace: 'sms: has.sms',
    tests: ['src/features/phone-codes/phone-codes.test.ts'],
  },
  {
    name: 'the phone that alone has opened a session does not step it up',
    file: 'src/features/me/methods.ts',
    find: "&& !(aal === 'aal1' && amr.includes('sms'))",
    replace: "&& !(aal === 'aal2' && amr.includes('none'))",
    tests: ['src/features/phone-codes/phone-codes.test.ts'],
  },
  {
    name: 'who must have a second factor enrolls one',
    file: 'src/features/mfa/demand.ts',
    find: 'if (!(required || subject.mfa_enrolled) ||',
    replace: 'if (!subject.mfa_enrolled ||',
    tests: [REQUIREMENT],
  },
  {
    name: 'a first factor alone enrolls no app beside a passkey',
    file: 'src/features/mfa/demand.ts',
    find: "return hasPasskey ? 'challenge' : 'enrollment'",
    replace: "return hasPasskey ? 'enrollment' : 'enrollment'",
    tests: [REQUIREMENT, BYPASS],
  },
  {
    name: 'a policy or factor that is set meanwhile holds',
    file: 'src/features/mfa/demand.ts',
    find: 'holds: (directory) => `users.mfa_enrolled = asked.had_factor and',
    replace: 'holds: (directory) => `true or users.mfa_enrolled = asked.had_factor and',
    tests: [MEANWHILE],
  },
  {
    name: 'a challenge is passed once',
    file: CHALLENGES,
    find: 'and id = asked.challenge_id\n      and used_at is null and expires_at > clock.at',
    replace: 'and id = asked.challenge_id\n      and expires_at > clock.at',
    tests: [RACE],
  },
  {
    name: 'a challenge expires',
    file: CHALLENGES,
    find: 'and used_at is null and expires_at > clock.at\n    and attempts',
    replace: 'and used_at is null\n    and attempts',
    tests: [CHALLENGE],
    equivalent: 'the statement that burns it compares its end as well',
  },
  {
    name: 'a challenge that was passed is not tried again',
    file: CHALLENGES,
    find: 'and used_at is null and expires_at > clock.at\n    and attempts',
    replace: 'and expires_at > clock.at\n    and attempts',
    tests: [CHALLENGE],
  },
  {
    name: 'a challenge allows five attempts',
    file: CHALLENGES,
    find: 'and attempts < ${TRIES} and',
    replace: 'and',
    tests: [CHALLENGE],
  },
  {
    name: 'a challenge is answered from its network',
    file: CHALLENGES,
    find: '(network_hash is null or network_hash = asked.client_network)',
    replace: 'true',
    tests: [CHALLENGE],
  },
  {
    name: 'wrong codes of a user are counted over all challenges',
    file: 'src/features/challenges/pass.ts',
    find: 'if (!read.is_allowed) throw accountLocked((await findLock(work, who)) ?? 1)',
    replace: '',
    tests: [CHALLENGE],
  },
  {
    name: 'a challenge of a user who is enrolled enrolls nothing',
    file: 'src/features/challenges/pass.ts',
    find: 'if (!challenge?.enrollment) throw challengeErrors.expired()',
    replace: 'if (!challenge) throw challengeErrors.expired()',
    tests: ['src/features/challenges/other-challenge.test.ts'],
  },
  {
    name: 'a challenge enrolls its own user',
    file: 'src/features/factors/confirmation.ts',
    find: 'if (challenge && challenge.challenge_user_id !== proven.user.id) throw challengeErrors.expired()',
    replace: '',
    tests: [REQUIREMENT, BYPASS],
  },
  {
    name: 'the session that a challenge replaces ends',
    file: 'src/features/challenges/pass.ts',
    find: 'if (before !== null && !(await revokeSession(work, before, reasons.stepped_up))) throw challengeErrors.expired()',
    replace: 'if (before === reasons.stepped_up) throw challengeErrors.expired()',
    tests: [REQUIREMENT],
  },
  {
    name: 'who was locked or cut off passes no challenge',
    file: 'src/features/challenges/pass.ts',
    find: '  await assertMaySignIn(work, facts)\n  return facts',
    replace: '  return facts',
    tests: [CHALLENGE, BYPASS],
    equivalent: 'the door asks the same again',
  },
  {
    name: 'the code of a step is good once',
    file: FACTORS,
    find: 'and confirmed_at is not null and last_step < asked.totp_step`',
    replace: 'and confirmed_at is not null`',
    tests: [RACE],
  },
  {
    name: 'the code of a step that passed is wrong',
    file: 'src/features/factors/totp.ts',
    find: 'if (right && step > lastStep) matched ??= step',
    replace: 'if (right) matched ??= step',
    tests: ['src/features/factors/totp.test.ts'],
  },
  {
    name: 'an app that waits is confirmed by few attempts',
    file: FACTORS,
    find: 'and expires_at > clock_now() and attempts < ${PENDING_TRIES}',
    replace: 'and expires_at > clock_now()',
    tests: ['src/features/factors/enrollment.test.ts'],
  },
  {
    name: 'an app that is in use is not replaced',
    file: FACTORS,
    find: '    where t.confirmed_at is null\n',
    replace: '',
    tests: ['src/features/factors/enrollment.test.ts', 'test/matrix-mfa.test.ts'],
  },
  {
    name: 'a backup code is judged',
    file: 'src/features/factors/second-factors.ts',
    find: 'if (!read || !hash || !(await verifyBackupCode(work, userId, hash, read.code))) return null',
    replace: 'if (!read || !hash) return null',
    tests: [CHALLENGE],
  },
  {
    name: 'a backup code is used once',
    file: 'src/features/factors/second-factors.ts',
    find: 'if (left === null) return false',
    replace: 'if (left === null) return true',
    tests: [RACE],
  },
  {
    name: 'a backup code that was replaced meanwhile is not spent',
    file: FACTORS,
    find: 'and slot = ${code.slot} and hash = ${code.hash}',
    replace: 'and slot = ${code.slot}',
    tests: [MEANWHILE],
  },
  {
    name: 'a code by text message is of its challenge',
    file: 'src/features/factors/sms.ts',
    find: "hashKey(mfaHashes), 'sms', id, code)",
    replace: "hashKey(mfaHashes), 'sms', code)",
    tests: [CHALLENGE],
    equivalent: 'the hash is stored with the challenge that it is compared for',
  },
  {
    name: 'grace begins once',
    file: 'src/features/mfa/store.ts',
    find: 'on conflict (directory_id, user_id) do nothing\n      returning ends_at)',
    replace: 'on conflict (directory_id, user_id) do update set ends_at = excluded.ends_at\n      returning ends_at)',
    tests: [REQUIREMENT],
    equivalent: 'nothing is inserted where a grace is known',
  },
  {
    name: 'grace is not renewed by another sign-in',
    file: 'src/features/mfa/store.ts',
    find: 'and not exists (select from known)\n',
    replace: '\n',
    tests: [REQUIREMENT],
    equivalent: 'the conflict keeps the row that is there',
  },
  {
    name: 'grace stays as it was begun',
    file: 'src/features/mfa/store.ts',
    find: `and not exists (select from known)
      -- Of a user who is being deleted or moved nothing is left behind.
      for update
      on conflict (directory_id, user_id) do nothing`,
    replace: `
      for update
      on conflict (directory_id, user_id) do update set ends_at = excluded.ends_at`,
    tests: [REQUIREMENT],
  },
  {
    name: 'grace ends',
    file: 'src/features/mfa/store.ts',
    find: 'select ends_at, ends_at <= clock_now() as over from (select * from known',
    replace: 'select ends_at, false as over from (select * from known',
    tests: [REQUIREMENT],
  },
  {
    name: 'a trusted device is of its user',
    file: 'src/features/mfa/device-store.ts',
    find: ".where('user_id', '=', userId)\n    .where('token_hash', '=', tokenHash)",
    replace: ".where('token_hash', '=', tokenHash)",
    tests: [REQUIREMENT, 'test/matrix-mfa.test.ts'],
    equivalent: 'the hash of its token has the user as well',
  },
  {
    name: 'the trust in a device ends',
    file: 'src/features/mfa/device-store.ts',
    find: 'return sql<boolean>`expires_at > clock_now()\n    and created_at',
    replace: 'return sql<boolean>`created_at',
    tests: [CHALLENGE, REQUIREMENT, BYPASS],
    equivalent: 'the setting of its days ends it at the same time or before',
  },
  {
    name: 'a setting that is shortened ends the trust in devices',
    file: 'src/features/mfa/device-store.ts',
    find: '\n    and created_at > clock_now() - make_interval(secs => ${days * SECONDS_A_DAY}::int)`',
    replace: '`',
    tests: [CHALLENGE, REQUIREMENT, BYPASS],
  },
  {
    name: 'no device replaces the factor that a policy demands of a role',
    file: 'src/features/mfa/demand.ts',
    find: "return policy.enforce_for_roles.length === 0 && subject.role === 'member'",
    replace: 'return true',
    tests: [CHALLENGE, REQUIREMENT, BYPASS],
  },
  {
    name: 'a policy cannot have text messages as its only factor',
    file: 'src/features/mfa/policy.ts',
    find: "if (require_mfa && allowed_methods.length > 0 && !allowed_methods.includes('totp'))",
    replace: 'if (!allowed_methods)',
    tests: ['src/features/mfa/policy.test.ts'],
  },
]

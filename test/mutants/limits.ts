import type { Mutant } from './mutant.ts'

const LOCKOUT = 'src/features/lockout/store.ts'
const LOCKOUT_TESTS = 'src/features/password/lockout.test.ts'

/** How often something may be tried or sent. */
export const limits: Mutant[] = [
  {
    name: 'wrong passwords lock',
    file: LOCKOUT,
    find: '((not ${startsOver} and l.failures + 1 >= ${maxAttempts}) or ${isHopeless})',
    replace: '(${isHopeless})',
    tests: [LOCKOUT_TESTS],
  },
  {
    name: 'a locked counter counts nobody in',
    file: LOCKOUT,
    find: 'where l.locked_until is null or l.locked_until <= ${at}\n',
    replace: '\n',
    tests: [LOCKOUT_TESTS, 'test/race/password.test.ts'],
  },
  {
    name: 'locks grow longer',
    file: LOCKOUT,
    find: '* power(2, least(${locksBefore}, 20))',
    replace: '* power(1, least(${locksBefore}, 20))',
    tests: [LOCKOUT_TESTS, 'src/features/lockout/store.test.ts'],
  },
  {
    name: 'a hundred failures in a row lock for long',
    file: LOCKOUT,
    find: 'const isHopeless = `(l.consecutive + 1 >= ${MAX_CONSECUTIVE})`',
    replace: 'const isHopeless = `(l.consecutive + 1 >= 1000 * ${MAX_CONSECUTIVE})`',
    tests: [LOCKOUT_TESTS, 'src/features/lockout/store.test.ts'],
  },
  {
    name: 'a right password clears the counters of its own network alone',
    file: LOCKOUT,
    find: 'and l.identity = ready.failed_identity and l.network = any(ready.failed_networks)\n',
    replace: 'and l.identity = ready.failed_identity\n',
    tests: [LOCKOUT_TESTS],
    equivalent: 'what is deleted is compared with the networks once more',
  },
  {
    name: 'a right password clears the count of its network',
    file: 'src/features/lockout/attempts.ts',
    find: 'return ip ? [EVERYWHERE, hashLockoutNetwork(platform, ip)] : [EVERYWHERE]',
    replace: 'return [EVERYWHERE]',
    tests: [LOCKOUT_TESTS],
  },
  {
    name: 'a right password clears the count of no other network',
    file: 'src/features/lockout/store.ts',
    find: 'and l.identity = ready.failed_identity and l.network = any(ready.failed_networks)\n    order by l.directory_id, l.identity, l.network desc for update of l`,\n  write: (directory) => `\n    delete from lockouts using held_cleared held, ready\n    where lockouts.directory_id = ${directory} and held.directory_id = lockouts.directory_id\n      and lockouts.identity = ready.failed_identity and held.identity = lockouts.identity\n      and lockouts.network = any(ready.failed_networks) and held.network = lockouts.network`,',
    replace:
      'and l.identity = ready.failed_identity\n    order by l.directory_id, l.identity, l.network desc for update of l`,\n  write: (directory) => `\n    delete from lockouts using held_cleared held, ready\n    where lockouts.directory_id = ${directory} and held.directory_id = lockouts.directory_id\n      and lockouts.identity = ready.failed_identity and held.identity = lockouts.identity\n      and held.network = lockouts.network`,',
    tests: [LOCKOUT_TESTS],
  },
  {
    name: 'a network is a /64 of IPv6',
    file: 'src/platform/http/client-address.ts',
    find: "`${groups.slice(0, 4).join(':')}::/64`",
    replace: "groups.join(':')",
    tests: [LOCKOUT_TESTS, 'src/platform/http/client-address.test.ts'],
  },
  {
    name: 'mails of any kind to one address have a limit',
    file: 'src/platform/mail/limits.ts',
    find: '[...limits, ...ofAnyKind]',
    replace: 'limits.length > 0 ? limits : ofAnyKind',
    tests: ['src/features/links/links.test.ts'],
  },
  {
    name: 'a link allows few attempts at a password',
    file: 'src/features/links/link.ts',
    find: "{ bucket: 'link.minute', limit: 10, windowSeconds: 60 },",
    replace: '',
    tests: ['src/features/links/links.test.ts'],
  },
  {
    name: 'requests that repeat take turns',
    file: 'src/platform/http/turns.ts',
    find: 'running.length < total && runningOf(owner) < perOwner && ',
    replace: 'running.length < total && ',
    tests: ['src/platform/http/idempotency.test.ts'],
  },
  {
    name: 'an organization leaves the other requests that repeat of its account their turns',
    file: 'src/platform/http/idempotency.ts',
    find: 'turns(platform)(owner, ',
    replace: 'turns(platform)({ id: caller.accountId }, ',
    tests: ['src/platform/http/idempotency.test.ts'],
  },
  {
    name: 'the code generator mails nothing beyond the limits of sending',
    file: 'src/features/otp/sending.ts',
    find: 'channel_email ? await find()',
    replace: 'channel_email ? null',
    tests: ['src/features/otp/delivery.test.ts'],
  },
  {
    name: 'the code generator sends no text beyond the limits of a number',
    file: 'src/platform/sms/limits.ts',
    find: '    (await findSendLimit(work, hashIdentity(work.platform, phone.e164), limits.ofNumber, sendingOf(limits, true))) ??\n',
    replace: '',
    tests: ['src/features/otp/delivery.test.ts'],
  },
  {
    name: 'the code generator sends no more texts than those of the day',
    file: 'src/platform/sms/limits.ts',
    find: "((await claimDay(work, limits, true)) ? null : 'daily_limit')",
    replace: 'null',
    tests: ['src/features/otp/sms.test.ts'],
  },
  {
    name: 'failures count however many codes are made since',
    file: 'src/features/otp/store.ts',
    find: '(${codes} and attempts > 0 order by',
    replace: '(${codes} order by',
    tests: ['src/features/otp/otp-budget.test.ts'],
  },
  {
    name: 'a code that was withheld and tried voids none that was delivered',
    file: 'src/features/otp/store.ts',
    find: ' filter (where not s.withheld)',
    replace: '',
    tests: ['src/features/otp/delivery.test.ts'],
  },
  {
    name: 'a code that was withheld hides none that voids the older',
    file: 'src/features/otp/store.ts',
    find: '(${codes} and not withheld order by',
    replace: '(${codes} order by',
    tests: ['src/features/otp/delivery.test.ts'],
  },
  {
    name: 'a generated code of which no message left is a withheld one',
    file: 'src/features/otp/sending.ts',
    find: 'withheld: channels.length === 0',
    replace: 'withheld: false',
    tests: ['src/features/otp/delivery.test.ts'],
  },
]

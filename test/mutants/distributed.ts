import type { Mutant } from './mutant.ts'

const WALK = ['test/cluster/walk.test.ts']
const DISTRIBUTED = ['test/sql-distributed.test.ts']

/** What a distributed database takes. */
export const distributed: Mutant[] = [
  {
    name: 'no time less an interval decides in an update',
    file: 'src/features/access/login/sign-in-rate.ts',
    find: "${at} - users.sign_ins_since >= interval '${WINDOW_SECONDS} seconds'",
    replace: "users.sign_ins_since <= ${at} - interval '${WINDOW_SECONDS} seconds'",
    tests: WALK,
  },
  {
    name: 'failures are locked in a query of their own',
    file: 'src/features/sign-in/lockout/store.ts',
    find: `    cross join lateral (
      select * from lockouts where directory_id = \${directory}
        and identity = ready.failed_identity and network = any(ready.failed_networks)
      order by directory_id, identity, network desc for update) l`,
    replace: `    join lockouts l on l.directory_id = \${directory}
      and l.identity = ready.failed_identity and l.network = any(ready.failed_networks)
    order by l.directory_id, l.identity, l.network desc for update of l`,
    tests: WALK,
  },
  {
    name: 'the lock of new connections is a statement of its own',
    file: 'src/features/federation/connections/store.ts',
    find: `    .returningAll()
    .$castTo<ConnectionRow>()
    .executeTakeFirstOrThrow()
}

export async function updateConnectionRow(`,
    replace: `    .returningAll()
    .returning(sql\`pg_advisory_xact_lock(1)\`.as('held'))
    .$castTo<ConnectionRow>()
    .executeTakeFirstOrThrow()
}

export async function updateConnectionRow(`,
    tests: WALK,
  },
  {
    name: 'an exchange code is inserted under another name of its table',
    file: 'src/features/federation/federation/store.ts',
    find: 'insert into exchange_codes as made (',
    replace: 'insert into exchange_codes (',
    tests: WALK,
  },
  {
    name: 'former roles are found by a difference of times',
    file: 'src/features/tenancy/members/store.ts',
    find: "lost.since - former.until < interval '30 days'",
    replace: "former.until > lost.since - interval '30 days'",
    tests: WALK,
  },
  {
    name: 'the data key is there before the environment is locked',
    file: 'src/platform/crypto/signing-keys.ts',
    find: '    await platform.keyring.prepare(environment.account_id)\n',
    replace: '',
    tests: DISTRIBUTED,
  },
  {
    name: 'the data key is there before the account is locked',
    file: 'src/features/tenancy/members/turns.ts',
    find: '  await platform.keyring.prepare(accountId)\n',
    replace: '',
    tests: DISTRIBUTED,
  },
  {
    name: 'the signing keys are there before the membership changes',
    file: 'src/features/sign-in/invites/accept.ts',
    find: '  await issuerOf(work.platform, work.directory.environmentId)\n',
    replace: '',
    tests: DISTRIBUTED,
  },
]

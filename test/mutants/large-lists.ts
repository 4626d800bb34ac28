import type { Mutant } from './mutant.ts'

const [USERS, PAGINATION] = ['src/features/directory/users/list-store.ts', 'src/platform/http/pagination.ts']
const [SESSIONS, AUDIT] = ['src/features/access/sessions/store.ts', 'src/features/records/audit/read-store.ts']
const COUNTS = 'src/features/tenancy/organizations/user-counts-store.ts'
const [LARGE_TEST, WALKS] = ['test/large-lists.test.ts', 'test/list-walks.test.ts']

/** What bounds the rows that lists, searches and counts read. */
export const largeLists: Mutant[] = [
  {
    name: 'a search takes its candidates of the indexes',
    file: USERS,
    find: 'if (!search.ranges.length) return null',
    replace: 'if (search.ranges.length < 9) return null',
    tests: [LARGE_TEST],
  },
  {
    name: 'a search that many users match does not sort all of them',
    file: USERS,
    find: 'order by ${key} limit ${limit})`,',
    replace: 'order by ${key})`,',
    tests: [LARGE_TEST],
  },
  {
    name: 'a page that ended early says where the next one continues',
    file: PAGINATION,
    find: 'end: end ? positionOf(end) : null',
    replace: 'end: null',
    tests: [LARGE_TEST, WALKS],
  },
  {
    name: 'a search ends at the row that its own statement scanned last',
    file: PAGINATION,
    find: 'const end = rows.find(({ scan_place }) => scan_place === SCAN_LIMIT)',
    replace: 'const end = rows.at(-1)',
    tests: [LARGE_TEST, WALKS],
  },
  {
    name: 'a search returns the row at which it ended, matching or not',
    file: USERS,
    find: 'where ${matches} or users.scan_place = ${SCAN_LIMIT} order by',
    replace: 'where ${matches} order by',
    tests: [LARGE_TEST, WALKS],
  },
  {
    name: 'a search loses no row whose user is gone',
    file: SESSIONS,
    find: ".leftJoin('users', (join) =>",
    replace: ".innerJoin('users', (join) =>",
    tests: [WALKS],
  },
  {
    name: 'users who changed are listed by the index of changes',
    file: USERS,
    find: "at: sql.ref(updatedSince === undefined ? 'created_at' : 'updated_at')",
    replace: "at: sql.ref('created_at')",
    tests: [LARGE_TEST],
  },
  {
    name: 'a total is counted up to a bound',
    file: PAGINATION,
    find: '    .limit(COUNTED + 1)\n',
    replace: '',
    tests: [LARGE_TEST],
  },
  {
    name: 'the sessions of a user are found by the user',
    file: SESSIONS,
    find: `(sessions.directory_id, sessions.user_id) in (select users.directory_id, users.id from users
          where \${users} and (users.id = \${userId} or users.auth_account_id = \${userId}))`,
    replace: `coalesce((sessions.directory_id, sessions.user_id) in (select users.directory_id, users.id from users
          where \${users} and (users.id = \${userId} or users.auth_account_id = \${userId})), false)`,
    tests: [LARGE_TEST],
  },
  {
    name: 'a search scans a bounded number of rows',
    file: PAGINATION,
    find: '{ ...page, limit: SCAN_LIMIT - 1 }',
    replace: '{ ...page, limit: 10 * SCAN_LIMIT }',
    tests: [LARGE_TEST],
  },
  {
    name: 'a beginning in the audit log is found by one block of the chain',
    file: AUDIT,
    find: "interval '1 hour' order by last_at desc limit 1)",
    replace: "interval '1 hour')",
    tests: [LARGE_TEST],
  },
  {
    name: 'the count of a large organization is read, not counted',
    file: COUNTS,
    find: 'directory_id !== null && kept === null ?',
    replace: 'directory_id !== null ?',
    tests: [LARGE_TEST],
  },
  {
    name: 'the time of a kept count stays while changes are unread',
    file: 'src/features/tenancy/organizations/user-counts.ts',
    find: 'at: isComplete ? at : null',
    replace: 'at',
    tests: ['src/features/tenancy/organizations/user-counts.test.ts'],
  },
  {
    name: 'a job goes on with other environments when one fails',
    file: 'src/platform/jobs/parts.ts',
    find: 'if (stopsAll && !failed.length) throw error',
    replace: 'throw error',
    tests: ['test/job-parts.test.ts'],
  },
  {
    name: 'a job ends at once when the database is unavailable',
    file: 'src/platform/jobs/parts.ts',
    find: 'const stopsAll = isDatabaseUnavailable(error) &&',
    replace: 'const stopsAll = false &&',
    tests: ['test/job-parts.test.ts'],
  },
  {
    name: 'a job goes on after a statement that took too long',
    file: 'src/platform/jobs/parts.ts',
    find: " && !OF_STATEMENT.test(sqlState(error) ?? '')",
    replace: '',
    tests: ['test/job-parts.test.ts'],
  },
  {
    name: 'an import holds one batch of rows',
    file: 'src/cli/import/run.ts',
    find: 'if (batch.length < MAX_USERS_PER_REQUEST) continue',
    replace: 'if (batch.length < 2 * MAX_USERS_PER_REQUEST) continue',
    tests: ['src/cli/import/bounded.test.ts'],
  },
]

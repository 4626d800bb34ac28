import type { Mutant } from './mutant.ts'

const [USERS, PAGINATION] = ['src/features/users/list-store.ts', 'src/platform/http/pagination.ts']
const [SESSIONS, AUDIT] = ['src/features/sessions/store.ts', 'src/features/audit/read-store.ts']
const COUNTS = 'src/features/organizations/user-counts-store.ts'
const LARGE_TEST = 'test/large-lists.test.ts'

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
    file: USERS,
    find: 'return { rows, end: last[0] ?? null }',
    replace: 'return { rows }',
    tests: [LARGE_TEST],
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
    find: '.$if(userId !== undefined, (query) =>',
    replace: '.$if(false, (query) =>',
    tests: [LARGE_TEST],
  },
  {
    name: 'the planner does not sort all sessions',
    file: SESSIONS,
    find: 'const rows = await takePage(live(lookAt(scope, page, columns)), page, columns).execute()',
    replace: 'const rows = await takePage(live(scope), page, columns).execute()',
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
]

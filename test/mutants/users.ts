import type { Mutant } from './mutant.ts'

const EXTERNAL_IDS = 'src/features/directory/users/external-ids.test.ts'
const PENDING = 'src/features/directory/users/pending.test.ts'
const SIGNUPS = 'src/features/sign-in/signup/pending.test.ts'
const RESTORE_TESTS = 'src/features/directory/users/restore.test.ts'

/** The directory's users. */
export const users: Mutant[] = [
  {
    name: 'an external id that is set anew is of one user',
    file: 'src/features/directory/users/changes.ts',
    find: '!== before.external_id ? OF_ONE : {}',
    replace: '!== before.external_id ? {} : {}',
    tests: [EXTERNAL_IDS],
  },
  {
    name: 'whoever takes the place of a sign-up has no directory role of it',
    file: 'src/features/directory/users/store.ts',
    find: "['role', 'own_role', 'sso_role', 'scim_role', 'role_since', 'role_ids', 'created_at'",
    replace: "['created_at'",
    tests: [PENDING],
  },
  {
    name: 'whom provisioning sets at the address of a sign-up is provisioned',
    file: 'src/features/directory/users/store.ts',
    find: "['scim_managed', 'invited_at'",
    replace: "['invited_at'",
    tests: ['src/features/provisioning/provisioning/users.test.ts'],
  },
  {
    name: 'no sign-in that began with a sign-up passes for whoever takes its place',
    file: 'src/features/directory/users/store.ts',
    find: '          epoch: sql`users.epoch + 1`,\n',
    replace: '',
    tests: [PENDING],
  },
  {
    name: 'whoever takes the place of a sign-up has no other role of it',
    file: 'src/features/directory/users/insert.ts',
    find: '  if (replaced.length > 0) await deleteRowsOf(db, given, directory.id, replaced)\n',
    replace: '',
    tests: [PENDING],
  },
  {
    name: 'whoever takes the place of a sign-up keeps what is on its way to the address',
    file: 'src/features/directory/users/insert.ts',
    find: 'filter(({ beforeProof }) => beforeProof)',
    replace: "filter(({ removal }) => typeof removal === 'function')",
    tests: [SIGNUPS],
  },
  {
    name: 'however many sign-ups are replaced, it is one statement',
    file: 'src/features/directory/users/insert.ts',
    find: 'await deleteRowsOf(db, given, directory.id, replaced)',
    replace: 'for (const id of replaced) await deleteRowsOf(db, given, directory.id, [id])',
    tests: ['src/features/directory/users/bulk/passwords.test.ts'],
  },
  {
    name: 'a list that meets another one fails in the rows that they share',
    file: 'src/features/directory/users/bulk/bulk.ts',
    find: 'throw isExternalIdTaken(error) ? overtaken(error) : error',
    replace: 'throw error',
    tests: [EXTERNAL_IDS],
  },
  {
    name: 'whose address is there is skipped, whatever external id the row has',
    file: 'src/features/directory/users/bulk/external-ids.ts',
    find: 'if (there.has(norm)) continue',
    replace: '',
    tests: [EXTERNAL_IDS],
  },
  {
    name: 'nobody is restored after thirty days, though the row is still there',
    file: 'src/features/directory/users/store.ts',
    find: "users.deleted_at > clock_now() - interval '30 days'",
    replace: 'users.deleted_at is not null',
    tests: [RESTORE_TESTS],
  },
  {
    name: 'whoever restores somebody gives no roles',
    file: 'src/features/directory/users/restore.ts',
    find: '{ ...AS_MEMBER, invited_at: null, ...changes, ...mailbox }',
    replace: '{ invited_at: null, ...changes, ...mailbox }',
    tests: [RESTORE_TESTS],
  },
  {
    name: 'whom provisioning had set nobody restores by oversight',
    file: 'src/features/directory/users/restore.ts',
    find: 'if (gone.scim_managed && !force) throw userErrors.scimManaged()',
    replace: '',
    tests: [RESTORE_TESTS],
  },
  {
    name: 'deleting and restoring takes no second factor away',
    file: 'src/features/sign-in/factors/belongings.ts',
    find: 'removal: pending,',
    replace: 'removal: goes(table, NONE),',
    tests: [RESTORE_TESTS],
  },
  {
    name: 'deleting and restoring takes no passkey away',
    file: 'src/features/sign-in/passkeys/belongings.ts',
    find: "removal: { stays: 'They come back with the user, if anybody restores them.' },",
    replace: 'removal: (work, change) => ({ ...removeAndTell(work, change), isSilent: true }),',
    tests: [RESTORE_TESTS],
  },
  {
    name: 'passkeys go with the row of who was deleted',
    file: 'src/features/sign-in/passkeys/belongings.ts',
    find: '  purged: true,\n',
    replace: '',
    tests: ['src/features/sign-in/passkeys/passkeys.test.ts'],
  },
  {
    name: 'whom provisioning brings back has no factor left',
    file: 'src/features/directory/users/restore.ts',
    find: '  if (user) await purgeKept(work.db, work.platform.belongings, work.directory.id, [user.id])\n',
    replace: '',
    tests: [RESTORE_TESTS],
  },
]

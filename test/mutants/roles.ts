import type { Mutant } from './mutant.ts'

const PERMISSIONS = 'src/features/roles/permissions.ts'
const ASSIGN = 'src/features/roles/assign.ts'
const CUSTOM = 'src/features/roles/custom.ts'
const MAPPING = 'src/features/roles/mapping.ts'
const STORE = 'src/features/roles/store.ts'
const ESCALATION_TEST = 'src/features/roles/escalation.test.ts'
const ASSIGN_TEST = 'src/features/roles/assign.test.ts'
const RACE_TEST = 'test/race/roles.test.ts'

/** Who may grant what, and what becomes of what was granted. */
export const roles: Mutant[] = [
  {
    name: 'a member of the team grants nothing that their role is without',
    file: PERMISSIONS,
    find: 'if (lacks.includes(permission)) return false',
    replace: '',
    tests: [ESCALATION_TEST],
  },
  {
    name: 'a key grants no permission whose scope it lacks',
    file: PERMISSIONS,
    find: 'if (scope !== null) return allows(held, scope)',
    replace: 'if (scope !== null) return true',
    tests: [ESCALATION_TEST],
  },
  {
    name: 'a role that is made holds no more than the key',
    file: CUSTOM,
    find: 'assertMayGrant(work.caller, permissions)',
    replace: 'assertMayGrant(work.caller, [])',
    tests: [ESCALATION_TEST],
  },
  {
    name: 'a role gets no more than the key holds',
    file: CUSTOM,
    find: 'assertMayGrant(work.caller, effect.permissionsAdded)',
    replace: 'assertMayGrant(work.caller, [])',
    tests: [ESCALATION_TEST],
  },
  {
    name: 'nobody is made an admin by a key that could not do as much',
    file: ASSIGN,
    find: "if (change.role === 'admin' && user.own_role !== 'admin')",
    replace: 'if (change.role === undefined && change.role !== undefined)',
    tests: [ESCALATION_TEST],
  },
  {
    name: 'no connection gives more than the key that sets it',
    file: MAPPING,
    find: '  assertMayGrant(work.caller, permissionsOf(roles, granted))\n',
    replace: '',
    tests: [ESCALATION_TEST],
  },
  {
    name: 'provisioning is linked to no connection whose groups give more than the key',
    file: 'src/features/scim/config.ts',
    find: 'if (id !== before.sso_connection_id) await',
    replace: 'if (id === before.sso_connection_id) await',
    tests: [ESCALATION_TEST],
  },
  {
    name: 'a token of provisioning is handed to nobody who could not give what its groups give',
    file: 'src/features/scim/config.ts',
    find: 'if (linked) await assertMayUseMapping(work, linked)',
    replace: '',
    tests: [ESCALATION_TEST],
  },
  {
    name: 'roles of another organization are not given',
    file: ASSIGN,
    find: 'if (strange >= 0)',
    replace: 'if (strange > names.length)',
    tests: [ASSIGN_TEST],
  },
  {
    name: 'a role that is deleted is taken from whoever was given it meanwhile',
    file: STORE,
    find: '    .forShare()\n',
    replace: '',
    tests: [RACE_TEST],
  },
]

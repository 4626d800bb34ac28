import type { Mutant } from './mutant.ts'

const PERMISSIONS = 'src/features/roles/permissions.ts'
const ASSIGN = 'src/features/roles/assign.ts'
const CUSTOM = 'src/features/roles/custom.ts'
const MAPPING = 'src/features/roles/mapping.ts'
const STORE = 'src/features/roles/store.ts'
const ESCALATION_TEST = 'src/features/roles/escalation.test.ts'
const ASSIGN_TEST = 'src/features/roles/assign.test.ts'
const SSO_TEST = 'src/features/roles/sso.test.ts'
const SOURCES_TEST = 'src/features/roles/sources.test.ts'
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
    find: "if (role === 'admin' && held.own_role !== 'admin')",
    replace: 'if (role === undefined && role !== undefined)',
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
    find: '    await assertMayUseLinked(work, row.sso_connection_id)\n',
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
  {
    name: 'a connection that is closed takes the roles that it gave',
    file: 'src/features/federation/identities.ts',
    find: "  if (of.method === 'sso') await withdrawConnectionRoles(work, of.source)\n",
    replace: '',
    tests: [SSO_TEST],
  },
  {
    name: 'a link that is removed takes the roles that it gave',
    file: 'src/features/federation/identities.ts',
    find: "    if (identity.method === 'sso') await withdrawUserRoles(work, user, identity.source)\n",
    replace: '',
    tests: [SSO_TEST],
  },
  {
    name: 'a mapping that is changed takes what it no longer gives',
    file: 'src/features/connections/changes.ts',
    find: '    else await narrowToMapping(work, known, { before: readConfig(row.config), after: readConfig(config) })\n',
    replace: '',
    tests: [SSO_TEST],
  },
  {
    name: 'a sign-in gives roles by the mapping of now',
    file: 'src/features/federation/complete.ts',
    find: 'mapGroups(mapping, rules.groups.names)',
    replace: 'mapGroups(rules.groups.mapping, rules.groups.names)',
    tests: [SSO_TEST],
  },
  {
    name: 'a role that groups give is removed by force alone',
    file: 'src/features/roles/managed.ts',
    find: 'if (roles.length > 0) throw',
    replace: 'if (roles.length > 1e6) throw',
    tests: [SSO_TEST],
  },
  {
    name: 'a role that groups give is not given by hand as well',
    file: 'src/features/roles/assign.ts',
    find: 'isAmong(manual, id) || !isAmong(managed, id)',
    replace: "isAmong(manual, id) || id !== ''",
    tests: [SOURCES_TEST],
  },
  {
    name: 'a role that is deleted is in no grant of a connection',
    file: 'src/features/roles/store.ts',
    find: `update sso_roles set role_ids = array_remove(role_ids, \${id}::uuid)`,
    replace: 'update sso_roles set role_ids = role_ids',
    tests: [SSO_TEST],
  },
  {
    name: 'provisioning that is off gives no roles',
    file: 'src/features/groups/store.ts',
    find: 'return row?.enabled ? row.sso_connection_id : null',
    replace: 'return row?.sso_connection_id ?? null',
    tests: [SOURCES_TEST],
  },
  {
    name: 'provisioning is switched on by nobody who could not give what its groups give',
    file: 'src/features/scim/config.ts',
    find: '    if (enabled && !row.enabled && connection === row.sso_connection_id) await assertMayUseLinked(work, connection)\n',
    replace: '',
    tests: [SSO_TEST],
  },
  {
    name: 'who proves a mailbox has no roles of links from before',
    file: 'src/features/roles/belongings.ts',
    find: '    proof: withoutSso,\n',
    replace: "    proof: { stays: '' },\n",
    tests: [SSO_TEST],
  },
  {
    name: 'roles of the release before end at the next sign-in',
    file: 'src/features/roles/sso-store.ts',
    find: 'case when ${isUnsettled(directory)} then',
    replace: 'case when false then',
    tests: ['src/features/roles/upgrade.test.ts'],
    only: 'sign-in',
  },
  {
    name: 'roles of the release before end with rule and connection',
    file: 'src/features/roles/sso.ts',
    find: 'of await listUngrantedOfConnection(db, directory, connectionId))',
    replace: 'of (await listUngrantedOfConnection(db, directory, connectionId)).slice(0, 0))',
    tests: ['src/features/roles/upgrade.test.ts'],
    only: 'without a grant end|a role without',
  },
  {
    name: 'roles of the release before are replaced by hand',
    file: 'src/features/roles/managed.ts',
    find: 'if (roles.length > 0) throw',
    replace: 'if (!force) throw',
    tests: ['src/features/roles/upgrade.test.ts'],
    only: 'by hand',
  },
  {
    name: 'deprovisioning takes the roles of sign-ins by groups',
    file: 'src/features/provisioning/change.ts',
    find: 'if (left) await withdrawSsoRoles(work, left)',
    replace: '',
    tests: ['src/features/roles/upgrade.test.ts'],
    only: 'deprovisioning',
  },
  {
    name: 'a first group makes the default role take effect',
    file: MAPPING,
    find: 'return isEmpty(before) !== isEmpty(after) || ',
    replace: 'return ',
    tests: [ESCALATION_TEST],
    only: 'default role',
  },
  {
    name: 'a group that gave member keeps the default role from its members',
    file: MAPPING,
    find: ' || membersOf(before).some((group) => !kept.has(group))',
    replace: '',
    tests: [ESCALATION_TEST],
    only: 'default role',
  },
  {
    name: 'another provider of the groups gives what the mapping gives',
    file: 'src/features/connections/changes.ts',
    find: 'if (isOther || readsOther)',
    replace: 'if (readsOther)',
    tests: [ESCALATION_TEST],
    only: 'decides the groups',
  },
  {
    name: 'another claim for the groups gives what the mapping gives',
    file: 'src/features/connections/changes.ts',
    find: 'if (isOther || readsOther)',
    replace: 'if (isOther)',
    tests: [ESCALATION_TEST],
    only: 'decides the groups',
  },
]

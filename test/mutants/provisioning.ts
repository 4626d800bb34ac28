import type { Mutant } from './mutant.ts'

const ADMISSION = 'src/features/scim/admission.ts'
const STORE = 'src/features/scim/store.ts'
const PROVISION = 'src/features/provisioning/provision.ts'
const SCIM_TEST = 'src/features/scim/scim.test.ts'
const ACCESS_TEST = 'src/features/provisioning/access.test.ts'
const USERS_TEST = 'src/features/provisioning/users.test.ts'
const ROLES_TEST = 'src/features/groups/roles.test.ts'

const inLog = (mutant: Omit<Mutant, 'name' | 'tests'> & { left: string }): Mutant => {
  const { left, ...change } = mutant
  return {
    ...change,
    name: `no password is in the log of SCIM: ${left}`,
    tests: ['src/features/scim/passwords.test.ts'],
  }
}

/** Whom a client of provisioning reaches, and what it does to them. */
export const provisioning: Mutant[] = [
  ...[
    { left: 'a path', find: 'asks(bare, WORD) ? route : ', replace: '' },
    { left: 'a query', find: 'asks(url, WORD) ? bare : ', replace: '' },
    { left: 'a name', find: 'WORD.test(name) || ', replace: '' },
    { left: 'a filter', find: 'ASKING.test(name) ? WORD : ', replace: '' },
    { left: 'an escape', find: '(?:25)*', replace: '' },
  ].map((change) => inLog({ file: 'src/features/scim/passwords.ts', ...change })),
  inLog({
    left: 'a reason',
    file: 'src/features/scim/log.ts',
    find: 'isWhole ? reason : withoutQuotes(reason)',
    replace: 'reason',
  }),
  {
    name: 'an organization ends its own SCIM tokens alone',
    file: STORE,
    find: `    .deleteFrom('scim_tokens')
    .where('directory_id', '=', directory.id)`,
    replace: "    .deleteFrom('scim_tokens')",
    tests: [SCIM_TEST],
    only: 'ends every earlier token',
  },
  {
    name: 'a rotation without overlap ends the SCIM token that there is',
    file: STORE,
    find: '.$if(overlapSeconds > 0, (query) =>',
    replace: '.$if(overlapSeconds >= 0, (query) =>',
    tests: [SCIM_TEST],
    only: 'ends the old one at once',
  },
  {
    name: 'a SCIM token ends with its overlap',
    file: STORE,
    find: 'set({ expires_at: sql`clock_now() + make_interval(secs => ${overlapSeconds})` })',
    replace: "set({ expires_at: sql`clock_now() + interval '1 year'` })",
    tests: [SCIM_TEST],
    only: 'ends the old one at once',
  },
  {
    name: 'nobody is served where provisioning is off',
    file: ADMISSION,
    find: 'if (!found.enabled) throw scimErrors.disabled()',
    replace: '',
    tests: [SCIM_TEST],
    only: 'provisioning is off, or',
  },
  {
    name: 'nobody is served of an organization that is suspended',
    file: ADMISSION,
    find: "if (found?.organization_status !== 'active')",
    replace: 'if (!found)',
    tests: [SCIM_TEST],
    only: 'provisioning is off, or',
  },
  {
    name: 'what provisioning has set is changed elsewhere by force alone',
    file: 'src/features/users/changes.ts',
    find: 'if (before.scim_managed && !force) refuseManaged(before, patch)',
    replace: '',
    tests: [USERS_TEST],
    only: 'only by force',
  },
  {
    name: 'a client of SCIM changes no user whom nobody provisions',
    file: 'src/features/provisioning/change.ts',
    find: 'if (!user || !said || user.id !== id.toLowerCase()) throw scimErrors.resourceNotFound()',
    replace: 'if (!user || !said) throw scimErrors.resourceNotFound()',
    tests: [USERS_TEST],
    only: 'nobody else is seen or touched',
  },
  {
    name: 'a group of SCIM belongs to its organization',
    file: 'src/features/groups/store.ts',
    find: "    .where('scim_groups.directory_id', '=', directory.id)\n",
    replace: '',
    tests: ['src/features/scim/conformance-groups.test.ts'],
    only: 'a group of another organization',
  },
  {
    name: 'no user of another organization becomes a member of a group of SCIM',
    file: 'src/features/groups/store.ts',
    find: 'where directory_id = ${directory.id} and user_id = any(${ids}::uuid[]) and deleted_at is null\n    union all',
    replace: 'where user_id = any(${ids}::uuid[]) and deleted_at is null\n    union all',
    tests: ['src/features/scim/conformance-groups.test.ts'],
    only: 'another organization',
  },
  {
    name: 'a user is taken over only by whoever has proved the domain',
    file: PROVISION,
    find: 'if (!ownsDomain)',
    replace: 'if (same.scim_managed)',
    tests: [ACCESS_TEST],
    only: 'and nowhere else',
  },
  {
    name: 'whoever is taken over loses what a stranger set before',
    file: PROVISION,
    find: 'const proved: HeldUser = await proveMailbox(work, user)',
    replace: 'const proved: HeldUser = user',
    tests: [ACCESS_TEST],
    only: 'stranger set before',
  },
  {
    name: 'nobody comes back by a client of SCIM but under the same externalId',
    file: PROVISION,
    find: 'candidates.filter((one) => one.has_external_id)',
    replace: 'candidates.filter((one) => one.is_gone)',
    tests: ['src/features/scim/conformance-users.test.ts'],
    only: 'free for another one',
  },
  {
    name: 'nobody comes back by a client of SCIM after thirty days',
    file: 'src/features/provisioning/store.ts',
    find: "and (deleted_at is null or deleted_at > clock_now() - interval '30 days')",
    replace: '',
    tests: [ACCESS_TEST],
    only: 'restored for thirty days',
  },
  {
    name: 'active false cuts off',
    file: 'src/features/users/changes.ts',
    find: 'const reason = turned && !patch.active ? reasons.user_deactivated : movesMailbox',
    replace: 'const reason = movesMailbox',
    tests: [ACCESS_TEST],
    only: 'ends every session in the same moment',
  },
  {
    name: 'whoever a client of SCIM deletes has no role by their groups any more',
    file: 'src/features/provisioning/change.ts',
    find: "      await giveRoles(work, 'scim', [{ user, role: null, roleIds: [] }])\n",
    replace: '',
    tests: [ROLES_TEST],
    only: 'nor when they come back',
  },
  {
    name: 'no mapping of groups makes an owner',
    file: 'src/features/connections/config.ts',
    find: "export const ROLES = ['admin', 'member'] as const",
    replace: "export const ROLES = ['admin', 'member', 'owner'] as const",
    tests: ['src/features/connections/connections.test.ts'],
    only: 'is refused, and changes nothing',
  },
  {
    name: 'a user who joins or leaves a group has another version',
    file: 'src/features/groups/write.ts',
    find: "[...idsOf('User'), ...beneath]",
    replace: 'beneath',
    tests: ['src/features/groups/versions.test.ts'],
  },
  {
    name: 'users within a group that is renamed have another version',
    file: 'src/features/groups/write.ts',
    find: '...(isRenamed ? [groupId] : [])',
    replace: '',
    tests: ['src/features/groups/versions.test.ts'],
  },
  {
    name: 'users within a group that is deleted have another version',
    file: 'src/features/groups/write.ts',
    find: "    await raiseVersions(db, directory, 'user', beneath)\n",
    replace: '',
    tests: ['src/features/groups/versions.test.ts'],
  },
  {
    name: 'the groups of a user who is deprovisioned have another version',
    file: 'src/features/groups/write.ts',
    find: "await raiseVersions(\n    db,\n    directory,\n    'group',\n    groups",
    replace: "await raiseVersions(\n    db,\n    directory,\n    'user',\n    groups",
    tests: ['src/features/groups/versions.test.ts'],
  },
  {
    name: 'the groups of a user who is deleted have another version',
    file: 'src/features/groups/belongings.ts',
    find: '    also: raisedGroups(directory, sql`select group_id as id from scim_group_members_taken`),\n',
    replace: '',
    tests: ['src/features/groups/versions.test.ts'],
  },
  {
    name: 'the groups of a user with another name have another version',
    file: 'src/features/users/changes.ts',
    find: '  if (after.scim_managed && after.display_name !== before.display_name)\n    await nameFollower.of(work.platform)(work, after.id)\n',
    replace: '',
    tests: ['src/features/groups/versions.test.ts'],
  },
  {
    name: 'the groups of a user without a name show another userName',
    file: 'src/features/provisioning/write.ts',
    find: 'if (row.display_name === null && said.user_name !== given.userName)',
    replace: "if (row.display_name === '')",
    tests: ['src/features/groups/versions.test.ts'],
  },
  {
    name: 'a condition is compared with the version of the shown body',
    file: 'src/platform/scim/versions.ts',
    find: 'return shown_version === null ?',
    replace: 'return shown_version !== 0 ?',
    tests: ['src/features/groups/versions.test.ts'],
  },
  {
    name: 'a lock passes on to the next user of the userName',
    file: 'src/features/provisioning/provision.ts',
    find: 'create(work, given, ownsDomain, former)',
    replace: 'create(work, given, ownsDomain)',
    tests: ['src/features/provisioning/returning.test.ts'],
  },
  {
    name: 'a lock passes on by the userName beside the address of another user',
    file: 'src/features/provisioning/provision.ts',
    find: 'isLockedByName ? former : user',
    replace: 'user',
    tests: ['src/features/provisioning/returning.test.ts'],
  },
  {
    name: 'a lock passes on for thirty days',
    file: 'src/features/provisioning/store.ts',
    find: "          and deleted_at > clock_now() - interval '30 days'\n",
    replace: '          and deleted_at is not null\n',
    tests: ['src/features/provisioning/returning.test.ts'],
  },
  {
    name: 'the last user of a userName decides on the lock',
    file: 'src/features/provisioning/store.ts',
    find: 'order by deleted_at desc, user_id desc limit 1',
    replace: 'order by deleted_at, user_id limit 1',
    tests: ['src/features/provisioning/returning.test.ts'],
  },
  {
    name: 'a user whom the API has deleted passes on no lock',
    file: 'src/features/provisioning/store.ts',
    find: '      where deleted_by_client)',
    replace: '      where true)',
    tests: ['src/features/provisioning/returning.test.ts'],
  },
  {
    name: 'a user who has come back is not deleted by the client',
    file: 'src/features/provisioning/store.ts',
    find: 'deleted_at = null, deleted_by_client = false',
    replace: 'deleted_at = null',
    tests: ['src/features/provisioning/returning.test.ts'],
  },
]

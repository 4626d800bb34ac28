import type { Mutant } from './mutant.ts'

const MEMBERS = 'src/features/members/members.ts'
const ROSTER = 'src/features/members/roster.ts'
const ROLES = 'src/features/members/team-roles.ts'
const STORE = 'src/features/members/store.ts'
const CALLER = 'src/features/members/caller.ts'
const JOINING = 'src/features/members/joining.ts'
const INVITING = 'src/features/members/inviting.ts'
const TEAM_DIRECTORY = 'src/platform/http/resolve-directory.ts'
const [SIGN_IN_TEST, CALLER_TEST] = ['src/features/members/sign-in.test.ts', 'src/features/members/caller.test.ts']
const INVITING_TEST = 'src/features/members/inviting.test.ts'
const [MEMBERS_TEST, ROSTER_TEST] = ['src/features/members/members.test.ts', 'src/features/members/roster.test.ts']

/** Who looks after an account, and may make others do so. */
export const team: Mutant[] = [
  {
    name: 'no key of a member does what their role is without',
    file: 'src/features/api-keys/subset.ts',
    find: 'lacks.some((permission) => carries(power.scopes, permission))',
    replace: 'lacks.length < 0',
    tests: [CALLER_TEST],
  },
  {
    name: 'the last owner stays',
    file: MEMBERS,
    find: 'if ((await countOwners(work.db, scope)) > 1) return',
    replace: 'if ((await countOwners(work.db, scope)) > 0) return',
    tests: [MEMBERS_TEST],
  },
  {
    name: 'who has not joined is no owner yet',
    file: STORE,
    find: "    .where('role', '=', 'owner')\n    .where('status', '=', 'active')",
    replace: "    .where('role', '=', 'owner')",
    tests: [MEMBERS_TEST],
  },
  {
    name: 'changes of a team come one after the other',
    file: STORE,
    find: ".where('id', '=', accountId).forNoKeyUpdate()",
    replace: ".where('id', '=', accountId)",
    tests: ['test/race/team.test.ts'],
  },
  {
    name: 'a roster has an owner who has joined',
    file: ROSTER,
    find: "role === 'owner' && (row ?? account)?.status === 'active'",
    replace: "role === 'owner'",
    tests: [ROSTER_TEST],
  },
  {
    name: 'a roster is replaced all or nothing',
    file: ROSTER,
    find: '  return inTx(work, async (work) => {\n    await lockTeam',
    replace:
      '  for (const row of await listMemberRows(work.db, scope)) await inTx(work, (work) => takeOff(work, row))\n  return inTx(work, async (work) => {\n    await lockTeam',
    tests: [ROSTER_TEST],
  },
  {
    name: 'a roster names nobody twice',
    file: ROSTER,
    find: '(_, i) => addresses.indexOf(addresses[i]) < i',
    replace: '() => false',
    tests: [ROSTER_TEST],
  },
  {
    name: 'a membership is of the account of the caller',
    file: STORE,
    find: "selectAll(db).where('account_id', '=', accountId)\n  if",
    replace: "selectAll(db).where('account_id', 'is not', null)\n  if",
    tests: [MEMBERS_TEST],
  },
  {
    name: 'a key of one organization finds its roster alone',
    file: STORE,
    find: "if (organizationId !== null) return query.where('organization_id', '=', organizationId)",
    replace: "if (organizationId !== null) return query.where('organization_id', 'is', null)",
    tests: [MEMBERS_TEST],
  },
  {
    name: 'a key of one organization brings no member of the account onto its roster',
    file: ROSTER,
    find: 'isOrgWide ? await findAccountMemberRows',
    replace: 'isOrgWide || scope ? await findAccountMemberRows',
    tests: [ROSTER_TEST],
  },
  {
    name: 'nobody gives a role that may do more than they may',
    file: ROLES,
    find: '!isSubset(scopesOf(role), caller.scopes)',
    replace: '!isSubset([], caller.scopes)',
    tests: [MEMBERS_TEST],
  },
  {
    name: 'what no scope allows is given with a role by a key of all alone',
    file: ROLES,
    find: "const isUnbounded = caller.kind === 'member' || caller.scopes.includes('*')",
    replace: 'const isUnbounded = true',
    tests: ['src/features/roles/escalation.test.ts'],
  },
  {
    name: 'nobody gives more than they hold on a roster',
    file: ROSTER,
    find: '    for (const { row, role } of wanted) assertMayChange(work.caller, row?.role ?? null, role)\n',
    replace: '',
    tests: [ROSTER_TEST],
  },
  {
    name: 'nobody takes off a roster an owner whom they could not put there',
    file: ROSTER,
    find: '    for (const row of gone) assertMayChange(work.caller, row.role, null)\n',
    replace: '',
    tests: [ROSTER_TEST],
  },
  {
    name: 'who may do less loses their sessions',
    file: MEMBERS,
    find: '    if (!coversRole(before.role, role)) await endAccess(work, before.email_norm)\n',
    replace: '',
    tests: [MEMBERS_TEST],
  },
  {
    name: 'who is removed loses their sessions',
    file: MEMBERS,
    find: '    await endAccess(work, row.email_norm)\n',
    replace: '',
    tests: [MEMBERS_TEST],
  },
  {
    name: 'an administrator makes no owner',
    file: ROLES,
    find: "(role === 'owner' && caller.lacks?.includes(OWNERSHIP))",
    replace: 'false',
    tests: [CALLER_TEST],
  },
  {
    name: 'an administrator archives no organization',
    file: 'src/platform/http/authorize.ts',
    find: 'if (lacks.includes(permission))',
    replace: 'if (lacks.includes(permission) && !permission)',
    tests: [CALLER_TEST],
  },
  {
    name: 'a membership that is not active makes no caller',
    file: CALLER,
    find: "const active = rows.filter(({ status }) => status === 'active')",
    replace: 'const active = rows',
    tests: [CALLER_TEST],
    equivalent: 'Whoever has no active membership gets no session, and loses it with the last one.',
  },
  {
    name: 'a role on a roster counts for that organization alone',
    file: CALLER,
    find: 'organizationId: acting.organization_id,',
    replace: 'organizationId: account ? null : acting.organization_id,',
    tests: [CALLER_TEST],
  },
  {
    name: 'only a key that may do everything signs the team in',
    file: TEAM_DIRECTORY,
    find: 'if (!isSubset(scopes, caller.scopes))',
    replace: 'if (!isSubset([], caller.scopes))',
    tests: [SIGN_IN_TEST],
  },
  {
    name: 'the team is named where it signs in alone',
    file: TEAM_DIRECTORY,
    find: 'if (route.team && organizationId === TEAM)',
    replace: 'if (organizationId === TEAM)',
    tests: [SIGN_IN_TEST],
  },
  {
    name: 'no key changes how the team signs in',
    file: 'src/platform/http/directory.ts',
    find: "directory.kind === 'organization' ? accountDirectory(platform, directory) : directory",
    replace: "directory.kind === 'account' ? directory : accountDirectory(platform, directory)",
    tests: [SIGN_IN_TEST],
  },
  {
    name: 'tokens of the team have an audience of their own',
    file: 'src/features/sessions/tokens.ts',
    find: "if (kind === 'console') return audienceOfTeam(accountId)",
    replace: "if (kind === 'console') return accountId",
    tests: [SIGN_IN_TEST],
  },
  {
    name: 'who has not accepted does not sign in',
    file: JOINING,
    find: "if (rows.some(({ status }) => status === 'active')) return null",
    replace: 'if (rows.length) return null',
    tests: [SIGN_IN_TEST],
  },
  {
    name: 'an invitation that has expired is not accepted with another one',
    file: STORE,
    find: "    .where('invite_expires_at', '>', now)\n",
    replace: '',
    tests: [INVITING_TEST],
  },
  {
    name: 'nobody invites to more than they hold',
    file: INVITING,
    find: '    assertMayChange(work.caller, null, invitee.role)\n',
    replace: '',
    tests: [INVITING_TEST],
  },
]

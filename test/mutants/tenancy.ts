import type { Mutant } from './mutant.ts'

/** Organizations, API keys and the team. */
export const tenancy: Mutant[] = [
  {
    name: 'organizations of other accounts are not found',
    in: 'reached',
    find: 'organizations.account_id = ${accountId}',
    replace: '${accountId}::uuid is not null',
    tests: ['organizations.test.ts'],
  },
  {
    name: 'a key creates no key with more scopes',
    in: 'refuseEscalation',
    find: 'if (!hasScopes(caller, power.scopes)) refuse(`its scopes must be among those of your ${ownerOfScopes(caller)}`)',
    replace: '',
    tests: ['api-keys.test.ts'],
  },
  {
    name: 'a key creates no key for another environment',
    in: 'refuseEscalation',
    find: 'if (power.environmentSlug !== caller.environmentSlug) refuse(environmentRuleOf(caller))',
    replace: '',
    tests: ['api-keys.test.ts'],
  },
  {
    name: 'a key works only from its allowed addresses',
    in: 'assertAllowedFrom',
    find: 'throw httpErrors.apiKeyIpNotAllowed()',
    replace: 'void 0',
    tests: ['change.test.ts'],
  },
  {
    name: 'a changed key leaves the cache at once',
    in: 'changeApiKey',
    find: 'await forget(work, changed)',
    replace: 'void 0',
    tests: ['change.test.ts'],
  },
  {
    name: 'the last owner cannot be removed',
    in: 'assertOwnerRemains',
    find: 'if ((await countOwners(work.db, scope)) > 1) return',
    replace: 'if ((await countOwners(work.db, scope)) > 0) return',
    tests: ['members/members.test.ts'],
  },
  {
    name: 'removing a member ends their sessions',
    in: 'removeRow',
    find: 'await endMemberships(work, [row], gone)',
    replace: '',
    tests: ['members/members.test.ts'],
  },
  {
    name: 'an administrator makes no owner',
    in: 'assertMayActOn',
    find: "(role === 'owner' && caller.lacks?.includes(OWNERSHIP))",
    replace: 'false',
    tests: ['caller.test.ts'],
  },
  {
    name: 'a caller does not change a member with more permissions',
    in: 'members/changeRole',
    find: 'for (const held of rolesHeld(before)) assertMayActOn(work.caller, held)',
    replace: '',
    tests: ['team-actions.test.ts'],
    only: 'PATCH',
  },
  {
    name: 'a key of one organization adds no member without acceptance',
    in: 'inviteMember',
    find: 'limitedTo === null && rows.some(',
    replace: 'rows.some(',
    tests: ['team-attacks.test.ts'],
    only: 'an organization',
  },
]

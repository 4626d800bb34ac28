import type { Mutant } from './mutant.ts'

/** Users, roles and domains. */
export const directory: Mutant[] = [
  {
    name: 'a group mapping makes no owner',
    in: 'assertMayMap',
    find: 'if (strange !== undefined)',
    replace: 'if (strange !== undefined && roles.length < 0)',
    tests: ['connections/connections.test.ts'],
  },
  {
    name: 'deactivating a user ends their sessions',
    in: 'changeHeldUser',
    find: 'const reason = turned && !patch.active ? reasons.user_deactivated : movesMailbox',
    replace: 'const reason = movesMailbox',
    tests: ['provisioning/access.test.ts'],
    only: 'ends every session in the same moment',
  },
  {
    name: 'a user is found in their own directory only',
    in: 'selectLive',
    find: ".select(lockNow).where('directory_id', '=', directory.id).where(isLive)",
    replace: ".select(lockNow).where('directory_id', '!=', '00000000-0000-0000-0000-000000000000').where(isLive)",
    tests: ['users/users.test.ts'],
  },
  {
    name: 'a verified domain belongs to one organization',
    in: 'addDomain',
    find: 'if (await isVerifiedElsewhere(db, directory, domain)) throw domainErrors.claimed()',
    replace: '',
    tests: ['domains.test.ts'],
    only: 'one organization',
  },
  {
    name: 'a domain record must equal the expected value',
    in: 'checkRecord',
    find: 'text.trim() === value',
    replace: 'text.includes(value)',
    tests: ['domains.test.ts'],
    only: 'the DNS has',
  },
  {
    name: 'a caller grants only permissions whose scope it has',
    in: 'assertMayGrant',
    find: '!grants.has(permission)',
    replace: 'false',
    tests: ['escalation.test.ts'],
  },
  {
    name: 'a role of another organization is not assigned',
    in: 'holdAll',
    find: 'if (strange >= 0)',
    replace: 'if (strange > names.length)',
    tests: ['assign.test.ts'],
  },
]

import type { Mutant } from './mutant.ts'

const WRITES = 'src/platform/tenancy/account-writes.ts'
const CHOSEN = 'src/platform/tenancy/chosen-environment.ts'
const HOME = 'src/platform/db/home-environment.ts'
const WRITES_TEST = 'test/environment-writes.test.ts'
const HOMES_TEST = 'test/home-environments.test.ts'

/** Which environments write the account's records, and in which ones an organization exists. */
export const environments: Mutant[] = [
  {
    name: 'an API key writes only what its environment owns',
    file: WRITES,
    find: "  if (caller.kind === 'key' && caller.environmentId !== home.environmentId) throw refusal(home)\n",
    replace: '',
    tests: [WRITES_TEST],
  },
  {
    name: 'the rule of a write is asked before its handler',
    file: 'src/platform/http/pipeline.ts',
    find: 'if (!ownerOf) return',
    replace: 'if (!ownerOf || route) return',
    tests: [WRITES_TEST],
  },
  {
    name: 'the role of a member decides what they may write',
    file: WRITES,
    find: "caller.kind === 'key' && ",
    replace: '',
    tests: [HOMES_TEST],
  },
  {
    name: 'a write is recorded in the environment that it affects',
    file: WRITES,
    find: 'directory: await accountDirectory(platform, home)',
    replace: 'directory: scope.directory',
    tests: [HOMES_TEST],
  },
  {
    name: 'a membership is recorded in the home environment of its organization',
    file: 'src/features/tenancy/members/access.ts',
    find: 'homeEnvironmentOf(platform, accountId, organizationId)',
    replace: 'homeEnvironmentOf(platform, accountId, null)',
    tests: [HOMES_TEST],
  },
  {
    name: 'the event of a change has the data of the home environment',
    file: 'src/features/tenancy/organizations/organizations.ts',
    find: '{ ...work.directory, environmentId: work.directory.directory.environmentId }',
    replace: '{ ...work.directory }',
    tests: [HOMES_TEST],
  },
  {
    name: 'an organization belongs to the environment that creates it',
    file: WRITES,
    find: 'environmentSlug === PRODUCTION ? null : environmentId',
    replace: 'environmentSlug === PRODUCTION ? null : environmentId && null',
    tests: [HOMES_TEST],
  },
  {
    name: 'an organization has no directory where it does not exist',
    file: 'src/platform/tenancy/directory.ts',
    find: "query.where('organizations.id', 'is not', null).where(existsIn('organizations', 'environments'))",
    replace: "query.where('organizations.id', 'is not', null)",
    tests: [HOMES_TEST],
    equivalent: 'the directory that is made is not found afterwards',
  },
  {
    name: 'a directory of the release before is not used where its organization does not exist',
    file: 'src/platform/tenancy/directory.ts',
    find: "        .$if(organizationId !== '', (query) => query.where(existsIn('organizations', 'environments')))\n",
    replace: '',
    tests: [HOMES_TEST],
  },
  {
    name: 'an organization is not seen where it does not exist',
    file: 'src/features/tenancy/organizations/store.ts',
    find: "    isSeenFrom('organizations', environmentId),\n",
    replace: "    isSeenFrom('organizations', environmentId) && sql<boolean>`true`,\n",
    tests: [HOMES_TEST],
  },
  {
    name: 'a roster is not seen where its organization does not exist',
    file: 'src/features/tenancy/members/store.ts',
    find: "environmentId !== undefined, (seen) => seen.where(isOwnerSeenFrom('organization_id', environmentId ?? ''))",
    replace: "environmentId !== undefined && !isOwnerSeenFrom('organization_id', ''), (seen) => seen",
    tests: [HOMES_TEST],
  },
  {
    name: 'an environment is not seen where its organization does not exist',
    file: 'src/features/tenancy/environments/store.ts',
    find: "isOwnerSeenFrom('environments.organization_id', environmentId)",
    replace: "isOwnerSeenFrom('environments.organization_id', environmentId) && sql<boolean>`true`",
    tests: [HOMES_TEST],
  },
  {
    name: 'a key is of an organization that exists in its environment',
    file: 'src/features/tenancy/api-keys/store.ts',
    find: "e.organization_id is null else ${existsIn('o', 'e')} end",
    replace: "e.organization_id is null else coalesce(true, ${existsIn('o', 'e')}) end",
    tests: [HOMES_TEST],
    only: 'the command line',
  },
  {
    name: 'a custom environment has its own organization only',
    file: HOME,
    find: 'else ${owner} = ${o}.id end',
    replace: 'else ${owner} is not null end',
    tests: [HOMES_TEST],
  },
  {
    name: 'no organization is created in a custom environment',
    file: 'src/features/tenancy/organizations/organizations.ts',
    find: 'if (await isCustomEnvironment(db, scope))',
    replace: 'if ((await isCustomEnvironment(db, scope)) && !scope)',
    tests: [HOMES_TEST],
  },
  {
    name: 'a member chooses an environment of the account',
    file: CHOSEN,
    find: "    .where('environments.account_id', '=', accountId)\n",
    replace: '',
    tests: [HOMES_TEST],
  },
  {
    name: 'a member chooses an environment in which their organization exists',
    file: CHOSEN,
    find: "query.where(existsIn('organizations', 'environments'))",
    replace: "query.where(existsIn('organizations', 'environments') && sql<boolean>`true`)",
    tests: [HOMES_TEST],
  },
  {
    name: 'a member who acts for an organization works in its home environment',
    file: CHOSEN,
    find: 'return homeEnvironmentOf(platform, accountId, organizationId)',
    replace: 'return homeEnvironmentOf(platform, accountId, organizationId && null)',
    tests: [HOMES_TEST],
  },
  {
    name: 'an API key names no other environment',
    file: CHOSEN,
    find: 'if (named !== caller.environmentId)',
    replace: 'if (named === null)',
    tests: [HOMES_TEST],
  },
  {
    name: 'an unknown environment is no wrong credential',
    file: 'src/platform/http/entry.ts',
    find: '      if (error.definition.code === httpErrors.environmentNotFound.code) throw error\n',
    replace: '',
    tests: ['test/network-limit.test.ts'],
  },
  {
    name: 'a kept answer belongs to its environment',
    file: 'src/platform/http/idempotency.ts',
    find: ', ...environment)',
    replace: ')',
    tests: [HOMES_TEST],
  },
  {
    name: 'a membership on a staging roster does not keep a member in the account',
    file: 'src/features/tenancy/members/members.ts',
    find: '  if (home.environmentId !== work.directory.directory.environmentId) return\n',
    replace: '',
    tests: [HOMES_TEST],
  },
]

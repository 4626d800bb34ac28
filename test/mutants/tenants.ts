import type { Mutant } from './mutant.ts'

const DIRECTORY = 'src/platform/http/directory.ts'
const MATRIX = 'test/matrix.test.ts'
const KEYS = 'src/features/api-keys/api-keys.test.ts'

/** Who reaches what. */
export const tenants: Mutant[] = [
  {
    name: 'the planner expects many rows of every organization',
    file: 'migrations/0098_rows_of_large_organizations.sql',
    find: "execute format('alter table %s alter column directory_id set (n_distinct = 20)', of_table);",
    replace: '',
    tests: ['test/large-organization.test.ts'],
    only: 'every search asks for more',
  },
  {
    name: 'a key of one organization names no other',
    file: DIRECTORY,
    find: 'if (asked !== null && asked !== caller.organizationId) throw httpErrors.subOrgMismatch(describeNoId(asked))',
    replace: 'if (asked !== null) return asked',
    tests: [MATRIX],
    only: 'an organization that the key does not reach',
  },
  {
    name: 'query and body name one organization',
    file: DIRECTORY,
    find: 'if (fromQuery !== null && fromBody !== null && fromQuery !== fromBody) throw httpErrors.subOrgConflict()',
    replace: '',
    tests: [MATRIX],
    only: 'name different organizations',
  },
  {
    name: 'a write for the whole environment says so',
    file: 'src/platform/http/route.ts',
    find: "(directory === 'one' || directory === 'one-or-environment')",
    replace: "directory === 'one'",
    tests: ['src/features/webhooks/webhooks.test.ts'],
  },
  {
    name: 'a key of one organization writes nothing for the whole environment',
    file: DIRECTORY,
    find: "if (caller.organizationId !== null)\n    throw httpErrors.subOrgMismatch({ detail: 'This key reaches one organization, not the whole environment.' })",
    replace: '',
    tests: ['src/features/webhooks/webhooks.test.ts'],
  },
  {
    name: 'a write names an organization or the environment, not both',
    file: DIRECTORY,
    find: 'if (readSubOrgId(query) !== null || readSubOrgId(body) !== null)',
    replace: 'if (readSubOrgId(query) === "")',
    tests: ['src/features/webhooks/webhooks.test.ts'],
  },
  {
    name: 'a query names one organization',
    file: DIRECTORY,
    find: "if (typeof value === 'string') return value",
    replace: 'if (value !== null) return String(Array.isArray(value) ? value.at(-1) : value)',
    tests: [MATRIX],
    only: 'an organization that is named twice',
  },
  {
    name: 'a token of another environment is out of reach',
    file: DIRECTORY,
    find: '  if (directory.environmentId !== reach.environmentId) return false\n',
    replace: '',
    tests: ['src/features/tokens/tokens.test.ts'],
  },
  {
    name: 'a token of another organization is out of reach',
    file: DIRECTORY,
    find: "reach.directory ? reach.directory.id === directory.id : directory.kind !== 'console'",
    replace: "reach.directory !== null || directory.kind !== 'console'",
    tests: ['src/features/tokens/tokens.test.ts'],
  },
  {
    name: 'a user is read in their own directory',
    file: 'src/features/users/store.ts',
    find: ".select(isLocked).where('directory_id', '=', directory.id).where(isLive)",
    replace: ".select(isLocked).where('directory_id', '!=', newId()).where(isLive)".replace(
      'newId()',
      "'00000000-0000-0000-0000-000000000000'",
    ),
    tests: ['src/features/users/users.test.ts'],
  },
  {
    name: 'users are listed in their own directory',
    file: 'src/features/users/store.ts',
    find: "? [eb('users.directory_id', '=', reach.directory.id)]",
    replace: "? [eb('users.environment_id', '=', reach.environmentId)]",
    tests: ['src/features/users/list.test.ts'],
  },
  {
    name: 'sessions are listed in their own directory',
    file: 'src/features/sessions/store.ts',
    find: "? eb('sessions.directory_id', '=', directory.id)",
    replace: "? eb('sessions.environment_id', '=', reach.environmentId)",
    tests: ['src/features/sessions/sessions.test.ts', 'test/matrix-ids.test.ts'],
  },
  {
    name: 'events and the feed of revocations are read in their own directory',
    file: 'src/platform/event-rows.ts',
    find: '? sql`${sql.ref(`${table}.directory_id`)} = ${reach.directory.id}`',
    replace: '? sql`${sql.ref(`${table}.environment_id`)} = ${reach.environmentId}`',
    tests: ['src/features/sessions/sessions.test.ts'],
  },
  {
    name: 'a trusted device is removed in its own directory',
    file: 'src/features/mfa/device-store.ts',
    find: ".deleteFrom('trusted_devices')\n    .where('directory_id', '=', directory.id)\n    .where('id', '=', id)",
    replace: ".deleteFrom('trusted_devices')\n    .where('id', '=', id)",
    tests: ['test/matrix-ids.test.ts'],
  },
  {
    name: 'API keys of other organizations are not listed',
    file: 'src/features/api-keys/store.ts',
    find: ".$if(organizationId !== null, (query) => query.where('api_keys.organization_id', '=', organizationId))",
    replace: '',
    tests: [KEYS],
  },
  {
    name: 'organizations of other accounts are not there',
    file: 'src/features/organizations/store.ts',
    find: 'organizations.account_id = ${accountId}',
    replace: '${accountId}::uuid is not null',
    tests: ['src/features/organizations/organizations.test.ts'],
  },
  {
    name: 'a passkey is found in its own directory',
    file: 'src/features/passkeys/store.ts',
    find: ".where('passkeys.directory_id', '=', directory.id)\n    .where('passkeys.credential_id'",
    replace: ".where('passkeys.credential_id'",
    tests: ['src/features/passkeys/sign-in.test.ts'],
    equivalent: 'the facts are of the user of the directory, and the passkey of another user is refused',
  },
  {
    name: 'the defaults of an account are set by org-wide keys alone',
    file: 'src/platform/settings.ts',
    find: 'if (scope.organizationId === null) return scope',
    replace: 'if (scope.directory) return scope',
    tests: ['src/platform/settings.test.ts', 'test/auth-settings.test.ts', 'src/features/mfa/defaults.test.ts'],
  },
  {
    name: 'a key gives no reach that it has not',
    file: 'src/features/api-keys/subset.ts',
    find: "if (organizationId !== null && power.organizationId !== organizationId) refuse('it must belong to your organization')",
    replace: '',
    tests: [KEYS],
    equivalent: 'a key of one organization names no other, and finds no key of another to rotate',
  },
  ...[
    [
      'a key gives no scopes that it has not',
      "if (!isSubset(power.scopes, caller.scopes)) refuse('its scopes must be among those of your key')",
    ],
    [
      'a key makes none of another environment',
      "if (power.environmentSlug !== caller.environmentSlug) refuse('it must belong to the environment of your key')",
    ],
    [
      'a key makes none that outlives it',
      "if (expiresAt && (power.expiresAt === null || power.expiresAt > expiresAt)) refuse('it must not outlive your key')",
    ],
    ['a key makes none that may ask more often', "refuse('its requestsPerSecond must not exceed that of your key')"],
  ].map(([name = '', find = '']) => ({
    name,
    file: 'src/features/api-keys/subset.ts',
    find,
    replace: find.startsWith('refuse') ? 'return' : '',
    tests: [KEYS],
  })),
  ...[
    [
      'a key makes none that works from elsewhere',
      'subset.ts',
      "refuse('its allowedIps must be within those of your key')",
    ],
    ['a key works only from its addresses', 'api-keys.ts', 'throw httpErrors.apiKeyIpNotAllowed()'],
    [
      'a change of a key gives no more than the caller has',
      'lifecycle.ts',
      'refuseEscalation(caller, powerOf({ ...before, ...changes }), platform.config.keyRequestsPerSecond)',
    ],
    ['a changed key is forgotten', 'lifecycle.ts', 'await forget(work, changed)'],
    ['a key does not shut itself out', 'lifecycle.ts', 'assertStaysWithin(caller, changes.allowed_ips)'],
    [
      'a previous secret has the addresses of its key',
      'lifecycle.ts',
      'allowed_ips: row.allowed_ips,\n    created_by',
      'created_by',
    ],
  ].map(([name = '', file = '', find = '', replace = 'void 0']) => ({
    name,
    file: `src/features/api-keys/${file}`,
    find,
    replace,
    tests: ['src/features/api-keys/change.test.ts'],
  })),
]

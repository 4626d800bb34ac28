import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { countExplanations } from './exceptions.ts'
import { EDGES } from './feature-edges.ts'
import { crowdedFunctions, measureFunctions, readSources, type SourceFile } from './source.ts'

/** Which folder of a feature, or file of the platform, writes a table; the first owns it. */
const WRITERS: Record<string, string[]> = {
  accounts: ['features/accounts'],
  api_keys: ['features/api-keys'],
  audit_blocks: ['features/audit'],
  audit_cursors: ['features/audit'],
  audit_heads: ['features/audit'],
  backup_codes: ['features/factors'],
  data_keys: ['platform/crypto/keyring.ts'],
  device_cursors: ['features/devices'],
  deployment: ['platform/deployment.ts'],
  user_count_cursors: ['features/organizations'],
  // The account-level and console directories come with the account.
  directories: ['platform/http/directory.ts', 'features/accounts', 'features/organizations'],
  // Production and staging come with the account; the signing algorithm is the keys'.
  domains: ['features/domains'],
  environments: ['features/environments', 'features/accounts', 'platform/crypto/signing-keys.ts'],
  event_counts: ['platform/failures.ts'],
  // Of very many rows at once; what removes old ones.
  events: ['platform/events.ts', 'platform/event-batch.ts', 'features/audit'],
  exchange_codes: ['features/federation'],
  federated_sessions: ['features/ties'],
  federated_sign_ins: ['features/federation'],
  idempotency_keys: ['platform/http/idempotency.ts', 'platform/jobs/cleanup.ts'],
  identities: ['features/federation'],
  impersonations: ['features/impersonation'],
  known_devices: ['features/devices'],
  links: ['features/links'],
  lockouts: ['features/lockout'],
  logout_tokens: ['features/oidc'],
  // What they may do besides; it ends with them.
  member_roles: ['features/roles'],
  // The first owner comes with the account.
  former_team_roles: ['features/members'],
  members: ['features/members', 'features/accounts'],
  mfa_challenges: ['features/challenges'],
  mfa_grace: ['features/mfa'],
  mfa_phones: ['features/factors'],
  mfa_policies: ['features/mfa'],
  organizations: ['features/organizations'],
  otps: ['features/otp'],
  passkeys: ['features/passkeys'],
  // When a relying party was named; the settings themselves are the platform's.
  passkey_settings: ['features/relying-party'],
  password_credentials: ['features/password'],
  password_history: ['features/password'],
  // Removes old rows.
  rate_counters: ['platform/http/rate-limit.ts', 'platform/jobs/cleanup.ts'],
  role_assignments: ['features/roles'],
  roles: ['features/roles'],
  saml_assertions: ['features/saml'],
  scim_configs: ['features/scim'],
  scim_group_groups: ['features/groups'],
  scim_group_members: ['features/groups'],
  scim_group_versions: ['features/groups'],
  scim_groups: ['features/groups'],
  scim_logs: ['features/scim'],
  scim_tokens: ['features/scim'],
  scim_user_emails: ['features/provisioning'],
  scim_user_versions: ['features/groups', 'features/provisioning'],
  scim_users: ['features/provisioning'],
  schema_migrations: ['platform/db/migrate.ts'],
  service_configs: ['features/services'],
  session_cut_offs: ['features/sessions'],
  // The one door makes them, a refresh rotates them.
  sessions: ['features/sessions', 'features/login', 'features/tokens'],
  signing_keys: ['platform/crypto/signing-keys.ts'],
  social_providers: ['features/social'],
  sp_keys: ['features/connections'],
  sso_connections: ['features/connections'],
  sso_roles: ['features/roles'],
  sso_traces: ['features/connections'],
  totp_enrollments: ['features/factors'],
  trusted_devices: ['features/mfa'],
  webauthn_ceremonies: ['features/passkeys'],
  webhook_cursors: ['platform/webhooks/cursor-store.ts'],
  webhook_deliveries: [
    'platform/webhooks/cleanup.ts',
    'platform/webhooks/delivery-store.ts',
    'platform/webhooks/outcome-store.ts',
  ],
  webhook_queues: [
    'platform/webhooks/delivery-store.ts',
    'platform/webhooks/outcome-store.ts',
    'platform/webhooks/queue-store.ts',
  ],
  webhooks: ['features/webhooks'],
  // The console user of the first owner; the auth account, moment and first proof of a sign-in; whether there is a second factor;
  // the end of all sessions.
  users: [
    'features/users',
    'features/accounts',
    'features/login',
    'features/factors',
    'features/passkeys',
    'features/sessions',
    // What is given, by hand and by groups.
    'features/roles',
  ],
}

/** Tables that one piece of code writes for several owners, who name them. */
const OUTBOX_NAMERS = [
  'src/cli/table-places.ts',
  'src/platform/mail/outbox.ts',
  'src/platform/outbox/outbox.ts',
  'src/platform/sms/outbox.ts',
]

/** Where the platform reads what features write: who is a tenant, and where keys of a tenant sign. */
const READERS = ['crypto/signing-keys', 'http/chosen-environment', 'http/directory']
const TENANCY_READERS = READERS.map((file) => `src/platform/${file}.ts`)

/** Of a function: its own, and with the functions inside. */
const [MAX_OWN_LINES, MAX_LINES] = [60, 70]

/** Of a folder of a feature, without its tests. */
const MAX_SLICE_LINES = 1500

/** Edges among features, and names of the door, through which most of them reach sessions. */
const [MAX_EDGES, MAX_DOOR_NAMES] = [140, 18]

/** Who needs a ceiling of their own: what the slice has, which may only shrink. */
const LARGE_SLICES: Record<string, number> = {
  ...{ users: 1940, otp: 1733, me: 1650, connections: 1752 },
  ...{ sessions: 1550, federation: 1892, provisioning: 1563, passkeys: 1507, roles: 2000 },
  ...{ saml: 1601, password: 1516, members: 1829 },
}

/** Who needs the process clock. What the caller is refused for expires by the database's. */
const CLOCK_READERS: Record<string, string> = {
  'src/features/api-keys/key-use.ts': 'when a key was last used, to the minute',
  'src/features/api-keys/lifecycle.ts': 'refuses a wish for an expiry that has passed',
  'src/features/audit/verify.ts': 'when the heads were printed, for people to read',
  'src/features/connections/check.ts': 'when a connection was tested, for people to read',
  'src/features/connections/sp-keys.ts': 'the times in a certificate, which others check by their own clocks',
  'src/features/connections/upkeep.ts': 'how many days a certificate is still good, to the day',
  'src/features/connections/view.ts': 'whether a certificate is good, which others check by their own clocks',
  'src/features/discovery/discovery.ts': 'tells when a token ends, which the database judges by its own',
  'src/features/exports/exports.ts': 'when it was read, for people to read',
  'src/features/federation/checks.ts': 'compares the clock of a provider with it',
  'src/features/lockout/lock.ts': 'refuses a lock whose end has passed',
  'src/features/me/freshness.ts': 'how long ago a token says that its user proved who they are, as others judge it',
  'src/features/oidc/exchange.ts': 'ID tokens are judged by it, as those of ours are by others',
  'src/features/oidc/logout.ts': 'logout tokens are judged by it, as ID tokens',
  'src/features/oidc/remembered.ts': 'how long this process remembers what providers publish',
  'src/features/oidc/trouble.ts': 'how long this process leaves a provider alone that does not answer',
  'src/features/saml/acs.ts': 'the times of an assertion, which a provider has set by its own clock',
  'src/features/saml/check.ts': 'whether certificates are valid today',
  'src/features/saml/logout.ts': 'when an answer was made, which a provider compares with its own clock',
  'src/features/saml/partner.ts': 'the times of an assertion, which a provider has set by its own clock',
  'src/features/saml/protocol.ts': 'when a request was made, which a provider compares with its own clock',
  'src/features/saml/sp-logout.ts': 'when a request was made, which a provider compares with its own clock',
  'src/features/sessions/tokens.ts': 'the times in a token, which others check by their own clocks',
  'src/features/social/apple.ts': 'the times in a client secret, which Apple checks by its own clock',
  'src/features/sso/keys.ts': 'whether a certificate is good, which others check by their own clocks',
  'src/features/webhooks/repeat.ts': 'how far back a replay may reach',
  'src/platform/clock.ts': 'is the process clock',
  'src/platform/crypto/keyring.ts': 'a data key is followed by another after about ninety days',
  'src/platform/crypto/signing-keys.ts': 'the times in a token, and which key signs it',
  'src/platform/db/cache.ts': 'how long this process remembers',
  'src/platform/db/embedded-claim.ts': 'waits for a database that is not there yet',
  'src/platform/db/embedded-cluster.ts': 'names what it puts aside',
  'src/platform/db/embedded-server.ts': 'waits for a database that ends',
  'src/platform/failures.ts': 'how many failures of an hour this process has recorded one by one',
  'src/platform/fair-queue.ts': 'how long a request waits',
  'src/platform/http/entry.ts': 'a cached key expires, and its rate is counted, without asking the database',
  'src/platform/ids.ts': 'ids begin with when they were made, so that rows lie in that order',
  'src/platform/webhooks/attempt.ts': 'when a delivery was signed, which receivers compare with their own clocks',
  'src/platform/webhooks/fan-out.ts': 'how long this process leaves an environment alone that fails',
}

/** Who takes PostgreSQL's own clock, which tests cannot move. */
const NOW_READERS: Record<string, string> = {
  'src/platform/clock.ts': 'names its own function so',
  'src/platform/db/migrate.ts': 'runs before clock_now() is there',
  'src/platform/jobs/queue.ts': 'the queue keeps its own time',
  'src/platform/jobs/worker.ts': 'the queue keeps its own time',
}

/** Where tests, which share a process, touch what is of all of it. */
const SHARED_TOUCHERS: Record<string, string> = {
  'src/features/api-keys/key-use.test.ts': 'stops the timers of the process, and sets them going again',
  'src/features/links/made-up-tokens.test.ts': 'stops the clock of the process, and sets it going again',
  'src/features/saml/acs.test.ts': 'holds the clock, by which what is kept is read anew',
  'src/features/sso/keys.test.ts': 'watches whether keys are made, and stops watching',
  'src/platform/db/cache.test.ts': 'stops the clock of the process, and sets it going again',
  'src/platform/failures.test.ts': 'stops the clock of the process, and sets it going again',
  'src/platform/http/deadline.test.ts': 'moves the clock of performance.now for its own requests, and takes that back',
  'test/cluster/run-walk.ts': 'is a program of its own, which no test imports',
  'test/embedded-peer.ts': 'in the text of a program that runs in a process of its own',
  'test/hostile-op-program.ts': 'is a program of its own, which no test imports',
  'test/kills.ts': 'is a program of its own, which no test imports',
  'test/large-lists.test.ts': 'stops the clock of the process, and sets it going again',
  'test/mutants/run.ts': 'is a program of its own, which no test imports',
  'test/network-limit.test.ts': 'stops the clock of the process, and sets it going again',
  'test/oidc-program.ts': 'is a program of its own, which no test imports',
  'test/process/cli-host.ts': 'is a program of its own, which no test imports',
  'test/process/express-example.test.ts': 'in the text of a program that runs in a process of its own',
  'test/process/loop-delay.ts': 'is loaded into a process of its own',
  'test/process/main.test.ts': 'in the text of a program that runs in a process of its own',
  'test/process/request-objects.ts': 'is loaded into a process of its own',
  'test/run-directories.ts': 'cleans up as the process of the run exits, which runs no test',
  'test/smtp-peer.ts': 'trusts one more certificate, for a key that it alone has',
  'test/statements.test.ts': 'stops the clock of the process, and sets it going again',
}

/** Who reads the configured base URL. Of these, only features/links builds the links of mails. */
const ADDRESS_READERS = [
  'src/features/docs/docs.ts',
  'src/features/federation/addresses.ts',
  'src/features/hosted/handover.ts',
  'src/features/links/link.ts',
  'src/features/relying-party/origins.ts',
  'src/features/scim/addresses.ts',
  'src/features/tokens/authenticate.ts',
  'src/features/tokens/issuers.ts',
  'src/platform/crypto/signing-keys.ts',
  'src/platform/http/entry.ts',
  'src/platform/http/pagination.ts',
  'src/platform/http/problem.ts',
  'src/platform/http/server.ts',
  'src/platform/mail/smtp.ts',
  'src/platform/sms/provider.ts',
]

/** Tests, and what a feature brings for those over all routes. */
const isForTests = (path: string) => /^test\/|\.test\.ts$|^src\/features\/[^/]+\/sample\.ts$/.test(path)

const all = readSources('src')
const sources = all.filter((file) => !isForTests(file.path))
const tests = [...all.filter((file) => isForTests(file.path)), ...readSources('test')]
const generated = (file: SourceFile) => file.path.endsWith('.gen.ts')
const written = sources.filter((file) => !generated(file))

/** `features/x`, `platform`, or null for the files that wire everything. */
function roomOf(path: string): string | null {
  return /^src\/(features\/[^/]+|platform)\//.exec(path)?.[1] ?? null
}

function filesWith(pattern: RegExp, files = sources): string[] {
  return files.filter((file) => pattern.test(file.text)).map((file) => file.path)
}

/** In lines, without those that explain exceptions. */
const lengthOf = (file: SourceFile) => file.lines - countExplanations(file)

function count(pattern: RegExp): number {
  return sources.reduce((sum, file) => sum + (file.text.match(pattern)?.length ?? 0), 0)
}

test('the platform imports no feature, and nothing imports the files that wire', () => {
  const wrong = sources.flatMap((file) => {
    const room = roomOf(file.path)
    if (!room) return []
    const inside = file.imports.filter(({ target }) => target.startsWith('src/'))
    // The vocabulary of the interface is shared.
    const allowed = room === 'platform' ? /^src\/(platform\/|contract)/ : /^src\/(platform\/|features\/|contract)/
    return inside.filter(({ target }) => !allowed.test(target)).map(({ target }) => `${file.path} → ${target}`)
  })
  expect(wrong).toEqual([])
})

test('nothing of the product imports what is there for tests', () => {
  const wrong = sources.flatMap((file) =>
    file.imports.filter(({ target }) => isForTests(target)).map(({ target }) => `${file.path} → ${target}`),
  )
  expect(wrong).toEqual([])
})

test('features import one another only by their public file, along the list of edges, which has no cycle', () => {
  const edges = new Set<string>()
  const wrong: string[] = []
  for (const file of sources)
    for (const { target } of file.imports) {
      // So is a folder inside one.
      const [inner = '', name] = /^src\/features\/[^/]+\/([^/]+)(?=\/)/.exec(target) ?? []
      if (inner && !file.path.startsWith(inner) && target !== `${inner}/${name}.ts`) wrong.push(target)
      const [from, to] = [roomOf(file.path), roomOf(target)]
      if (!from?.startsWith('features/') || !to?.startsWith('features/') || from === to) continue
      const [x = '', y = ''] = [from.slice(9), to.slice(9)]
      edges.add(`${x} → ${y}`)
      if (target !== `src/features/${y}/${y}.ts`) wrong.push(`${file.path} → ${target}`)
    }
  expect(wrong).toEqual([])
  expect([...edges].sort()).toEqual(EDGES)
  const pairs = EDGES.map((edge) => edge.split(' → '))
  let left = new Set(pairs.flat())
  for (;;) {
    const leaves = [...left].filter((node) => !pairs.some(([x, y]) => x === node && left.has(y ?? '')))
    if (!leaves.length) break
    left = new Set([...left].filter((node) => !leaves.includes(node)))
  }
  expect([...left], 'features in a cycle').toEqual([])
})

test('features stay loosely coupled, and the door narrow', () => {
  expect(EDGES.length).toBeLessThanOrEqual(MAX_EDGES)
  const door = sources.find(({ path }) => path === 'src/features/login/login.ts')?.text ?? ''
  const names = [
    ...door.matchAll(/^export (?:type )?\{([^}]*)\}|^export (?:async |const |function |type |interface )/gm),
  ]
    .flatMap(([, list = 'one']) => list.split(',').map((name) => name.trim()))
    .filter((name) => name !== '')
  expect(names.length).toBeGreaterThan(5)
  expect(names.length).toBeLessThanOrEqual(MAX_DOOR_NAMES)
})

test('inside a slice the arrows point from routes to rules to store', () => {
  const wrong = sources.flatMap((file) => {
    const room = roomOf(file.path)
    if (!room?.startsWith('features/')) return []
    const own = file.imports.filter(({ target }) => target.startsWith(`src/${room}/`))
    const isStore = file.path.endsWith('/store.ts')
    const bad = own.filter(({ target, typeOnly }) => target.endsWith('/routes.ts') || (isStore && !typeOnly))
    return bad.map(({ target }) => `${file.path} → ${target}`)
  })
  expect(wrong).toEqual([])
})

test('the platform names no feature', () => {
  // SCIM is a medium, with statuses and refusals of its own, before it is a feature.
  const nouns = /\b(otp|mfa|totp|passkeys?|webauthn|lockouts?|sign-?up|invites?|magic.?links?|sso|saml|rbac)\b/i
  const inPlatform = written.filter((file) => file.path.startsWith('src/platform/'))
  const naming = inPlatform.flatMap((file) =>
    [...file.text.replaceAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').matchAll(new RegExp(nouns, 'gi'))].map(
      ([word]) => `${file.path}: ${word}`,
    ),
  )
  expect(naming).toEqual([])
  // What it keeps registers of is defined by the nouns.
  expect(filesWith(/(?<!function )\b(defineEndReasons|defineProof)\(/, inPlatform)).toEqual([])
  const owned = Object.entries(WRITERS).filter(([, writers]) =>
    writers.every((writer) => writer.startsWith('features/')),
  )
  const tables = new RegExp(`'(${owned.map(([table]) => table).join('|')})'`)
  // Some attributes of SCIM are called as tables are; that file knows no SQL.
  expect(filesWith(tables, inPlatform)).toEqual([...TENANCY_READERS, 'src/platform/scim/core-schemas.ts'])
})

test('the environment is read in config.ts, and Fastify used in platform/http', () => {
  expect(filesWith(/process\.env/)).toEqual(['src/platform/config.ts'])
  // Cheap hashes, and pairs of keys that were made before, are for tests: nothing that starts the service names them.
  expect(filesWith(/\b(hashCost|makeRsaPair)\b/)).toEqual([
    'src/app.ts',
    'src/features/connections/sp-keys.ts',
    'src/features/factors/backup-codes.ts',
    'src/features/password/hash.ts',
    'src/features/password/settings.ts',
    'src/platform/crypto/certificates.ts',
    'src/platform/http/idempotency.ts',
    'src/platform/platform.ts',
  ])
  const users = sources.filter((file) => file.imports.some(({ target, typeOnly }) => target === 'fastify' && !typeOnly))
  expect(users.filter((file) => !file.path.startsWith('src/platform/http/')).map((file) => file.path)).toEqual([])
})

test('every path is the business of one feature', () => {
  const places = new Map<string, Set<string>>()
  for (const file of sources)
    for (const match of file.text.matchAll(/(?:path:|aliases:)\s*(\[[^\]]*\]|'[^']+')/g))
      for (const [path] of match[1]?.matchAll(/\/v1\/[^']+/g) ?? [])
        places.set(path, (places.get(path) ?? new Set()).add(roomOf(file.path) ?? file.path))
  expect(places.size).toBeGreaterThan(20)
  expect([...places].filter(([, rooms]) => rooms.size > 1).map(([path]) => path)).toEqual([])
})

test('the sample of a route is in its feature', () => {
  const samples = tests.filter((file) => file.path.endsWith('/sample.ts'))
  const wrong = samples.flatMap((file) => {
    const routes = sources.find(({ path }) => path === file.path.replace('sample.ts', 'routes.ts'))
    const paths = [...file.text.matchAll(/^ {2}'[A-Z]+ (\/v1\/[^' ]+)':/gm)].map(([, path]) => path)
    const strange = paths.filter((path) => !routes?.text.includes(`'${path}'`))
    return paths.length ? strange.map((path) => `${file.path}: ${path}`) : [`${file.path} has none`]
  })
  expect(samples.length).toBeGreaterThan(15)
  expect(wrong).toEqual([])
})

test('every table is written by its owner, and by others only as listed', () => {
  const found = new Map<string, Set<string>>()
  const write =
    /(?:insertInto|updateTable|deleteFrom|defineRetention)\((?:\{\s*table: )?'(\w+)'|\b(?:insert into|delete from|update)\s+(\w+)\s+(?:as |set |where |using |\(|\w+ set )/g
  for (const file of sources) {
    const room = roomOf(file.path)
    const writer = room?.startsWith('features/') ? room : file.path.replace('src/', '')
    // What becomes of the rows of a user is written by whoever says so.
    const isDeclaring = file.path.endsWith('/belongings.ts')
    for (const match of file.text.matchAll(isDeclaring ? /'(\w+)'/g : write)) {
      const table = match[1] ?? match[2] ?? ''
      if (table in WRITERS || (match[1] && !isDeclaring)) found.set(table, (found.get(table) ?? new Set()).add(writer))
    }
  }
  const sorted = (entries: Iterable<[string, Iterable<string>]>) =>
    Object.fromEntries([...entries].map(([table, writers]) => [table, [...writers].sort()]))
  expect(sorted(found)).toEqual(sorted(Object.entries(WRITERS)))
  expect(filesWith(/\b(mail|sms)_outbox\b/, written)).toEqual(OUTBOX_NAMERS)
})

test('files and functions stay small, nothing is exported as default, and the server needs few packages', () => {
  const tooLong = (files: SourceFile[], ceiling: number) =>
    files
      .filter((file) => !generated(file) && lengthOf(file) > ceiling)
      .map((file) => `${file.path}: ${lengthOf(file)} lines`)
  expect([...tooLong(sources, 400), ...tooLong(tests, 600)]).toEqual([])
  const long = written.flatMap((file) =>
    measureFunctions(file)
      .filter(({ lines, ownLines }) => ownLines > MAX_OWN_LINES || lines > MAX_LINES)
      .map(({ line, lines, ownLines }) => `${file.path}:${line} has ${lines} lines, ${ownLines} of its own`),
  )
  expect(long).toEqual([])
  expect(filesWith(/^export default/m, [...sources, ...tests])).toEqual([])
  expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(30)
})

test('a folder of a feature stays small enough to be read at one go, but for its texts in six languages', () => {
  const sizes = new Map<string, number>()
  for (const file of written.filter(({ path }) => !/[/-]messages\.ts$/.test(path))) {
    const { path } = file
    const folder = /^src\/features\/(.+)\/[^/]+$/.exec(path)?.[1]
    if (folder !== undefined) sizes.set(folder, (sizes.get(folder) ?? 0) + lengthOf(file))
  }
  expect(sizes.size).toBeGreaterThan(15)
  const ceilingOf = (folder: string) => LARGE_SLICES[folder] ?? MAX_SLICE_LINES
  expect([...sizes].filter(([folder, lines]) => lines > ceilingOf(folder))).toEqual([])
})

test('a function has at most four positional parameters', () => {
  const crowded = written.flatMap((file) => crowdedFunctions(file, 4).map(({ name }) => `${file.path}: ${name}`))
  expect(crowded).toEqual([])
})

test('rules open transactions, routes never', () => {
  const routes = sources.filter((file) => /[/-]routes?\.ts$/.test(file.path) && roomOf(file.path) !== 'platform')
  expect(routes.length).toBeGreaterThan(20)
  expect(filesWith(/\b(inTx|tx)\(/, routes)).toEqual([])
})

test('there is one of each: issuer, consumer of codes, maker of tenants, way out', () => {
  expect(count(/insert into sessions|insertInto\('sessions'/g)).toBe(1)
  expect(filesWith(/insert into sessions|insertInto\('sessions'/)).toEqual(['src/features/login/session-outcome.ts'])
  expect(filesWith(/\bused_at\s*(=|:(?! (true|false)\b))/, written)).toEqual([
    'src/features/challenges/store.ts',
    'src/features/links/store.ts',
    'src/features/otp/generator-store.ts',
    'src/features/otp/store.ts',
    'src/features/passkeys/ceremony-store.ts',
  ])
  expect(filesWith(/unique symbol/)).toEqual(['src/platform/http/directory.ts'])
  expect(filesWith(/\bas (unknown as )?(Directory|Reach|AccountScope)\b/)).toEqual([])
  expect(filesWith(/(?<![.\w])fetch\(|\bhttps?\.(request|get)\(|(from |import\()'undici'/)).toEqual([
    'src/platform/outbound/http.ts',
  ])
  expect(
    filesWith(
      /\bbaseUrl\b/,
      sources.filter((file) => ADDRESS_READERS.includes(file.path)),
    ),
  ).toEqual(ADDRESS_READERS)
  const readers = filesWith(/config(\.baseUrl|\s*\}?\s*=\s*platform\b[^\n]*baseUrl)|\{ baseUrl \} = platform\.config/)
  expect(readers.filter((path) => roomOf(path))).toEqual(ADDRESS_READERS)
})

test('every connection has a deadline: it is opened by client.ts or a pool', () => {
  expect(filesWith(/new pg\.(Client|Pool)\((?!\{ connectionString: url( \?\? '')? \}\))/)).toEqual([
    'src/platform/db/client.ts',
    'src/platform/db/embedded-claim.ts',
    'src/platform/db/migrate.ts',
    'src/platform/db/pool.ts',
  ])
})

test('time is the database’s: clock_now() in SQL, and no other clock but where listed', () => {
  expect(filesWith(/(?<![.\w])(now\(\)|current_timestamp)/)).toEqual(Object.keys(NOW_READERS))
  const rooms = sources.filter((file) => roomOf(file.path))
  expect(filesWith(/new Date\(\)|Date\.now\(\)|clock\.now\(\)|(?<!function )epochSeconds\(/, rooms)).toEqual(
    Object.keys(CLOCK_READERS),
  )
})

test('test files leave the process as it was, since others follow in it', () => {
  const touch =
    /\bvi\.(mock|stub|spy|use|setSystem)\w*|process\.env(\[[^\]]+\]|\.\w+) \??\??=[^=]|process\.(on|once|chdir|umask|exitCode)\b|\bglobalThis\.\w+ =|setDefaultCACertificates|setGlobalDispatcher/
  const files = tests.filter((file) => file.path !== 'test/architecture.test.ts')
  expect(filesWith(touch, files)).toEqual(Object.keys(SHARED_TOUCHERS))
})

import { beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../src/contract/contract.ts'
import { routes } from '../../src/wiring/routes.ts'
import { fresh } from '../fresh.ts'
import { type Caller, startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail } from '../people/people.ts'
import { joinedMember } from '../people/team.ts'
import { snapshot } from '../snapshot.ts'
import { nameOf, type SampleRequest, sendSample } from './samples.ts'

// Every route that writes records of the account, with keys of every environment.

const app = await startApp()
const { db } = app.app.platform
const tenant = await app.tenant()

/** The owner of a record. */
type Owner = 'account' | 'production organization' | 'staging organization'

/** Keys by environment; after the colon the only organization that a key reaches. A custom environment is of that one. */
type KeyName =
  | 'production'
  | 'production: of production'
  | 'staging'
  | 'staging: of production'
  | 'staging: of staging'
  | 'custom: of production'
  | 'custom: of staging'

/**
 * The outcome of a write.
 * - `done`: 200, recorded in the owner's home environment.
 * - `production`, `home`: 403 `production_key_required`, `home_key_required`.
 * - `absent`: the organization does not exist in the environment of the key, 404.
 * - `other`: a key of one organization does not reach it: 403 for one that is named, 404 for a record by its id.
 * - `shared`: a key of one organization sees it: 403 `sub_org_mismatch`.
 */
type Outcome = 'done' | 'production' | 'home' | 'absent' | 'other' | 'shared'

/** Which key writes what. */
const RULES: Record<Owner, Record<KeyName, Outcome>> = {
  account: {
    production: 'done',
    'production: of production': 'other',
    staging: 'production',
    'staging: of production': 'other',
    'staging: of staging': 'other',
    'custom: of production': 'other',
    'custom: of staging': 'other',
  },
  'production organization': {
    production: 'done',
    'production: of production': 'done',
    staging: 'production',
    'staging: of production': 'production',
    'staging: of staging': 'other',
    'custom: of production': 'production',
    'custom: of staging': 'other',
  },
  'staging organization': {
    production: 'absent',
    'production: of production': 'other',
    staging: 'done',
    'staging: of production': 'other',
    'staging: of staging': 'done',
    'custom: of production': 'other',
    'custom: of staging': 'home',
  },
}

/** Shared environments are seen by keys of one organization too. */
const OF_SHARED: Record<KeyName, Outcome> = {
  production: 'done',
  'production: of production': 'shared',
  staging: 'production',
  'staging: of production': 'production',
  'staging: of staging': 'production',
  'custom: of production': 'production',
  'custom: of staging': 'production',
}

interface Write {
  /** The refusal of a record or an organization that the caller does not see. */
  absent: string
  /** The response to a key of another organization: status and code. */
  other: [number, string]
  /** A request that changes a record of the owner. Absent: no such record. */
  requests: Partial<Record<Owner, () => Promise<SampleRequest>>>
  /** The event that it records; `beside`: further events that it may record. */
  event: string
  beside?: string
}

const staging = await tenant.withKey({ environment: 'staging' })
const owner = await joinedMember(app, tenant, 'owner')
const asOwner = app.as(null)

const ids = {
  'production organization': await tenant.organization(),
  'staging organization': succeeded(await staging.post('/v1/organizations', { name: 'S', slug: `s-${fresh()}` }))
    .subOrganization.id as string,
}
const environments: { id: string; type: string }[] = succeeded(await tenant.get('/v1/environments')).environments
const shared = (type: string) => environments.find((each) => each.type === type)?.id ?? ''

/** The key of an owner's home environment. */
const homeKey = { account: tenant, 'production organization': tenant, 'staging organization': staging }
const homeOf = { account: 'production', 'production organization': 'production', 'staging organization': 'staging' }
const organizationOf = (whose: Owner) => (whose === 'account' ? {} : { subOrgId: ids[whose] })

async function makeEnvironment(whose: 'production organization' | 'staging organization'): Promise<string> {
  const body = { name: 'Custom', slug: `c-${fresh()}`, subOrgId: ids[whose] }
  return succeeded(await homeKey[whose].post('/v1/environments', body)).environment.id
}

/** A key of a custom environment, which a member creates there. */
async function customKey(whose: 'production organization' | 'staging organization'): Promise<Caller> {
  const headers = { ...owner.headers, 'x-watchword-environment': await makeEnvironment(whose) }
  const path = `/v1/api-keys?subOrgId=${ids[whose]}`
  return app.as(succeeded(await asOwner.post(path, { name: 'Custom', scopes }, headers)).key)
}

const keys: Record<KeyName, Caller> = {
  production: tenant,
  'production: of production': await tenant.withKey({ subOrgId: ids['production organization'] }),
  staging,
  'staging: of production': await tenant.withKey({
    environment: 'staging',
    subOrgId: ids['production organization'],
  }),
  'staging: of staging': await tenant.withKey({ environment: 'staging', subOrgId: ids['staging organization'] }),
  'custom: of production': await customKey('production organization'),
  'custom: of staging': await customKey('staging organization'),
}

const rosterOwners = {
  'production organization': await joinedMember(app, tenant, 'owner', { subOrgId: ids['production organization'] }),
  'staging organization': await joinedMember(app, tenant, 'owner', {
    subOrgId: ids['staging organization'],
    by: staging,
  }),
}

const invited = async (whose: Owner): Promise<string> =>
  succeeded(
    await homeKey[whose].post('/v1/members/invites', { email: newEmail(), role: 'member', ...organizationOf(whose) }),
  ).member.membershipId
const joined = async (whose: Owner) =>
  (await joinedMember(app, tenant, 'member', { ...organizationOf(whose), by: homeKey[whose] })).membershipId

/** A request about each owner. */
function ofAll(make: (whose: Owner) => Promise<SampleRequest>): Write['requests'] {
  return {
    account: () => make('account'),
    'production organization': () => make('production organization'),
    'staging organization': () => make('staging organization'),
  }
}

/** The same of the organizations. */
function ofOrganizations(
  make: (whose: 'production organization' | 'staging organization') => Promise<SampleRequest>,
): Write['requests'] {
  return {
    'production organization': () => make('production organization'),
    'staging organization': () => make('staging organization'),
  }
}

const ERASE = 'POST /v1/organizations/{subOrgId}/erase'

const byPath = { absent: 'organization_not_found', other: [404, 'organization_not_found'] } satisfies Partial<Write>
const byMembership = { absent: 'member_not_found', other: [404, 'member_not_found'] } satisfies Partial<Write>
const byName = { absent: 'organization_not_found', other: [403, 'sub_org_mismatch'] } satisfies Partial<Write>

const HOME: Record<string, Write> = {
  'POST /v1/members/invites': {
    ...byName,
    requests: ofAll(async (whose) => ({ query: organizationOf(whose), body: { email: newEmail(), role: 'member' } })),
    event: 'member.invited',
  },
  'DELETE /v1/members/invites/{inviteId}': {
    absent: 'invite_not_found',
    other: [404, 'invite_not_found'],
    requests: ofAll(async (whose) => ({ params: { inviteId: await invited(whose) } })),
    event: 'member.invitation_withdrawn',
  },
  'PATCH /v1/members/{membershipId}': {
    ...byMembership,
    requests: ofAll(async (whose) => ({
      params: { membershipId: await joined(whose) },
      body: { newRole: 'developer' },
    })),
    event: 'member.role_updated',
  },
  'DELETE /v1/members/{membershipId}': {
    ...byMembership,
    requests: ofAll(async (whose) => ({ params: { membershipId: await joined(whose) } })),
    event: 'member.removed',
  },
  'PUT /v1/organizations/{subOrgId}/members': {
    ...byPath,
    requests: ofOrganizations(async (whose) => {
      await joined(whose)
      const members = [{ membershipId: rosterOwners[whose].membershipId, role: 'owner' }]
      return { params: { subOrgId: ids[whose] }, body: { members } }
    }),
    event: 'member.removed',
    // Of the invitations that other tests have left.
    beside: 'member.invitation_withdrawn',
  },
  'PATCH /v1/organizations/{subOrgId}': {
    ...byPath,
    requests: ofOrganizations(async (whose) => ({ params: { subOrgId: ids[whose] }, body: { name: fresh() } })),
    event: 'organization.updated',
  },
  'DELETE /v1/organizations/{subOrgId}': {
    ...byPath,
    requests: ofOrganizations(async (whose) => {
      succeeded(await homeKey[whose].patch(`/v1/organizations/${ids[whose]}`, { status: 'active' }))
      return { params: { subOrgId: ids[whose] } }
    }),
    event: 'organization.archived',
  },
  [ERASE]: {
    ...byPath,
    requests: ofOrganizations(async (whose) => {
      const { subOrganization } = succeeded(await homeKey[whose].get(`/v1/organizations/${ids[whose]}`))
      return { params: { subOrgId: ids[whose] }, body: { name: subOrganization.name } }
    }),
    event: 'organization.erasure_scheduled',
    beside: 'organization.archived',
  },
  'POST /v1/environments': {
    ...byName,
    requests: ofOrganizations(async (whose) => ({
      query: organizationOf(whose),
      body: { name: 'New', slug: `n-${fresh()}` },
    })),
    event: 'environment.created',
  },
  'PATCH /v1/environments/{environmentId}': {
    absent: 'environment_not_found',
    other: [404, 'environment_not_found'],
    requests: {
      ...ofOrganizations(async (whose) => ({
        params: { environmentId: await makeEnvironment(whose) },
        body: { name: fresh() },
      })),
      account: async () => ({ params: { environmentId: shared('production') }, body: { name: fresh() } }),
    },
    event: 'environment.updated',
  },
}

const NEW = ['POST /v1/organizations', 'POST /v1/auth/discovery/create']

/** Writes of records that belong to the environment of the caller. */
const OWN = [
  'DELETE /v1/api-keys/{id}',
  'DELETE /v1/mail/templates/{kind}/{language}/defaults',
  'PATCH /v1/api-keys/{id}',
  'PATCH /v1/audit/settings/defaults',
  'PATCH /v1/auth/passkey/settings/defaults',
  'PATCH /v1/auth/settings/defaults',
  'PATCH /v1/mail/settings/defaults',
  'PATCH /v1/mfa/policy/defaults',
  'PATCH /v1/otp/settings/defaults',
  'POST /v1/api-keys',
  'POST /v1/api-keys/{id}/rotate',
  'POST /v1/auth/discovery/magic-link/send',
  'POST /v1/auth/discovery/magic-link/verify',
  'POST /v1/auth/discovery/otp/send',
  'POST /v1/auth/discovery/otp/verify',
  'POST /v1/sso/keys',
  'PUT /v1/mail/templates/{kind}/{language}/defaults',
  'PUT /v1/organization-apps/defaults',
  'PUT /v1/social/providers/defaults',
]

const writes = routes.filter((route) => route.directory === 'account' && route.method !== 'GET')

test('every write of the account’s records follows the rule that is written down here', () => {
  const byHand = { home: Object.keys(HOME), 'new-organization': NEW, 'own-environment': OWN }
  const expected = Object.entries(byHand).flatMap(([rule, names]) => names.map((name) => [name, rule]))
  expect(Object.fromEntries(writes.map((route) => [nameOf(route), route.writes]))).toEqual(Object.fromEntries(expected))
  // No other route reaches the rule, and none that follows it is without an owner.
  expect(routes.filter((route) => route.writes !== null && !writes.includes(route))).toEqual([])
  expect(routes.filter((route) => (route.writes === 'home') !== (route.ownerOf !== undefined))).toEqual([])
})

test('records of the account are written by such routes alone', () => {
  const written = [...Object.keys(HOME), ...NEW]
  const others = routes.filter(
    (route) =>
      /^\/v1\/(members|organizations|environments)\b/.test(route.path) &&
      route.method !== 'GET' &&
      !written.includes(nameOf(route)),
  )
  expect(others).toEqual([])
})

const keyNames = Object.keys(keys).filter((name): name is KeyName => name in keys)
const owners = Object.keys(RULES).filter((name): name is Owner => name in RULES)
const home = writes.filter((route) => route.writes === 'home')

/** Events since a moment, but those of the team's own sign-in. */
async function eventsAfter(id: string | null) {
  return db
    .selectFrom('events')
    .innerJoin('directories', 'directories.id', 'events.directory_id')
    .innerJoin('environments', 'environments.id', 'directories.environment_id')
    .select(['events.id', 'events.type', 'events.actor_type', 'events.actor_id', 'environments.slug as environment'])
    .select('directories.organization_id')
    .where('directories.kind', '<>', 'console')
    .$if(id !== null, (query) => query.where('events.id', '>', id ?? ''))
    .orderBy('events.id')
    .execute()
}

const keyIds = new Map<KeyName, string>()
for (const name of keyNames) keyIds.set(name, succeeded(await keys[name].get('/v1/api-keys/current')).id)

describe.each(home.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
  const write = HOME[name]
  if (!write) return
  const cases = owners.flatMap((whose) => (write.requests[whose] ? keyNames.map((key) => [whose, key] as const) : []))

  beforeEach(async () => {
    for (const whose of ['production organization', 'staging organization'] as const)
      succeeded(await homeKey[whose].patch(`/v1/organizations/${ids[whose]}`, { status: 'active' }))
  })

  test.each(cases)('a record of the %s, by a key: %s', async (whose, key) => {
    const outcome = outcomeOf(name, whose, key)
    const request = await write.requests[whose]?.()
    if (!request) throw new Error('no request')
    const before = await snapshot(app)
    const last = (await eventsAfter(null)).at(-1)?.id ?? null
    const reply = await sendSample(keys[key], route, request)
    expect([reply.status, reply.body.code ?? null], reply.text).toEqual(verdictOf(write, outcome))
    if (outcome !== 'done') return expect(await snapshot(app)).toEqual(before)
    const recorded = await eventsAfter(last)
    // One, or of a roster one for each who leaves it.
    const types = recorded.map(({ type }) => type).filter((type) => type !== write.beside)
    expect([...new Set(types)]).toEqual([write.event])
    const environment = homeOf[changedOwner(name, whose, key)]
    for (const event of recorded)
      expect(event).toMatchObject({ environment, actor_type: 'api_key', actor_id: keyIds.get(key) })
  })
})

function outcomeOf(name: string, named: Owner, key: KeyName): Outcome {
  const whose = changedOwner(name, named, key)
  // A key of the organization could not restore it.
  if (name === ERASE && RULES[whose][key] === 'done' && key.includes(': of ')) return 'shared'
  if (whose !== 'account') return RULES[whose][key]
  return name === 'PATCH /v1/environments/{environmentId}' ? OF_SHARED[key] : RULES.account[key]
}

/** A key of one organization that names none invites to its own. */
function changedOwner(name: string, named: Owner, key: KeyName): Owner {
  if (named !== 'account' || name !== 'POST /v1/members/invites' || key === 'production' || key === 'staging')
    return named
  return key.endsWith('of staging') ? 'staging organization' : 'production organization'
}

function verdictOf(write: Write, outcome: Outcome): [number, string | null] {
  if (outcome === 'done') return [200, null]
  if (outcome === 'production') return [403, 'production_key_required']
  if (outcome === 'home') return [403, 'home_key_required']
  if (outcome === 'shared') return [403, 'sub_org_mismatch']
  if (outcome === 'absent') return [404, write.absent]
  return write.other
}

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Reply, startApp, type Tenant } from '../../../../test/harness.ts'
import { startReceiver } from '../../../../test/peers/webhook-receiver.ts'
import { chainAll, tampering, verified } from '../../../../test/people/audit.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { scimCaller } from '../../../../test/people/scim.ts'
import { deliverDue } from '../../../../test/people/webhook-delivery.ts'
import { ownWorld, signedIn, signedInMember, teamWorld } from '../../../../test/walkers/own-world.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import { fanOut } from '../deliveries/fan-out.ts'
import { chainKey, digestAt, digestEvent } from './digest.ts'

// The person that a backend acts for is recorded with its actions, and has no other effect.

const app = await startApp({ env: { WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
const { platform } = app.app
const { db } = platform
const tenant = await app.tenant()

const NAME = 'Grace Hopper, née Murray 🦉 100%'
const PERSON = { id: 'zoë/4711', name: NAME }
const ACTING = { 'x-actor-id': encodeURIComponent(PERSON.id), 'x-actor-name': encodeURIComponent(NAME) }

/** The person that the events of a request name in `on_behalf_of`. */
async function recordedOf({ headers }: Reply) {
  const id = headers.get('x-request-id') ?? ''
  const rows = await db.selectFrom('events').select('on_behalf_of').where('request_id', '=', id).execute()
  return rows.map(({ on_behalf_of }) => on_behalf_of)
}

test('is in the event, wherever it shows', async () => {
  const subOrgId = await tenant.organization()
  const receiver = await startReceiver()
  const hook = { name: 'Lake', url: `${receiver.url}/in`, events: ['user.created'], subOrgId }
  succeeded(await tenant.post('/v1/webhooks', hook))
  const created = await tenant.post('/v1/users', { subOrgId, email: newEmail() }, ACTING)
  const { id } = succeeded(created).user
  await app.settled()
  while (await fanOut(platform));
  while (await deliverDue(platform));
  const [feed] = succeeded(await tenant.get(`/v1/events?subOrgId=${subOrgId}&types=user.created`)).events
  const actor = { type: 'api_key', id: expect.any(String), on_behalf_of: PERSON, via: null }
  expect(feed.actor).toEqual(actor)
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([feed])
  const listed = succeeded(await tenant.get(`/v1/audit/events?subOrgId=${subOrgId}&types=user.created`)).events
  expect(listed).toEqual([feed])
  const exported = succeeded(await tenant.get(`/v1/users/${id}/export`))
  expect(exported.events.find(({ type }: { type: string }) => type === 'user.created')).toEqual(feed)
  const file = async (format: string) => {
    const url = `${app.baseUrl}/v1/audit/export?subOrgId=${subOrgId}&types=user.created&format=${format}`
    return (await fetch(url, { headers: { 'x-api-key': tenant.key } })).text()
  }
  expect(JSON.parse(await file('ndjson'))).toEqual(feed)
  const [head = '', line = ''] = (await file('csv')).split('\r\n')
  expect(head.endsWith(',on_behalf_of_id,on_behalf_of_name,via_type,via_id')).toBe(true)
  expect(line.endsWith(`,${PERSON.id},"${NAME}",,`)).toBe(true)
})

test('the name may be left out, and without the headers no person is recorded', async () => {
  const subOrgId = await tenant.organization()
  const by = (headers: Record<string, string>) => tenant.post('/v1/users', { subOrgId, email: newEmail() }, headers)
  expect(await recordedOf(await by({ 'x-actor-id': 'u-1' }))).toEqual([{ id: 'u-1', name: null }])
  expect(await recordedOf(await by({}))).toEqual([null])
  // A read also names the person, if it records an event.
  const { id } = await newUser(tenant, { subOrgId })
  const read = await tenant.get(`/v1/users/${id}/export`, ACTING)
  expect(await recordedOf(read)).toEqual([PERSON])
})

describe('refused', () => {
  const [id, name] = ['x-actor-id', 'x-actor-name']
  const good = { [id]: '1' }
  test.each<[string, Record<string, string>, string]>([
    ['an empty id', { [id]: '' }, 'X-Actor-Id'],
    ['an empty name', { ...good, [name]: '' }, 'X-Actor-Name'],
    ['a blank id', { [id]: '%20%20' }, 'X-Actor-Id'],
    ['an id that is too long', { [id]: 'x'.repeat(201) }, 'X-Actor-Id'],
    ['a name that is too long', { ...good, [name]: encodeURIComponent('é'.repeat(201)) }, 'X-Actor-Name'],
    ['an id with a line break', { [id]: 'a%0Ab' }, 'X-Actor-Id'],
    ['an id with a zero', { [id]: '%00' }, 'X-Actor-Id'],
    ['a name with a mark of direction', { ...good, [name]: encodeURIComponent('a\u202eb') }, 'X-Actor-Name'],
    ['bytes beyond ASCII', { ...good, [name]: 'Zo\u00eb' }, 'X-Actor-Name'],
    ['a bare percent sign', { [id]: '100%' }, 'X-Actor-Id'],
    ['bytes that are no UTF-8', { [id]: '%ff' }, 'X-Actor-Id'],
    ['a name without an id', { [name]: 'Grace' }, 'X-Actor-Id'],
  ])('%s', async (_, headers, field) => {
    const subOrgId = await tenant.organization()
    const before = await app.events(tenant)
    const reply = await tenant.post('/v1/users', { subOrgId, email: newEmail() }, headers)
    expect([reply.status, reply.body.code, reply.body.errors[0].field]).toEqual([400, 'invalid_request', field])
    expect(reply.body.detail).toContain(field)
    expect(succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}`)).users).toEqual([])
    expect(await app.events(tenant)).toEqual(before)
  })

  test('not one of 200 characters', async () => {
    const subOrgId = await tenant.organization()
    const headers = { [id]: 'x'.repeat(200), [name]: encodeURIComponent('é'.repeat(200)) }
    const reply = await tenant.post('/v1/users', { subOrgId, email: newEmail() }, headers)
    expect(await recordedOf(reply)).toEqual([{ id: 'x'.repeat(200), name: 'é'.repeat(200) }])
  })
})

const IGNORED = { 'x-actor-id': '%', 'x-actor-name': 'Mallory' }

describe('is ignored of a caller who is no API key, even if it is malformed:', () => {
  const callers: Record<string, (tenant: Tenant) => Promise<Reply>> = {
    async 'an end user'(tenant) {
      const { me } = await signedIn(await ownWorld(app, tenant))
      return me.patch('/v1/me', { displayName: 'Ada' }, IGNORED)
    },
    async 'a member of the team'(tenant) {
      const subOrgId = await tenant.organization()
      const { me } = await signedInMember(teamWorld(app, tenant), 'owner')
      return me.post('/v1/users', { subOrgId, email: newEmail() }, IGNORED)
    },
    async 'a provisioning client'(tenant) {
      const subOrgId = await tenant.organization()
      succeeded(await tenant.patch('/v1/scim/config', { enabled: true, subOrgId }))
      const { token } = succeeded(await tenant.post('/v1/scim/config', { action: 'rotate-token', subOrgId }))
      const call = scimCaller(app, token)
      const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
      return call('POST', '/Users', { schemas, userName: newEmail() }, IGNORED)
    },
  }
  test.each(Object.entries(callers))('%s', async (_, act) => {
    const reply = await act(await app.tenant())
    expect(reply.status, reply.text).toBeLessThan(300)
    const recorded = await recordedOf(reply)
    expect(recorded.length).toBeGreaterThan(0)
    expect(recorded).toEqual(recorded.map(() => null))
  })
})

test('grants nothing: the rights are those of the key, whichever person it names', async () => {
  const subOrgId = await tenant.organization()
  const { id: everything } = succeeded(await tenant.get('/v1/api-keys/current'))
  const reader = await tenant.withKey({ subOrgId, scopes: ['users.read'] })
  const refused = await reader.post('/v1/users', { email: newEmail() }, { 'x-actor-id': everything })
  expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope'])
})

test('a repeated request gets the first answer, whichever person it names', async () => {
  const subOrgId = await tenant.organization()
  const body = { subOrgId, email: newEmail() }
  const by = (id: string) =>
    tenant.post('/v1/users', body, { 'idempotency-key': `acting-${subOrgId}`, 'x-actor-id': id })
  const [first, second] = [await by('one'), await by('two')]
  expect([second.body, second.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
  expect(await recordedOf(first)).toEqual([{ id: 'one', name: null }])
  expect(await recordedOf(second)).toEqual([])
})

test('the audit log finds it by the id, and within reach alone', async () => {
  const [one, two] = [await tenant.organization(), await tenant.organization()]
  for (const subOrgId of [one, two])
    for (const headers of [ACTING, { 'x-actor-id': 'other' }, {}])
      succeeded(await tenant.post('/v1/users', { subOrgId, email: newEmail() }, headers))
  const own = await tenant.withKey({ subOrgId: one, scopes: ['audit.read'] })
  const found = async (query: Record<string, string>) =>
    succeeded(await own.get(`/v1/audit/events?${new URLSearchParams(query)}`)).events
  const events = await found({ on_behalf_of: PERSON.id })
  expect(events).toMatchObject([{ sub_org_id: one, type: 'user.created', actor: { on_behalf_of: PERSON } }])
  expect(await found({ q: 'grace hopper' })).toEqual(events)
  expect(await found({ on_behalf_of: PERSON.id, types: 'user.deleted' })).toEqual([])
  expect(await found({ on_behalf_of: NAME })).toEqual([])
})

describe('is chained', () => {
  const change = {
    'another person': sql`on_behalf_of = '{"id":"other","name":null}'`,
    nobody: sql`on_behalf_of = null`,
    'another caller': sql`via = '{"type":"api_key","id":"other"}'`,
  }
  const chained = app.tenant().then(async (tenant) => {
    const subOrgId = await tenant.organization()
    const [who, alone] = [ACTING, {}]
    for (const headers of [who, alone]) await tenant.post('/v1/users', { subOrgId, email: newEmail() }, headers)
    await chainAll(platform)
    return subOrgId
  })

  test.each(Object.entries(change))('and a change to %s is found', async (_, set) => {
    const subOrgId = await chained
    const put = (db: typeof platform.db) =>
      sql`update events set ${set} from directories d
      where d.id = events.directory_id and d.organization_id = ${subOrgId} and on_behalf_of is not null`.execute(db)
    await tampering(db, put, async () => {
      const { findings } = await verified(platform, { range: { organizationId: subOrgId } })
      expect(findings).toMatchObject([{ kind: 'changed', detail: 'What differs: origin.' }])
    })
  })

  test('and a person who is put into an event without one is found', async () => {
    const subOrgId = await chained
    const put = (db: typeof platform.db) =>
      sql`update events set on_behalf_of = '{"id":"1","name":null}'
      from directories d where d.id = events.directory_id and d.organization_id = ${subOrgId}
        and type = 'user.created' and on_behalf_of is null`.execute(db)
    await tampering(db, put, async () => {
      const { kinds } = await verified(platform, { range: { organizationId: subOrgId } })
      expect(kinds).toEqual(['changed'])
    })
  })

  test('and an event of the release before verifies', () => {
    const origin = { actor_type: 'api_key', actor_id: 'k', request_id: null, ip_address: null, user_agent: null }
    const place = { directory_id: 'd', account_id: 'a', environment_id: 'e', id: 'i', epoch: '1', tx_id: '1' }
    const rest = { created_at: '1', type: 't', target_type: null, target_id: null, data: '{}', previous: null }
    const key = chainKey(platform)
    const now = digestEvent(key, { ...origin, ...place, ...rest, on_behalf_of: null, via: null })
    // The digest as the earlier release computed it.
    const before = keyedHash(key, 'event', 'i', 'origin', JSON.stringify(Object.values(origin))).subarray(0, 16)
    expect(digestAt(now, 0).subarray(48, 64)).toEqual(before)
  })
})

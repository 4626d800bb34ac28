import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fanOut } from '../../src/features/records/deliveries/fan-out.ts'
import { replayWebhook } from '../../src/features/records/webhooks/repeat.ts'
import { isAnyCaller } from '../../src/platform/tenancy/authorize.ts'
import { belongings } from '../../src/wiring/belongings.ts'
import { ERASURE } from '../../src/wiring/erasure.ts'
import { routes } from '../../src/wiring/routes.ts'
import { fresh } from '../fresh.ts'
import { startApp } from '../harness.ts'
import { startDnsPeer } from '../peers/dns-peer.ts'
import { startReceiver } from '../peers/webhook-receiver.ts'
import { chainAll, verified } from '../people/audit.ts'
import { eraseDue, findTexts, requestErasure, waitForErasure } from '../people/erasure.ts'
import { succeeded } from '../people/factors.ts'
import { runJobs } from '../people/jobs.ts'
import { newEmail } from '../people/people.ts'
import { provisioned } from '../people/scim.ts'
import { signIn } from '../people/sign-in.ts'
import { joinedMember, PASSWORD } from '../people/team.ts'
import { deliverDue } from '../people/webhook-delivery.ts'
import { nameOf, orgWideOnly, sampleOf, sendSample } from './samples.ts'
import { makeWorld } from './world.ts'

const [dns, receiver] = [await startDnsPeer(), await startReceiver()]
const app = await startApp({ env: { WATCHWORD_DNS_SERVER: dns.address, WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
const { platform } = app.app
const { db } = platform
const tenant = await app.tenant()

test('every table says what an erasure does with it', async () => {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select table_name::text as name, array_agg(column_name::text) as columns from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' group by table_name`.execute(db)
  const tables = rows.filter(({ name }) => !['schema_migrations', 'test_clock'].includes(name))
  expect(Object.keys(ERASURE).toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
  // What is of a directory goes with it, but for what proves that nothing else was changed.
  const ofDirectories = tables.filter(({ columns }) => columns.includes('directory_id')).map(({ name }) => name)
  const staying = Object.entries(ERASURE).filter(([name, fate]) => ofDirectories.includes(name) && 'stays' in fate)
  expect(staying.map(([name]) => name)).toEqual(['audit_blocks', 'audit_heads'])
  const fates = new Map(Object.entries(ERASURE))
  for (const { table } of belongings) expect(fates.get(table)).toHaveProperty('removedBy')
})

test('nothing of the people of an erased organization is left', { timeout: 180_000 }, async () => {
  const mark = fresh()
  const named = (what: string) => `${what}-${mark}`
  const made = succeeded(
    await tenant.post('/v1/organizations', {
      ...{ name: named('Erasable'), slug: named('erasable'), externalId: named('crm') },
      metadata: { contact: `boss-${mark}@example.com` },
    }),
  )
  const subOrgId: string = made.subOrganization.id
  const kept = await tenant.organization()
  const people: string[] = [mark]

  // Everything that a sample of a route makes, in two environments, sent once more with the key of the organization.
  for (const environment of ['production', 'staging'] as const) {
    const world = await makeWorld(app, tenant, { environment, organizationId: subOrgId })
    for (const route of routes.filter(({ auth, scope }) => auth === 'key' && scope !== null && !isAnyCaller(scope))) {
      if (orgWideOnly.includes(nameOf(route)) || /^\/v1\/organizations/.test(route.path)) continue
      if (route.method === 'DELETE' || /move|disable/.test(route.operation)) continue
      await sendSample(world.scoped, route, sampleOf(route, world), {
        headers: {
          'x-end-user-ip': '203.0.113.77',
          'x-end-user-agent': named('Agent'),
          'x-actor-id': named('actor'),
          'x-actor-name': named('Grace'),
        },
      })
    }
  }
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { name: named('Renamed') }))

  // People with unique names, by several ways.
  const key = await tenant.withKey({ subOrgId })
  const email = `ada-${mark}@example.com`
  const phone = `+1415555${String(Number.parseInt(mark.slice(0, 4), 16) % 10_000).padStart(4, '0')}`
  people.push(phone)
  const profile = { firstName: named('Ada'), lastName: named('Lovelace'), displayName: named('Countess'), phone }
  const { user } = succeeded(await key.post('/v1/users', { email, ...profile, metadata: { note: named('note') } }))
  await signIn(app, key, subOrgId, email)
  succeeded(await key.post('/v1/users/invites', { email: `bob-${mark}@example.com` }))
  const scim = await provisioned(app, tenant, subOrgId)
  await scim.call('POST', '/Users', {
    ...{ userName: `eve-${mark}@example.com`, displayName: named('Eve'), externalId: named('hr') },
    emails: [{ value: `eve-home-${mark}@example.org`, type: 'home' }],
  })
  const roster = await joinedMember(app, tenant, 'admin', { subOrgId, email: `roster-${mark}@example.com` })
  succeeded(await tenant.post('/v1/members/invites', { subOrgId, email: `waits-${mark}@example.com`, role: 'member' }))
  succeeded(await app.as(null).get('/v1/api-keys/current', roster.headers))
  const wide = { url: `${receiver.url}/wide`, name: 'Wide', events: ['*'], scope: 'environment' }
  const { webhook } = succeeded(await tenant.post('/v1/webhooks', wide))
  receiver.answer = ({ body }) => ({ status: 500, body })
  succeeded(await key.patch(`/v1/users/${user.id}`, { jobTitle: named('Analyst') }))
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { description: named('Description') }))
  await app.settled()
  for (let n = 0; n < 3; n++) await fanOut(platform)
  await deliverDue(platform)
  succeeded(await tenant.post('/v1/otp/generate', { email }))

  // A member of another organization's roster too, and a user there with the address of one here.
  const environment = { subOrgId, name: named('Preview'), slug: named('preview') }
  succeeded(await tenant.post('/v1/environments', environment))
  const both = await joinedMember(app, tenant, 'member', { subOrgId, email: 'both@stays.example' })
  const second = await tenant.post('/v1/members/invites', { subOrgId: kept, email: both.email, role: 'member' })
  expect(succeeded(second).member.status).toBe('active')
  const shared = newEmail()
  for (const id of [subOrgId, kept]) succeeded(await tenant.post('/v1/users', { subOrgId: id, email: shared }))
  succeeded(await tenant.post('/v1/otp/generate', { email: shared }))
  // For the organization, and for all of the environment.
  for (const address of [email, shared])
    for (const where of [{ subOrgId }, {}])
      succeeded(await tenant.post('/v1/mail/bounces', { email: address, kind: 'hard', ...where }))

  const { rows: users } = await sql<{ email: string }>`select email from users join directories d on d.id = directory_id
    where d.organization_id = ${subOrgId} and email <> ${shared}`.execute(db)
  people.push(...users.map(({ email }) => email), '203.0.113.77')
  const before = await findTexts(app, people)
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining([
      ...[
        'public.bounced_addresses',
        'public.environments',
        'public.events',
        'public.links',
        'public.members',
        'public.organizations',
      ],
      ...[
        'public.scim_user_emails',
        'public.scim_users',
        'public.sessions',
        'public.users',
        'public.webhook_deliveries',
      ],
    ]),
  )
  const others = await rowsOf(kept)
  await chainAll(platform)

  await requestErasure(tenant, subOrgId)
  await waitForErasure(app)
  await eraseDue(platform)

  expect(await findTexts(app, people)).toEqual({})
  expect(await rowsIn(subOrgId)).toEqual({})
  expect(await rowsOf(kept)).toEqual(others)
  expect(succeeded(await tenant.get(`/v1/mail/suppressions?email=${shared}`)).suppressions).toMatchObject([
    { email: shared, sub_org_id: null },
  ])
  for (const path of [`/v1/organizations/${subOrgId}`, `/v1/users?subOrgId=${subOrgId}`])
    expect((await tenant.get(path)).body.code).toBe('organization_not_found')
  expect((await key.get('/v1/users')).body.code).toBe('api_key_invalid')
  const signInToTeam = (member: { email: string }) =>
    tenant.post('/v1/auth/login/password', { subOrgId: 'team', email: member.email, password: PASSWORD })
  expect((await signInToTeam(roster)).status).toBe(401)
  expect((await signInToTeam(both)).status).toBe(200)
  const listed = succeeded(await tenant.get('/v1/environments')).environments
  expect(listed.map(({ type }: { type: string }) => type)).toEqual(['production', 'staging'])

  // Neither the feed nor the audit log shows what is left of its events, nor is any of it sent.
  const feed = await all((after) => tenant.get(`/v1/events?limit=1000${after && `&after=${after}`}`), 'cursor')
  const audit = await all(
    (after) => tenant.get(`/v1/audit/events?limit=1000${after && `&after=${after}`}`),
    'next_cursor',
  )
  for (const events of [feed, audit]) {
    const own = events.filter(({ sub_org_id }) => sub_org_id === subOrgId).map(({ type }) => type)
    expect(new Set(own)).toEqual(new Set(['audit.erased']))
    const about = events.filter(({ target }) => target?.id === subOrgId).map(({ type }) => type)
    expect(new Set(about)).toEqual(new Set(['organization.erasure_scheduled', 'organization.erased', 'audit.erased']))
  }
  const [mentioned] = audit.filter(({ type, data }) => type === 'auth.otp.sent' && data['email'] === shared)
  expect(mentioned).toBeDefined()
  const { deliveries } = succeeded(await tenant.get(`/v1/webhooks/${webhook.id}?deliveries=true&limit=200`))
  expect(JSON.stringify(deliveries)).not.toContain(mark)

  receiver.received.length = 0
  const from = new Date(platform.clock.now().getTime() - 29 * 86_400_000).toISOString()
  succeeded(await tenant.post(`/v1/webhooks/${webhook.id}/replay`, { from, scope: 'environment' }))
  await runJobs(platform, replayWebhook)
  await deliverDue(platform)
  expect(JSON.stringify(receiver.received)).not.toContain(mark)

  // The chain says what was erased, and nothing else differs.
  await chainAll(platform)
  const { kinds, erased } = await verified(platform)
  expect(kinds).toEqual([])
  expect(erased.length).toBeGreaterThan(3)
  expect(new Set(erased.map(({ organizationId }) => organizationId))).toEqual(new Set([subOrgId]))
  for (const { events, directory } of erased)
    expect([directory.kind, directory.environment, events > 0]).toEqual([directory.kind, directory.environment, true])

  // Slug and domains are free, and another run changes nothing.
  succeeded(await tenant.post('/v1/organizations', { name: 'Next', slug: named('erasable') }))
  const ended = (await app.events({ accountId: tenant.accountId })).length
  await eraseDue(platform)
  await app.advance(86_401)
  await eraseDue(platform)
  expect((await app.events({ accountId: tenant.accountId })).length).toBe(ended)
})

interface Sent {
  type: string
  sub_org_id: string | null
  target: { id: string } | null
  data: Record<string, unknown>
}

async function all(page: (after: string) => ReturnType<typeof tenant.get>, cursor: string): Promise<Sent[]> {
  const found: Sent[] = []
  for (let after = ''; ; ) {
    const body = succeeded(await page(after))
    found.push(...body.events)
    if (!body.has_more) return found
    after = encodeURIComponent(body[cursor])
  }
}

/** Rows of the directories of an organization that an erasure removes, by table. */
async function rowsIn(subOrgId: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const [table, fate] of Object.entries(ERASURE)) {
    if (!('removedBy' in fate)) continue
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}
      where directory_id in (select d.id from directories d join environments e on e.id = d.environment_id
        where d.organization_id = ${subOrgId} or e.organization_id = ${subOrgId})`.execute(db)
    if (rows[0]?.count) found[table] = rows[0].count
  }
  return found
}

/** The rows of another organization. */
async function rowsOf(subOrgId: string): Promise<object> {
  const { rows: events } = await sql`select e.* from events e join directories d on d.id = e.directory_id
    where d.organization_id = ${subOrgId} order by e.id`.execute(db)
  const { rows: members } = await sql`select id, email from members where organization_id = ${subOrgId}`.execute(db)
  return { events, members, tables: await rowsIn(subOrgId) }
}

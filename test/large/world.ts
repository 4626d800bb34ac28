import pg from 'pg'
import { fillOrganization, type Place, settleTables } from './rows.ts'

/** A running service, and a key of it with every scope. */
export interface Service {
  baseUrl: string
  apiKey: string
}

/** What calls need to know of a filled database. */
export interface World {
  service: Service
  users: number
  subOrgId: string
  smallSubOrgId: string
  userId: string
  scimToken: string
  webhookId: string
}

export interface Size {
  /** Of the one large organization. */
  users: number
  /** How many organizations there are beside it, of 20 users each. */
  organizations: number
}

/** Fills the database of a service by its routes, and by statements where there are too many rows for that. */
export async function fillWorld(service: Service, databaseUrl: string, size: Size): Promise<World> {
  const call = callerOf(service)
  const addOrganization = async (slug: string) => {
    const { subOrganization } = await call('POST', '/v1/organizations', { name: slug, slug })
    const subOrgId = textOf(subOrganization, 'id')
    // The first request of an organization makes its directory.
    await call('GET', `/v1/users?subOrgId=${subOrgId}&limit=1`)
    return subOrgId
  }
  const subOrgId = await addOrganization('large')
  const others: string[] = []
  for (let n = 1; n <= size.organizations; n++) others.push(await addOrganization(`small-${n}`))
  const { role } = await call('POST', '/v1/rbac/roles', { subOrgId, name: 'Reader', permissions: ['audit:read'] })
  const { webhook } = await call('POST', '/v1/webhooks', {
    ...{ subOrgId, name: 'All', url: 'https://hooks.large.example', events: ['webhook.test'] },
  })
  // Its event is the pattern of those of all others.
  await call('POST', '/v1/users', { subOrgId, email: 'first@large.example', firstName: 'First' })
  await call('PATCH', '/v1/auth/settings', { subOrgId, scim_requests_per_second: 10_000 })
  await call('PATCH', '/v1/scim/config', { subOrgId, enabled: true })
  const { token } = await call('POST', '/v1/scim/config', { subOrgId, action: 'rotate-token' })
  const [roleId, webhookId] = [textOf(role, 'id'), textOf(webhook, 'id')]
  await withClient(databaseUrl, async (client) => {
    const large = await findPlace(client, subOrgId)
    await fillOrganization(client, large, { users: size.users, roleId, webhookId })
    for (const other of others) await fillOrganization(client, await findPlace(client, other), { users: 20 })
    await settleTables(client)
  })
  const { users } = await call('GET', `/v1/users?subOrgId=${subOrgId}&email=person2@large.example`)
  const userId = Array.isArray(users) ? textOf(users[0], 'id') : ''
  const smallSubOrgId = others[0] ?? subOrgId
  return { service, users: size.users, subOrgId, smallSubOrgId, userId, scimToken: String(token), webhookId }
}

async function findPlace(client: pg.Client, subOrgId: string): Promise<Place> {
  const { rows } = await client.query<{ id: string; environment_id: string }>(
    `select d.id, d.environment_id from directories d join environments e on e.id = d.environment_id
    where d.organization_id = $1 and e.slug = 'production'`,
    [subOrgId],
  )
  const [row] = rows
  if (!row) throw new Error(`The organization ${subOrgId} has no directory`)
  return { directoryId: row.id, environmentId: row.environment_id }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Calls as the key of the deployment. Throws on a refusal. */
function callerOf({ baseUrl, apiKey }: Service) {
  return async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const reply = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'x-api-key': apiKey, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
}

function textOf(value: unknown, name: string): string {
  const field = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  if (typeof field !== 'string') throw new Error(`There is no ${name}`)
  return field
}

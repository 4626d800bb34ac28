import { type Bench, type Measurement, oncePerRun, type Row, type Target } from '../bench.ts'
import { readText } from '../json-field.ts'
import type { LoadRequest } from '../load.ts'
import { query } from '../postgres.ts'
import { callOnce, createOrganization, getDeployment, measureRequests, post, sendAll } from './deployment.ts'

const BASE = '/api/os/scim/v2'
const SMALL = 1000
const LARGE = 1_000_000
const GROUP = 10_000
const FEW = 10
const TEMPLATE = 'template@example.com'

/** Provisioning by SCIM, whose look-ups and changes must not grow with the directory or the group. */
export const provisioningRows: Row[] = [
  row('scim-create', 'SCIM POST /Users', [{ of: null, on: 'value', bound: 'at least', figure: 500 }], measureCreate),
  row('scim-user-by-name', `SCIM GET /Users?filter=userName eq, among ${SMALL} users`, [], (bench) =>
    measureByName(bench, SMALL),
  ),
  row('scim-user-by-name-large', `the same among ${LARGE} users`, [flat('scim-user-by-name')], (bench) =>
    measureByName(bench, LARGE),
  ),
  row('scim-member', `SCIM PATCH adding a member to a group of ${FEW}, among ${SMALL} users`, [], (bench) =>
    measureMember(bench, { users: SMALL, members: FEW }),
  ),
  row('scim-member-large', `the same among ${LARGE} users`, [flat('scim-member')], (bench) =>
    measureMember(bench, { users: LARGE, members: FEW }),
  ),
  row('scim-member-crowd', `the same to a group of ${GROUP}, among ${LARGE} users`, [flat('scim-member')], (bench) =>
    measureMember(bench, { users: LARGE, members: GROUP }),
  ),
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

function flat(of: string): Target {
  return { of, on: 'p50Ms', bound: 'at most', figure: 1.3 }
}

interface Client {
  subOrgId: string
  headers: Record<string, string>
}

/** An organization with provisioning on, and the headers of its client. */
async function createClient(bench: Bench): Promise<Client> {
  const subOrgId = await createOrganization(bench)
  const config = { method: 'PATCH', path: '/v1/scim/config', body: JSON.stringify({ subOrgId, enabled: true }) }
  await callOnce(bench, config)
  const rate = JSON.stringify({ subOrgId, scim_requests_per_second: 10_000 })
  await callOnce(bench, { method: 'PATCH', path: '/v1/auth/settings', body: rate })
  const rotated = await callOnce(bench, post('/v1/scim/config', { subOrgId, action: 'rotate-token' }))
  return { subOrgId, headers: { authorization: `Bearer ${readText(rotated, 'token')}` } }
}

async function send(bench: Bench, { headers }: Client, request: LoadRequest): Promise<string> {
  const { watchword } = await getDeployment(bench)
  const [body = ''] = await sendAll({ baseUrl: watchword.baseUrl, headers, requests: [request], connections: 1 })
  return body
}

function userOf(userName: string): object {
  const name = { givenName: 'Ada', familyName: 'Lovelace' }
  return {
    userName,
    externalId: userName,
    name,
    active: true,
    emails: [{ value: userName, type: 'work', primary: true }],
  }
}

const getCreator = oncePerRun(createClient)
let created = 0

async function measureCreate(bench: Bench): Promise<Measurement> {
  const { headers } = await getCreator(bench)
  const requests = Array.from({ length: 5000 * bench.seconds }, () =>
    post(`${BASE}/Users`, userOf(`new${++created}@example.com`)),
  )
  return await measureRequests(bench, { requests, headers, mode: 'once', expect: '"externalId":"new' })
}

const getSmall = oncePerRun((bench) => fillDirectory(bench, SMALL))
const getLarge = oncePerRun((bench) => fillDirectory(bench, LARGE))
const fill = (bench: Bench, users: number) => (users === SMALL ? getSmall(bench) : getLarge(bench))

/**
 * An organization with `count` users like one that a client provisioned, written by SQL: a million requests would take longer
 * than all the measuring. Names are `n<number>@example.com`.
 */
async function fillDirectory(bench: Bench, count: number): Promise<Client> {
  const { databaseUrl } = await getDeployment(bench)
  const client = await createClient(bench)
  const id = readText(await send(bench, client, post(`${BASE}/Users`, userOf(TEMPLATE))), 'id')
  await query(
    databaseUrl,
    `insert into users select made.*
     from users u, generate_series(1, $2::int) n, lateral jsonb_populate_record(
       u, replace(to_jsonb(u)::text, $3, 'n' || n || '@example.com')::jsonb
         || jsonb_build_object('id', gen_random_uuid(), 'created_at', u.created_at - n * interval '1 second')) made
     where u.id = $1`,
    [id, count, TEMPLATE],
  )
  await query(
    databaseUrl,
    `insert into scim_users (directory_id, user_id, user_name, external_id, resource)
     select u.directory_id, u.id, u.email, u.email, replace(s.resource::text, $2, u.email)::jsonb
     from scim_users s join users u on u.directory_id = s.directory_id and u.id <> s.user_id where s.user_id = $1`,
    [id, TEMPLATE],
  )
  await query(
    databaseUrl,
    `insert into scim_user_emails (directory_id, user_id, n, value, type, is_primary)
     select u.directory_id, u.id, e.n, u.email, e.type, e.is_primary
     from scim_user_emails e join users u on u.directory_id = e.directory_id and u.id <> e.user_id where e.user_id = $1`,
    [id],
  )
  await query(databaseUrl, 'vacuum analyze users, scim_users, scim_user_emails')
  return client
}

async function measureByName(bench: Bench, users: number): Promise<Measurement> {
  const { headers } = await fill(bench, users)
  // Spread over the whole directory, so that a large one is not served from a few warm pages.
  const numbers = Array.from({ length: 5000 }, (_, n) => 1 + ((n * 7919) % users))
  const requests = numbers.map((n) => {
    const query = new URLSearchParams({ filter: `userName eq "n${n}@example.com"` })
    return { method: 'GET', path: `${BASE}/Users?${query}` }
  })
  return await measureRequests(bench, { requests, headers, expect: '"totalResults":1' })
}

let groups = 0

/** Each request adds somebody else to a group; few callers at once, since they wait for each other. */
async function measureMember(bench: Bench, size: { users: number; members: number }): Promise<Measurement> {
  const { databaseUrl } = await getDeployment(bench)
  const client = await fill(bench, size.users)
  const ids = await readIds(databaseUrl, client.subOrgId)
  const group = readText(await send(bench, client, post(`${BASE}/Groups`, { displayName: `Group ${++groups}` })), 'id')
  await query(
    databaseUrl,
    `insert into scim_group_members (directory_id, group_id, user_id)
     select g.directory_id, g.id, u.user_id from scim_groups g, lateral (
       select user_id from scim_users where directory_id = g.directory_id order by user_id desc limit $2) u
     where g.id = $1`,
    [group, Math.min(size.members, size.users)],
  )
  await bench.settle()
  const requests = ids.map((id) => change(group, { op: 'add', path: 'members', value: [{ value: id }] }))
  return await measureRequests(bench, { requests, headers: client.headers, mode: 'once', connections: 4 })
}

function change(group: string, operation: object): LoadRequest {
  const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [operation] }
  return { method: 'PATCH', path: `${BASE}/Groups/${group}`, body: JSON.stringify(body) }
}

/** Who is to become a member: nobody that a group begins with. */
async function readIds(databaseUrl: string, subOrgId: string): Promise<string[]> {
  const ids = await query(
    databaseUrl,
    `select string_agg(user_id::text, ',') from (
       select s.user_id from scim_users s join directories d on d.id = s.directory_id
       where d.organization_id = $1 order by s.user_id limit 20000) first`,
    [subOrgId],
  )
  return ids.split(',')
}

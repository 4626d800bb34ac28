import { type Bench, type Measurement, oncePerRun, type Row, type Target } from '../bench.ts'
import { readText } from '../json-field.ts'
import { query } from '../postgres.ts'
import { callOnce, createOrganization, getDeployment, measureRequests, post } from './deployment.ts'

const MANY = 10_000
const REDIRECT = 'https://app.example.com/auth'

/** Single sign-on: what must not grow with the number of connections in an environment. */
export const federationRows: Row[] = [
  row('connections-page', 'GET /v1/sso/connections?limit=20 of 50 connections in the environment', [], measurePage),
  row('sso-start', 'a sign-in starts at one of them', [], measureStart),
  row(
    'connections-page-large',
    `the page of ${MANY} connections`,
    [{ of: 'connections-page', on: 'p50Ms', bound: 'at most', figure: 1.3 }],
    async (bench) => {
      await getMany(bench)
      return measurePage(bench)
    },
  ),
  row(
    'sso-start-large',
    `the start among ${MANY}`,
    [{ of: 'sso-start', on: 'p50Ms', bound: 'at most', figure: 1.3 }],
    async (bench) => {
      await getMany(bench)
      return measureStart(bench)
    },
  ),
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

/** An organization with fifty connections. */
const getFew = oncePerRun(async (bench) => {
  const { databaseUrl } = await getDeployment(bench)
  const subOrgId = await createOrganization(bench)
  const allowed = JSON.stringify({ subOrgId, allowed_redirect_uris: [REDIRECT] })
  await callOnce(bench, { method: 'PATCH', path: '/v1/auth/settings', body: allowed })
  const saml = { protocol: 'saml', idp_entity_id: 'urn:idp', idp_sso_url: 'https://idp.example/sso' }
  const made = await callOnce(bench, post('/v1/sso/connections', { subOrgId, name: 'Acme', ...saml }))
  const connectionId = readText(made, 'connection.id')
  const active = JSON.stringify({ subOrgId, status: 'active' })
  await callOnce(bench, { method: 'PATCH', path: `/v1/sso/connections/${connectionId}`, body: active })
  await copy(databaseUrl, { connectionId, count: 49 })
  return { subOrgId, connectionId }
})

/** Connections of other directories of the same environment, besides. */
const getMany = oncePerRun(async (bench) => {
  const { databaseUrl } = await getDeployment(bench)
  const { connectionId } = await getFew(bench)
  const others = await Promise.all(Array.from({ length: 20 }, () => createOrganization(bench)))
  await query(
    databaseUrl,
    `insert into sso_connections
     select made.* from directories d, sso_connections c, generate_series(1, $3::int) n,
       lateral jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'directory_id', d.id,
         'created_at', c.created_at - n * interval '1 second')) made
     where c.id = $1 and d.organization_id = any($2::uuid[]) and d.environment_id = c.environment_id`,
    [connectionId, others, MANY / others.length],
  )
  await query(databaseUrl, 'vacuum analyze sso_connections')
})

async function copy(
  databaseUrl: string,
  { connectionId, count }: { connectionId: string; count: number },
): Promise<void> {
  await query(
    databaseUrl,
    `insert into sso_connections
     select made.* from sso_connections c, generate_series(1, $2::int) n,
       lateral jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(),
         'created_at', c.created_at - n * interval '1 second')) made
     where c.id = $1`,
    [connectionId, count],
  )
}

async function measurePage(bench: Bench): Promise<Measurement> {
  await getFew(bench)
  return await measureRequests(bench, {
    requests: [{ method: 'GET', path: '/v1/sso/connections?limit=20' }],
    expect: '"has_more":true',
  })
}

async function measureStart(bench: Bench): Promise<Measurement> {
  const { subOrgId, connectionId } = await getFew(bench)
  const body = { subOrgId, connectionId, redirectUri: REDIRECT, response_mode: 'code' }
  return await measureRequests(bench, {
    requests: [post('/v1/auth/login/sso/start', body)],
    expect: '"authorization_url"',
  })
}

import { type Bench, type Measurement, oncePerRun, type Row, type Target } from '../bench.ts'
import type { LoadRequest } from '../load.ts'
import { query } from '../postgres.ts'
import { createOrganization, createUsers, getDeployment, makeEmails, measureRequests, putUsers } from './deployment.ts'

const SMALL = 10_000
const LARGE = 1_000_000
const BULK_SIZE = 500
const TEMPLATE_EMAIL = 'template@example.com'

/** The directory: look-ups and pages that must not grow with it, and bulk creation. */
export const userRows: Row[] = [
  row('users-by-email', `GET /v1/users?email= among ${SMALL} users`, [], (bench) => measureByEmail(bench, SMALL)),
  row('users-by-email-large', `the same among ${LARGE} users`, [flat('users-by-email')], (bench) =>
    measureByEmail(bench, LARGE),
  ),
  row('users-page', `GET /v1/users?limit=20 of ${SMALL} users`, [], (bench) => measurePage(bench, SMALL)),
  row('users-page-large', `the same of ${LARGE} users`, [flat('users-page')], (bench) => measurePage(bench, LARGE)),
  {
    ...row('users-bulk', `PUT /v1/users, ${BULK_SIZE} new users, one call at a time`, [], measureBulk),
    unit: 'ms',
    // 100 000 users in 60 s.
    targets: [{ of: null, on: 'value', bound: 'at most', figure: 300 }],
  },
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

function flat(of: string): Target {
  return { of, on: 'p50Ms', bound: 'at most', figure: 1.3 }
}

const getSmall = oncePerRun((bench) => fillOrganization(bench, SMALL))
const getLarge = oncePerRun((bench) => fillOrganization(bench, LARGE))

/**
 * An organization with `count` users like one that the API made, written by SQL: a million through the API would
 * take longer than all the measuring. Emails are `n<number>@example.com`.
 */
async function fillOrganization(bench: Bench, count: number): Promise<string> {
  const { databaseUrl } = await getDeployment(bench)
  const subOrgId = await createOrganization(bench)
  await createUsers(bench, subOrgId, [{ email: TEMPLATE_EMAIL }])
  // Through the row as JSON, so that every column derived from the address gets its own.
  await query(
    databaseUrl,
    `insert into users select made.*
     from users u, generate_series(1, $2::int) n, lateral jsonb_populate_record(
       u, replace(to_jsonb(u)::text, $1, 'n' || n || '@example.com')::jsonb
         || jsonb_build_object('id', gen_random_uuid(), 'created_at', u.created_at - n * interval '1 second')) made
     where u.email = $1 and u.created_at = (select max(created_at) from users where email = $1)`,
    [TEMPLATE_EMAIL, count],
  )
  await query(databaseUrl, 'vacuum analyze users')
  return subOrgId
}

async function measureByEmail(bench: Bench, count: number): Promise<Measurement> {
  const subOrgId = await (count === SMALL ? getSmall(bench) : getLarge(bench))
  // Spread over the whole organization, so that a large one is not served from a few warm pages.
  const numbers = Array.from({ length: 5000 }, (_, n) => 1 + ((n * 7919) % count))
  const requests = numbers.map((n) => get(`/v1/users?subOrgId=${subOrgId}&email=n${n}%40example.com`))
  return await measureRequests(bench, { requests, expect: '"email":"n' })
}

async function measurePage(bench: Bench, count: number): Promise<Measurement> {
  const subOrgId = await (count === SMALL ? getSmall(bench) : getLarge(bench))
  const requests = [get(`/v1/users?subOrgId=${subOrgId}&limit=20`)]
  return await measureRequests(bench, { requests, expect: '"has_more":true' })
}

function get(path: string): LoadRequest {
  return { method: 'GET', path }
}

const getBulkOrganization = oncePerRun(createOrganization)

async function measureBulk(bench: Bench): Promise<Measurement> {
  const subOrgId = await getBulkOrganization(bench)
  const requests = Array.from({ length: 20 }, () =>
    putUsers(
      subOrgId,
      makeEmails(BULK_SIZE).map((email) => ({ email, firstName: 'Ada', lastName: 'Lovelace' })),
    ),
  )
  const measured = await measureRequests(bench, { requests, mode: 'once', connections: 1, seconds: 60 })
  return { ...measured, value: measured.p50Ms ?? 0 }
}

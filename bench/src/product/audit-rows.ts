import { type Bench, type Measurement, oncePerRun, type Row, type Target } from '../bench.ts'
import { readText } from '../json-field.ts'
import { callAll, createOrganization, createUsers, makeEmails, measureRequests, post } from './deployment.ts'

const EVENTS = 5_000
const BATCH = 500

const beside = (of: string): Target[] => [{ of, on: 'value', bound: 'at least', figure: null }]

/** Who did what, and who may do what: both are asked by applications while people wait. */
export const auditRows: Row[] = [
  row('audit-page', `GET /v1/audit/events?limit=20 of ${EVENTS} events`, beside('http-get'), (bench) =>
    measureAudit(bench, 'events?limit=20'),
  ),
  row('audit-export', `GET /v1/audit/export of ${EVENTS} events, one at a time`, [], (bench) =>
    measureAudit(bench, 'export?', { connections: 1 }),
  ),
  row('rbac-check', 'POST /v1/rbac/check', beside('http-post'), measureCheck),
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

const getRecorded = oncePerRun(async (bench) => {
  const subOrgId = await createOrganization(bench)
  for (let n = 0; n < EVENTS; n += BATCH)
    await createUsers(
      bench,
      subOrgId,
      makeEmails(BATCH).map((email) => ({ email })),
    )
  return subOrgId
})

async function measureAudit(bench: Bench, path: string, how: { connections?: number } = {}): Promise<Measurement> {
  const subOrgId = await getRecorded(bench)
  const requests = [{ method: 'GET' as const, path: `/v1/audit/${path}&subOrgId=${subOrgId}` }]
  return await measureRequests(bench, { requests, expect: '"type":"user.created"', ...how })
}

async function measureCheck(bench: Bench): Promise<Measurement> {
  const subOrgId = await createOrganization(bench)
  const emails = makeEmails(100)
  const made = await callAll(
    bench,
    emails.map((email) => post('/v1/users', { subOrgId, email })),
  )
  const requests = made.map((body) =>
    post('/v1/rbac/check', { subOrgId, userId: readText(body, 'user.id'), permission: 'users:read' }),
  )
  return await measureRequests(bench, { requests, expect: '"allowed":true' })
}

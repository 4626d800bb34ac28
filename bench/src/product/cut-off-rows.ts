import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, type Measurement, type Row, toFigure } from '../bench.ts'
import { readText } from '../json-field.ts'
import type { LoadRequest } from '../load.ts'
import { query } from '../postgres.ts'
import { callOnce, createOrganization, getDeployment, measureRequests, post, prepareMagicLinks } from './deployment.ts'

const OF_USER = 100_000
const OF_ORGANIZATION = 1_000_000
const COMPLETE_SECONDS = 600

/** The emergency brake, which must work however much there is to stop. */
export const cutOffRows: Row[] = [
  row('cut-off-user', `the deactivation of a user with ${OF_USER} sessions`, 300, async (bench) => {
    const cutOff = await cutOffUser(bench)
    return { ...cutOff.act, value: cutOff.act.p50Ms ?? 0 }
  }),
  row('cut-off-user-feed', 'from there until rows and feed of revocations are complete', 60_000, async (bench) =>
    awaitFeed(bench, await cutOffUser(bench)),
  ),
  row('cut-off-organization', `the suspension of an organization with ${OF_ORGANIZATION}`, 300, async (bench) => {
    const cutOff = await cutOffOrganization(bench)
    return { ...cutOff.act, value: cutOff.act.p50Ms ?? 0 }
  }),
  row(
    'cut-off-organization-feed',
    'from there until rows and feed of revocations are complete',
    60_000,
    async (bench) => awaitFeed(bench, await cutOffOrganization(bench)),
  ),
]

function row(id: string, title: string, figure: number, measure: Row['measure']): Row {
  return {
    id,
    title,
    kind: 'watchword',
    unit: 'ms',
    targets: [{ of: null, on: 'value', bound: 'at most', figure }],
    measure,
  }
}

interface CutOff {
  act: Measurement
  /** When it was answered. */
  answeredAt: number
  subOrgId: string
  /** Where the feed began. */
  cursor: string
  sessions: number
}

async function cutOffUser(bench: Bench): Promise<CutOff> {
  const { subOrgId, session } = await makeSessions(bench, OF_USER, 'user_id')
  const path = `/v1/users/${session.userId}`
  return await cutOff(bench, { subOrgId, session, count: OF_USER, path, body: { subOrgId, active: false } })
}

async function cutOffOrganization(bench: Bench): Promise<CutOff> {
  const { subOrgId, session } = await makeSessions(bench, OF_ORGANIZATION, 'gen_random_uuid()')
  const path = `/v1/organizations/${subOrgId}`
  return await cutOff(bench, { subOrgId, session, count: OF_ORGANIZATION, path, body: { status: 'suspended' } })
}

interface Session {
  userId: string
  refreshToken: string
}

/** Somebody who has signed in, and copies of their session, of the users that `owner` says. */
async function makeSessions(
  bench: Bench,
  count: number,
  owner: string,
): Promise<{ subOrgId: string; session: Session }> {
  const { databaseUrl } = await getDeployment(bench)
  const subOrgId = await createOrganization(bench)
  const [signIn] = await prepareMagicLinks(bench, subOrgId, 1)
  if (!signIn) throw new Error('No link')
  const answer = await callOnce(bench, signIn)
  const userId = readText(answer, 'session.directory_user_id')
  await query(
    databaseUrl,
    `insert into sessions select made.*
     from sessions s, generate_series(1, $2::int) n, lateral jsonb_populate_record(s, jsonb_build_object(
       'id', gen_random_uuid(), 'user_id', ${owner}, 'created_at', s.created_at - n * interval '1 second')) made
     where s.user_id = $1`,
    [userId, count],
  )
  await query(databaseUrl, 'vacuum analyze sessions')
  await query(databaseUrl, 'checkpoint')
  return { subOrgId, session: { userId, refreshToken: readText(answer, 'session.refresh_token') } }
}

async function cutOff(
  bench: Bench,
  {
    subOrgId,
    session,
    count,
    path,
    body,
  }: { subOrgId: string; session: Session; count: number; path: string; body: object },
): Promise<CutOff> {
  const cursor = readText(await callOnce(bench, feed(subOrgId, null)), 'next_cursor')
  const request: LoadRequest = { method: 'PATCH', path, body: JSON.stringify(body) }
  const act = await measureRequests(bench, { requests: [request], mode: 'once', connections: 1, seconds: 60 })
  const answeredAt = performance.now()
  const refresh = post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refreshToken })
  const refused = await measureRequests(bench, { requests: [refresh], mode: 'once', connections: 1, seconds: 60 })
  const problems = refused.problems.some((problem) => /\b40[13]\b/.test(problem)) ? [] : ['a refresh was not refused']
  return {
    act: { ...act, problems: [...act.problems, ...problems] },
    answeredAt,
    subOrgId,
    cursor,
    sessions: count + 1,
  }
}

/** The time until every row says that its session has ended; then reads the whole feed. */
async function awaitFeed(bench: Bench, { act, answeredAt, subOrgId, cursor, sessions }: CutOff): Promise<Measurement> {
  const { databaseUrl } = await getDeployment(bench)
  const unmarked = `select exists (select from sessions where revoked_at is null and directory_id in (
    select id from directories where organization_id = $1))`
  while ((await query(databaseUrl, unmarked, [subOrgId])) === 'true') {
    if (performance.now() > answeredAt + COMPLETE_SECONDS * 1000) throw new Error('The rows were never complete')
    await sleep(50)
  }
  const value = performance.now() - answeredAt
  const found = await readFeed(bench, subOrgId, cursor)
  const problems = found === sessions ? [] : [`the feed has ${found} of ${sessions} sessions`]
  return toFigure(value, [...act.problems, ...problems])
}

/** How many sessions the feed names from a cursor on. */
async function readFeed(bench: Bench, subOrgId: string, cursor: string): Promise<number> {
  const { watchword, headers } = await getDeployment(bench)
  const found = new Set<string>()
  for (let after = cursor; ; ) {
    const answer = await fetch(watchword.baseUrl + feed(subOrgId, after).path, { headers })
    const page: { revocations: { session_id: string }[]; next_cursor: string; has_more: boolean } = JSON.parse(
      await answer.text(),
    )
    for (const { session_id } of page.revocations) found.add(session_id)
    if (!page.has_more) return found.size
    after = page.next_cursor
  }
}

function feed(subOrgId: string, after: string | null): LoadRequest {
  const from = after === null ? '' : `&after=${after}`
  return { method: 'GET', path: `/v1/sessions/revocations?subOrgId=${subOrgId}${from}` }
}

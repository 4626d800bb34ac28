import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, type Measurement, type Row, type Target, toFigure } from '../bench.ts'
import { readText } from '../json-field.ts'
import { getPostgres } from '../postgres.ts'
import { startWatchword, type Watchword } from '../watchword.ts'
import { makeEmails, post, putUsers, sendAll } from './deployment.ts'

const RECEIVER = new URL('../webhooks/receiver.ts', import.meta.url)
const OF_ORGANIZATION = 50
const DELIVERIES_PER_SECOND = 2500
const LAG_ENDPOINTS = 1000
const LAG_SECONDS = 40
const [PAUSE_MS, PATIENCE_MS] = [4000, 120_000]

/** Events on their way to the servers of others. */
export const webhookRows: Row[] = [
  row(
    'webhook-deliver',
    `deliveries to ${OF_ORGANIZATION} healthy endpoints, by one process`,
    [{ of: null, on: 'value', bound: 'at least', figure: 500 }],
    measureRate,
  ),
  {
    ...row(
      'webhook-lag',
      `lag from event to arrival, p99: ${LAG_ENDPOINTS} endpoints, a tenth of them dead, a tenth takes 14 s`,
      [{ of: null, on: 'value', bound: 'at most', figure: 5000 }],
      measureLag,
    ),
    unit: 'ms',
  },
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

interface Arrived {
  received: number
  seconds: number
  /** Of the time from event to arrival, in milliseconds. */
  p50: number
  p99: number
  max: number
}

/** What the receiver got since it was last asked. */
async function arrived(url: string): Promise<Arrived> {
  const reply = await fetch(url)
  return JSON.parse(await reply.text())
}

/** A process of its own, whose endpoints weigh on no other row. */
async function withWatchword<T>(
  bench: Bench,
  use: (send: (requests: Parameters<typeof sendAll>[0]['requests'], connections?: number) => Promise<string[]>) => T,
): Promise<Awaited<T>> {
  const postgres = await getPostgres(bench)
  const watchword: Watchword = await startWatchword({
    DATABASE_URL: await postgres.createDatabase('webhooks'),
    WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1',
  })
  const headers = { 'x-api-key': watchword.apiKey }
  try {
    return await use((requests, connections = 1) =>
      sendAll({ baseUrl: watchword.baseUrl, headers, requests, connections }),
    )
  } finally {
    await watchword.stop()
  }
}

type Send = Parameters<Parameters<typeof withWatchword>[1]>[0]

/** An organization with as many endpoints as it may have, at these paths in turn. */
async function makeEndpoints(send: Send, url: string, paths: string[]): Promise<string> {
  const slug = `hooked-${++organizations}`
  const [made = ''] = await send([post('/v1/organizations', { name: slug, slug })])
  const subOrgId = readText(made, 'subOrganization.id')
  const requests = Array.from({ length: OF_ORGANIZATION }, (_, n) =>
    post('/v1/webhooks', { subOrgId, name: `A ${n}`, url: url + paths[n % paths.length], events: ['user.created'] }),
  )
  await send(requests)
  return subOrgId
}
let organizations = 0

async function measureRate(bench: Bench): Promise<Measurement> {
  const { baseUrl: url } = await bench.server(RECEIVER)
  return await withWatchword(bench, async (send) => {
    const subOrgId = await makeEndpoints(send, url, ['/ok'])
    const users = Math.ceil((DELIVERIES_PER_SECOND * bench.seconds) / OF_ORGANIZATION)
    await arrived(url)
    await send([
      putUsers(
        subOrgId,
        makeEmails(users).map((email) => ({ email })),
      ),
    ])
    const { received, seconds } = await allOf(url, users * OF_ORGANIZATION)
    const isWhole = received === users * OF_ORGANIZATION
    const problems = isWhole ? [] : [`${received} deliveries of ${users * OF_ORGANIZATION}`]
    return toFigure(received / seconds, problems)
  })
}

/** What has arrived once that much has, or no more comes. */
async function allOf(url: string, count: number): Promise<Arrived> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    await sleep(100)
    const state = await arrived(`${url}/keep`)
    if (state.received >= count || performance.now() > deadline) return await arrived(url)
  }
}

async function measureLag(bench: Bench): Promise<Measurement> {
  const { baseUrl: url } = await bench.server(RECEIVER)
  return await withWatchword(bench, async (send) => {
    const paths = ['/dead', '/slow', ...Array.from({ length: 8 }, () => '/ok')]
    const subOrgIds: string[] = []
    for (let made = 0; made < LAG_ENDPOINTS; made += OF_ORGANIZATION)
      subOrgIds.push(await makeEndpoints(send, url, paths))
    await arrived(url)
    let events = 0
    for (const endAt = performance.now() + LAG_SECONDS * 1000; performance.now() < endAt; await sleep(PAUSE_MS)) {
      await send(
        subOrgIds.map((subOrgId) =>
          putUsers(
            subOrgId,
            makeEmails(1).map((email) => ({ email })),
          ),
        ),
      )
      events += subOrgIds.length
    }
    const count = events * OF_ORGANIZATION * 0.8
    const { received, p50, p99, max } = await allOf(url, count)
    const problems = received === count ? [] : [`${received} deliveries of ${count}`]
    console.error(`webhook-lag: p50 ${p50} ms, p99 ${p99} ms, at most ${max} ms of ${received}`)
    return { ...toFigure(p99, problems), p50Ms: p50, p99Ms: p99 }
  })
}

import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { type Received, startReceiver } from '../../../../test/peers/webhook-receiver.ts'
import { runJobs } from '../../../../test/people/jobs.ts'
import { deliverDue } from '../../../../test/people/webhook-delivery.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { fanOut } from '../deliveries/fan-out.ts'
import { measureWebhooks } from '../deliveries/measure.ts'
import { forgetWebhook, replayWebhook } from './repeat.ts'

const service = await startApp({ env: { WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
const { platform } = service.app
const tenant = await service.tenant()

/** A new organization with a webhook and a receiver. */
async function listen(more: { events?: string[]; wide?: boolean } = {}) {
  const receiver = await startReceiver()
  const subOrgId = await tenant.organization()
  const { events = ['user.*'], wide = false } = more
  const body = { name: 'Lake', url: `${receiver.url}/in`, events, ...(wide ? { scope: 'environment' } : { subOrgId }) }
  const made = await tenant.post('/v1/webhooks', body)
  expect(made.status, made.text).toBe(200)
  const path = `/v1/webhooks/${made.body.webhook.id}`
  const of = wide ? '?scope=environment' : `?subOrgId=${subOrgId}`
  const deliveries = async () => (await tenant.get(`${path}?deliveries=true`)).body.deliveries
  return { receiver, subOrgId, path, of, deliveries, secret: made.body.signingSecret, id: made.body.webhook.id }
}

let users = 0
async function makeUser(subOrgId: string) {
  users++
  const reply = await tenant.post('/v1/users', { subOrgId, email: `u${users}@example.com` })
  expect(reply.status, reply.text).toBe(200)
  return reply.body.user
}

/** Creates the deliveries of all events so far, and sends them. */
async function dispatch(): Promise<void> {
  await service.settled()
  while (await fanOut(platform));
  while (await deliverDue(platform));
}

const verified = (secret: string, { body, headers }: Received) => {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  // The libraries compare with the real clock, and so do these receivers.
  return [new StandardWebhook(secret).verify(body, given), new SvixWebhook(secret).verify(body, given)]
}

test('an event arrives once, signed, as the feed shows it', async () => {
  const { receiver, subOrgId, secret, deliveries } = await listen()
  const user = await makeUser(subOrgId)
  await dispatch()
  expect(receiver.received).toHaveLength(1)
  const [first] = receiver.received
  if (!first) throw new Error('Nothing arrived')
  const [body] = verified(secret, first)
  const [feed] = (await tenant.get(`/v1/events?subOrgId=${subOrgId}&types=user.created`)).body.events
  expect(body).toEqual(feed)
  expect(body).toMatchObject({ type: 'user.created', data: { id: user.id } })
  expect(first.headers).toMatchObject({ 'webhook-id': feed.id, 'content-type': 'application/json' })
  expect(() => verified(`whsec_${Buffer.alloc(32).toString('base64')}`, first)).toThrow()
  const [delivery] = await deliveries()
  expect(delivery).toMatchObject({
    eventId: feed.id,
    eventType: 'user.created',
    attempt: 1,
    status: 'succeeded',
    responseStatus: 200,
    error: null,
    nextAttemptAt: null,
    url: `${receiver.url}/in`,
    request: { body: first.body, headers: { 'webhook-id': feed.id } },
    attempts: [{ responseStatus: 200, error: null }],
  })
  expect(delivery.durationMs).toBeGreaterThanOrEqual(0)
  await dispatch()
  expect(receiver.received).toHaveLength(1)
})

test('one of the environment gets what happens in every organization, others their own, by their filters', async () => {
  const wide = await listen({ wide: true, events: ['user.created'] })
  const [one, two] = [await listen(), await listen({ events: ['organization.*'] })]
  for (const { subOrgId } of [one, two]) await makeUser(subOrgId)
  await dispatch()
  const organizations = ({ receiver }: typeof wide) => receiver.received.map(({ body }) => JSON.parse(body).sub_org_id)
  expect(organizations(wide)).toEqual([one.subOrgId, two.subOrgId])
  expect(organizations(one)).toEqual([one.subOrgId])
  expect(organizations(two)).toEqual([])
  await tenant.delete(wide.path + wide.of)
})

test('while a secret is rotated both sign; afterwards the new one alone', async () => {
  const { receiver, subOrgId, secret, path, of } = await listen()
  const rotated = await tenant.post(`${path}/rotate-secret${of}`, { overlapSeconds: 3600 })
  await makeUser(subOrgId)
  await dispatch()
  const [during] = receiver.received
  if (!during) throw new Error('Nothing arrived')
  for (const each of [secret, rotated.body.signingSecret]) expect(verified(each, during)).toHaveLength(2)
  await service.advance(3601)
  await makeUser(subOrgId)
  await dispatch()
  const after = receiver.received[1]
  expect(String(after?.headers['webhook-signature']).split(' ')).toHaveLength(1)
  await service.advance(-3601)
})

test('whoever reads deliveries tells which secret signed, and cannot sign', async () => {
  const { receiver, subOrgId, path, of, deliveries } = await listen()
  await tenant.post(`${path}/rotate-secret${of}`, { overlapSeconds: 3600 })
  await makeUser(subOrgId)
  await dispatch()
  const signatures = String(receiver.received[0]?.headers['webhook-signature']).split(' ')
  const [{ request }] = await deliveries()
  expect(request.headers['webhook-signature']).toBe(signatures.map((each) => `${each.slice(0, 9)}…`).join(' '))
  const kept = await platform.db.selectFrom('webhook_deliveries').select('request_headers').execute()
  for (const signature of signatures) expect(JSON.stringify(kept)).not.toContain(signature)
  expect(signatures).toHaveLength(2)
})

test('a replay ends after it begins, and one webhook asks for ten in an hour', async () => {
  const { path, of } = await listen()
  const other = await listen()
  const now = platform.clock.now().getTime()
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()
  const replay = (where = { path, of }, body: object = { from: at(-60), to: at(-30) }) =>
    tenant.post(`${where.path}/replay${where.of}`, body)
  const backwards = await replay(undefined, { from: at(-30), to: at(-60) })
  expect([backwards.status, backwards.body.errors[0].field]).toEqual([400, 'to'])
  for (let i = 0; i < 10; i++) expect((await replay()).status).toBe(200)
  const refused = await replay()
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]/)
  expect((await replay(other)).status).toBe(200)
})

test('one webhook is tested sixty times in an hour', async () => {
  const [one, other] = [await listen(), await listen()]
  const send = ({ path, of }: { path: string; of: string }) => tenant.post(`${path}/test${of}`)
  for (let i = 0; i < 60; i++) expect((await send(one)).status).toBe(200)
  const refused = await send(one)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(one.receiver.received).toHaveLength(60)
  expect((await send(other)).status).toBe(200)
})

test('a test is sent at once and to that one alone, resending and replaying keep the id', async () => {
  const { receiver, subOrgId, path, of, secret, deliveries } = await listen({ events: ['*'] })
  const tested = await tenant.post(`${path}/test${of}`)
  expect(tested.body).toMatchObject({ success: true, delivery: { eventType: 'webhook.test', status: 'succeeded' } })
  const [test] = receiver.received
  if (!test) throw new Error('Nothing arrived')
  expect(verified(secret, test)[0]).toMatchObject({ type: 'webhook.test' })
  receiver.answer = () => ({ status: 500 })
  expect((await tenant.post(`${path}/test${of}`)).body).toMatchObject({
    success: false,
    delivery: { status: 'failed' },
  })
  receiver.answer = () => ({ status: 200 })
  receiver.received.length = 0
  const from = new Date(platform.clock.now().getTime() - 1000).toISOString()
  const user = await makeUser(subOrgId)
  await dispatch()
  const ofUser = () => receiver.received.filter(({ body }) => JSON.parse(body).data.id === user.id)
  expect(ofUser()).toHaveLength(1)
  const [sent] = (await deliveries()).filter(({ eventType }: { eventType: string }) => eventType === 'user.created')
  expect((await tenant.post(`${path}/deliveries/${sent.id}/resend${of}`)).body).toEqual({ success: true })
  await dispatch()
  expect(ofUser()).toHaveLength(2)
  expect((await tenant.post(`${path}/replay${of}`, { from })).body).toEqual({ success: true })
  await runJobs(platform, replayWebhook)
  await dispatch()
  expect(ofUser()).toHaveLength(3)
  expect(new Set(ofUser().map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(receiver.received.some(({ body }) => JSON.parse(body).type === 'webhook.test')).toBe(false)
  const early = await tenant.post(`${path}/replay${of}`, { from: '2020-01-01T00:00:00Z' })
  expect([early.status, early.body.errors[0].field]).toEqual([400, 'from'])
})

test('the whole schedule: ten attempts under one id, with jitter; then no more', async () => {
  const { receiver, subOrgId, deliveries } = await listen()
  receiver.answer = () => ({ status: 503, body: 'down' })
  await makeUser(subOrgId)
  const waits: number[] = []
  for (let tries = 1; tries <= 10; tries++) {
    await dispatch()
    expect(receiver.received).toHaveLength(tries)
    const [{ status, nextAttemptAt, attempts, responseBody }] = await deliveries()
    expect([status, responseBody]).toEqual([tries === 10 ? 'failed' : 'pending', 'down'])
    if (nextAttemptAt === null) break
    const seconds = (Date.parse(nextAttemptAt) - Date.parse(attempts.at(-1).at)) / 1000
    waits.push(seconds)
    await service.advance(Math.ceil(seconds) + 1)
  }
  const [MINUTE, HOUR] = [60, 3600]
  const planned = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
  expect(waits).toHaveLength(planned.length)
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThan((planned[index] ?? 0) * 0.89)
    expect(wait).toBeLessThan((planned[index] ?? 0) * 1.11 + 2)
  }
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  await service.advance(48 * HOUR)
  await dispatch()
  expect(receiver.received).toHaveLength(10)
})

test('what only fails for 120 hours is disabled, and the team is told; another hears of it', async () => {
  const watcher = await listen({ wide: true, events: ['webhook.disabled'] })
  const { receiver, subOrgId, path, of } = await listen()
  await platform.db
    .insertInto('members')
    .values({
      id: '0198b6f2-0000-7000-8000-000000000001',
      account_id: tenant.accountId,
      email: 'Owner@example.com',
      email_norm: 'owner@example.com',
      role: 'owner',
    })
    .execute()
  receiver.answer = () => ({ status: 500 })
  for (let hours = 0; hours < 119; hours += 20) {
    await makeUser(subOrgId)
    await dispatch()
    expect((await tenant.get(path)).body.webhook).toMatchObject({ enabled: true, status: 'failing' })
    await service.advance(20 * 3600)
  }
  await dispatch()
  const { webhook } = (await tenant.get(path)).body
  expect(webhook).toMatchObject({ enabled: false, status: 'disabled', disabledReason: 'failing' })
  expect(await service.mails('Owner@example.com')).toMatchObject([{ kind: 'webhook_disabled' }])
  const count = receiver.received.length
  await makeUser(subOrgId)
  await service.advance(3600)
  await dispatch()
  expect(receiver.received).toHaveLength(count)
  expect(watcher.receiver.received.map(({ body }) => JSON.parse(body).data.id)).toEqual([webhook.id])
  // When it is enabled again, it gets the events that were already waiting, but not the events recorded while it was
  // disabled.
  receiver.answer = () => ({ status: 204 })
  await tenant.patch(`${path}${of}`, { enabled: true })
  await dispatch()
  expect(receiver.received.length).toBeGreaterThan(count)
  expect((await tenant.get(path)).body.webhook).toMatchObject({ status: 'active', consecutiveFailures: 0 })
  await tenant.delete(watcher.path + watcher.of)
})

test('metrics tell of attempts by result, of what waits, and of what was disabled', async () => {
  const figure = async (name: string, labels = '') => {
    await measureWebhooks(platform)
    const text = await platform.metrics.registry.metrics()
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name}${labels} `))
        ?.split(' ')[1] ?? 0,
    )
  }
  const attempts = (result: string) => figure('watchword_webhook_attempts_total', `{result="${result}"}`)
  const results = async () => [await attempts('succeeded'), await attempts('retried'), await attempts('failed')]
  const before = await results()
  const disabled = await figure('watchword_webhook_endpoints_disabled')
  const { receiver, subOrgId } = await listen()
  await makeUser(subOrgId)
  await service.settled()
  while (await fanOut(platform));
  await service.advance(30)
  expect(await figure('watchword_webhook_oldest_waiting_seconds')).toBeGreaterThanOrEqual(30)
  for (const [seconds, status] of [
    [0, 200],
    [0, 500],
    [10, 410],
  ] as const) {
    receiver.answer = () => ({ status })
    if (status === 500) await makeUser(subOrgId)
    await service.advance(seconds)
    await dispatch()
  }
  expect((await results()).map((count, n) => count - (before[n] ?? 0))).toEqual([1, 1, 1])
  expect(await figure('watchword_webhook_oldest_waiting_seconds')).toBe(0)
  expect(await figure('watchword_webhook_endpoints_disabled')).toBe(disabled + 1)
})

test('410 disables at once', async () => {
  const { receiver, subOrgId, path } = await listen()
  receiver.answer = () => ({ status: 410 })
  await makeUser(subOrgId)
  await dispatch()
  expect((await tenant.get(path)).body.webhook).toMatchObject({ enabled: false, disabledReason: 'gone' })
  expect(receiver.received).toHaveLength(1)
})

test('Retry-After is kept to, a redirect is a failure, and a large answer is cut', async () => {
  const { receiver, subOrgId, deliveries } = await listen()
  receiver.answer = () => ({ status: 429, headers: { 'retry-after': '1200' } })
  await makeUser(subOrgId)
  await dispatch()
  const [{ nextAttemptAt, attempts }] = await deliveries()
  expect(Date.parse(nextAttemptAt) - Date.parse(attempts[0].at)).toBeGreaterThan(1199_000)
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '999999999' } })
  await service.advance(1201)
  await dispatch()
  const [{ nextAttemptAt: late, attempts: both }] = await deliveries()
  expect(Date.parse(late) - Date.parse(both[1].at)).toBeLessThan(24 * 3600_000 + 5000)
  receiver.answer = () => ({ status: 302, headers: { location: `${receiver.url}/other` } })
  await service.advance(24 * 3600 + 10)
  await dispatch()
  expect(receiver.received.map(({ path }) => path)).toEqual(['/in', '/in', '/in'])
  expect((await deliveries())[0]).toMatchObject({ status: 'pending', error: 'status_302' })
  receiver.answer = () => ({ status: 200, body: 'x'.repeat(100_000) })
  await service.advance(2400)
  await dispatch()
  const [{ status, responseBody }] = await deliveries()
  expect([status, responseBody.length]).toEqual(['succeeded', 1024])
})

test('a deleted or disabled one gets nothing, though something waits', async () => {
  const [gone, off] = [await listen(), await listen()]
  for (const { subOrgId } of [gone, off]) await makeUser(subOrgId)
  await service.settled()
  while (await fanOut(platform));
  await tenant.delete(`${gone.path}${gone.of}`)
  await tenant.patch(`${off.path}${off.of}`, { enabled: false })
  await dispatch()
  expect([gone.receiver.received, off.receiver.received]).toEqual([[], []])
  await runJobs(platform, forgetWebhook)
  const left = await platform.db
    .selectFrom('webhook_deliveries')
    .where('webhook_id', '=', gone.id)
    .selectAll()
    .execute()
  expect(left).toEqual([])
})

test('nothing is resent or replayed to a disabled one, and enabling it sends neither', async () => {
  const { receiver, subOrgId, path, of, deliveries } = await listen()
  await makeUser(subOrgId)
  await dispatch()
  expect(receiver.received).toHaveLength(1)
  await tenant.patch(`${path}${of}`, { enabled: false })
  const before = await deliveries()
  const from = platform.clock.now().toISOString()
  for (const refused of [
    await tenant.post(`${path}/deliveries/${before[0].id}/resend${of}`),
    await tenant.post(`${path}/replay${of}`, { from }),
  ])
    expect([refused.status, refused.body.code]).toEqual([409, 'webhook_disabled'])
  expect(await deliveries()).toEqual(before)
  await tenant.patch(`${path}${of}`, { enabled: true })
  await dispatch()
  expect([await deliveries(), receiver.received.length]).toEqual([before, 1])
})

test('deliveries are listed as CSV, which no spreadsheet runs', async () => {
  const { subOrgId, path } = await listen()
  await makeUser(subOrgId)
  await dispatch()
  for (const [query, accept] of [
    ['', 'text/csv'],
    ['?format=csv', '*/*'],
  ] as const) {
    const reply = await fetch(`${service.baseUrl}${path}${query}`, { headers: { 'x-api-key': tenant.key, accept } })
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, row, end] = (await reply.text()).split('\r\n')
    expect(head).toBe('id,eventId,eventType,status,attempt,responseStatus,error,durationMs,url,createdAt,nextAttemptAt')
    expect(row).toContain('user.created,succeeded,1,200,')
    expect(end).toBe('')
  }
})

test('one that hangs holds up no other', async () => {
  const [dead, well] = [await listen(), await listen()]
  dead.receiver.answer = () => null
  for (let n = 0; n < 8; n++) await makeUser(dead.subOrgId)
  await makeUser(well.subOrgId)
  await service.settled()
  while (await fanOut(platform));
  const all = dispatch()
  await until(async () => well.receiver.received.length === 1, 10_000)
  // Four requests at the same time, and no more.
  await until(async () => dead.receiver.received.length >= 4)
  expect(dead.receiver.received).toHaveLength(4)
  dead.receiver.answer = () => ({ status: 200 })
  await all
  const { error } = (await dead.deliveries()).find(({ error }: { error: string | null }) => error !== null)
  expect(error).toBe('timeout')
}, 60_000)

test('two processes send each event once, and a lease that is over is taken up', async () => {
  const { receiver, subOrgId, deliveries } = await listen()
  const second = await startSecondApp(service)
  for (let n = 0; n < 30; n++) await makeUser(subOrgId)
  await dispatch()
  expect(receiver.received).toHaveLength(30)
  const before = receiver.received.length
  for (let n = 0; n < 30; n++) await makeUser(subOrgId)
  await service.settled()
  const platforms = [platform, second.app.platform]
  await Promise.all(platforms.map((each) => fanOut(each)))
  while ((await Promise.all(platforms.map((each) => deliverDue(each)))).includes(true));
  expect(receiver.received).toHaveLength(before + 30)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(60)
  // Simulates a process that died while it held the queue.
  await makeUser(subOrgId)
  await service.settled()
  while (await fanOut(platform));
  await platform.db
    .updateTable('webhook_queues')
    .set({
      holder: '0198b6f2-0000-7000-8000-000000000002',
      leased_until: new Date(platform.clock.now().getTime() + 60_000),
    })
    .where('wake_at', 'is not', null)
    .execute()
  await dispatch()
  expect(receiver.received).toHaveLength(60)
  await service.advance(61)
  await dispatch()
  expect(receiver.received).toHaveLength(61)
  expect(await deliveries()).toHaveLength(50)
})

import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { startApp, type Tenant, until } from '../../../test/harness.ts'
import { refuseSms, startSmsPeer, takeSms } from '../../../test/peers/sms-peer.ts'
import { workIn } from '../../../test/work.ts'
import { jobs } from '../../wiring/jobs.ts'
import { startWorker, type Worker } from '../jobs/worker.ts'
import { accountDirectory, type Directory } from '../tenancy/directory.ts'
import { inTx } from '../work.ts'
import { smsJobs } from './jobs.ts'
import { findKeptSms, listKeptSms, queueSms } from './outbox.ts'
import { describeSms } from './provider.ts'

const CANARY = 'canary-9c20e4'
const PHONE = '+14155550123'
const peer = await startSmsPeer()
afterAll(() => peer.stop())
const service = await startApp({
  env: {
    WATCHWORD_SMS_URL: `http://AC12:t0ken%2F1@127.0.0.1:${peer.port}/2010-04-01/Accounts/AC12/Messages.json?From=%2B15005550006`,
    WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1',
  },
})
const { platform } = service.app

let tenant: Tenant
let directory: Directory
let worker: Worker | null = null

beforeEach(async () => {
  tenant = await service.tenant()
  directory = await accountDirectory(platform, { ...tenant, environmentSlug: 'production' })
  peer.requests.length = 0
  peer.answer = takeSms
})
afterEach(async () => {
  await worker?.stop(5000)
  worker = null
})

const work = async () => {
  worker = await startWorker(platform, jobs)
}

async function queue(options: { text?: string; decoy?: boolean; usefulSeconds?: number } = {}): Promise<string> {
  const { text = 'Your code: amber falcon', decoy = false, usefulSeconds = 600 } = options
  const nobody = decoy ? ('nobody has it' as const) : null
  const sms = { kind: 'test', to: { phone: PHONE, locale: null }, write: () => text, decoy: nobody }
  await inTx(workIn(platform, directory), (work) => queueSms(work, sms, usefulSeconds))
  const row = await platform.db.selectFrom('sms_outbox').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
  return row.id
}

const findRow = (id: string) => platform.db.selectFrom('sms_outbox').selectAll().where('id', '=', id).executeTakeFirst()
const gone = (id: string) => until(async () => (await findRow(id)) === undefined)
const failedTimes = (id: string, times: number) => until(async () => ((await findRow(id))?.attempts ?? 0) >= times)
const results = async () => {
  // A message is counted after its row is deleted, and a worker that has stopped has counted it.
  await worker?.stop(5000)
  worker = null
  const { values } = await platform.metrics.sms.get()
  // The job that drops expired messages runs every minute and reports 0 if there are none.
  return Object.fromEntries(values.flatMap(({ labels, value }) => (value === 0 ? [] : [[labels.result, value]])))
}

test('asks the provider as Twilio documents it, once, then forgets the message', async () => {
  const id = await queue({ text: 'Code: 1+1=2 & more, 100% ä' })
  await work()
  await gone(id)
  expect(peer.requests).toHaveLength(1)
  const [request] = peer.requests
  expect([request?.method, request?.url]).toEqual(['POST', '/2010-04-01/Accounts/AC12/Messages.json'])
  expect(request?.form).toEqual({ To: PHONE, From: '+15005550006', Body: 'Code: 1+1=2 & more, 100% ä' })
  expect(request?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from('AC12:t0ken/1').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
    host: `127.0.0.1:${peer.port}`,
  })
  expect(await results()).toEqual({ sent: 1 })
})

test('drops what the provider refuses for good, and delivers the rest', async () => {
  peer.answer = (form) => (form['Body'] === 'bad' ? refuseSms(400, 21211)(form) : takeSms(form))
  const ids = [await queue({ text: 'bad' }), await queue({ text: 'good' })]
  await work()
  for (const id of ids) await gone(id)
  expect(peer.requests.map(({ form }) => form['Body']).sort()).toEqual(['bad', 'good'])
  expect((await results()).refused).toBe(1)
  expect(service.logLines.filter((line) => line.includes('"code":"SMS_400_21211"'))).toHaveLength(1)
})

test.each([
  ['500', 500, 20500],
  ['429', 429, 20429],
  ['401, while the credentials are being set right', 401, 20003],
])('tries again after %s', async (_, status, code) => {
  peer.answer = refuseSms(status, code)
  const id = await queue()
  await work()
  await failedTimes(id, 1)
  expect((await findRow(id))?.last_error).toBe(`SMS_${status}_${code}`)
  peer.answer = takeSms
  await gone(id)
  expect(peer.requests.length).toBeGreaterThanOrEqual(2)
})

test('a redirect is no delivery, and is not followed', async () => {
  peer.answer = () => [307, {}]
  const id = await queue()
  await work()
  await failedTimes(id, 1)
  expect((await findRow(id))?.last_error).toBe('SMS_307')
  peer.answer = takeSms
  await gone(id)
})

test('waits for a provider that is down, and delivers once when it is back', async () => {
  await peer.stop()
  const id = await queue()
  await work()
  await failedTimes(id, 2)
  expect((await findRow(id))?.last_error).toBe('ECONNREFUSED')
  await peer.start()
  await gone(id)
  expect(peer.requests).toHaveLength(1)
})

test('never sends a message past its use, nor a decoy', async () => {
  const expired = await queue({ text: 'late', usefulSeconds: 60 })
  await service.advance(60)
  const decoy = await queue({ text: 'decoy', decoy: true })
  const good = await queue({ text: 'good' })
  await work()
  for (const id of [expired, decoy, good]) await gone(id)
  expect(peer.requests.map(({ form }) => form['Body'])).toEqual(['good'])
})

test('is sealed at rest, and quoted in no job, error or log line', async () => {
  peer.answer = (form) => [503, { code: 20503, message: `${form['To']} ${CANARY}` }]
  const id = await queue({ text: CANARY })
  await work()
  await failedTimes(id, 1)
  const { rows } = await sql`select to_jsonb(t)::text from sms_outbox t
    union all select to_jsonb(t)::text from graphile_worker._private_jobs t`.execute(platform.db)
  expect(rows.length).toBeGreaterThanOrEqual(2)
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${CANARY}|4155550123`))
  peer.answer = refuseSms(400, 21610)
  await gone(id)
  expect(service.logLines.join('')).not.toMatch(new RegExp(`${CANARY}|4155550123|t0ken|AC12`))
})

test('development without a provider keeps messages to be read; production has none to keep', async () => {
  const development = await startApp()
  const kept = development.app.platform
  const owner = await development.tenant()
  const home = await accountDirectory(kept, { ...owner, environmentSlug: 'production' })
  const put = (text: string, decoy: boolean) =>
    inTx(workIn(kept, home), (work) =>
      queueSms(
        work,
        { kind: 'test', to: { phone: PHONE, locale: null }, write: () => text, decoy: decoy ? 'no phone' : null },
        60,
      ),
    )
  await put('first', false)
  await put('second', false)
  await put('decoy', true)
  const listed = await listKeptSms(kept, { limit: 10, to: null })
  expect(listed.map(({ text, to, kind }) => [text, to, kind])).toEqual([
    ['decoy', PHONE, 'test'],
    ['second', PHONE, 'test'],
    ['first', PHONE, 'test'],
  ])
  expect((await findKeptSms(kept, listed[1]?.id ?? ''))?.text).toBe('second')
  expect(await findKeptSms(kept, listed[0]?.id ?? '')).toBeNull()
  const { rows } = await sql`select from graphile_worker.jobs`.execute(kept.db)
  expect(rows).toEqual([])
  await development.advance(60 + 86_400)
  await smsJobs.find(({ name }) => name === 'sms.cleanup')?.handle(kept, {}, 1)
  expect(await kept.db.selectFrom('sms_outbox').select('id').execute()).toEqual([])
})

test('tells what becomes of messages, without the credentials', () => {
  expect(describeSms(platform.config)).toBe(`Text messages are sent through 127.0.0.1:${peer.port}.`)
  expect(describeSms({ ...platform.config, sms: null })).toContain('/dev/mail')
  expect(describeSms({ ...platform.config, sms: null, production: true })).toMatch(/^Off: WATCHWORD_SMS_URL is not set/)
})

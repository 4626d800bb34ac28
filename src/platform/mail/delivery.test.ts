import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { startApp, type Tenant, until } from '../../../test/harness.ts'
import { makeCertificate, startSmtpPeer, trust } from '../../../test/peers/smtp-peer.ts'
import { recordStatements } from '../../../test/rules/sql-recorder.ts'
import { workIn } from '../../../test/work.ts'
import { jobs } from '../../wiring/jobs.ts'
import { packId } from '../crypto/tokens.ts'
import { newId } from '../ids.ts'
import { enqueue, type JobHandler } from '../jobs/queue.ts'
import { startWorker, type Worker } from '../jobs/worker.ts'
import { accountDirectory, type Directory } from '../tenancy/directory.ts'
import { inTx } from '../work.ts'
import { mailDelivery, mailJobs } from './jobs.ts'
import { defineMail, mailKinds } from './kinds.ts'
import { queueMail } from './outbox.ts'

const mailKind = mailKinds().find((kind) => kind === 'otp') ?? defineMail('otp')

const CANARY = 'canary-7f3a91'
const certificate = await makeCertificate()
trust(certificate)
const peer = await startSmtpPeer({ certificate, password: 's3cret' })
afterAll(() => peer.stop())
const service = await startApp({
  env: {
    SMTP_URL: `smtp://login:s3cret@localhost:${peer.port}`,
    WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>',
  },
})
const { platform } = service.app
const probes: string[] = []
const probe = { name: 'test.probe', handle: async () => void probes.push('done') }

let tenant: Tenant
let directory: Directory
let worker: Worker | null = null

beforeEach(async () => {
  tenant = await service.tenant()
  const { accountId, environmentId } = tenant
  directory = await accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
  peer.deliveries.length = 0
})
afterEach(async () => {
  await worker?.stop(5000)
  worker = null
})

async function work(): Promise<void> {
  worker = await startWorker(platform, [...jobs, probe])
}

async function queue(to: string, options: { decoy?: boolean; usefulSeconds?: number; code?: string } = {}) {
  const { decoy = false, usefulSeconds = 600, code = 'amber falcon' } = options
  const content = { heading: 'Your code', paragraphs: [], code, footer: 'Bye.' }
  const written = { subject: 'Your code', content }
  const nobody = decoy ? ('nobody has it' as const) : null
  const message = { kind: mailKind, to: { email: to, locale: null }, write: () => written, decoy: nobody }
  // Read in the same transaction, because a worker may send the mail a moment later.
  return await inTx(workIn(platform, directory), async (work) => {
    await queueMail(work, message, usefulSeconds)
    const row = await work.db.selectFrom('mail_outbox').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
    return row.id
  })
}

const findRow = (id: string) =>
  platform.db.selectFrom('mail_outbox').selectAll().where('id', '=', id).executeTakeFirst()
const gone = (id: string) => until(async () => (await findRow(id)) === undefined)
const failedTimes = (id: string, times: number) => until(async () => ((await findRow(id))?.attempts ?? 0) >= times)
const countJobs = async () => {
  const { rows } = await sql`select from graphile_worker.jobs where task_identifier = 'mail.send'`.execute(platform.db)
  return rows.length
}
const results = async () => {
  // A message is counted after its row is deleted, and a worker that has stopped has counted it.
  await worker?.stop(5000)
  worker = null
  const { values } = await platform.metrics.mail.get()
  // The job that drops expired messages runs every minute and reports 0 if there are none.
  return Object.fromEntries(values.flatMap(({ labels, value }) => (value === 0 ? [] : [[labels.result, value]])))
}

test('delivers over TLS with credentials, then forgets the mail', async () => {
  const id = await queue('Ada@example.com')
  await work()
  await gone(id)
  expect(peer.deliveries).toMatchObject([
    { from: 'login@acme.example', to: ['Ada@example.com'], secure: true, user: 'login' },
  ])
  const email = peer.deliveries[0]?.email
  const place = `${packId(id)}\\.${packId(directory.id)}`
  const messageId = expect.stringMatching(new RegExp(`^<${place}\\.[0-9A-Za-z]{22}@acme\\.example>$`))
  expect(email).toMatchObject({ subject: 'Your code', messageId })
  expect(email?.text?.split('\n')).toContain('amber falcon')
  expect(email?.html).toContain('>amber falcon</p>')
  expect(peer.logins).toEqual([{ user: 'login', password: 's3cret', secure: true }])
  expect(await results()).toEqual({ sent: 1 })
  await until(async () => (await countJobs()) === 0)
})

test('does nothing for a mail that is gone, or of another directory', async () => {
  const id = await queue('ada@example.com')
  const other = await service.tenant()
  const foreign = await accountDirectory(platform, { ...other, environmentSlug: 'production' })
  await mailDelivery.send.handle(platform, { directoryId: foreign.id, id }, 1)
  expect(peer.deliveries).toHaveLength(0)
  await mailDelivery.send.handle(platform, { directoryId: directory.id, id }, 1)
  await mailDelivery.send.handle(platform, { directoryId: directory.id, id }, 2)
  await mailDelivery.send.handle(platform, { directoryId: directory.id, id: newId() }, 1)
  await mailDelivery.send.handle(platform, { directoryId: directory.id, id: 'nonsense' }, 1)
  await mailDelivery.send.handle(platform, {}, 1)
  expect(peer.deliveries).toHaveLength(1)
})

test('waits for a server that is down, and delivers once when it is back', async () => {
  await peer.stop()
  const id = await queue('ada@example.com')
  await work()
  await failedTimes(id, 2)
  expect((await findRow(id))?.last_error).toMatch(/^E[A-Z]+$/)
  expect(peer.deliveries).toHaveLength(0)
  await peer.start()
  await gone(id)
  expect(peer.deliveries).toHaveLength(1)
  await until(async () => (await countJobs()) === 0)
})

test('a server that hangs holds up neither requests nor other jobs', async () => {
  const release: (() => void)[] = []
  peer.answerRecipient = () => new Promise((resolve) => release.push(() => resolve(null)))
  const ids = [await queue('a@example.com'), await queue('b@example.com'), await queue('c@example.com')]
  await work()
  await until(async () => release.length === 3)
  probes.length = 0
  await enqueue(platform.db, probe.name, {})
  expect((await service.as(tenant.key).get('/healthz')).status).toBe(200)
  await until(async () => probes.length === 1)
  expect(peer.deliveries).toHaveLength(0)
  peer.answerRecipient = () => null
  for (const go of release) go()
  for (const id of ids) await gone(id)
  expect(peer.deliveries.map(({ to }) => to[0]).sort()).toEqual(['a@example.com', 'b@example.com', 'c@example.com'])
})

test('drops what the server refuses for good, and delivers the rest', async () => {
  const refusedBefore = (await results()).refused ?? 0
  peer.answerRecipient = (address) => (address.startsWith('nobody') ? '550 no such user' : null)
  const ids = [await queue('nobody@example.com'), await queue('ada@example.com')]
  await work()
  for (const id of ids) await gone(id)
  peer.answerRecipient = () => null
  expect(peer.deliveries.map(({ to }) => to)).toEqual([['ada@example.com']])
  expect((await results()).refused).toBe(refusedBefore + 1)
  await until(async () => (await countJobs()) === 0)
})

test('tries again what the server refuses for now', async () => {
  peer.answerRecipient = () => '451 greylisted'
  const id = await queue('ada@example.com')
  await work()
  await failedTimes(id, 1)
  expect((await findRow(id))?.last_error).toBe('SMTP_451')
  peer.answerRecipient = () => null
  await gone(id)
  expect(peer.deliveries).toHaveLength(1)
})

test('never sends a mail past its use, nor a decoy', async () => {
  const asked: string[] = []
  peer.answerRecipient = (address) => {
    asked.push(address)
    return null
  }
  const expired = await queue('late@example.com', { usefulSeconds: 60 })
  await service.advance(60)
  const decoy = await queue('decoy@example.com', { decoy: true })
  const good = await queue('ada@example.com')
  await work()
  for (const id of [expired, decoy, good]) await gone(id)
  peer.answerRecipient = () => null
  expect(asked).toEqual(['ada@example.com'])
  expect(peer.deliveries).toHaveLength(1)
})

test('sends what no job is left for, and leaves alone what a job has under way', async () => {
  const lost = await queue('lost@example.com')
  const running = await queue('running@example.com')
  await sql`delete from graphile_worker._private_jobs where key like ${`%${lost}`}`.execute(platform.db)
  await sql`update graphile_worker._private_jobs set attempts = 1, locked_by = 'other', locked_at = now()`.execute(
    platform.db,
  )
  const cleanUp = () => mailJobs.find((job) => job.name === 'mail.cleanup')?.handle(platform, {}, 1)
  await cleanUp()
  expect(await countJobs()).toBe(1)
  await service.advance(61)
  await cleanUp()
  expect(await countJobs()).toBe(2)
  await work()
  await gone(lost)
  expect(peer.deliveries.map(({ to }) => to)).toEqual([['lost@example.com']])
  expect(await findRow(running)).toBeDefined()
  await platform.db.deleteFrom('mail_outbox').where('id', '=', running).execute()
  await sql`delete from graphile_worker._private_jobs`.execute(platform.db)
})

test('queues what is of use before very many expired mails, and names 20 of those in the log', async () => {
  const expired = 230
  for (let n = 0; n < expired; n++) await queue(`late${n}@example.com`, { usefulSeconds: 60 })
  await service.advance(60)
  const lost = await queue('lost@example.com')
  await service.advance(61)
  await sql`delete from graphile_worker._private_jobs`.execute(platform.db)
  const before = service.logLines.length
  const statements = await recordStatements(() => mailDelivery.cleanUp.handle(platform, {}, 1))
  const indexOf = (part: string) => statements.findIndex((text) => text.includes(part))
  expect(indexOf('add_job')).toBeGreaterThanOrEqual(0)
  expect(indexOf('add_job')).toBeLessThan(indexOf('delete from "mail_outbox"'))
  expect(statements.filter((text) => text.includes('from "users"'))).toHaveLength(1)
  const lines = service.logLines.slice(before).map((line) => JSON.parse(line))
  expect(lines.filter(({ msg }) => msg.startsWith('An email was dropped'))).toHaveLength(20)
  const more = lines.filter(({ msg }) => msg.startsWith('More emails were dropped'))
  expect(more).toMatchObject([{ level: 'warn', job: 'mail.send', count: expired - 20 }])
  await work()
  await gone(lost)
  expect(peer.deliveries.map(({ to }) => to)).toEqual([['lost@example.com']])
})

test('quotes neither address nor code in jobs, errors and log lines', async () => {
  peer.answerRecipient = (address) => `451 <${address}> ${CANARY} is greylisted`
  const id = await queue(`${CANARY}@example.com`, { code: CANARY })
  await work()
  await failedTimes(id, 1)
  peer.answerRecipient = (address) => `550 <${address}> ${CANARY} is unknown`
  await until(async () => {
    const { rows } = await sql`select to_jsonb(t)::text from mail_outbox t
      union all select to_jsonb(t)::text from graphile_worker._private_jobs t`.execute(platform.db)
    expect(JSON.stringify(rows)).not.toContain(CANARY)
    return (await findRow(id)) === undefined
  })
  peer.answerRecipient = () => null
  expect(service.logLines.filter((line) => line.includes('"code":"SMTP_451"'))).not.toHaveLength(0)
  expect(service.logLines.filter((line) => line.includes('"code":"SMTP_550"'))).not.toHaveLength(0)
  expect(service.logLines.join('')).not.toMatch(new RegExp(`${CANARY}|example\\.com|s3cret`))
})

test('is not held up by work that hangs on the servers of others', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const hanging: unknown[] = []
  const hangs: JobHandler = {
    name: 'test.hang',
    lane: 'slow',
    async handle(_platform, { n }) {
      hanging.push(n)
      await released
    },
  }
  for (let n = 0; n < 40; n++) await enqueue(platform.db, 'test.hang', { n: String(n) })
  worker = await startWorker(platform, [...jobs, hangs])
  await until(async () => hanging.length >= 10)
  const id = await queue('ada@example.com')
  await gone(id)
  expect(peer.deliveries.map(({ to }) => to)).toEqual([['ada@example.com']])
  expect(hanging.length).toBeLessThan(40)
  release()
  await until(async () => new Set(hanging).size === 40)
})

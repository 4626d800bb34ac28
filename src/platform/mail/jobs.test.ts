import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, type TestApp } from '../../../test/harness.ts'
import { workIn } from '../../../test/work.ts'
import { accountDirectory } from '../tenancy/directory.ts'
import { inTx } from '../work.ts'
import { mailJobs } from './jobs.ts'
import { defineMail, mailKinds } from './kinds.ts'
import { queueMail } from './outbox.ts'

const mailKind = mailKinds().find((kind) => kind === 'otp') ?? defineMail('otp')

const production = await startApp({ env: { NODE_ENV: 'production' } })
const development = await startApp()

async function queue({ app, tenant }: TestApp, usefulSeconds: number) {
  const { accountId, environmentId } = await tenant()
  const { platform } = app
  const directory = await accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
  const content = { heading: 'Your code', paragraphs: [], code: 'amber', footer: 'Bye.' }
  const to = { email: 'ada@example.com', locale: null }
  const message = { kind: mailKind, to, write: () => ({ subject: 'Your code', content }) }
  await inTx(workIn(platform, directory), (work) => queueMail(work, message, usefulSeconds))
  const row = await platform.db.selectFrom('mail_outbox').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
  return { directoryId: directory.id, id: row.id }
}

async function runJob({ app }: TestApp, name: string, payload: Record<string, unknown> = {}) {
  await mailJobs.find((job) => job.name === name)?.handle(app.platform, payload, 1)
}

const countRows = async ({ app }: TestApp) =>
  (await app.platform.db.selectFrom('mail_outbox').select('id').execute()).length

const oldest = async ({ app }: TestApp) => (await app.platform.metrics.mailOldestWaiting.get()).values[0]?.value

test('without a mail server, production keeps mails while they are of use and no longer', async () => {
  const [short, long] = [await queue(production, 60), await queue(production, 7200)]
  await runJob(production, 'mail.send', short)
  await production.advance(59)
  await runJob(production, 'mail.cleanup')
  expect(await countRows(production)).toBe(2)
  expect(await oldest(production)).toBeGreaterThanOrEqual(59)
  await production.advance(1)
  await runJob(production, 'mail.cleanup')
  const rows = await production.app.platform.db.selectFrom('mail_outbox').select(['id', 'attempts']).execute()
  expect(rows).toEqual([{ id: long.id, attempts: 0 }])
  await production.advance(7200)
  await runJob(production, 'mail.cleanup')
  expect([await countRows(production), await oldest(production)]).toEqual([0, 0])
  const { values } = await production.app.platform.metrics.mail.get()
  expect(values.map(({ labels, value }) => [labels.result, value])).toEqual([['expired', 2]])
})

test('cleans up in batches, until there is no more', async () => {
  const { directoryId } = await queue(production, 60)
  await sql`insert into mail_outbox (directory_id, id, kind, message_sealed, useful_until)
    select ${directoryId}, lpad(n::text, 32, '0')::uuid, 'test', 'v1', clock_now() + interval '60 seconds'
    from generate_series(1, 450) n`.execute(production.app.platform.db)
  await production.advance(60)
  const late = await queue(production, 60)
  await runJob(production, 'mail.cleanup')
  const rows = await production.app.platform.db.selectFrom('mail_outbox').select('id').execute()
  expect(rows).toEqual([{ id: late.id }])
})

test('development keeps mails for a day past their use, and no job sends them', async () => {
  await queue(development, 60)
  const { rows } = await sql`select from graphile_worker.jobs`.execute(development.app.platform.db)
  expect(rows).toEqual([])
  await development.advance(60 + 86_399)
  await runJob(development, 'mail.cleanup')
  expect([await countRows(development), await oldest(development)]).toEqual([1, 0])
  await development.advance(1)
  await runJob(development, 'mail.cleanup')
  expect(await countRows(development)).toBe(0)
})

import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { startApp, until } from '../../test/harness.ts'
import { overtakeOneRow } from '../../test/overtaken-batch.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'
import { workIn } from '../../test/work.ts'
import { startWorker } from '../platform/jobs/worker.ts'
import { defineMail, mailKinds } from '../platform/mail/kinds.ts'
import { mailOutbox, queueMail } from '../platform/mail/outbox.ts'
import { discardMessages } from '../platform/outbox/waiting.ts'
import { accountDirectory } from '../platform/tenancy/directory.ts'
import { inTx } from '../platform/work.ts'
import { jobs } from '../wiring/jobs.ts'

// In production without a mail server, messages wait and each message's job ends at once.

const app = await startApp({ env: { NODE_ENV: 'production', WATCHWORD_BASE_URL: 'https://auth.example.com' } })
const { platform } = app.app
const { db } = platform
const outgoing = (...args: string[]) => runCommand(settingsOf(app), 'outgoing', ...args, '--json')

const mailKind = mailKinds().find((kind) => kind === 'otp') ?? defineMail('otp')

async function queueMails(count: number): Promise<void> {
  const { accountId, environmentId } = await app.tenant()
  const directory = await accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
  const content = { heading: 'Your code', paragraphs: [], code: 'amber falcon', footer: 'Bye.' }
  const write = () => ({ subject: 'Your code', content })
  await inTx(workIn(platform, directory), async (work) => {
    for (let n = 0; n < count; n++)
      await queueMail(work, { kind: mailKind, to: { email: `p${n}@example.com`, locale: null }, write }, 3600)
  })
}

const waitingJobs = async () => {
  const { rows } = await sql`select from graphile_worker.jobs where task_identifier = 'mail.send'`.execute(db)
  return rows.length
}

test('a release without a mail server enqueues each message once, and ends', { timeout: 240_000 }, async () => {
  const count = 300
  await outgoing('hold')
  await queueMails(count)
  const worker = await startWorker(platform, jobs)
  onTestFinished(() => worker.stop(1000))
  await until(async () => (await waitingJobs()) === 0, 100_000)
  const released = await outgoing('release')
  expect(released.json, released.stderr).toMatchObject({ released: true, sending: { mails: count, sms: 0 } })
  await until(async () => (await waitingJobs()) === 0, 100_000)
  expect((await outgoing()).json).toMatchObject({ held: false, waiting: { mails: count } })
  await outgoing('hold')
  const { stdout } = await runCommand(settingsOf(app), 'outgoing', 'release')
  expect(stdout).toBe(`Released. Sending ${count} mails and 0 text messages; webhooks resume.\n`)
})

test('discarding goes on after messages that another process removes meanwhile', async () => {
  await queueMails(3)
  const count = async () => (await db.selectFrom('mail_outbox').select('id').execute()).length
  const before = await count()
  const discarded = await overtakeOneRow(db, 'mail_outbox', {
    change: (tx, row) => sql`delete from mail_outbox where ${row}`.execute(tx),
    act: () => discardMessages(db, mailOutbox, new Date(platform.clock.now().getTime() + 1000), 1),
  })
  expect([discarded, await count()]).toEqual([before - 1, 0])
})

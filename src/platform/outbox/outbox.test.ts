import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { workIn } from '../../../test/work.ts'
import { defineMail, mailKinds } from '../mail/kinds.ts'
import { queueMail } from '../mail/outbox.ts'
import { queueSms } from '../sms/outbox.ts'
import { accountDirectory } from '../tenancy/directory.ts'
import { inTx } from '../work.ts'

const mailKind = mailKinds().find((kind) => kind === 'otp') ?? defineMail('otp')

const { app, tenant } = await startApp()
const { platform } = app

test('how long a message is of use is counted by the clock of the database alone', async () => {
  // This process is now an hour behind the database.
  await sql`update test_clock set ahead = ahead + interval '1 hour'`.execute(platform.db)
  const { accountId, environmentId } = await tenant()
  const directory = await accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
  const content = { heading: 'Your code', paragraphs: [], code: 'amber falcon', footer: 'Bye.' }
  const to = { email: 'ada@example.com', phone: '+14155550123', locale: null }
  const mail = { kind: mailKind, to, write: () => ({ subject: 'Your code', content }) }
  await inTx(workIn(platform, directory), async (work) => {
    await queueMail(work, mail, 90)
    await queueSms(work, { kind: 'otp', to, write: () => 'Hello' }, 90)
  })
  for (const table of ['mail_outbox', 'sms_outbox'] as const) {
    const rows = await platform.db.selectFrom(table).select(['created_at', 'useful_until']).execute()
    expect(rows.map((row) => row.useful_until.getTime() - row.created_at.getTime())).toEqual([90_000])
  }
})

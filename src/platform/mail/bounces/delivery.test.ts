import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startApp, type Tenant, until } from '../../../../test/harness.ts'
import { startSmtpPeer } from '../../../../test/peers/smtp-peer.ts'
import { eraseAtOnce, eraseDue, findTexts, requestErasure, waitForErasure } from '../../../../test/people/erasure.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { runJobs } from '../../../../test/people/jobs.ts'
import { newEmail, newUser, type Person } from '../../../../test/people/people.ts'
import { joinedMember } from '../../../../test/people/team.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { workIn } from '../../../../test/work.ts'
import { writeBetween } from '../../../../test/write-between.ts'
import { userCleanup } from '../../../features/directory/users/cleanup.ts'
import { disabledMail } from '../../../features/records/webhooks/emails.ts'
import { directoryOfOrganization } from '../../tenancy/directory.ts'
import { inTx } from '../../work.ts'
import { mailDelivery } from '../jobs.ts'
import { queueMail } from '../outbox.ts'
import { cleanUpBounces } from './cleanup.ts'

const peer = await startSmtpPeer({ withoutStarttls: true })
afterAll(() => peer.stop())
const service = await startApp({
  env: { SMTP_URL: `smtp://127.0.0.1:${peer.port}`, WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>' },
})
const second = await startSecondApp(service)
const { platform } = service.app
const DAY = 24 * 3600
let tenant: Tenant
let subOrgId: string

beforeEach(async () => {
  tenant = await service.tenant()
  subOrgId = await tenant.organization()
  peer.deliveries.length = 0
  peer.answerRecipient = () => null
})

const ask = (email: string, at = subOrgId) => tenant.post('/v1/auth/login/otp/send', { subOrgId: at, email })
/** Tries every waiting mail at least once. If the server was slow, a mail may be postponed without a try. */
async function deliver(): Promise<void> {
  do await runJobs(platform, mailDelivery.send)
  while (await platform.db.selectFrom('mail_outbox').select('id').where('attempts', '=', 0).executeTakeFirst())
}
/** Requests a code. The mail server gives this answer to its mail. */
async function mail(email: string, answer: string | null = null, at = subOrgId): Promise<void> {
  // A code is not mailed again within a minute.
  await service.advance(61)
  peer.answerRecipient = () => answer
  succeeded(await ask(email, at))
  await deliver()
}
const received = (email: string) => peer.deliveries.filter(({ to }) => to.includes(email)).length
const suppressions = async (query = `subOrgId=${subOrgId}`) =>
  succeeded(await tenant.get(`/v1/mail/suppressions?${query}`)).suppressions
const seenOf = async ({ id }: Pick<Person, 'id'>) => succeeded(await tenant.get(`/v1/users/${id}`)).email_suppression
const eventsOf = async (email: string) => {
  const all = await service.events({ accountId: tenant.accountId })
  return all.filter(({ type, data }) => /^mail\.[bs]/.test(type) && JSON.stringify(data).includes(email))
}
const typesOf = async (email: string) => (await eventsOf(email)).map(({ type }) => type)
const results = async () => {
  const { values } = await platform.metrics.mail.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]))
}

test('an address that the mail server says does not exist gets nothing until it is cleared', async () => {
  const person = await newUser(tenant, { subOrgId })
  const { email } = person
  await mail(email, '550 5.1.1 no such user')
  const [suppression, ...more] = await suppressions()
  expect(more).toEqual([])
  expect(suppression).toEqual({
    id: expect.any(String),
    sub_org_id: subOrgId,
    ...{ email, reason: 'hard_bounce', status: '5.1.1', source: 'smtp' },
    suppressed_at: expect.any(String),
    suppressed_until: null,
    withheld: 0,
    last_withheld_at: null,
  })
  expect(await seenOf(person)).toEqual(suppression)
  const [bounced, suppressed, ...others] = await eventsOf(email)
  expect(others).toEqual([])
  const target_id = suppression.id
  expect(bounced).toMatchObject({
    ...{ type: 'mail.bounced', actor_type: 'system', organization_id: subOrgId, target_id },
    data: { sub_org_id: subOrgId, email, kind: 'hard', status: '5.1.1', source: 'smtp', provider_id: null },
  })
  expect(suppressed).toMatchObject({ type: 'mail.suppressed', target_id, data: suppression })

  const before = (await results()).suppressed ?? 0
  await mail(email.toUpperCase())
  expect([received(email), received(email.toUpperCase())]).toEqual([0, 0])
  expect(await seenOf(person)).toEqual({ ...suppression, withheld: 1, last_withheld_at: expect.any(String) })
  expect((await results()).suppressed).toBe(before + 1)
  const rows = await platform.db.selectFrom('mail_outbox').select('id').execute()
  expect(rows).toEqual([])
  expect(service.logLines.join()).not.toContain(email)

  const cleared = await tenant.delete(`/v1/mail/suppressions/${suppression.id}?subOrgId=${subOrgId}`)
  expect(succeeded(cleared)).toEqual({ success: true })
  expect([await suppressions(), await seenOf(person)]).toEqual([[], null])
  await mail(email)
  expect(received(email)).toBe(1)
  expect(await typesOf(email)).toEqual(['mail.bounced', 'mail.suppressed', 'mail.suppression_cleared'])
})

const ROUTES = ['login/otp/send', 'login/magic-link/send', 'discovery/otp/send', 'password/reset/send']

test.each(ROUTES)('%s answers a suppressed, another and an unknown address alike', async (route) => {
  const make = {
    known: async () => (await newUser(tenant, { subOrgId })).email,
    suppressed: async () => {
      const { email } = await newUser(tenant, { subOrgId })
      for (const body of [{ subOrgId }, {}])
        succeeded(await tenant.post('/v1/mail/bounces', { ...body, email, kind: 'hard' }))
      return email
    },
    unknown: async () => newEmail(),
  }
  const see = async (email: string) => {
    const body = { email, ...(route.startsWith('discovery') ? {} : { subOrgId }) }
    const { value, statements } = await recorded(() => tenant.post(`/v1/auth/${route}`, body))
    return { answer: [value.status, Object.keys(value.body)], statements }
  }
  const seen = []
  const people = []
  for (const kind of Object.values(make)) {
    const emails = [await kind(), await kind(), await kind()]
    people.push(emails)
    const all = []
    for (const email of emails) all.push(await see(email))
    // The minimum of several runs, because one run may also fill caches.
    seen.push({ answers: all.map(({ answer }) => answer), statements: Math.min(...all.map((one) => one.statements)) })
  }
  const [known, suppressed, unknown] = seen
  expect(known?.answers[0]?.[0]).toBe(200)
  expect([suppressed, unknown]).toEqual([known, known])
  await deliver()
  expect(people.slice(0, 2).map((emails) => emails.map(received))).toEqual([
    [1, 1, 1],
    [0, 0, 0],
  ])
})

async function recorded<T>(act: () => Promise<T>): Promise<{ value: T; statements: number }> {
  const values: T[] = []
  const statements = await recordStatements(async () => values.push(await act()))
  const [value] = values
  if (value === undefined) throw new Error('Nothing was returned')
  // The process compares its clock with the database's at its own intervals, so that statement is left out.
  return { value, statements: statements.filter((text) => !text.includes('clock_timestamp()')).length }
}

test.each(['550 5.7.1 relaying denied', '553 5.7.1 sender address rejected', '550 5.7.26 not authenticated'])(
  'a mail waits while the server refuses the sender, and suppresses no address: %s',
  async (answer) => {
    const { email } = await newUser(tenant, { subOrgId })
    const { refused } = await results()
    await mail(email, answer)
    expect(await platform.db.selectFrom('mail_outbox').select('attempts').execute()).toEqual([{ attempts: 1 }])
    expect([await suppressions(), await typesOf(email), (await results()).refused]).toEqual([[], [], refused])
    peer.answerRecipient = () => null
    await deliver()
    expect(received(email)).toBe(1)
  },
)

test('a mail that the server refuses by policy is given up after an hour, and suppresses no address', async () => {
  const email = newEmail()
  peer.answerRecipient = () => '550 5.7.1 relaying denied'
  succeeded(await tenant.post('/v1/users/invites', { subOrgId, email }))
  await deliver()
  const { refused = 0 } = await results()
  await service.advance(3500)
  await runJobs(platform, mailDelivery.send)
  expect(await platform.db.selectFrom('mail_outbox').select('attempts').execute()).toEqual([{ attempts: 2 }])
  await service.advance(200)
  await runJobs(platform, mailDelivery.send)
  expect(await platform.db.selectFrom('mail_outbox').select('id').execute()).toEqual([])
  expect([(await results()).refused, await suppressions(), received(email)]).toEqual([refused + 1, [], 0])
})

const lineOf = (text: string) => {
  const lines = service.logLines.filter((line) => line.includes(text)).map((line) => JSON.parse(line))
  return lines.at(-1)
}

test('the log says which mail was sent, tried, refused or dropped, to which user, and never the address', async () => {
  const { id: userId, email } = await newUser(tenant, { subOrgId })
  const directory = await directoryOfOrganization(platform, { ...tenant, environmentSlug: 'production' }, subOrgId)
  const known = { job: 'mail.send', kind: 'login_otp', directoryId: directory.id, subOrgId, userId }
  await mail(email)
  const [, untagged, tag] = /^<(.+)\.(.+)@acme\.example>$/.exec(peer.deliveries[0]?.email.messageId ?? '') ?? []
  expect(lineOf('An email was sent')).toMatchObject({ level: 'debug', ...known, messageId: untagged })
  expect([untagged, tag]).toEqual([expect.any(String), expect.any(String)])

  await mail(email, '550 5.7.1 relaying denied')
  const tried = lineOf('will be retried')
  expect(tried).toMatchObject({ level: 'warn', ...known, attempt: 1, code: 'SMTP_550', smtpStatus: '5.7.1' })
  // By the next try, the code in the mail has expired.
  await service.advance(24 * 3600)
  await mailDelivery.cleanUp.handle(platform, {}, 1)
  const dropped = lineOf('An email was dropped')
  expect(dropped).toMatchObject({ level: 'warn', ...known, attempt: 1, code: 'SMTP_550', messageId: tried.messageId })

  await mail(email, '550 5.1.1 no such user')
  expect(lineOf('permanently refused')).toMatchObject({ ...known, code: 'SMTP_550', smtpStatus: '5.1.1' })
  expect(lineOf('permanently refused').messageId).not.toBe(tried.messageId)
  const logged = service.logLines.join()
  for (const secret of [email, tag]) expect(logged).not.toContain(secret)
})

test('a mail that expires is one line in the log, and a decoy none', async () => {
  const { id: userId, email } = await newUser(tenant, { subOrgId })
  const before = service.logLines.length
  succeeded(await ask(email))
  succeeded(await ask(newEmail()))
  await service.advance(24 * 3600)
  // The jobs or the clean-up find the mails.
  await runJobs(platform, mailDelivery.send)
  await mailDelivery.cleanUp.handle(platform, {}, 1)
  const lines = service.logLines.slice(before).filter((line) => line.includes('An email was dropped'))
  expect(lines.map((line) => JSON.parse(line).userId)).toEqual([userId])
  succeeded(await ask(newEmail()))
  await service.advance(24 * 3600)
  await mailDelivery.cleanUp.handle(platform, {}, 1)
  expect(service.logLines.slice(before).filter((line) => line.includes('An email was dropped'))).toEqual(lines)
})

test.each(['554 5.3.0 blocked', '552 5.3.4 too big', '550 relay not permitted'])(
  'a server that refuses the sender suppresses no address: %s',
  async (answer) => {
    const { email } = await newUser(tenant, { subOrgId })
    for (let n = 0; n < 4; n++) await mail(email, answer)
    expect([await suppressions(), await typesOf(email)]).toEqual([[], []])
    await mail(email)
    expect(received(email)).toBe(1)
  },
)

test('a refusal of the connection or of the sender’s address is tried again and suppresses no address', async () => {
  const { email } = await newUser(tenant, { subOrgId })
  await mail(email, '450 4.2.1 no such user for now')
  expect(await typesOf(email)).toEqual([])
  peer.answerRecipient = () => null
  await deliver()
  expect([received(email), await suppressions()]).toEqual([1, []])
})

test('three soft bounces in 7 days suppress for 24 hours, and a fourth after that does again', async () => {
  const person = await newUser(tenant, { subOrgId })
  const { email } = person
  const full = () => mail(email, '552 5.2.2 mailbox full')
  await full()
  await service.advance(4 * DAY)
  await full()
  // By then the first bounce is 7 days old.
  await service.advance(3 * DAY)
  await full()
  expect([await seenOf(person), await typesOf(email)]).toEqual([null, Array(3).fill('mail.bounced')])
  await service.advance(3 * DAY)
  await full()
  const suppression = await seenOf(person)
  expect(suppression).toMatchObject({ reason: 'soft_bounces', status: '5.2.2' })
  expect(Date.parse(suppression.suppressed_until) - Date.parse(suppression.suppressed_at)).toBe(DAY * 1000)
  await mail(email)
  expect(received(email)).toBe(0)
  await service.advance(DAY - 300)
  await mail(email)
  expect([received(email), (await seenOf(person)).withheld]).toEqual([0, 2])
  await service.advance(300)
  expect([await seenOf(person), await suppressions()]).toEqual([null, []])
  await mail(email)
  expect(received(email)).toBe(1)
  await full()
  expect(await seenOf(person)).toMatchObject({ reason: 'soft_bounces', withheld: 0 })
  expect((await typesOf(email)).filter((type) => type === 'mail.suppressed')).toHaveLength(2)
})

test('a mail that is refused again after a crash counts once', async () => {
  const { email } = await newUser(tenant, { subOrgId })
  peer.answerRecipient = () => '552 5.2.2 mailbox full'
  succeeded(await ask(email))
  const row = await platform.db.selectFrom('mail_outbox').selectAll().executeTakeFirstOrThrow()
  await deliver()
  await platform.db.insertInto('mail_outbox').values(row).execute()
  await mailDelivery.send.handle(platform, { directoryId: row.directory_id, id: row.id }, 2)
  expect(await typesOf(email)).toEqual(['mail.bounced'])
})

test('a mail that is refused while its organization is erased stores nothing', async () => {
  const { email } = await newUser(tenant, { subOrgId })
  succeeded(await ask(email))
  peer.answerRecipient = async () => {
    await eraseAtOnce(service, tenant, subOrgId)
    return '550 5.1.1 no such user'
  }
  const refused = (await results()).refused ?? 0
  await deliver()
  expect((await results()).refused).toBe(refused + 1)
  expect([await findTexts(service, [email]), await typesOf(email)]).toEqual([{}, []])
})

test('a bounce that is being stored when its organization is erased is erased with it', {
  timeout: 60_000,
}, async () => {
  const { email } = await newUser(tenant, { subOrgId })
  await requestErasure(tenant, subOrgId)
  await waitForErasure(service)
  let erasure: ReturnType<typeof eraseDue> | undefined
  const waits = async () => {
    const { rows } = await sql`select from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like '%"organizations"%'`.execute(platform.db)
    return rows.length > 0
  }
  const erase = async () => {
    if (erasure) return
    let isOver = false
    erasure = eraseDue(second.app.platform).finally(() => (isOver = true))
    await until(async () => isOver || (await waits()))
  }
  const report = { subOrgId, email, kind: 'hard', provider_id: 'b-1' }
  await writeBetween(/into "bounce_reports"/, erase, async () => {
    succeeded(await tenant.post('/v1/mail/bounces', report))
  })
  if (!erasure) throw new Error('No report was stored')
  await erasure
  expect([await findTexts(service, [email]), await typesOf(email)]).toEqual([{}, []])
})

test('another organization, and another environment, mail the address as before', async () => {
  const { email } = await newUser(tenant, { subOrgId })
  const other = await newUser(tenant, { email })
  await mail(email, '550 5.1.1 no such user')
  await mail(email, null, other.subOrgId)
  expect([received(email), await seenOf(other)]).toEqual([1, null])
  expect(await suppressions(`subOrgId=${other.subOrgId}`)).toEqual([])
})

test('mails to the team are always sent, and their bounces suppress no address', async () => {
  const owner = await joinedMember(service, tenant, 'owner')
  await deliver()
  const sendCode = () => tenant.post('/v1/auth/login/otp/send', { subOrgId: 'team', email: owner.email })
  peer.deliveries.length = 0
  peer.answerRecipient = () => '550 5.1.1 no such user'
  succeeded(await sendCode())
  await deliver()
  // A customer's key reports the address everywhere it can.
  for (const body of [{}, { subOrgId }])
    succeeded(await tenant.post('/v1/mail/bounces', { email: owner.email, kind: 'complaint', ...body }))
  const refused = await tenant.post('/v1/mail/bounces', { email: owner.email, kind: 'hard', subOrgId: 'team' })
  expect([refused.status, refused.body.code]).toEqual([404, 'organization_not_found'])
  peer.answerRecipient = () => null
  await service.advance(61)
  succeeded(await sendCode())
  await deliver()
  expect(received(owner.email)).toBe(1)
  expect(await typesOf(owner.email)).toEqual(['mail.bounced', 'mail.suppressed', 'mail.bounced', 'mail.suppressed'])
})

test('the notice about a webhook of an organization reaches the team, whatever the organization reports', async () => {
  const key = await tenant.withKey({ subOrgId })
  const email = newEmail()
  succeeded(await key.post('/v1/mail/bounces', { email, kind: 'complaint' }))
  const environment = { ...tenant, environmentSlug: 'production' }
  const directory = await directoryOfOrganization(platform, environment, subOrgId)
  const about = { name: 'Warehouse', url: 'https://hooks.example.com', isGone: true }
  await inTx(workIn(platform, directory), (work) => queueMail(work, disabledMail({ email, locale: null }, about), 60))
  await deliver()
  expect(received(email)).toBe(1)
})

test('the end of a deleted user is the end of what is known of the address, unless another user has it', async () => {
  const [gone, replaced] = [await newUser(tenant, { subOrgId }), await newUser(tenant, { subOrgId })]
  for (const { email } of [gone, replaced]) await mail(email, '550 5.1.1 no such user')
  for (const { id } of [gone, replaced]) succeeded(await tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}`))
  await newUser(tenant, { subOrgId, email: replaced.email })
  await service.advance(31 * DAY)
  await userCleanup.handle(platform, {}, 1)
  expect((await suppressions()).map(({ email }: Person) => email)).toEqual([replaced.email])
  const reports = await platform.db.selectFrom('bounce_reports').select('email_norm').execute()
  expect(reports.map((row) => row.email_norm)).not.toContain(gone.email)
})

test('what no longer counts is removed, and what suppresses stays for a year after the last mail', async () => {
  const [hard, soft] = [await newUser(tenant, { subOrgId }), await newUser(tenant, { subOrgId })]
  await mail(hard.email, '550 5.1.1 no such user')
  await mail(soft.email, '552 5.2.2 mailbox full')
  const kept = async () => {
    await cleanUpBounces.handle(platform, {}, 1)
    const rows = await platform.db.selectFrom('bounced_addresses').select('email_norm').execute()
    return rows.map((row) => row.email_norm).filter((norm) => [hard.email, soft.email].includes(norm))
  }
  await service.advance(7 * DAY)
  expect((await kept()).sort()).toEqual([hard.email, soft.email].sort())
  await service.advance(2 * DAY)
  expect(await kept()).toEqual([hard.email])
  await service.advance(300 * DAY)
  await mail(hard.email)
  await service.advance(300 * DAY)
  expect(await kept()).toEqual([hard.email])
  await service.advance(66 * DAY)
  expect(await kept()).toEqual([])
})

test('a suppression of the environment stays while one of the organization counts the same mails', async () => {
  const { email } = await newUser(tenant, { subOrgId })
  for (const body of [{}, { subOrgId }])
    succeeded(await tenant.post('/v1/mail/bounces', { ...body, email, kind: 'complaint' }))
  for (let n = 0; n < 3; n++) {
    await service.advance(200 * DAY)
    await mail(email)
    await cleanUpBounces.handle(platform, {}, 1)
  }
  const found: { id: string; sub_org_id: string | null; withheld: number }[] = await suppressions(`email=${email}`)
  expect(found.map(({ sub_org_id, withheld }) => [sub_org_id, withheld])).toEqual([
    [null, 0],
    [subOrgId, 3],
  ])
  succeeded(await tenant.delete(`/v1/mail/suppressions/${found[1]?.id}?subOrgId=${subOrgId}`))
  await mail(email)
  expect(received(email)).toBe(0)
  await service.advance(366 * DAY)
  await cleanUpBounces.handle(platform, {}, 1)
  expect(await suppressions(`email=${email}`)).toEqual([])
})

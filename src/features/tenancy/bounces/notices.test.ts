import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { freshPassword } from '../../../../test/fresh.ts'
import { startApp, type Tenant } from '../../../../test/harness.ts'
import { startSmtpPeer } from '../../../../test/peers/smtp-peer.ts'
import { complaint, deliveryStatus } from '../../../../test/people/bounces.ts'
import { LAPTOP, lookAtSignIns, on, PHONE, type TestDevice } from '../../../../test/people/devices.ts'
import { enrollTotp, makeProvenUser, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { runJobs } from '../../../../test/people/jobs.ts'
import { newEmail, type Person } from '../../../../test/people/people.ts'
import { mailDelivery } from '../../../platform/mail/jobs.ts'

const peer = await startSmtpPeer({ withoutStarttls: true })
afterAll(() => peer.stop())
const service = await startApp({
  env: { SMTP_URL: `smtp://127.0.0.1:${peer.port}`, WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>' },
})
const { platform } = service.app
const HOUR = 3600
const CHANGED = 'Your password was changed'
let tenant: Tenant
let person: Person

beforeEach(async () => {
  tenant = await service.tenant()
  const subOrgId = await tenant.organization()
  person = { subOrgId, ...(await makeProvenUser(tenant, subOrgId)) }
  peer.answerRecipient = () => null
  await deliver()
  peer.deliveries.length = 0
})

/** Tries every mail that waits, at least once: where the server was slow, a mail is put off without a try. */
async function deliver(): Promise<void> {
  do await runJobs(platform, mailDelivery.send)
  while (await platform.db.selectFrom('mail_outbox').select('id').where('attempts', '=', 0).executeTakeFirst())
}

/** The subjects of the mails that the address has received since the last call. */
async function received(): Promise<string[]> {
  await deliver()
  const mails = peer.deliveries.splice(0).filter(({ to }) => to.includes(person.email))
  return mails.map(({ email }) => email.subject ?? '')
}

async function askForCode(): Promise<void> {
  // A code that was mailed a moment ago is not mailed again.
  await service.advance(61)
  const { subOrgId, email } = person
  succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
}

async function setPassword(): Promise<void> {
  const { subOrgId, id } = person
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: freshPassword() }))
}

async function signInFrom(device: TestDevice): Promise<void> {
  const { subOrgId, email } = person
  succeeded(await signInByLink(on(device, tenant), email, { subOrgId }))
  await lookAtSignIns(service)
}

const report = (body: object) => tenant.post('/v1/mail/bounces', { email: person.email, ...body })
const suppressions = async () =>
  succeeded(await tenant.get(`/v1/mail/suppressions?email=${person.email}`)).suppressions.map(
    (row: { reason: string; source: string; withheld: number }) => [row.reason, row.source, row.withheld],
  )

// The first one: an authenticator app goes by the clock of the machine, which is then behind.
test('a report withholds no notice of any change to the account', async () => {
  const { subOrgId, id, email } = person
  await signInFrom(LAPTOP)
  for (const body of [{ subOrgId }, {}]) succeeded(await report({ ...body, kind: 'hard' }))
  await enrollTotp(tenant, id, { subOrgId })
  expect(await received()).toEqual(['A second step was added to your sign-in'])
  succeeded(await tenant.delete(`/v1/mfa/totp?userId=${id}&subOrgId=${subOrgId}`))
  expect(await received()).toEqual(['A second step was removed from your sign-in'])
  await signInFrom(PHONE)
  expect(await received()).toEqual(['New sign-in to your account'])
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email }))
  expect(await received()).toEqual([])
  succeeded(await tenant.patch(`/v1/users/${id}`, { subOrgId, email: newEmail() }))
  expect(await received()).toEqual(['Your email address was changed'])
})

describe('a report with an API key', () => {
  const reports: [string, () => Promise<void>][] = [
    [
      'a hard bounce in the organization',
      async () => void succeeded(await report({ subOrgId: person.subOrgId, kind: 'hard' })),
    ],
    ['a complaint for the environment', async () => void succeeded(await report({ kind: 'complaint' }))],
    [
      'a complaint with a key of the organization',
      async () => {
        const key = await tenant.withKey({ subOrgId: person.subOrgId, scopes: ['mail.write'] })
        succeeded(await key.post('/v1/mail/bounces', { email: person.email, kind: 'complaint' }))
      },
    ],
    [
      'three soft bounces',
      async () => {
        for (let n = 0; n < 3; n++) {
          await service.advance(HOUR)
          succeeded(await report({ subOrgId: person.subOrgId, kind: 'soft' }))
        }
      },
    ],
    ['a delivery status about a mail', async () => void (await reportMail(deliveryStatus))],
    ['a complaint about a mail', async () => void (await reportMail(complaint))],
  ]
  async function reportMail(write: (mail: { to: string; messageId: string }) => string): Promise<void> {
    await askForCode()
    await deliver()
    const messageId = peer.deliveries.splice(0).at(-1)?.email.messageId ?? ''
    succeeded(await report({ email: undefined, message: write({ to: person.email, messageId }) }))
  }

  test.each(reports)('withholds codes and no notice: %s', async (_, act) => {
    await act()
    const before = await suppressions()
    expect(before).toHaveLength(1)
    await askForCode()
    await setPassword()
    expect(await received()).toEqual([CHANGED])
    const [[reason, source, withheld]] = await suppressions()
    expect([reason, source, withheld]).toEqual([before[0][0], 'report', 1])
  })
})

describe('a refusal by the mail server', () => {
  const refuse = async (answer: string, act: () => Promise<void>) => {
    peer.answerRecipient = () => answer
    await act()
    expect(await received()).toEqual([])
    peer.answerRecipient = () => null
  }

  test('of the address withholds every mail', async () => {
    await refuse('550 5.1.1 no such user', askForCode)
    await setPassword()
    await askForCode()
    expect([await received(), await suppressions()]).toEqual([[], [['hard_bounce', 'smtp', 2]]])
  })

  test('after a report withholds notices from then on, also if it is reported again', async () => {
    const { subOrgId } = person
    succeeded(await report({ subOrgId, kind: 'complaint' }))
    await refuse('550 5.1.1 no such user', setPassword)
    expect(await suppressions()).toEqual([['hard_bounce', 'smtp', 0]])
    for (const kind of ['hard', 'complaint', 'soft']) succeeded(await report({ subOrgId, kind }))
    await setPassword()
    expect([await received(), await suppressions()]).toEqual([[], [['hard_bounce', 'smtp', 1]]])
    const types = (await service.events({ accountId: tenant.accountId })).map(({ type }) => type)
    expect(types.filter((type) => type === 'mail.suppressed')).toHaveLength(2)
    expect(types.filter((type) => type === 'mail.bounced')).toHaveLength(5)
  })

  test('of a full mailbox withholds no notice, which is tried', async () => {
    for (let n = 0; n < 3; n++) {
      await service.advance(HOUR)
      await refuse('552 5.2.2 mailbox full', askForCode)
    }
    await askForCode()
    await setPassword()
    expect([await received(), await suppressions()]).toEqual([[CHANGED], [['soft_bounces', 'smtp', 1]]])
  })
})

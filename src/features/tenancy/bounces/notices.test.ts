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

/** Tries to send every waiting mail at least once. If the server was slow, a mail is postponed without an attempt. */
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
  // A code is not mailed again within a minute.
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
const listed = async (): Promise<{ reason: string; source: string; withheld: number }[]> =>
  succeeded(await tenant.get(`/v1/mail/suppressions?email=${person.email}`)).suppressions
const suppressions = async () => (await listed()).map((row) => [row.reason, row.source, row.withheld])

// Must be the first test: authenticator apps use the machine's clock, which is behind the test's clock afterwards.
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

// Must be the second test, for the same reason.
test('a complaint leaves the notice of a locked second factor, which follows a right password', async () => {
  const { subOrgId, id, email } = person
  const password = freshPassword()
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password }))
  await enrollTotp(tenant, id, { subOrgId })
  await received()
  succeeded(await report({ kind: 'complaint' }))
  for (let challenge = 0; challenge < 4; challenge++) {
    const { challenge_token } = succeeded(await tenant.post('/v1/auth/login/password', { subOrgId, email, password }))
    const verify = () => tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: '000000' })
    for (let n = 0; n < 3; n++) await verify()
  }
  expect(await received()).toEqual(['Too many wrong sign-in codes'])
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
    expect(await suppressions()).toEqual([[before[0]?.[0], 'report', 1]])
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

  test.each(['hard', 'complaint'])('after a report withholds notices from then on: %s', async (kind) => {
    const { subOrgId } = person
    const reason = kind === 'hard' ? 'hard_bounce' : 'complaint'
    succeeded(await report({ subOrgId, kind }))
    await askForCode()
    expect(await received()).toEqual([])
    const [before] = await listed()
    await refuse('550 5.1.1 no such user', setPassword)
    const refused = { ...before, reason, source: 'smtp', status: '5.1.1', withheld: 1 }
    expect(await listed()).toEqual([refused])
    for (const kind of ['hard', 'soft']) succeeded(await report({ subOrgId, kind }))
    await setPassword()
    expect([await received(), await suppressions()]).toEqual([[], [[reason, 'smtp', 2]]])
    const events = await service.events({ accountId: tenant.accountId })
    const suppressed = events.filter(({ type }) => type === 'mail.suppressed').map(({ data }) => data)
    expect(suppressed).toMatchObject([{ reason, source: 'report' }, refused])
    expect(events.filter(({ type }) => type === 'mail.bounced')).toHaveLength(4)
  })

  test('is kept by a complaint, which is the reason from then on', async () => {
    await refuse('550 5.1.1 no such user', askForCode)
    const [before] = await listed()
    for (let n = 0; n < 2; n++) succeeded(await report({ subOrgId: person.subOrgId, kind: 'complaint' }))
    expect(await listed()).toEqual([{ ...before, reason: 'complaint' }])
    await setPassword()
    expect([await received(), await suppressions()]).toEqual([[], [['complaint', 'smtp', 1]]])
    const events = await service.events({ accountId: tenant.accountId })
    expect(events.filter(({ type }) => type === 'mail.suppressed')).toHaveLength(2)
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

describe('the notice of a lock by wrong passwords, which strangers can cause,', () => {
  const LOCKED = 'Your account was locked'
  async function guess(): Promise<void> {
    const { subOrgId, email } = person
    for (let n = 0; n < 11; n++) await tenant.post('/v1/auth/login/password', { subOrgId, email, password: 'wrong' })
  }
  const soft = async (): Promise<void> => {
    for (let n = 0; n < 3; n++) {
      await service.advance(HOUR)
      succeeded(await report({ subOrgId: person.subOrgId, kind: 'soft' }))
    }
  }
  const once = (kind: string) => async (): Promise<void> => void succeeded(await report({ kind }))
  const outcomes: [string, boolean, () => Promise<void>][] = [
    ['is withheld after a complaint', true, once('complaint')],
    ['is withheld after a hard bounce', true, once('hard')],
    ['is sent after soft bounces', false, soft],
  ]
  test.each(outcomes)('%s', async (_, isWithheld, act) => {
    await setPassword()
    await received()
    await act()
    await guess()
    expect(await received()).toEqual(isWithheld ? [] : [LOCKED])
    const [[, , withheld] = []] = await suppressions()
    expect(withheld).toBe(isWithheld ? 1 : 0)
    await setPassword()
    expect(await received()).toEqual([CHANGED])
  })
})

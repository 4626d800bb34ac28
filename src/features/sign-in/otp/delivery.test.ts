import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { withholding } from '../../../../test/people/otp.ts'
import { newEmail } from '../../../../test/people/people.ts'

const app = await startApp()
const { db, metrics } = app.app.platform

const PHONE = '+14155550123'
const QUEUED = { status: 'queued', reason: null }

/** An organization with these settings, and functions that request codes from it. */
async function settle(settings: object = {}) {
  const owner = await app.tenant()
  const subOrgId = await owner.organization()
  const body = { subOrgId, channel_sms: true, sms_allowed_countries: ['US'], ...settings }
  succeeded(await owner.patch('/v1/otp/settings', body))
  const ask = (body: object, headers?: Record<string, string>) =>
    owner.post('/v1/otp/generate', { subOrgId, ...body }, headers)
  return { owner, subOrgId, ask }
}

/** The messages that would be sent, and the events about them. */
async function sent(accountId: string) {
  const [mails, texts] = [db.selectFrom('mail_outbox'), db.selectFrom('sms_outbox')]
  return {
    mails: (await mails.select('id').execute()).length,
    texts: (await texts.select('id').execute()).length,
    events: (await app.events({ accountId, type: 'auth.otp.sent' })).length,
  }
}

async function withheldMails(reason: string): Promise<number> {
  const { values } = await metrics.mailWithheld.get()
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0
}

const NETWORK = { 'x-end-user-ip': '203.0.113.7' }

test.each([
  ['recipient_limit', { rate_limit_per_minute: 1 }, {}],
  ['recipient_limit', { rate_limit_per_hour: 1 }, {}],
  ['organization_limit', { send_limit_per_hour_organization: 1 }, {}],
  ['key_limit', { send_limit_per_hour_key: 1 }, {}],
  ['network_limit', { send_limit_per_hour_network: 1 }, NETWORK],
])('beyond %s (%j) the code is answered and passes, and no message leaves', async (reason, settings, headers) => {
  for (const channel of ['email', 'sms'] as const) {
    const { owner, subOrgId, ask } = await settle(settings)
    const to = channel === 'email' ? { email: newEmail() } : { phone: PHONE }
    expect(succeeded(await ask(to, headers)).delivery).toEqual({ ...QUEUED, messages: [{ channel, ...QUEUED }] })
    const [before, counted] = [await sent(owner.accountId), await withheldMails(reason)]
    const { otp_id, code, delivery } = succeeded(await ask(to, headers))
    expect(delivery).toEqual(withholding(channel, reason))
    expect(await sent(owner.accountId)).toEqual(before)
    expect(before.events).toBe(1)
    expect(await withheldMails(reason)).toBe(counted + Number(channel === 'email'))
    const validated = await owner.post('/v1/otp/validate', { subOrgId, otp_id, code })
    expect(validated.body).toEqual({ valid: true })
  }
})

test('where mail is off, nothing is mailed', async () => {
  const { owner, subOrgId, ask } = await settle({ channel_email: false })
  const before = await sent(owner.accountId)
  const { otp_id, code, delivery } = succeeded(await ask({ email: newEmail() }))
  expect(delivery).toEqual(withholding('email', 'channel_off'))
  expect(await sent(owner.accountId)).toEqual(before)
  expect((await owner.post('/v1/otp/validate', { subOrgId, otp_id, code })).body).toEqual({ valid: true })
})

test('of two messages each is told; the code is on its way if either is', async () => {
  const { owner, ask } = await settle({ sms_allowed_countries: ['DE'] })
  const before = await sent(owner.accountId)
  const { delivery } = succeeded(await ask({ email: newEmail(), phone: PHONE }))
  const sms = { channel: 'sms', status: 'withheld', reason: 'country_not_allowed' }
  expect(delivery).toEqual({ ...QUEUED, messages: [{ channel: 'email', ...QUEUED }, sms] })
  expect(await sent(owner.accountId)).toEqual({ mails: before.mails + 1, texts: before.texts, events: 1 })
})

/** A code that was sent, a later one that was withheld, and a function to request more. */
async function withhold(channel: 'email' | 'sms', session: object = {}) {
  const { owner, subOrgId, ask } = await settle({ rate_limit_per_minute: 1 })
  const to = { ...session, ...(channel === 'email' ? { email: newEmail() } : { phone: PHONE }) }
  const make = async (more: object = to) => succeeded(await ask(more))
  const validate = async (named: object, code: string) =>
    succeeded(await owner.post('/v1/otp/validate', { subOrgId, ...named, code })).valid
  const passes = ({ otp_id, code }: { otp_id: string; code: string }) => validate({ otp_id }, code)
  const [left, withheld] = [await make(), await make()]
  expect([left.delivery.status, withheld.delivery.status]).toEqual(['queued', 'withheld'])
  return { left, withheld, make, validate, passes }
}

describe.each([
  ['email', {}],
  ['sms', {}],
  ['email', { session_id: 'order' }],
] as const)('a code whose %s is withheld (%j)', (channel, session) => {
  test('passes by its id, and leaves the one that was delivered its own', async () => {
    const { left, withheld, validate, passes } = await withhold(channel, session)
    expect(await validate({ otp_id: withheld.otp_id }, 'wrong one')).toBe(false)
    expect([await passes(withheld), await passes(left), await passes(left)]).toEqual([true, true, false])
  })

  test('is void with that once the next is delivered', async () => {
    const { left, withheld, make, passes } = await withhold(channel, session)
    await app.advance(61)
    const next = await make()
    // No matter how many later codes are withheld.
    const last = await make()
    expect([next.delivery.status, last.delivery.status]).toEqual(['queued', 'withheld'])
    expect([await passes(left), await passes(withheld), await passes(next)]).toEqual([false, false, true])
  })

  test('voids no other that was withheld', async () => {
    const { left, withheld, make, passes } = await withhold(channel, session)
    const next = await make()
    expect(next.delivery.status).toBe('withheld')
    for (const each of [next, withheld, left]) expect(await passes(each)).toBe(true)
  })
})

test('by its session the code that left is meant, as long as it may pass, and one that was never to be sent voids all', async () => {
  const session = { session_id: 'order' }
  const { left, withheld, make, validate, passes } = await withhold('email', session)
  expect([await validate(session, withheld.code), await validate(session, left.code)]).toEqual([false, true])
  expect(await validate(session, withheld.code)).toBe(true)
  const [older, unsent] = [await make(), await make(session)]
  expect([older.delivery.status, unsent.delivery]).toEqual(['withheld', null])
  expect([await passes(older), await passes(unsent)]).toEqual([false, true])
})

test('a code of which either message left voids the older', async () => {
  const { owner, subOrgId, ask } = await settle({ rate_limit_per_minute: 1 })
  const email = newEmail()
  const [older, newer] = [succeeded(await ask({ email })), succeeded(await ask({ email, phone: PHONE }))]
  expect(newer.delivery).toMatchObject({ status: 'queued', messages: [{ status: 'withheld' }, { status: 'queued' }] })
  const validate = async ({ otp_id, code }: { otp_id: string; code: string }) =>
    (await owner.post('/v1/otp/validate', { subOrgId, otp_id, code })).body.valid
  expect([await validate(older), await validate(newer)]).toEqual([false, true])
})

test('429 is for the requests of the key alone', async () => {
  const { owner, subOrgId } = await settle()
  const made = { name: 'slow', scopes: ['users.read'], requestsPerSecond: 1, subOrgId }
  const key = app.as(succeeded(await owner.post('/v1/api-keys', made)).key)
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => key.post('/v1/otp/generate', { email: newEmail() })),
  )
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const { body } of refused) expect(body.code).toBe('rate_limited')
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(20 - refused.length)
  expect((await sent(owner.accountId)).events).toBe(20 - refused.length)
})

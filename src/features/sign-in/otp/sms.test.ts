import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startApp, type Tenant, type TestApp, until } from '../../../../test/harness.ts'
import { startSmsPeer, takeSms } from '../../../../test/peers/sms-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { withholding } from '../../../../test/people/otp.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { startWorker, type Worker } from '../../../platform/jobs/worker.ts'
import { LANGUAGES } from '../../../platform/messages/language.ts'
import { listKeptSms } from '../../../platform/sms/outbox.ts'
import { jobs } from '../../../wiring/jobs.ts'
import { codeSms } from './emails.ts'
import { FIRST_WORDS, SECOND_WORDS } from './word-list.gen.ts'

const PHONE = '+14155550123'
const peer = await startSmsPeer()
afterAll(() => peer.stop())
const service = await startApp({
  env: {
    WATCHWORD_SMS_URL: `http://AC12:token@127.0.0.1:${peer.port}/Messages.json?From=Acme`,
    WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1',
  },
})
const { platform } = service.app
// Without a provider, development stores the messages, so the test can count them.
const keeping = await startApp()

let owner: Tenant
let subOrgId: string
let worker: Worker | null = null

async function settle({ tenant }: TestApp, settings: object = {}): Promise<Tenant> {
  const made = await tenant()
  subOrgId = await made.organization()
  const body = { subOrgId, channel_sms: true, sms_allowed_countries: ['US'], ...settings }
  expect((await made.patch('/v1/otp/settings', body)).status).toBe(200)
  return made
}

beforeEach(() => {
  peer.requests.length = 0
  peer.answer = takeSms
})
afterEach(async () => {
  await worker?.stop(5000)
  worker = null
})

const generate = (body: object) => owner.post('/v1/otp/generate', { subOrgId, ...body })
const waiting = ({ app }: TestApp) => app.platform.db.selectFrom('sms_outbox').select(['id', 'kind']).execute()
const sent = async ({ events }: TestApp) => {
  const rows = await events({ accountId: owner.accountId, type: 'auth.otp.sent' })
  return rows.map(({ data }) => data)
}
const withheld = async ({ app }: TestApp) => {
  const { values } = await app.platform.metrics.smsWithheld.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]))
}

describe('with a provider', () => {
  test('a code goes to the phone, and passes once', async () => {
    owner = await settle(service)
    const reply = await generate({ phone: '+1 (415) 555-0123', session_id: 's' })
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).sort()).toEqual(['code', 'delivery', 'expires_at', 'otp_id', 'session_id'])
    worker = await startWorker(platform, jobs)
    await until(async () => (await waiting(service)).length === 0)
    expect(peer.requests.map(({ form }) => form)).toEqual([
      {
        To: PHONE,
        From: 'Acme',
        Body: expect.stringContaining(`: ${reply.body.code}. It works once, within 5 minutes.`),
      },
    ])
    const { otp_id, code } = reply.body
    expect(await sent(service)).toEqual([{ otp_id, session_id: 's', phone: PHONE, delivery_method: 'sms' }])
    expect((await owner.post('/v1/otp/validate', { subOrgId, otp_id, code })).body).toEqual({ valid: true })
    expect(await service.mails()).toEqual([])
  })

  test('a dead provider does not change the answer, and the code arrives when it is back', async () => {
    owner = await settle(service)
    await peer.stop()
    worker = await startWorker(platform, jobs)
    const reply = await generate({ phone: PHONE })
    expect([reply.status, typeof reply.body.code]).toEqual([200, 'string'])
    await until(
      async () => (await platform.db.selectFrom('sms_outbox').select('attempts').executeTakeFirst())?.attempts,
    )
    await peer.start()
    await until(async () => (await waiting(service)).length === 0)
    expect(peer.requests.map(({ form }) => form['Body']?.includes(reply.body.code))).toEqual([true])
    expect(service.logLines.join('')).not.toMatch(new RegExp(`${reply.body.code}|4155550123`))
  })

  test('to an address and a phone it goes both ways', async () => {
    owner = await settle(service, { mode: 'both' })
    const email = `both.${owner.accountId}@example.com`
    const { body } = await generate({ phone: PHONE, email })
    worker = await startWorker(platform, jobs)
    await until(async () => (await waiting(service)).length === 0)
    expect(peer.requests[0]?.form['Body']).toContain(`${body.code} (or ${body.digit_code})`)
    expect((await service.mails(email)).map(({ text }) => text.includes(body.code))).toEqual([true])
    expect(await sent(service)).toMatchObject([{ delivery_method: 'email', email }, { delivery_method: 'sms' }])
  })
})

describe('limits', () => {
  test('a newer code for the same phone voids the older, however it is written', async () => {
    owner = await settle(keeping)
    const older = (await generate({ phone: PHONE })).body
    const newer = (await generate({ phone: '+1 415-555-0123' })).body
    const validate = ({ otp_id, code }: { otp_id: string; code: string }) =>
      owner.post('/v1/otp/validate', { subOrgId, otp_id, code }).then(({ body }) => body.valid)
    expect([await validate(older), await validate(newer)]).toEqual([false, true])
  })

  test.each([
    ['country_not_allowed', { sms_allowed_countries: ['DE'] }, PHONE],
    ['country_not_allowed', { sms_allowed_countries: [] }, PHONE],
    ['country_not_allowed', {}, '+18765551234'],
    ['number_not_mobile', { sms_allowed_countries: ['DE'] }, '+49301234567'],
    ['number_not_mobile', {}, '+1 500 555 0006'],
    ['number_not_mobile', {}, '+881612345678'],
  ])('is answered and not sent: %s, %j, %s', async (reason, settings, phone) => {
    owner = await settle(keeping, settings)
    const before = { messages: (await waiting(keeping)).length, metric: (await withheld(keeping))[reason] ?? 0 }
    const reply = await generate({ phone })
    expect([reply.status, typeof reply.body.code, reply.body.delivery]).toEqual([
      200,
      'string',
      withholding('sms', reason),
    ])
    expect(await waiting(keeping)).toHaveLength(before.messages)
    expect(await sent(keeping)).toEqual([])
    expect((await withheld(keeping))[reason]).toBe(before.metric + 1)
  })

  test('what is no phone number is refused, whether SMS is on or off', async () => {
    for (const channel_sms of [true, false]) {
      owner = await settle(keeping, { channel_sms })
      for (const phone of ['4155550123', '+999 000 000 000', '+1', 'nobody', '']) {
        const reply = await generate({ phone })
        expect([phone, reply.status, reply.body.code]).toEqual([phone, 400, 'invalid_request'])
        expect(reply.body.errors[0].field).toBe('phone')
      }
    }
  })

  test('off by default; production without a provider sends none', async () => {
    const production = await startApp({ env: { NODE_ENV: 'production' } })
    owner = await settle(keeping, { channel_sms: null })
    const before = await withheld(keeping)
    expect((await generate({ phone: PHONE })).body.delivery).toEqual(withholding('sms', 'channel_off'))
    expect([await sent(keeping), await withheld(keeping)]).toEqual([[], before])
    owner = await settle(production)
    expect((await generate({ phone: PHONE })).body.delivery).toEqual(withholding('sms', 'no_provider'))
    expect([await sent(production), await waiting(production), await withheld(production)]).toEqual([
      [],
      [],
      { no_provider: 1 },
    ])
  })

  test('three messages a minute to one number, and none of the others is made', async () => {
    owner = await settle(keeping)
    const before = (await waiting(keeping)).length
    const replies = []
    for (const phone of [PHONE, '+1 415 555 0123', PHONE, PHONE, '+14155550124'])
      replies.push(succeeded(await generate({ phone })).delivery)
    expect(replies.map(({ reason }) => reason)).toEqual([null, null, null, 'recipient_limit', null])
    expect(await waiting(keeping)).toHaveLength(before + 4)
    expect(await sent(keeping)).toHaveLength(4)
  })

  test('two processes at once never make more messages a day than the ceiling', async () => {
    owner = await settle(keeping, { sms_daily_limit: 7 })
    const second = (await startSecondApp(keeping)).as(owner.key)
    const before = (await waiting(keeping)).length
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        (at % 2 ? owner : second).post('/v1/otp/generate', { subOrgId, phone: `+141555502${10 + at}` }),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    const reasons = replies.map(({ body }) => body.delivery.reason)
    expect([reasons.filter((reason) => reason === null), reasons.filter((reason) => reason === 'daily_limit')]).toEqual(
      [Array(7).fill(null), Array(23).fill('daily_limit')],
    )
    expect(await waiting(keeping)).toHaveLength(before + 7)
    expect(await sent(keeping)).toHaveLength(7)
    await keeping.advance(86_400)
    await generate({ phone: PHONE })
    expect(await waiting(keeping)).toHaveLength(before + 8)
    expect((await listKeptSms(keeping.app.platform, { limit: 1, to: null }))[0]).toMatchObject({
      to: PHONE,
      kind: 'otp',
    })
  })
})

test.each([['us'], ['UK'], ['XX'], ['USA'], ['US', 'US'], 'US', [1]])('%j are no countries', async (...countries) => {
  owner = await settle(keeping)
  const value = countries.length === 1 && countries[0] === 'US' ? 'US' : countries
  const reply = await owner.patch('/v1/otp/settings', { subOrgId, sms_allowed_countries: value })
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
})

test('the longest message is billed as one', () => {
  const longest = (words: readonly string[]) => [...words].sort((a, b) => b.length - a.length)[0]
  const code = `${longest(FIRST_WORDS)} ${longest(SECOND_WORDS)}`
  for (const ttlSeconds of [30, 119, 3600]) {
    const to = { phone: PHONE, locale: null }
    for (const use of ['otp', 'login_otp'] as const)
      for (const language of LANGUAGES) {
        const text = codeSms(to, { code, digitCode: '123456', ttlSeconds }, use).write(language)
        // With characters outside the GSM alphabet, a text message has 70 characters (3GPP TS 23.038 §6.1).
        expect([language, text.length <= (language === 'ja' ? 70 : 160)]).toEqual([language, true])
        if (language === 'en') expect(text).toMatch(/^[\x20-\x7e]+$/)
      }
  }
})

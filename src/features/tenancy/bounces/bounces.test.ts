import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Caller, type Reply, startApp, type Tenant } from '../../../../test/harness.ts'
import { startSmtpPeer } from '../../../../test/peers/smtp-peer.ts'
import { complaint, deliveryStatus } from '../../../../test/people/bounces.ts'
import { eraseAtOnce, findTexts } from '../../../../test/people/erasure.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { runJobs } from '../../../../test/people/jobs.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { cleanUpBounces } from '../../../platform/mail/bounces/cleanup.ts'
import { mailDelivery } from '../../../platform/mail/jobs.ts'

const peer = await startSmtpPeer({ withoutStarttls: true })
afterAll(() => peer.stop())
const service = await startApp({
  env: { SMTP_URL: `smtp://127.0.0.1:${peer.port}`, WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>' },
})
const second = await startSecondApp(service)
const { platform } = service.app
const DAY = 24 * 3600
const HOUR = 3600
let tenant: Tenant
let subOrgId: string
let email: string

beforeEach(async () => {
  tenant = await service.tenant()
  const person = await newUser(tenant)
  ;({ subOrgId, email } = person)
  peer.deliveries.length = 0
})

const verdict = ({ status, body }: Reply) => [status, body.code]
const report = (body: object, by: Caller = tenant) => by.post('/v1/mail/bounces', body)
const raw = (message: string, by: Caller = tenant, query = '') =>
  by.post(`/v1/mail/bounces${query}`, message, { 'content-type': 'message/rfc822' })
/** Reports soft bounces of an address, one an hour. */
async function softBounces(count: number, address = email): Promise<void> {
  for (let n = 0; n < count; n++) {
    await service.advance(HOUR)
    expect(outcomes(await report({ subOrgId, email: address, kind: 'soft' }))).toEqual([['soft', 'counted']])
  }
}
const outcomes = (reply: Reply) =>
  succeeded(reply).bounces.map((bounce: { kind: string; outcome: string }) => [bounce.kind, bounce.outcome])
const suppressed = async (by: Pick<Caller, 'get'> = tenant, query = '') =>
  succeeded(await by.get(`/v1/mail/suppressions${query}`)).suppressions.map(
    (row: { sub_org_id: string | null; email: string; reason: string }) => [row.sub_org_id, row.email, row.reason],
  )
const typesOf = async () =>
  (await service.events({ accountId: tenant.accountId }))
    .map(({ type }) => type)
    .filter((type) => /^mail\.[bs]/.test(type))

/** Mails a code. Returns the `Message-ID` of the mail, or null if none was sent. */
async function mailed(to = email, at = subOrgId): Promise<string | null> {
  // A code is not mailed again within a minute.
  await service.advance(61)
  const before = peer.deliveries.length
  succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId: at, email: to }))
  await runJobs(platform, mailDelivery.send)
  return peer.deliveries.slice(before).find((one) => one.to.includes(to))?.email.messageId ?? null
}

async function messageId(to = email, at = subOrgId): Promise<string> {
  const id = await mailed(to, at)
  if (id === null) throw new Error('Nothing was mailed')
  return id
}

describe('a report of address and kind', () => {
  test.each([
    ['hard', 'hard_bounce'],
    ['complaint', 'complaint'],
  ])('%s suppresses at once: in the organization that is named', async (kind, reason) => {
    const reply = succeeded(await report({ subOrgId, email: email.toUpperCase(), kind, provider_id: 'b-1' }))
    expect(reply.bounces).toEqual([
      {
        ...{ email, kind, status: null, outcome: 'counted', soft_bounces: 0 },
        suppression: expect.objectContaining({ sub_org_id: subOrgId, email, reason, source: 'report' }),
      },
    ])
    expect(await suppressed()).toEqual([[subOrgId, email, reason]])
    const other = await newUser(tenant, { email })
    expect([await mailed(), await mailed(email, other.subOrgId)]).toEqual([null, expect.any(String)])
  })

  test('without an organization it holds for each of the environment, and no other', async () => {
    const other = await newUser(tenant, { email })
    const staging = await tenant.withKey({ environment: 'staging' })
    succeeded(await report({ email, kind: 'hard' }))
    expect([await mailed(), await mailed(email, other.subOrgId)]).toEqual([null, null])
    expect([await suppressed(), await suppressed(staging)]).toEqual([[[null, email, 'hard_bounce']], []])
  })

  test('one that is sent again counts once; of another kind, address or organization it is another', async () => {
    const soft = { subOrgId, email, kind: 'soft', provider_id: 'b-1' }
    expect(outcomes(await report(soft))).toEqual([['soft', 'counted']])
    for (let n = 0; n < 3; n++) expect(outcomes(await report(soft))).toEqual([['soft', 'repeated']])
    expect([await suppressed(), await typesOf()]).toEqual([[], ['mail.bounced']])
    for (const more of [{ email: newEmail() }, { subOrgId: await tenant.organization() }, { kind: 'complaint' }])
      expect(outcomes(await report({ ...soft, ...more }))[0]?.[1]).toBe('counted')
    expect(await suppressed()).toEqual([[subOrgId, email, 'complaint']])
  })

  test('a third soft bounce suppresses, and without an id each counts', async () => {
    await softBounces(2)
    expect(await suppressed()).toEqual([])
    await softBounces(1)
    expect(await suppressed()).toEqual([[subOrgId, email, 'soft_bounces']])
    succeeded(await report({ subOrgId, email, kind: 'hard' }))
    expect(await suppressed()).toEqual([[subOrgId, email, 'hard_bounce']])
    await service.advance(2 * DAY)
    expect(await mailed()).toBeNull()
  })

  test('soft bounces within an hour count once towards the three, and each is recorded', async () => {
    const soft = { subOrgId, email, kind: 'soft' }
    for (let hour = 0; hour < 2; hour++) {
      for (let n = 0; n < 3; n++)
        expect(succeeded(await report(soft)).bounces).toMatchObject([{ outcome: 'counted', soft_bounces: hour + 1 }])
      await service.advance(HOUR - 1)
      succeeded(await report(soft))
      await service.advance(1)
    }
    expect([await suppressed(), await typesOf()]).toEqual([[], Array(8).fill('mail.bounced')])
    const third = { soft_bounces: 3, suppression: { reason: 'soft_bounces' } }
    expect(succeeded(await report(soft)).bounces).toMatchObject([third])
    expect(await suppressed()).toEqual([[subOrgId, email, 'soft_bounces']])
  })

  test('of two processes that report third bounces at once, one suppresses', async () => {
    for (let round = 0; round < 5; round++) {
      const address = newEmail()
      await softBounces(2, address)
      await service.advance(HOUR)
      const by = (n: number) => (n % 2 ? second.as(tenant.key) : tenant)
      const ids = ['a', 'a', 'b', 'b', 'c', 'c']
      const replies = await Promise.all(
        ids.map((id, n) => report({ subOrgId, email: address, kind: 'soft', provider_id: id }, by(n))),
      )
      expect(replies.flatMap(outcomes).filter(([, outcome]) => outcome === 'counted')).toHaveLength(3)
      expect(await suppressed(tenant, `?subOrgId=${subOrgId}&email=${address}`)).toHaveLength(1)
    }
    expect((await typesOf()).filter((type) => type === 'mail.suppressed')).toHaveLength(5)
    expect((await typesOf()).filter((type) => type === 'mail.bounced')).toHaveLength(25)
  })

  test.each([
    [{ kind: 'hard' }, 'email'],
    [{ email: 'ada@example.com' }, 'kind'],
    [{ email: 'Ada <ada@example.com>', kind: 'hard' }, 'email'],
    [{ email: 'ada@example.com', kind: 'dead' }, 'kind'],
    [{ email: 'ada@example.com', kind: 'hard', provider_id: '' }, 'provider_id'],
    [{ message: 'Hello', kind: 'hard' }, 'message'],
    [{ message: 'Hello' }, 'message'],
    [{}, 'email'],
  ])('refuses %j', async (body, field) => {
    const reply = await report({ subOrgId, ...body })
    expect([...verdict(reply), reply.body.errors[0].field]).toEqual([400, 'invalid_request', field])
    expect(await typesOf()).toEqual([])
  })
})

describe('a report about a mail', () => {
  test('counts for the organization that sent it, once, as message/rfc822 and in JSON', async () => {
    const other = await newUser(tenant, { email })
    const message = deliveryStatus({ to: email, messageId: await messageId() })
    const reply = succeeded(await raw(message))
    expect(reply.bounces).toMatchObject([
      {
        email,
        kind: 'hard',
        status: '5.1.1',
        outcome: 'counted',
        suppression: { sub_org_id: subOrgId, status: '5.1.1' },
      },
    ])
    expect(outcomes(await report({ message }))).toEqual([['hard', 'repeated']])
    expect(await suppressed()).toEqual([[subOrgId, email, 'hard_bounce']])
    expect([await mailed(), await mailed(email, other.subOrgId)]).toEqual([null, expect.any(String)])
  })

  test('a complaint, and a report of a provider that keeps the Message-ID', async () => {
    expect(outcomes(await raw(complaint({ to: email, messageId: await messageId() })))).toEqual([
      ['complaint', 'counted'],
    ])
    const next = await newUser(tenant, { subOrgId })
    const body = { email: next.email, kind: 'hard', message_id: await messageId(next.email), provider_id: 'b-9' }
    expect(outcomes(await report(body))).toEqual([['hard', 'counted']])
    expect(outcomes(await report({ ...body, provider_id: 'b-10' }))).toEqual([['hard', 'repeated']])
    expect((await suppressed()).map(([at]: [string]) => at)).toEqual([subOrgId, subOrgId])
  })

  test('one that the address was forwarded from counts for the address that was mailed', async () => {
    const forwarded = { to: 'new@other.example', originalRecipient: email, messageId: await messageId() }
    expect(outcomes(await raw(deliveryStatus(forwarded)))).toEqual([['hard', 'counted']])
    expect(await suppressed()).toEqual([[subOrgId, email, 'hard_bounce']])
  })

  test.each([
    ['a delay', { action: 'delayed', status: '4.4.1' }],
    ['a refusal of the sender', { status: '5.7.1' }],
  ])('%s does not count', async (_, options) => {
    const message = deliveryStatus({ to: email, messageId: await messageId(), ...options })
    const reply = await raw(message)
    expect(outcomes(reply)).toEqual([[null, 'not_counted']])
    expect(succeeded(reply).bounces).toMatchObject([{ soft_bounces: null, suppression: null }])
    expect(await typesOf()).toEqual([])
  })

  test('a forged one suppresses no address: for another address, altered, or made up', async () => {
    const victim = await newUser(tenant, { subOrgId })
    const mine = await messageId()
    const altered = mine.replace(/\.(.)/, (_, letter) => `.${letter === 'A' ? 'B' : 'A'}`)
    const forged = [
      deliveryStatus({ to: victim.email, messageId: mine }),
      deliveryStatus({ to: victim.email, originalRecipient: victim.email, messageId: mine }),
      complaint({ to: victim.email, messageId: mine }),
      complaint({ to: email, messageId: mine, named: [victim.email] }),
      deliveryStatus({ to: email, messageId: altered }),
      deliveryStatus({ to: email, messageId: '<a@acme.example>' }),
      deliveryStatus({ to: email, messageId: '' }),
    ]
    for (const message of forged)
      expect(succeeded(await raw(message)).bounces).toMatchObject([{ outcome: 'unknown_mail', soft_bounces: null }])
    const body = { email: victim.email, kind: 'hard', message_id: mine }
    expect(outcomes(await report(body))).toEqual([['hard', 'unknown_mail']])
    expect([await suppressed(), await typesOf()]).toEqual([[], []])
  })

  test.each([
    ['no report', 'Subject: Away\r\n\r\nI am away.', 400, 'invalid_request'],
    ['nothing', '', 400, 'invalid_request'],
    ['too much', 'a'.repeat(300_000), 400, 'invalid_request'],
    ['far too much', 'a'.repeat(600_000), 413, 'payload_too_large'],
  ])('refuses %s', async (_, message, status, code) => {
    expect(verdict(await raw(message))).toEqual([status, code])
  })

  test('no other route takes a message', async () => {
    const reply = await tenant.post('/v1/users', 'Subject: x\r\n\r\n', { 'content-type': 'message/rfc822' })
    expect(verdict(reply)).toEqual([415, 'unsupported_media_type'])
  })
})

describe('a key of one organization', () => {
  test('suppresses in its own alone, whatever it reports, and learns nothing of others', async () => {
    const victim = await newUser(tenant, {})
    const key = await tenant.withKey({ subOrgId })
    for (const body of [
      { email: victim.email, kind: 'complaint' },
      { subOrgId, email: victim.email, kind: 'hard' },
    ])
      expect(outcomes(await report(body, key))[0]?.[1]).toBe('counted')
    expect(verdict(await report({ subOrgId: victim.subOrgId, email: victim.email, kind: 'hard' }, key))).toEqual([
      403,
      'sub_org_mismatch',
    ])
    const elsewhere = await messageId(victim.email, victim.subOrgId)
    for (const reply of [
      await raw(deliveryStatus({ to: victim.email, messageId: elsewhere }), key),
      await report({ email: victim.email, kind: 'hard', message_id: elsewhere }, key),
    ])
      expect(succeeded(reply).bounces).toMatchObject([{ outcome: 'unknown_mail', suppression: null }])
    expect(await mailed(victim.email, victim.subOrgId)).not.toBeNull()
    expect(await suppressed(tenant, `?subOrgId=${victim.subOrgId}`)).toEqual([])
  })

  test('neither sees nor clears what holds for the environment or another organization', async () => {
    const key = await tenant.withKey({ subOrgId })
    const other = await newUser(tenant, { email })
    succeeded(await report({ email, kind: 'complaint' }))
    succeeded(await report({ subOrgId: other.subOrgId, email, kind: 'hard' }))
    const all = succeeded(await tenant.get('/v1/mail/suppressions')).suppressions
    expect(all).toHaveLength(2)
    expect(await suppressed(key)).toEqual([])
    const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${email}`))
    const view = (by: Pick<Caller, 'get'>) => by.get(`/v1/users/${users[0].id}`)
    expect(succeeded(await view(key)).email_suppression).toBeNull()
    const shown = { sub_org_id: null, reason: 'complaint' }
    expect(succeeded(await view(tenant)).email_suppression).toMatchObject(shown)
    const exported = (by: Pick<Caller, 'get'>) => by.get(`/v1/users/${users[0].id}/export`)
    expect(succeeded(await exported(key)).email_suppression).toBeNull()
    expect(succeeded(await exported(tenant)).email_suppression).toMatchObject(shown)
    for (const { id } of all)
      expect(verdict(await key.delete(`/v1/mail/suppressions/${id}`))).toEqual([404, 'suppression_not_found'])
    // The response to its own report also leaves out what the caller may not see.
    expect(succeeded(await report({ email, kind: 'soft' }, key)).bounces[0].suppression).toBeNull()
    expect(await suppressed()).toHaveLength(2)
  })

  test('sees by its own suppression no other: each mail that is withheld counts there', async () => {
    const key = await tenant.withKey({ subOrgId })
    const counted = async (by: Pick<Caller, 'get'>, query = '') =>
      succeeded(await by.get(`/v1/mail/suppressions?email=${email}${query}`)).suppressions.map(
        (row: { sub_org_id: string | null; withheld: number }) => [row.sub_org_id, row.withheld],
      )
    const environment = () => report({ email, kind: 'complaint' })
    for (const [first, next] of [
      [() => report({ email, kind: 'hard' }, key), environment],
      [environment, () => report({ email, kind: 'hard' }, key)],
    ] as const) {
      succeeded(await first())
      await service.advance(1)
      succeeded(await next())
      expect([await mailed(), await mailed()]).toEqual([null, null])
      expect(await counted(key)).toEqual([[subOrgId, 2]])
      const all = succeeded(await tenant.get(`/v1/mail/suppressions?email=${email}`)).suppressions
      expect(await counted(tenant)).toEqual(expect.arrayContaining([[null, 0]]))
      for (const { id, sub_org_id } of all)
        succeeded(await tenant.delete(`/v1/mail/suppressions/${id}${sub_org_id ? `?subOrgId=${sub_org_id}` : ''}`))
    }
    succeeded(await environment())
    expect([await mailed(), await counted(tenant)]).toEqual([null, [[null, 1]]])
  })

  test('needs the scopes', async () => {
    const reader = await tenant.withKey({ subOrgId, scopes: ['mail.read', 'users.*'] })
    expect(verdict(await report({ email, kind: 'hard' }, reader))).toEqual([403, 'insufficient_scope'])
    const writer = await tenant.withKey({ subOrgId, scopes: ['mail.write'] })
    expect(verdict(await writer.get('/v1/mail/suppressions'))).toEqual([403, 'insufficient_scope'])
    succeeded(await report({ email, kind: 'hard' }, writer))
    expect(await suppressed(reader)).toEqual([[subOrgId, email, 'hard_bounce']])
  })
})

test('a suppression is cleared once, in its place, and its soft bounces with it', async () => {
  await softBounces(3)
  const [{ id }] = succeeded(await tenant.get(`/v1/mail/suppressions?email=${email.toUpperCase()}`)).suppressions
  const clear = (query = '') => tenant.delete(`/v1/mail/suppressions/${id}${query}`)
  expect(verdict(await clear())).toEqual([404, 'suppression_not_found'])
  expect(verdict(await tenant.delete(`/v1/mail/suppressions/none?subOrgId=${subOrgId}`))).toEqual([
    404,
    'suppression_not_found',
  ])
  succeeded(await clear(`?subOrgId=${subOrgId}`))
  expect(verdict(await clear(`?subOrgId=${subOrgId}`))).toEqual([404, 'suppression_not_found'])
  succeeded(await report({ subOrgId, email, kind: 'soft' }))
  expect([await suppressed(), await mailed()]).toEqual([[], expect.any(String)])
  expect(await typesOf()).toEqual([
    ...['mail.bounced', 'mail.bounced', 'mail.bounced', 'mail.suppressed', 'mail.suppression_cleared'],
    'mail.bounced',
  ])
})

test('a report about a mail of an erased organization is about an unknown mail, and nothing of it is stored', async () => {
  const sent = await messageId()
  await eraseAtOnce(service, tenant, subOrgId)
  const reports = [
    () => raw(deliveryStatus({ to: email, messageId: sent })),
    () => raw(complaint({ to: email, messageId: sent })),
    () => report({ email, kind: 'soft', message_id: sent }),
  ]
  for (const send of reports)
    expect(succeeded(await send()).bounces).toMatchObject([{ outcome: 'unknown_mail', suppression: null }])
  expect([await findTexts(service, [email]), await typesOf()]).toEqual([{}, []])
})

// Tests with a Message-ID must come before this one: the ids in it come from the machine's clock, which is behind the
// test's clock from here on.
test('a report about a mail of more than 30 days ago does not count', async () => {
  const [old, next] = [await messageId(), await newUser(tenant, { subOrgId })]
  const other = await messageId(next.email)
  await service.advance(26 * DAY)
  expect(outcomes(await raw(deliveryStatus({ to: email, messageId: old })))).toEqual([['hard', 'counted']])
  await service.advance(5 * DAY)
  const late = await raw(deliveryStatus({ to: next.email, messageId: other }))
  expect(outcomes(late)).toEqual([['hard', 'unknown_mail']])
})

test('a report says how many soft bounces count, which each does for 7 days', async () => {
  await softBounces(2)
  const body = { subOrgId, email, kind: 'soft', provider_id: 'b-1' }
  const repeated = async () => {
    const [{ outcome, soft_bounces: count }] = succeeded(await report(body)).bounces
    return [outcome, count]
  }
  expect(await repeated()).toEqual(['counted', 2])
  await service.advance(7 * DAY - HOUR - 300)
  expect(await repeated()).toEqual(['repeated', 2])
  await service.advance(300)
  expect(await repeated()).toEqual(['repeated', 1])
  await service.advance(HOUR)
  expect(await repeated()).toEqual(['repeated', 0])
  await service.advance(9 * DAY)
  await cleanUpBounces.handle(platform, {}, 1)
  expect(await repeated()).toEqual(['repeated', 0])
  expect(await suppressed()).toEqual([])
})

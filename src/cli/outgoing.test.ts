import { afterAll, expect, test } from 'vitest'
import { startApp, until } from '../../test/harness.ts'
import { startSmtpPeer } from '../../test/peers/smtp-peer.ts'
import { startReceiver } from '../../test/peers/webhook-receiver.ts'
import { runJobs } from '../../test/people/jobs.ts'
import { newUser } from '../../test/people/people.ts'
import { deliverDue } from '../../test/people/webhook-delivery.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'
import { fanOut } from '../features/records/deliveries/fan-out.ts'
import { CONCURRENCY } from '../features/records/deliveries/limits.ts'
import { remindOfHold } from '../platform/lifecycle/deployment.ts'
import { mailDelivery } from '../platform/mail/jobs.ts'

const peer = await startSmtpPeer({ withoutStarttls: true })
afterAll(() => peer.stop())
const receiver = await startReceiver()
const app = await startApp({
  env: {
    SMTP_URL: `smtp://127.0.0.1:${peer.port}`,
    WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>',
    WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1',
  },
})
const { platform } = app.app
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
await tenant.post('/v1/webhooks', { subOrgId, name: 'Lake', url: `${receiver.url}/in`, events: ['user.created'] })

const outgoing = (...args: string[]) => runCommand(settingsOf(app), 'outgoing', ...args, '--json')
const sendCode = async (email: string) => {
  const reply = await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })
  expect(reply.status, reply.text).toBe(200)
}
const mailedTo = () => peer.deliveries.flatMap(({ to }) => to)
const webhooksOf = (email: string) => receiver.received.filter(({ body }) => body.includes(email)).length
const waiting = async () => (await outgoing()).json.waiting

/** Assigns every event to its webhooks, and delivers what is due. */
async function dispatch(pending: number): Promise<void> {
  await until(async () => {
    await fanOut(platform)
    return (await waiting()).webhooks === pending
  })
  while (await deliverDue(platform));
}

test('held messages wait in every process, and are released once', async () => {
  expect((await outgoing()).json).toEqual({
    held: false,
    since: null,
    because: null,
    waiting: { mails: 0, sms: 0, webhooks: 0 },
  })
  expect((await outgoing('release')).json).toEqual({ released: false, discarded: null })
  // Makes this process read that nothing is held.
  expect(await deliverDue(platform)).toBe(false)
  expect((await outgoing('hold')).json).toEqual({ held: true })
  const { email } = await newUser(tenant, { subOrgId })
  await sendCode(email)
  await runJobs(platform, mailDelivery.send)
  await mailDelivery.cleanUp.handle(platform, {}, 1)
  await dispatch(1)
  expect([mailedTo(), receiver.received.length]).toEqual([[], 0])
  expect((await outgoing()).json).toMatchObject({ because: 'requested', waiting: { mails: 1, sms: 0, webhooks: 1 } })
  const { stdout } = await runCommand(settingsOf(app), 'outgoing')
  expect(stdout).toMatch(
    /^Held since \S+\. Reason: `outgoing hold` ran\.\nWaiting: 1 mail, 0 text messages, 1 webhook delivery\.\n$/,
  )
  await remindOfHold.handle(platform, {}, 1)
  expect(app.logLines.at(-1)).toContain('watchword outgoing release')

  expect((await outgoing('release')).json).toMatchObject({ released: true, sending: { mails: 1, sms: 0 } })
  await until(async () => (await deliverDue(platform)) && webhooksOf(email) === 1)
  await runJobs(platform, mailDelivery.send)
  expect([mailedTo(), await waiting()]).toEqual([[email], { mails: 0, sms: 0, webhooks: 0 }])
})

test('release --discard drops what waited before the hold, and sends the rest', async () => {
  peer.deliveries.length = 0
  const { email: before } = await newUser(tenant, { subOrgId })
  await sendCode(before)
  await until(async () => {
    await fanOut(platform)
    return (await waiting()).webhooks === 1
  })
  await outgoing('hold')
  const { email: after } = await newUser(tenant, { subOrgId })
  await sendCode(after)
  await until(async () => {
    await fanOut(platform)
    return (await waiting()).webhooks === 2
  })
  await runJobs(platform, mailDelivery.send)
  const released = await outgoing('release', '--discard')
  expect(released.json).toMatchObject({ discarded: { mails: 1, sms: 0, webhooks: 1 }, sending: { mails: 1, sms: 0 } })
  await until(async () => (await deliverDue(platform)) && webhooksOf(after) === 1)
  await runJobs(platform, mailDelivery.send)
  expect([mailedTo(), webhooksOf(before)]).toEqual([[after], 0])
})

test('release --discard also drops events that were not handed to the queues of webhooks before the hold', async () => {
  const { email: before } = await newUser(tenant, { subOrgId })
  await outgoing('hold')
  const { email: after } = await newUser(tenant, { subOrgId })
  expect((await outgoing('release', '--discard')).json).toMatchObject({ released: true, discarded: { webhooks: 0 } })
  await until(async () => {
    await fanOut(platform)
    return (await deliverDue(platform)) && webhooksOf(after) === 1
  })
  expect(webhooksOf(before)).toBe(0)
})

test('codes that expire while they are held are not sent', async () => {
  peer.deliveries.length = 0
  await outgoing('hold')
  const { email: late } = await newUser(tenant, { subOrgId })
  await sendCode(late)
  await app.advance(3600)
  await outgoing('release')
  await runJobs(platform, mailDelivery.send)
  await mailDelivery.cleanUp.handle(platform, {}, 1)
  expect([mailedTo(), (await waiting()).mails]).toEqual([[], 0])
})

test('a hold that is set during a delivery stops the deliveries after the attempts under way', async () => {
  await outgoing('release')
  while (await deliverDue(platform));
  const emails = await Promise.all(Array.from({ length: 10 }, async () => (await newUser(tenant, { subOrgId })).email))
  const pending = await until(async () => {
    await fanOut(platform)
    const { webhooks } = await waiting()
    return webhooks >= emails.length && webhooks
  })
  receiver.received.length = 0
  const holding = Promise.withResolvers<unknown>()
  receiver.answer = () => {
    if (receiver.received.length === 1) holding.resolve(outgoing('hold'))
    return { status: 200, after: holding.promise }
  }
  while (await deliverDue(platform));
  const sent = receiver.received.length
  expect(sent).toBeLessThanOrEqual(CONCURRENCY)
  expect((await waiting()).webhooks).toBe(pending - sent)
  receiver.answer = () => ({ status: 200 })
  await outgoing('release')
  await until(async () => {
    await fanOut(platform)
    await deliverDue(platform)
    return emails.every((email) => webhooksOf(email) > 0)
  })
  expect(emails.map(webhooksOf)).toEqual(emails.map(() => 1))
})

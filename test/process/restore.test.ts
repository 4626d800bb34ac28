import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { administer, copyTemplate, databaseUrl } from '../database.ts'
import { type Caller, caller, type Reply, until } from '../harness.ts'
import { startSmtpPeer } from '../peers/smtp-peer.ts'
import { startReceiver } from '../peers/webhook-receiver.ts'
import { runCommand } from './cli.ts'
import { afterThisTest, type Service, startService } from './service.ts'

// A backup is restored while the deployment it was taken of goes on: nothing leaves the copy until the operator says so, and
// nothing that was used since is accepted there.

const succeed = (reply: Reply) => {
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}

async function newDatabase(template: string): Promise<string> {
  const name = `watchword_${randomUUID().replaceAll('-', '')}`
  await copyTemplate(inject('serverUrl'), template, name)
  afterThisTest(() => administer(inject('serverUrl'), `drop database if exists ${name} with (force)`))
  return name
}

async function prepare() {
  const peer = await startSmtpPeer({ withoutStarttls: true })
  afterThisTest(() => peer.stop())
  const receiver = await startReceiver()
  const source = await newDatabase(inject('template'))
  const key = randomBytes(32).toString('hex')
  const settings = (name: string) => ({
    DATABASE_URL: databaseUrl(inject('serverUrl'), name),
    // The issuer of the tokens, wherever it listens.
    WATCHWORD_BASE_URL: 'http://localhost:4000',
    WATCHWORD_MASTER_KEY: masterKey,
    WATCHWORD_BOOTSTRAP_API_KEY: key,
    WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1',
    SMTP_URL: `smtp://127.0.0.1:${peer.port}`,
    WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>',
  })
  const masterKey = randomBytes(32).toString('base64')
  /** The mail to an address, once it has come. */
  const mailTo = (email: string) =>
    until(async () => peer.deliveries.find(({ to }) => to.includes(email))?.email.text ?? null, 60_000)
  const mailedTo = (email: string) => peer.deliveries.filter(({ to }) => to.includes(email)).length
  const start = async (name: string) => {
    const service = await startService(settings(name))
    await service.ready()
    return { service, api: caller(service.baseUrl, key) }
  }
  return { peer, receiver, source, settings, start, mailTo, mailedTo }
}

async function stop({ child, ended }: Service): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

const newEmail = () => `p${randomUUID()}@example.com`
const codeIn = (text: string) => text.split('\n').find((line) => /^[a-z]+ [a-z]+$/.test(line)) ?? ''
const tokenIn = (text: string) => /token_hash=([0-9A-Za-z]+)/.exec(text)?.[1] ?? ''
const heldGauge = async ({ privateUrl }: Service) =>
  /^watchword_outgoing_held (\d)$/m.exec(await (await fetch(`${privateUrl}/metrics`)).text())?.[1]

async function countRows(url: string, from: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return Number((await client.query(`select count(*) from ${from}`)).rows[0].count)
  } finally {
    await client.end()
  }
}

/** An organization whose people sign in by code and link. */
async function makeOrganization(api: Caller) {
  const { subOrganization } = succeed(
    await api.post('/v1/organizations', { name: 'Globex', slug: `g-${randomUUID()}` }),
  )
  const subOrgId: string = subOrganization.id
  const newUser = () => newUserAt(api, subOrgId)
  const at = (api: Caller) => ({
    sendCode: async (email: string): Promise<string> =>
      succeed(await api.post('/v1/auth/login/otp/send', { subOrgId, email })).otp_id,
    sendLink: async (email: string) => succeed(await api.post('/v1/auth/login/magic-link/send', { subOrgId, email })),
    verifyCode: (email: string, otp_id: string, code: string) =>
      api.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }),
    verifyLink: (email: string, token_hash: string) =>
      api.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash }),
    refresh: (refresh_token: string) => api.post('/v1/auth/token/refresh', { subOrgId, refresh_token }),
    isActive: async (token: string) =>
      succeed(await api.post('/v1/auth/token/introspect', { subOrgId, token })).active === true,
    endSessions: async (userId: string) =>
      succeed(await api.delete(`/v1/users/${userId}/sessions?subOrgId=${subOrgId}`)),
  })
  return { subOrgId, newUser, at }
}

test('a restored backup sends nothing until it is released, and after recover accepts nothing from before', {
  timeout: 300_000,
}, async () => {
  const { peer, receiver, source, settings, start, mailTo, mailedTo } = await prepare()
  const first = await start(source)
  const { subOrgId, newUser, at } = await makeOrganization(first.api)
  const before = at(first.api)
  const hook = { subOrgId, name: 'Lake', url: `${receiver.url}/in`, events: ['user.created'] }
  succeed(await first.api.post('/v1/webhooks', hook))
  const [refreshing, ending, byCode, byLink, late] = [
    await newUser(),
    await newUser(),
    await newUser(),
    await newUser(),
    await newUser(),
  ]
  const signIn = async (email: string) => {
    const otp_id = await before.sendCode(email)
    return succeed(await before.verifyCode(email, otp_id, codeIn(await mailTo(email)))).session
  }
  const [kept, ended] = [await signIn(refreshing), await signIn(ending)]
  const otp_id = await before.sendCode(byCode)
  const code = codeIn(await mailTo(byCode))
  await before.sendLink(byLink)
  const link = tokenIn(await mailTo(byLink))
  await until(async () => receiver.received.length === 5)
  // What waits at the moment of the backup.
  await peer.stop()
  receiver.answer = () => ({ status: 500 })
  await before.sendCode(late)
  const delayed = await newUser()
  await until(async () => receiver.received.length === 6)
  await stop(first.service)
  const copy = await newDatabase(source)

  // The deployment goes on.
  await peer.start()
  receiver.answer = () => ({ status: 200 })
  const second = await start(source)
  expect(await heldGauge(second.service)).toBe('0')
  const later = at(second.api)
  succeed(await later.verifyCode(byCode, otp_id, code))
  succeed(await later.verifyLink(byLink, link))
  succeed(await later.refresh(kept.refresh_token))
  await later.endSessions(ended.directory_user_id)
  expect(await later.isActive(ended.access_token)).toBe(false)
  await mailTo(late)
  await until(async () => receiver.received.length >= 7, 60_000)
  await stop(second.service)
  const sent = { mails: peer.deliveries.length, webhooks: receiver.received.length }

  // The backup is restored.
  const third = await start(copy)
  const restored = at(third.api)
  const env = settings(copy)
  expect(third.service.stdout() + third.service.stderr()).toMatch(
    /restored backup or a copy.*watchword recover.*outgoing release/,
  )
  expect(await heldGauge(third.service)).toBe('1')
  expect((await third.service.readiness())?.status).toBe(200)
  const doctor = await runCommand(env, 'doctor', '--json')
  expect(doctor.json.findings).toContainEqual({
    check: 'outgoing',
    state: 'warning',
    detail: expect.stringMatching(/watchword recover.*outgoing release/),
  })
  expect((await runCommand(env, 'outgoing')).stdout).toMatch(/watchword recover.*outgoing release/)
  // The loss: what ended and was used is valid again.
  expect(await restored.isActive(ended.access_token)).toBe(true)
  const unlucky = await newUserAt(third.api, subOrgId)
  await restored.sendCode(unlucky)

  const recovered = await runCommand(env, 'recover', '--yes')
  expect([recovered.code, recovered.stdout], recovered.stderr).toEqual([0, expect.stringContaining('outgoing release')])
  expect(await restored.isActive(ended.access_token)).toBe(false)
  expect(await restored.isActive(kept.access_token)).toBe(false)
  expect((await restored.refresh(kept.refresh_token)).status).toBe(401)
  expect((await restored.verifyCode(byCode, otp_id, code)).status).toBe(401)
  expect((await restored.verifyLink(byLink, link)).body.code).toBe('token_expired')

  // A sign-in begins while messages are held.
  const newcomer = await newUserAt(third.api, subOrgId)
  const newOtp = await restored.sendCode(newcomer)
  await until(
    async () => (await countRows(env.DATABASE_URL, "graphile_worker.jobs where task_identifier = 'mail.send'")) === 0,
  )
  const waiting = await until(async () => {
    const { json } = await runCommand(env, 'outgoing', '--json')
    return json.waiting.webhooks === 3 ? json : null
  })
  expect(waiting).toMatchObject({ held: true, because: 'recovered', waiting: { mails: 1, sms: 0, webhooks: 3 } })
  expect({ mails: peer.deliveries.length, webhooks: receiver.received.length }).toEqual(sent)

  const released = await runCommand(env, 'outgoing', 'release', '--json')
  expect(released.json, released.stderr).toEqual({ released: true, discarded: null, sending: { mails: 1, sms: 0 } })
  const signedIn = await restored.verifyCode(newcomer, newOtp, codeIn(await mailTo(newcomer)))
  expect(succeed(signedIn).session.access_token).toEqual(expect.any(String))
  await until(async () => receiver.received.length >= sent.webhooks + 3, 60_000)
  await until(async () => (await countRows(env.DATABASE_URL, 'mail_outbox')) === 0)
  expect([mailedTo(newcomer), mailedTo(unlucky), mailedTo(late)]).toEqual([1, 0, 1])
  expect(receiver.received.filter(({ body }) => body.includes(delayed)).length).toBeGreaterThan(1)

  // The identity of the copy is known by now.
  await stop(third.service)
  const fourth = await start(copy)
  expect(await heldGauge(fourth.service)).toBe('0')
  expect(fourth.service.stdout() + fourth.service.stderr()).not.toContain('copy')
})

async function newUserAt(api: Caller, subOrgId: string): Promise<string> {
  const email = newEmail()
  succeed(await api.post('/v1/users', { subOrgId, email }))
  return email
}

const logOf = (service: Service) => service.stdout() + service.stderr()

test('recover and a release that run before the first start of a copy are in force after it', {
  timeout: 300_000,
}, async () => {
  const { source, settings, start, mailTo } = await prepare()
  const first = await start(source)
  const { newUser, at } = await makeOrganization(first.api)
  const email = await newUser()
  const before = at(first.api)
  const otp_id = await before.sendCode(email)
  const { session } = succeed(await before.verifyCode(email, otp_id, codeIn(await mailTo(email))))
  await stop(first.service)
  const [recovering, releasing] = [await newDatabase(source), await newDatabase(source)]

  const recovered = await runCommand(settings(recovering), 'recover', '--yes', '--json')
  expect(recovered.code, recovered.stderr).toBe(0)
  const second = await start(recovering)
  expect(await at(second.api).isActive(session.access_token)).toBe(false)
  expect((await at(second.api).refresh(session.refresh_token)).status).toBe(401)
  expect(await heldGauge(second.service)).toBe('1')
  // What recover has cured is not reported again.
  expect(logOf(second.service)).toMatch(/webhooks are held/)
  expect(logOf(second.service)).not.toMatch(/a copy|watchword recover/)
  await stop(second.service)

  const status = await runCommand(settings(releasing), 'outgoing')
  expect(status.stdout).toMatch(/holds messages from its next start.*watchword recover.*outgoing release/s)
  const released = await runCommand(settings(releasing), 'outgoing', 'release', '--json')
  expect(released.json).toMatchObject({ released: true })
  const third = await start(releasing)
  expect(await heldGauge(third.service)).toBe('0')
  expect(logOf(third.service)).not.toMatch(/a copy|are held/)
})

import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { caller, type Reply, until } from '../harness.ts'
import { type Delivery, makeCertificate, startSmtpPeer } from '../peers/smtp-peer.ts'
import { afterThisTest, makeDirectory, productionSettings, startService } from './service.ts'

export const BASE_URL = 'https://auth.example.com'
const MAIL_PASSWORD = 'p@ss word'
const SENDER = { name: 'Globex Sign-in', address: 'hello@acme.example' }
const REPLY_TO = { name: '', address: 'help@globex.example' }

/** A mail as its recipient sees it. */
export interface ReceivedMail {
  subject: string
  text: string
  /** Null if the mail has none. */
  link: { token: string; email: string; type: string } | null
  /** The word pair. */
  code: string | null
}

/** The service as it runs in production, mailing through a server that wants STARTTLS and a password. */
export async function startMailService() {
  const certificate = await makeCertificate()
  const peer = await startSmtpPeer({ certificate, password: MAIL_PASSWORD })
  afterThisTest(() => peer.stop())
  const trusted = join(makeDirectory(), 'mail-server.pem')
  writeFileSync(trusted, certificate.cert)
  const settings = await productionSettings()
  const service = await startService({
    ...settings,
    WATCHWORD_BASE_URL: BASE_URL,
    SMTP_URL: `smtp://login:${encodeURIComponent(MAIL_PASSWORD)}@127.0.0.1:${peer.port}`,
    WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>',
    NODE_EXTRA_CA_CERTS: trusted,
  })
  await service.ready()
  const database = new pg.Client({ connectionString: settings.DATABASE_URL })
  await database.connect()
  afterThisTest(() => database.end())
  const api = caller(service.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY)
  const received = new Set<string>()
  const waiting = async () => Number((await database.query('select count(*) from mail_outbox')).rows[0].count)

  /** A request that succeeds. */
  const post = async (path: string, body: object) => succeed(await api.post(path, body))

  return {
    service,
    peer,
    api,
    post,
    waiting,
    /** An organization with its own mail sender, open sign-up, and a lock after three failures. */
    async organization(): Promise<string> {
      const made = await post('/v1/organizations', { name: 'Globex', slug: `globex-${randomUUID()}` })
      const subOrgId = String(made.subOrganization.id)
      const sender = { from_name: SENDER.name, from_address: SENDER.address, reply_to: REPLY_TO.address }
      succeed(await api.patch('/v1/mail/settings', { subOrgId, ...sender }))
      const rules = { open_signup_default: true, lockout_max_attempts: 3 }
      succeed(await api.patch('/v1/auth/settings', { subOrgId, ...rules }))
      return subOrgId
    },
    /** Waits for the next mail to an address that was not received before, and takes it. */
    async receive(to: string): Promise<ReceivedMail> {
      const at = await until(async () => {
        const found = peer.deliveries.findIndex((delivery) => delivery.to.includes(to))
        return found < 0 ? null : { index: found }
      }, 90_000)
      const [delivery] = peer.deliveries.splice(at.index, 1)
      if (!delivery) throw new Error('The mail is gone')
      received.add(delivery.email.messageId ?? '')
      return read(delivery, to)
    },
    /** Waits until the outbox is empty, and takes what arrived and was not received before. */
    async unreceived(): Promise<{ to: string[]; subject: string | undefined; again: boolean }[]> {
      await until(async () => (await waiting()) === 0, 90_000)
      return peer.deliveries.splice(0).map(({ to, email }) => {
        return { to, subject: email.subject, again: received.has(email.messageId ?? '') }
      })
    },
    /** The count of one result on the private listener. */
    async counted(result: string): Promise<number> {
      const text = await (await fetch(`${service.privateUrl}/metrics`)).text()
      return Number(new RegExp(`^watchword_mails_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
    },
    /** A session as the application would check it. */
    async expectSession(subOrgId: string, reply: Reply): Promise<void> {
      const { session } = succeed(reply)
      const told = await post('/v1/auth/token/introspect', { subOrgId, token: session.access_token })
      expect(told).toMatchObject({ active: true })
    },
    /** Every client so far has presented the password, and only over an encrypted connection. */
    expectEncryptedLogins(): void {
      expect(peer.logins.length).toBeGreaterThan(0)
      for (const login of peer.logins) expect(login).toEqual({ user: 'login', password: MAIL_PASSWORD, secure: true })
    },
  }
}

export function succeed(reply: Reply) {
  if (reply.status !== 200) throw new Error(`Not 200: ${reply.status} ${reply.text}`)
  return reply.body
}

/** Reads a mail, and asserts what is true of all of them. */
function read(delivery: Delivery, to: string): ReceivedMail {
  const { email, raw } = delivery
  expect(delivery).toMatchObject({ from: 'login@acme.example', to: [to], secure: true, user: 'login' })
  expect(email.from).toEqual(SENDER)
  expect(email.replyTo).toEqual([REPLY_TO])
  expect(email.to).toMatchObject([{ address: to }])
  expect([email.cc ?? [], email.bcc ?? [], email.attachments]).toEqual([[], [], []])
  const types = raw.match(/^content-type: [a-z]+\/[a-z]+/gim)
  expect(types).toEqual(['Content-Type: multipart/alternative', 'Content-Type: text/plain', 'Content-Type: text/html'])
  const { subject = '', text = '', html = '' } = email
  const code = text.split('\n').find((line) => /^[a-z]+ [a-z]+$/.test(line)) ?? null
  const url = text.split('\n').find((line) => line.startsWith(`${BASE_URL}/auth/link?`))
  for (const found of `${text}\n${html}`.matchAll(/https?:\/\/[^/?\s"<]*/g)) expect(found[0]).toBe(BASE_URL)
  const { searchParams } = new URL(url ?? BASE_URL)
  const token = searchParams.get('token_hash') ?? ''
  if (url) {
    expect(html).toContain(`href="${url.replaceAll('&', '&amp;')}"`)
    expect(token).toMatch(/^[0-9A-Za-z]{50,}$/)
    expect(searchParams.get('email')).toBe(to)
    expect(subject).not.toContain(token)
  }
  if (code) {
    expect(html).toContain(code)
    expect(subject.toLowerCase()).not.toContain(code)
  }
  const link = url ? { token, email: to, type: searchParams.get('type') ?? '' } : null
  return { subject, text, link, code }
}

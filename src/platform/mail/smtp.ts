import type { Transporter } from 'nodemailer'
import { type Config, ConfigError } from '../config/config.ts'
import { readErrorField } from '../errors.ts'
import { DeliveryFailure } from '../outbox/delivery.ts'
import type { Platform } from '../platform.ts'
import { parseEmail } from './address.ts'
import { messageIdOf } from './bounces/message-id.ts'
import { readStatus } from './bounces/status.ts'
import type { WaitingMail } from './outbox.ts'
import { domainOf, readSender, senderOf } from './sender.ts'
import { codeOfSmtpError, cureOfSmtpCode } from './smtp-problem.ts'

/** A connection pool to the mail server. */
export interface MailServer {
  /** Sends within `SEND_TIMEOUT_MS`. Throws DeliveryFailure. */
  send(mail: WaitingMail): Promise<void>
  close(): void
}

const SEND_TIMEOUT_MS = 10_000
const GREETING_TIMEOUT_MS = 8000
const MAX_CONNECTIONS = 3

/** Opens the server of SMTP_URL, or returns null if it is not set. Connects with the first mail. Throws ConfigError. */
export function openMailServer(platform: Pick<Platform, 'config' | 'keyring'>): MailServer | null {
  const { config } = platform
  if (config.smtpUrl === null) return null
  const options = { ...readSmtpUrl(config.smtpUrl), ...LIMITS, pool: true as const }
  let transport: Transporter | null = null
  let isClosed = false
  const sender = readSender(config.mailFrom)
  const domain = domainOf(sender.address)
  return {
    async send(mail) {
      const to = parseEmail(mail.to)
      if (!to) throw new DeliveryFailure('BAD_RECIPIENT', true, false)
      const replyTo = mail.replyTo === null ? null : parseEmail(mail.replyTo)
      try {
        // Loaded with the first mail, because the start does not need it.
        const { createTransport } = await import('nodemailer')
        if (isClosed) throw new DeliveryFailure('CLOSED', false, false)
        transport ??= createTransport(options)
        await transport.sendMail({
          from: senderOf(config, mail.from),
          ...(replyTo ? { replyTo: { name: '', address: replyTo.email } } : {}),
          to: { name: '', address: to.email },
          // Never parsed from headers, because crafted addresses mislead parsers (GHSA-7rqj-j65f-68wh).
          envelope: { from: sender.address, to: [to.email] },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          messageId: messageIdOf(platform, mail, domain),
          date: mail.createdAt,
          // Prevents out-of-office replies (RFC 3834 §5).
          headers: { 'auto-submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
        })
      } catch (error) {
        throw toFailure(error)
      }
    },
    close() {
      isClosed = true
      transport?.close()
    },
  }
}

const LIMITS = {
  maxConnections: MAX_CONNECTIONS,
  // Closes idle connections before servers drop them, and so that a stopping process does not wait for them.
  idleTimeout: 5000,
  maxRequeues: 0,
  connectionTimeout: SEND_TIMEOUT_MS,
  // Shorter than the socket's timeout, so that the error says what the server did not send.
  greetingTimeout: GREETING_TIMEOUT_MS,
  socketTimeout: SEND_TIMEOUT_MS,
  dnsTimeout: SEND_TIMEOUT_MS,
  socketCloseTimeout: 1000,
  maxResponseSize: 64 * 1024,
}

/** Opens a connection for a single mail or check. Throws ConfigError. */
export async function openConnection(smtpUrl: string) {
  const { createTransport } = await import('nodemailer')
  return createTransport({ ...readSmtpUrl(smtpUrl), ...LIMITS })
}

/** Connects and signs in, for `doctor`. Throws ConfigError with a message that says what to do. */
export async function checkMailServer(config: Config): Promise<void> {
  if (config.smtpUrl === null) return
  readSender(config.mailFrom)
  const transport = await openConnection(config.smtpUrl)
  try {
    await transport.verify()
  } catch (error) {
    const { code } = toFailure(error)
    throw new ConfigError(`The mail server of SMTP_URL ${cureOfSmtpCode(code)} (${code}).`)
  } finally {
    transport.close()
  }
}

/** Describes what happens to mails, for start and `doctor`. `ok` is false if mails cannot be sent. */
export function describeMail(config: Config): { ok: boolean; line: string } {
  if (config.smtpUrl !== null) {
    const { host, port } = readSmtpUrl(config.smtpUrl)
    return { ok: true, line: `Email is sent through ${host}:${port}.` }
  }
  // Base URL: tells a developer where to read mails.
  if (!config.production) return { ok: true, line: `Email is kept, to be read at ${config.baseUrl}/dev/mail.` }
  const line = 'Email cannot be sent: it waits, and is dropped once it is of no use. Set SMTP_URL.'
  return { ok: false, line }
}

/**
 * Reads host, port and credentials from SMTP_URL. With credentials, the connection must be encrypted. Certificates are
 * always verified (NODE_EXTRA_CA_CERTS adds your own CA). Throws ConfigError.
 */
export function readSmtpUrl(url: string) {
  const { protocol, hostname, port, username, password, pathname, search } = new URL(url)
  // Options in the URL could turn off verification or print mails. They are refused instead of ignored, so that no one
  // believes they apply.
  if (!hostname || search || !['', '/'].includes(pathname))
    throw new ConfigError('SMTP_URL may only be smtp(s)://user:password@host:port: remove the rest.')
  const secure = protocol === 'smtps:'
  const auth = username ? { user: decode(username), pass: decode(password) } : undefined
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port ? Number(port) : secure ? 465 : auth ? 587 : 25,
    secure,
    requireTLS: auth !== undefined,
    auth,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigError('SMTP_URL has a bare % in its user or password: write it as %25.')
  }
}

/** Some servers use this status to refuse a single recipient. The mail is dropped after this time, in milliseconds. */
const POLICY_PATIENCE_MS = 60 * 60 * 1000

function toFailure(error: unknown): DeliveryFailure {
  const status = readErrorField(error, 'responseCode')
  const command = readErrorField(error, 'command')
  if (typeof status === 'number' && status > 0 && command !== 'STARTTLS') {
    const ofMessage = command === 'RCPT TO' || command === 'DATA'
    const answer = String(readErrorField(error, 'response') ?? '')
    const enhanced = readStatus(answer.slice(4))
    // A server that does not relay for this sender refuses every mail until its configuration is corrected.
    const isPolicy = command === 'RCPT TO' && enhanced !== null && enhanced.startsWith('5.7.')
    return new DeliveryFailure(
      `SMTP_${status}`,
      ofMessage && status >= 500 && status !== 503 && !isPolicy,
      !ofMessage || status === 421,
      {
        answer: ofMessage ? answer : null,
        smtpStatus: enhanced,
        ...(isPolicy ? { patienceMs: POLICY_PATIENCE_MS } : {}),
      },
    )
  }
  return new DeliveryFailure(codeOfSmtpError(error), false, true)
}

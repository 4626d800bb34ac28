import { createTransport } from 'nodemailer'
import { type Config, ConfigError } from '../config.ts'
import { DeliveryFailure } from '../outbox/delivery.ts'
import { parseEmail } from './address.ts'
import type { WaitingMail } from './outbox.ts'
import { domainOf, readSender, senderOf } from './sender.ts'

/** The way to the mail server. */
export interface MailServer {
  /** Sends within `SEND_TIMEOUT_MS`, or throws DeliveryFailure. */
  send(mail: WaitingMail): Promise<void>
  close(): void
}

const SEND_TIMEOUT_MS = 10_000
const MAX_CONNECTIONS = 3

/** Opens the way to the server of SMTP_URL; connects with the first mail. Throws ConfigError. */
export function openMailServer(config: Config): MailServer | null {
  if (config.smtpUrl === null) return null
  const transport = createTransport({ ...readSmtpUrl(config.smtpUrl), ...LIMITS, pool: true })
  const sender = readSender(config.mailFrom)
  const domain = domainOf(sender.address)
  return {
    async send(mail) {
      const to = parseEmail(mail.to)
      if (!to) throw new DeliveryFailure('BAD_RECIPIENT', true, false)
      const replyTo = mail.replyTo === null ? null : parseEmail(mail.replyTo)
      try {
        await transport.sendMail({
          from: senderOf(config, mail.from),
          ...(replyTo ? { replyTo: { name: '', address: replyTo.email } } : {}),
          to: { name: '', address: to.email },
          // Never derived from headers by a parser, which address tricks mislead (GHSA-7rqj-j65f-68wh).
          envelope: { from: sender.address, to: [to.email] },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          // The same for each try, so that a mail that came twice can be recognised (RFC 5322 §3.6.4).
          messageId: `<${mail.id}@${domain}>`,
          date: mail.createdAt,
          // No answers from holiday robots (RFC 3834 §5).
          headers: { 'auto-submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
        })
      } catch (error) {
        throw toFailure(error)
      }
    },
    close: () => transport.close(),
  }
}

const LIMITS = {
  maxConnections: MAX_CONNECTIONS,
  // Idle connections go before servers drop them and before a stopping process would have to wait for them.
  idleTimeout: 5000,
  maxRequeues: 0,
  connectionTimeout: SEND_TIMEOUT_MS,
  greetingTimeout: SEND_TIMEOUT_MS,
  socketTimeout: SEND_TIMEOUT_MS,
  dnsTimeout: SEND_TIMEOUT_MS,
  socketCloseTimeout: 1000,
  maxResponseSize: 64 * 1024,
}

/** Connects and signs in, for `doctor`. Throws ConfigError with what to do. */
export async function checkMailServer(config: Config): Promise<void> {
  if (config.smtpUrl === null) return
  readSender(config.mailFrom)
  const transport = createTransport({ ...readSmtpUrl(config.smtpUrl), ...LIMITS })
  try {
    await transport.verify()
  } catch (error) {
    const { code } = toFailure(error)
    throw new ConfigError(`The mail server of SMTP_URL does not take mail (${code}): check address, port and password.`)
  } finally {
    transport.close()
  }
}

/** What becomes of mails, for start and `doctor`; not `ok`: they cannot leave. */
export function describeMail(config: Config): { ok: boolean; line: string } {
  if (config.smtpUrl !== null) {
    const { host, port } = readSmtpUrl(config.smtpUrl)
    return { ok: true, line: `Mails leave through ${host}:${port}.` }
  }
  if (!config.production) return { ok: true, line: `Mails are kept, to be read at ${config.baseUrl}/dev/mail.` }
  const line = 'Mails cannot leave: they wait, and are dropped when they are of no use any more. Set SMTP_URL.'
  return { ok: false, line }
}

/**
 * Host, port and credentials of SMTP_URL. With credentials the connection is encrypted or there is none; certificates
 * are always verified (NODE_EXTRA_CA_CERTS adds a CA of one's own). Throws ConfigError.
 */
export function readSmtpUrl(url: string) {
  const { protocol, hostname, port, username, password, pathname, search } = new URL(url)
  // Options in a URL could turn verification off or print mails; nobody shall believe that one is in force.
  if (!hostname || search || !['', '/'].includes(pathname))
    throw new ConfigError('SMTP_URL has more than smtp(s)://user:password@host:port: remove the rest.')
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
    throw new ConfigError('SMTP_URL has a % in user or password that is not written as %25: correct it.')
  }
}

function toFailure(error: unknown): DeliveryFailure {
  const read = (key: string): unknown => (error instanceof Error ? Reflect.get(error, key) : undefined)
  const status = read('responseCode')
  const code = read('code')
  const command = read('command')
  if (typeof status === 'number' && status > 0) {
    const ofMessage = command === 'RCPT TO' || command === 'DATA'
    return new DeliveryFailure(
      `SMTP_${status}`,
      ofMessage && status >= 500 && status !== 503,
      !ofMessage || status === 421,
    )
  }
  return new DeliveryFailure(
    typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'EUNKNOWN',
    false,
    true,
  )
}

import { type Config, ConfigError } from '../config/config.ts'
import { readErrorField } from '../errors.ts'
import type { EmailAddress } from './address.ts'
import { readSender } from './sender.ts'
import { openConnection, readSmtpUrl } from './smtp.ts'
import { codeOfSmtpError, cureOfSmtpCode } from './smtp-problem.ts'

export const TEST_SUBJECT = 'Test email of Watchword'

const TEXT = [
  'An operator of this service sent this test with "npx watchword mail test".',
  'If you did not expect it, ignore it. Nothing has happened to any account.',
].join('\n\n')

/** A mail that the server accepted. */
export interface AcceptedMail {
  server: string
  from: string
  to: string
  /** The server's answer. */
  answer: string
}

/**
 * Sends one mail through the server of SMTP_URL at once, bypassing the outbox and suppressions. Throws ConfigError
 * with the server's answer, or with the reason why it cannot be reached.
 */
export async function sendTestMail(config: Config, { email: to }: EmailAddress): Promise<AcceptedMail> {
  if (config.smtpUrl === null) throw new ConfigError('SMTP_URL is not set: there is no mail server to send through.')
  const sender = readSender(config.mailFrom)
  const { host, port } = readSmtpUrl(config.smtpUrl)
  const connection = await openConnection(config.smtpUrl)
  try {
    const { response } = await connection.sendMail({
      from: sender,
      to: { name: '', address: to },
      envelope: { from: sender.address, to: [to] },
      subject: TEST_SUBJECT,
      text: TEXT,
      headers: { 'auto-submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return { server: `${host}:${port}`, from: sender.address, to, answer: String(response).trim() }
  } catch (error) {
    throw new ConfigError(explain(error, `${host}:${port}`))
  } finally {
    connection.close()
  }
}

function explain(error: unknown, server: string): string {
  const answer = readErrorField(error, 'response')
  const command = readErrorField(error, 'command')
  if (typeof answer === 'string' && (command === 'MAIL FROM' || command === 'RCPT TO' || command === 'DATA'))
    return `The mail server ${server} refuses the email: ${answer.trim()}`
  const code = codeOfSmtpError(error)
  const said = typeof answer === 'string' ? `: ${answer.trim()}` : ` (${code}).`
  return `The mail server ${server} ${cureOfSmtpCode(code)}${said}`
}

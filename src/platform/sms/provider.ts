import { type Static, Type } from 'typebox'
import type { Config, SmsProvider } from '../config/config.ts'
import { OutboundFailure, type OutboundResponse, outboundFetch } from '../outbound/http.ts'
import { DeliveryFailure, type Transport } from '../outbox/delivery.ts'
import type { Platform } from '../platform.ts'
import { fits } from '../validator.ts'
import type { OpenedSms, Sms } from './outbox.ts'

const SEND_TIMEOUT_MS = 10_000

/**
 * The transport to the provider of WATCHWORD_SMS_URL. It uses Twilio's Messages API, which other providers implement
 * too.
 */
export function openSmsProvider(platform: Platform): Transport<Sms> | null {
  const { sms: provider } = platform.config
  if (provider === null) return null
  return {
    send: async (sms) => assertAccepted(await post(platform, provider, sms)),
    // Each message uses its own connection, so there is nothing to close.
    close: () => undefined,
  }
}

async function post(platform: Platform, provider: SmsProvider, sms: OpenedSms): Promise<OutboundResponse> {
  const { endpoint, username, password, sender } = provider
  const credentials = Buffer.from(`${username}:${password}`).toString('base64')
  try {
    return await outboundFetch(platform, endpoint, {
      method: 'POST',
      headers: {
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: new URLSearchParams({ To: sms.to, [sender.parameter]: sender.value, Body: sms.text }).toString(),
      timeoutMs: SEND_TIMEOUT_MS,
    })
  } catch (error) {
    if (error instanceof OutboundFailure) throw new DeliveryFailure(error.code, false, true)
    throw error
  }
}

// Problems that may pass: an account being set up, a limit on concurrent requests, a temporary fault.
const PASSING = new Set([401, 402, 403, 404, 408, 425, 429])

/**
 * Treats 2xx as sent and most 4xx as a refusal of this message. Only the status decides: Twilio changes its error
 * codes and advises against relying on them, so they are only logged.
 */
function assertAccepted({ status, body }: OutboundResponse): void {
  if (status >= 200 && status < 300) return
  const refused = status >= 400 && status < 500 && !PASSING.has(status)
  throw new DeliveryFailure(`SMS_${status}${readCode(body)}`, refused, !refused)
}

const Problem = Type.Object({ code: Type.Integer({ minimum: 0, maximum: 999_999 }) })

function readCode(body: Buffer): string {
  try {
    const problem: unknown = JSON.parse(body.toString('utf8'))
    return isProblem(problem) ? `_${problem.code}` : ''
  } catch {
    return ''
  }
}

function isProblem(value: unknown): value is Static<typeof Problem> {
  return fits(Problem, value)
}

/** Describes what happens to text messages, for `doctor`. Production without a provider sends none, and needs none. */
export function describeSms(config: Config): string {
  if (config.sms !== null) return `Text messages are sent through ${new URL(config.sms.endpoint).host}.`
  if (config.production) return 'Off: WATCHWORD_SMS_URL is not set. Codes are sent by email only.'
  // Base URL: tells a developer where to read text messages.
  return `Text messages are kept, to be read at ${config.baseUrl}/dev/mail.`
}

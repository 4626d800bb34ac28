import { hashIdentity } from '../../platform/crypto/identity.ts'
import { invalidField } from '../../platform/errors.ts'
import { type EventInput, record } from '../../platform/events.ts'
import { claimSend, countSend } from '../../platform/http/send-limit.ts'
import { type EmailAddress, requireEmail } from '../../platform/mail/address.ts'
import { queueMail } from '../../platform/mail/outbox.ts'
import { queueSms, takesSms } from '../../platform/sms/outbox.ts'
import { type Phone, parsePhone } from '../../platform/sms/phone.ts'
import { inTx, type Work } from '../../platform/work.ts'
import type { FreshCode } from './codes.ts'
import { codeMail, codeSms } from './emails.ts'
import { otpEvents } from './events.ts'
import { type OtpSettings, toSendCeilings } from './settings.ts'
import { type GeneratedRow, insertOtpRow } from './store.ts'

/** The recipient of a generated code: an address, a phone, or both. */
interface Recipient {
  email: EmailAddress | null
  phone: Phone | null
  /** What the code is stored under; a newer one with the same identity voids it. */
  identity: string
}

/** Reads where a code is to be sent. Returns null for nowhere. Throws `invalid_request`. */
export function readRecipient(input: { email?: string | null; phone?: string | null }): Recipient | null {
  const email = typeof input.email === 'string' ? requireEmail(input.email) : null
  const phone = typeof input.phone === 'string' ? requirePhone(input.phone) : null
  const identity = email?.norm ?? phone?.e164
  return identity === undefined ? null : { email, phone, identity }
}

/** Throws `invalid_request`. */
export function requirePhone(text: string): Phone {
  const phone = parsePhone(text)
  if (phone) return phone
  throw invalidField('phone', 'phone', 'phone must be a phone number in international form, such as +14155550123')
}

interface CodeToSend {
  settings: OtpSettings
  recipient: Recipient
  row: GeneratedRow
  made: FreshCode
}

/** Stores a code for its recipient, which voids older ones, and sends it where the channel is on. */
export async function sendCode(work: Work, { settings, recipient, row, made }: CodeToSend): Promise<Date> {
  const email = settings.channel_email ? recipient.email : null
  if (email) await countSending(work, settings, email.norm, true)
  const phone = settings.channel_sms && recipient.phone ? await admitPhone(work, settings, recipient.phone) : null
  return inTx(work, async (work) => {
    const expiresAt = await insertOtpRow(
      work.db,
      work.directory,
      toRow(row, hashIdentity(work.platform, recipient.identity)),
      row.ttlSeconds,
    )
    const code = { ...made, ttlSeconds: row.ttlSeconds }
    if (email) await queueMail(work, codeMail(email.email, code), row.ttlSeconds)
    if (phone) await queueSms(work, codeSms(phone.e164, code), row.ttlSeconds)
    await record(
      work,
      ...(email ? [sentEvent(row, { email: email.email, delivery_method: 'email' })] : []),
      ...(phone ? [sentEvent(row, { phone: phone.e164, delivery_method: 'sms' })] : []),
    )
    return expiresAt
  })
}

function toRow(row: GeneratedRow, identity: Buffer) {
  return {
    id: row.id,
    purpose: 'generator',
    session_ref: row.sessionRef,
    identity,
    phrase_hash: row.phraseHash,
    digit_hash: row.digitHash,
    max_attempts: row.maxAttempts,
  }
}

type Destination = { email: string; delivery_method: 'email' } | { phone: string; delivery_method: 'sms' }

function sentEvent({ id, sessionRef }: GeneratedRow, to: Destination): EventInput {
  return otpEvents.sent({ target: { type: 'otp', id }, data: { otp_id: id, session_id: sessionRef, ...to } })
}

/** Counts before a message is composed, so that the generator cannot be used to flood anyone. */
async function countSending(work: Work, settings: OtpSettings, address: string, leaves: boolean): Promise<void> {
  const limits = [
    { bucket: 'otp.generate.minute', limit: settings.rate_limit_per_minute, windowSeconds: 60 },
    { bucket: 'otp.generate.hour', limit: settings.rate_limit_per_hour, windowSeconds: 3600 },
  ]
  const sending = { leaves, byAnyone: true, ceilings: toSendCeilings(settings) }
  await countSend(work, hashIdentity(work.platform, address), limits, sending)
}

/**
 * The phone, or null if no message may go there. Text messages cost money, and fraudsters request them by the thousand
 * for numbers that earn from receiving them (SMS pumping): hence only mobile numbers of listed countries, up to a daily
 * limit.
 */
export async function admitPhone(work: Work, settings: OtpSettings, phone: Phone): Promise<Phone | null> {
  const { platform, directory } = work
  const withhold = (reason: 'off' | 'number' | 'country' | 'daily_limit') => {
    platform.metrics.smsWithheld.inc({ reason })
    platform.log.info({ directoryId: directory.id, code: reason }, 'A text message was withheld')
    return null
  }
  if (!takesSms(platform)) return withhold('off')
  if (phone.country === null) return withhold('number')
  if (!settings.sms_allowed_countries.includes(phone.country)) return withhold('country')
  // Whether it leaves is known only below.
  await countSending(work, settings, phone.e164, false)
  const aDay = { bucket: 'sms.day', limit: settings.sms_daily_limit, windowSeconds: 86_400 }
  return (await claimSend(work, aDay, toSendCeilings(settings))) ? phone : withhold('daily_limit')
}

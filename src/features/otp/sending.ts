import { hashIdentity } from '../../platform/crypto/identity.ts'
import { type EventInput, record } from '../../platform/events.ts'
import { countSend } from '../../platform/http/send-limit.ts'
import { type EmailAddress, requireEmail } from '../../platform/mail/address.ts'
import { queueMail } from '../../platform/mail/outbox.ts'
import { admitPhone } from '../../platform/sms/limits.ts'
import { queueSms } from '../../platform/sms/outbox.ts'
import { type Phone, requirePhone } from '../../platform/sms/phone.ts'
import { inTx, type Work } from '../../platform/work.ts'
import type { FreshCode } from './codes.ts'
import { codeMail, codeSms } from './emails.ts'
import { otpEvents } from './events.ts'
import { type OtpSettings, sendLimits, toSendCeilings, toSmsLimits } from './settings.ts'
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

interface CodeToSend {
  settings: OtpSettings
  recipient: Recipient
  row: GeneratedRow
  made: FreshCode
}

/** Stores a code for its recipient, which voids older ones, and sends it where the channel is on. */
export async function sendCode(work: Work, { settings, recipient, row, made }: CodeToSend): Promise<Date> {
  const email = settings.channel_email ? recipient.email : null
  if (email) {
    // Counted before a message is composed, so that the generator cannot be used to flood anyone.
    const sending = { leaves: true, byAnyone: true, ceilings: toSendCeilings(settings) }
    await countSend(work, hashIdentity(work.platform, email.norm), sendLimits(settings, 'generate'), sending)
  }
  const to = settings.channel_sms ? recipient.phone : null
  const phone = to && (await admitPhone(work, toSmsLimits(settings), to))
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

import { hashIdentity } from '../../../../platform/crypto/identity.ts'
import { type EventInput, record } from '../../../../platform/events/events.ts'
import { type EmailAddress, requireEmail } from '../../../../platform/mail/address.ts'
import { findMailLimit } from '../../../../platform/mail/limits.ts'
import { queueMail } from '../../../../platform/mail/outbox.ts'
import type { Delivery } from '../../../../platform/outbox/delivery-state.ts'
import { findReasonToWithhold } from '../../../../platform/sms/limits.ts'
import { queueSms } from '../../../../platform/sms/outbox.ts'
import { type Phone, requirePhone } from '../../../../platform/sms/phone.ts'
import { inTx, type Work } from '../../../../platform/work.ts'
import type { FreshCode } from '../codes.ts'
import { codeMail, codeSms } from '../emails.ts'
import { otpEvents } from '../events.ts'
import { type OtpSettings, sendLimits, toSendCeilings, toSmsLimits } from '../settings.ts'
import { insertOtpRow } from '../store.ts'
import type { GeneratedRow } from './generator-store.ts'

/** The recipient of a generated code: an address, a phone number, or both. */
interface Recipient {
  email: EmailAddress | null
  phone: Phone | null
  /** The identity under which the code is stored. A newer code with the same identity voids it when it is sent. */
  identity: string
}

/** Reads the recipient of a code. Returns null if there is none. Throws `invalid_request`. */
export async function readRecipient(input: {
  email?: string | null
  phone?: string | null
}): Promise<Recipient | null> {
  const email = typeof input.email === 'string' ? requireEmail(input.email) : null
  const phone = typeof input.phone === 'string' ? await requirePhone(input.phone) : null
  const identity = email?.norm ?? phone?.e164
  return identity === undefined ? null : { email, phone, identity }
}

interface CodeToSend {
  settings: OtpSettings
  recipient: Recipient
  row: GeneratedRow
  made: FreshCode
}

/**
 * Stores a code for its recipient and sends it. A code that may not be sent, for whatever reason, is stored as
 * withheld and voids no code that was delivered before.
 */
export async function sendCode(work: Work, { settings, recipient, row, made }: CodeToSend) {
  const deliveries = await claimDeliveries(work, settings, recipient)
  const channels = deliveries.filter(({ reason }) => reason === null).map(({ channel }) => channel)
  const email = channels.includes('email') ? recipient.email : null
  const phone = channels.includes('sms') ? recipient.phone : null
  return inTx(work, async (work) => {
    const identity = hashIdentity(work.platform, recipient.identity)
    const { ttl_seconds: ttlSeconds, ...columns } = row
    const stored = { ...columns, purpose: 'generator', identity, withheld: channels.length === 0 }
    const expiresAt = await insertOtpRow(work.db, work.directory, stored, ttlSeconds)
    const code = { ...made, ttlSeconds }
    if (email) await queueMail(work, codeMail({ ...email, locale: null }, code), ttlSeconds)
    if (phone) await queueSms(work, codeSms({ phone: phone.e164, locale: null }, code), ttlSeconds)
    await record(
      work,
      ...(email ? [sentEvent(row, { email: email.email, delivery_method: 'email' })] : []),
      ...(phone ? [sentEvent(row, { phone: phone.e164, delivery_method: 'sms' })] : []),
    )
    return { expiresAt, deliveries }
  })
}

/** Deliveries are counted before a message is composed, so that the generator cannot be used to flood anyone. */
async function claimDeliveries(work: Work, settings: OtpSettings, { email, phone }: Recipient): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  if (email) {
    const limits = sendLimits(settings, 'generate')
    const find = () => findMailLimit(work, hashIdentity(work.platform, email.norm), limits, toSendCeilings(settings))
    deliveries.push({ channel: 'email', reason: settings.channel_email ? await find() : 'channel_off' })
  }
  if (phone) {
    const find = () => findReasonToWithhold(work, toSmsLimits(settings), phone)
    deliveries.push({ channel: 'sms', reason: settings.channel_sms ? await find() : 'channel_off' })
  }
  return deliveries
}

type Destination = { email: string; delivery_method: 'email' } | { phone: string; delivery_method: 'sms' }

function sentEvent({ id, session_ref }: GeneratedRow, to: Destination): EventInput {
  return otpEvents.sent({ target: { type: 'otp', id }, data: { otp_id: id, session_id: session_ref, ...to } })
}

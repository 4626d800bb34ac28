import { hashIdentity } from '../crypto/identity.ts'
import type { RateLimit } from '../limits/rate-limit.ts'
import { claimSend, countSend, findSendLimit, type SendCeilings, type SendLimitReason } from '../limits/send-limit.ts'
import type { Work } from '../work.ts'
import { takesSms } from './outbox.ts'
import type { Phone } from './phone.ts'

/**
 * Where text messages may go, and how many. They cost money, and fraudsters request thousands of them for numbers that
 * earn from receiving them (SMS pumping). So messages go only to mobile numbers in listed countries, up to a daily
 * limit.
 */
export interface SmsLimits {
  countries: readonly string[]
  perDay: number
  /** Limits for one number. */
  ofNumber: RateLimit[]
  ceilings: SendCeilings
}

/** Why a text message is not sent, as the API and the metrics name it. */
export type SmsWithheldReason =
  | 'no_provider'
  | 'number_not_mobile'
  | 'country_not_allowed'
  | 'daily_limit'
  | SendLimitReason

/** Whether a message may go to a phone. Throws `rate_limited` if the number has had too many messages. */
export async function claimSms(work: Work, limits: SmsLimits, phone: Phone): Promise<boolean> {
  const reason = reasonAgainst(work, limits, phone)
  if (reason === null) {
    await countSend(work, hashIdentity(work.platform, phone.e164), limits.ofNumber, sendingOf(limits, true))
    if (await claimDay(work, limits, true)) return true
  }
  noteWithheld(work, reason ?? 'daily_limit')
  return false
}

/** Checks the same for requests that are not refused. Returns why no message may go to the phone, or null. */
export async function findReasonToWithhold(
  work: Work,
  limits: SmsLimits,
  phone: Phone,
): Promise<SmsWithheldReason | null> {
  const reason =
    reasonAgainst(work, limits, phone) ??
    (await findSendLimit(work, hashIdentity(work.platform, phone.e164), limits.ofNumber, sendingOf(limits, true))) ??
    ((await claimDay(work, limits, true)) ? null : 'daily_limit')
  if (reason) noteWithheld(work, reason)
  return reason
}

/**
 * Checks the same for requests that anyone can make and whose response must not reveal whether a user has a phone.
 * Nothing is refused. Without a phone, the same statements count `standIn`, a keyed hash. Half of the limits of the
 * number and of the day is reserved for users who request a message to their own phone, so that strangers cannot use
 * it up.
 */
export async function claimSmsQuietly(
  work: Work,
  limits: SmsLimits,
  { phone, standIn }: { phone: Phone | null; standIn: Buffer },
): Promise<boolean> {
  const number = phone ? hashIdentity(work.platform, phone.e164) : standIn
  const half = { ...limits, perDay: halfOf(limits.perDay) }
  const limit = await findHalfLimit(work, limits, number)
  const reason = phone && (reasonAgainst(work, limits, phone) ?? limit)
  const leaves = phone !== null && reason === null
  const isLeft = await claimDay(work, half, leaves)
  if (leaves && isLeft) return true
  if (phone) noteWithheld(work, reason ?? 'daily_limit')
  return false
}

function reasonAgainst(
  { platform, directory }: Work,
  { countries }: SmsLimits,
  { country }: Phone,
): SmsWithheldReason | null {
  if (!takesSms(platform)) return 'no_provider'
  if (country === null) return 'number_not_mobile'
  // Members of the account's own team are few and known, and have no settings.
  return directory.kind === 'console' || countries.includes(country) ? null : 'country_not_allowed'
}

function noteWithheld({ platform, directory }: Work, reason: SmsWithheldReason): void {
  platform.metrics.smsWithheld.inc({ reason })
  platform.log.info({ directoryId: directory.id, code: reason }, 'A text message was withheld')
}

// Counts no shared limit yet: whether the message is sent is known only once a message of the day is left.
const sendingOf = ({ ceilings }: SmsLimits, byAnyone: boolean) => ({ leaves: false, byAnyone, ceilings })

const halfOf = (limit: number) => Math.max(1, Math.floor(limit / 2))

function findHalfLimit(work: Work, limits: SmsLimits, identity: Buffer): Promise<SendLimitReason | null> {
  const { ofNumber } = limits
  const half = ofNumber.map((each) => ({ ...each, bucket: `${each.bucket}.half`, limit: halfOf(each.limit) }))
  // The network was counted together with the address.
  return findSendLimit(work, identity, half, { ...sendingOf(limits, false), within: ofNumber })
}

const claimDay = (work: Work, { perDay, ceilings }: SmsLimits, takes: boolean) =>
  claimSend(work, { bucket: 'sms.day', limit: perDay, windowSeconds: 86_400 }, ceilings, takes)

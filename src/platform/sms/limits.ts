import { hashIdentity } from '../crypto/identity.ts'
import { ApiError, httpErrors } from '../errors.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { claimSend, countSend, type SendCeilings } from '../http/send-limit.ts'
import type { Work } from '../work.ts'
import { takesSms } from './outbox.ts'
import type { Phone } from './phone.ts'

/**
 * Where text messages may go, and how many. They cost money, and fraudsters request them by the thousand for numbers that
 * earn from receiving them (SMS pumping): hence only mobile numbers of listed countries, up to a daily limit.
 */
export interface SmsLimits {
  countries: readonly string[]
  perDay: number
  /** Of one number. */
  ofNumber: RateLimit[]
  ceilings: SendCeilings
}

/** The phone, or null if no message may go there. Throws `rate_limited` when the number has had too many. */
export async function admitPhone(work: Work, limits: SmsLimits, phone: Phone): Promise<Phone | null> {
  const reason = reasonAgainst(work, limits, phone)
  if (reason) return withhold(work, reason)
  await countNumber(work, limits, hashIdentity(work.platform, phone.e164), true)
  return (await claimDay(work, limits, true)) ? phone : withhold(work, 'daily_limit')
}

/**
 * The same where the answer must not tell whether anybody has a phone: nothing is refused, and without a phone `standIn`, a
 * keyed hash, is counted in its place, by the same statements.
 */
export async function admitQuietly(
  work: Work,
  limits: SmsLimits,
  { phone, standIn }: { phone: Phone | null; standIn: Buffer },
): Promise<boolean> {
  const number = phone ? hashIdentity(work.platform, phone.e164) : standIn
  // The network that asks was counted with the address.
  const isWithin = await countNumber(work, limits, number, false).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.definition.code === httpErrors.rateLimited.code) return false
      throw error
    },
  )
  const reason = phone && (reasonAgainst(work, limits, phone) ?? (isWithin ? null : 'number_limit'))
  const leaves = phone !== null && reason === null
  const isLeft = await claimDay(work, limits, leaves)
  if (leaves && isLeft) return true
  if (phone) withhold(work, reason ?? 'daily_limit')
  return false
}

type Reason = 'off' | 'number' | 'country' | 'number_limit' | 'daily_limit'

function reasonAgainst({ platform }: Work, { countries }: SmsLimits, { country }: Phone): Reason | null {
  if (!takesSms(platform)) return 'off'
  if (country === null) return 'number'
  return countries.includes(country) ? null : 'country'
}

function withhold({ platform, directory }: Work, reason: Reason): null {
  platform.metrics.smsWithheld.inc({ reason })
  platform.log.info({ directoryId: directory.id, code: reason }, 'A text message was withheld')
  return null
}

// Whether it leaves is known only when a message of the day is left.
const countNumber = (work: Work, { ofNumber, ceilings }: SmsLimits, identity: Buffer, byAnyone: boolean) =>
  countSend(work, identity, ofNumber, { leaves: false, byAnyone, ceilings })

const claimDay = (work: Work, { perDay, ceilings }: SmsLimits, takes: boolean) =>
  claimSend(work, { bucket: 'sms.day', limit: perDay, windowSeconds: 86_400 }, ceilings, takes)

import { hashIdentity, type Identity } from '../crypto/identity.ts'
import { countAct, type RateLimit, type RateState } from '../limits/rate-limit.ts'
import {
  countSend,
  findSendLimit,
  type SendCeilings,
  type Sending,
  type SendLimitReason,
} from '../limits/send-limit.ts'
import { defineSlot } from '../platform.ts'
import type { Work } from '../work.ts'

// Slot: the platform knows no feature, and these settings belong to one.
/** How many messages the organization and the API key of a request may send in an hour. */
export const sendCeilings = defineSlot<(work: Work) => Promise<SendCeilings>>('the ceilings of messages')

// Limits over all kinds of mail, so that many routes together cannot flood one address.
const ofAnyKind: RateLimit[] = [
  { bucket: 'mail.minute', limit: 10, windowSeconds: 60 },
  { bucket: 'mail.hour', limit: 30, windowSeconds: 3600 },
]

/** Counts a mail to an address before the mail is composed. Throws `rate_limited`. */
export async function countMail(work: Work, who: Identity, limits: RateLimit[], sending: Sending): Promise<RateState> {
  const ceilings = await sendCeilings.of(work.platform)(work)
  return countSend(work, who.hash, [...limits, ...ofAnyKind], { ...sending, ceilings })
}

const ofNotices: RateLimit[] = [{ bucket: 'notice.hour', limit: 60, windowSeconds: 3600 }]

/**
 * Counts the notice of a change that a key makes to a user, because endless changes would mail the address without
 * limit. The limit is separate from those for codes and links: strangers who request these must not prevent a change,
 * and changes of many users must not prevent sign-ins. Throws `rate_limited`.
 */
export async function countNotice(work: Work, user: { email_norm: string }): Promise<void> {
  await countAct(work, hashIdentity(work.platform, user.email_norm), ofNotices)
}

/**
 * Counts a mail that anyone may request and that is withheld beyond a limit. Returns the owner of that limit, or null
 * if the mail may be sent.
 */
export async function findMailLimit(
  work: Work,
  target: Buffer,
  limits: RateLimit[],
  ceilings: SendCeilings,
): Promise<SendLimitReason | null> {
  const { platform, directory } = work
  const reason = await findSendLimit(work, target, limits, { leaves: true, byAnyone: true, ceilings })
  if (reason === null) return null
  platform.metrics.mailWithheld.inc({ reason })
  platform.log.info({ directoryId: directory.id, code: reason }, 'A mail was withheld')
  return reason
}

import { Type } from 'typebox'
import { identify } from '../../../platform/crypto/identity.ts'
import { record } from '../../../platform/events/events.ts'
import type { RateLimit, RateState } from '../../../platform/limits/rate-limit.ts'
import { maskEmail, requireEmail } from '../../../platform/mail/address.ts'
import { countMail } from '../../../platform/mail/limits.ts'
import { fits } from '../../../platform/validator.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { assertActive, assertDoorOpen, assertMaySignIn } from '../../access/login/login.ts'
import { proveMailbox } from '../../directory/users/proof/proof.ts'
import { ensureAuthAccount, findUserForUpdate, getUser, type UserRow } from '../../directory/users/users.ts'
import { type LinkRow, linkErrors } from '../links/links.ts'
import { consumeLink, redeemLink } from '../links/presented/presented.ts'
import { defineMailedPurpose } from '../links/purposes/purposes.ts'
import { type LinkDelivery, mailLink } from '../links/send-link/send-link.ts'
import { hasPassword, provePassword } from '../password/password.ts'
import { verificationMail } from './emails.ts'
import { emailVerificationEvents } from './events.ts'
import { emailVerificationSettings } from './settings.ts'

export { emailVerificationEvents } from './events.ts'
export { emailVerificationSettings } from './settings.ts'

export const verificationPurpose = defineMailedPurpose('email_verification', 'verification', { opensNothing: true })
const limits: RateLimit[] = [
  { bucket: 'email_verification.send.minute', limit: 3, windowSeconds: 60 },
  { bucket: 'email_verification.send.hour', limit: 10, windowSeconds: 3600 },
]

/** Details of the link that a sign-up mails. Redeeming the link also confirms the data entered at the sign-up. */
const OfSignup = Type.Object({ signup: Type.Literal(true) })

const byMail: LinkDelivery = { redirectTo: null, deliver: true }

/**
 * Issues and mails the link that verifies a user's address, in the transaction of the sign-up or of the request for a
 * new link. Returns the link if it is not mailed.
 */
export async function mailVerification(
  work: TxWork,
  user: Pick<UserRow, 'id' | 'email' | 'email_norm' | 'locale'>,
  how: { signup: true } | { delivery: LinkDelivery },
): Promise<string | null> {
  const settings = await emailVerificationSettings.effective(work)
  const link = await mailLink(work, {
    purpose: verificationPurpose,
    who: identify(work.platform, { email: user.email, norm: user.email_norm }),
    locale: user.locale,
    userId: user.id,
    decoy: null,
    ttlSeconds: settings.email_verification_ttl_seconds,
    ...('signup' in how ? { delivery: byMail, details: how } : how),
    compose: (_, mail) => verificationMail(mail),
  })
  await record(
    work,
    emailVerificationEvents.sent({
      target: { type: 'user', id: user.id },
      data: { link_id: link.linkId, channel: 'email' },
    }),
  )
  return link.url
}

/**
 * Mails the link again, and creates the auth account if it is missing. Returns null if the address is already
 * verified. Throws `user_not_found`, `user_locked`, `user_inactive`, `rate_limited`, `organization_suspended`,
 * `account_locked`.
 */
export async function resendVerification(
  work: Work,
  userId: string,
  delivery: LinkDelivery,
): Promise<{ deliveryHint: string; url: string | null; rate: RateState } | null> {
  const user = await getUser(work, userId)
  if (user.email_verified) return null
  assertActive(user)
  const who = identify(work.platform, { email: user.email, norm: user.email_norm })
  await assertDoorOpen(work, who)
  const rate = await countMail(work, who, limits, { leaves: delivery.deliver, byAnyone: false })
  return inTx(work, async (work) => {
    // A pending sign-up gets no auth account before the mailbox is proved by this link.
    if (user.pending_until === null) await ensureAuthAccount(work, user)
    return { deliveryHint: maskEmail(user.email), url: await mailVerification(work, user, { delivery }), rate }
  })
}

/**
 * Redeems the link. The first proof of the mailbox ends every session and removes a password that was set before,
 * unless `password` matches it, which shows that the same person signed up. The data entered at the sign-up is kept in
 * that case, and also if the link comes from the sign-up and the user has no password.
 * Throws `token_invalid`, `token_expired`, what the gates throw, and with a password `invalid_credentials` and
 * `method_disabled`, which leave the link valid.
 */
export async function verifyEmail(
  work: Work,
  presented: { email: string; token: string; password?: string },
): Promise<{ userId: string; directoryUserId: string }> {
  const { email, token, password } = presented
  const who = identify(work.platform, requireEmail(email))
  return redeemLink(work, { who, token, purposes: [verificationPurpose] }, async ({ link, facts }) => {
    if (facts) await assertMaySignIn(work, facts)
    if (!facts || facts.user_id !== link.user_id) throw linkErrors.tokenInvalid()
    if (password !== undefined) await provePassword(work, who, facts, password)
    const whose = { id: facts.user_id, emailNorm: who.address.norm, epoch: facts.epoch }
    const verified = await redeem(work, link, whose, password !== undefined)
    // Another request used the link first, or the user's address has changed.
    if (!verified) throw linkErrors.tokenInvalid()
    return verified
  })
}

function redeem(
  work: Work,
  link: LinkRow,
  whose: { id: string; emailNorm: string; epoch: number },
  keepsPassword: boolean,
) {
  return inTx(work, async (work) => {
    const user = await findUserForUpdate(work, whose.id)
    if (user?.email_norm !== whose.emailNorm) return null
    // If the proved password was replaced meanwhile, the new password must not be kept on the strength of the old one.
    if (keepsPassword && user.epoch !== whose.epoch) return null
    if (!(await consumeLink(work, link))) return null
    const profile = fits(OfSignup, link.details) && !(await hasPassword(work.db, work.directory, user.id))
    await proveMailbox(work, user, { linkId: link.id, password: keepsPassword, profile, by: link.purpose })
    return { userId: await ensureAuthAccount(work, user), directoryUserId: user.id }
  })
}

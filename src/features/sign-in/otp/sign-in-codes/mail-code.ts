import type { Identity } from '../../../../platform/crypto/identity.ts'
import { record } from '../../../../platform/events/events.ts'
import { maskEmail } from '../../../../platform/mail/address.ts'
import { countMail } from '../../../../platform/mail/limits.ts'
import { queueMail } from '../../../../platform/mail/outbox.ts'
import { inTx, type Work } from '../../../../platform/work.ts'
import { assertDoorOpen } from '../../../access/login/login.ts'
import { signInMail } from '../emails.ts'
import { codeSent } from '../events.ts'
import { mailedCodeSettings, sendLimits } from '../settings.ts'
import { findLiveOtp, issueOtp } from './issued-codes.ts'
import type { SentCode } from './sign-in.ts'

/**
 * Mails a code that proves a mailbox, for a step-up or a discovery. Does not check whether the address has a user.
 * Within `resend_interval_seconds` the last code stays valid and no new one is sent.
 * Throws `rate_limited`, `organization_suspended`, `account_locked`, `method_disabled`.
 */
export async function mailCode(
  work: Work,
  { purpose, who, userId }: { purpose: 'step_up' | 'discovery'; who: Identity; userId: string | null },
): Promise<SentCode> {
  const settings = await mailedCodeSettings(work)
  const { address, hash: identity } = who
  const { person } = await assertDoorOpen(work, who)
  const live = await findLiveOtp(work, { purpose, identity, newerThanSeconds: settings.resend_interval_seconds })
  const rate = await countMail(work, who, sendLimits(settings), { leaves: live === null, byAnyone: userId === null })
  const { otpId, expiresAt } =
    live ??
    (await inTx(work, async (work) => {
      const otp = await issueOtp(work, { purpose, userId, identity, settings })
      await queueMail(work, signInMail({ ...address, locale: person?.locale ?? null }, purpose, otp), otp.ttlSeconds)
      await record(work, codeSent({ otpId: otp.otpId, purpose, userId }))
      return otp
    }))
  return { otpId, expiresAt, deliveryHint: maskEmail(address.email), rate }
}

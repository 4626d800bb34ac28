import { identify } from '../../platform/crypto/identity.ts'
import { record } from '../../platform/events.ts'
import { maskEmail } from '../../platform/mail/address.ts'
import { countMail } from '../../platform/mail/limits.ts'
import { queueMail } from '../../platform/mail/outbox.ts'
import { inTx, type Work } from '../../platform/work.ts'
import { assertDoorOpen, loginErrors } from '../login/login.ts'
import {
  findLiveOtp,
  issueOtp,
  type OtpSettings,
  otpEvents,
  otpSettings,
  type SentCode,
  sendLimits,
  signInMail,
} from '../otp/otp.ts'

/** The settings where codes may be mailed. Throws `method_disabled`. */
export async function mailedCodeSettings(work: Work): Promise<OtpSettings> {
  const settings = await otpSettings(work)
  if (settings.channel_email) return settings
  throw loginErrors.methodDisabled({ detail: 'Codes cannot be sent by email here.' })
}

/**
 * Mails a code to somebody who has signed in, by which they prove again that the mailbox is theirs. Throws `rate_limited`,
 * `organization_suspended`, `account_locked`, `method_disabled`.
 */
export async function mailStepUpCode(work: Work, user: { id: string; email: string; email_norm: string }) {
  const settings = await mailedCodeSettings(work)
  const who = identify(work.platform, { email: user.email, norm: user.email_norm })
  await assertDoorOpen(work, who)
  const purpose = 'step_up'
  const newerThanSeconds = settings.resend_interval_seconds
  const live = await findLiveOtp(work, { purpose, identity: who.hash, newerThanSeconds })
  const rate = await countMail(work, who, sendLimits(settings), { leaves: live === null, byAnyone: false })
  const sent =
    live ??
    (await inTx(work, async (work) => {
      const otp = await issueOtp(work, { purpose, userId: user.id, identity: who.hash, settings })
      await queueMail(work, signInMail(user.email, purpose, otp), otp.ttlSeconds)
      const data = { otp_id: otp.otpId, purpose, channel: 'email' } as const
      await record(work, otpEvents.sent({ target: { type: 'user', id: user.id }, data }))
      return otp
    }))
  const { otpId, expiresAt } = sent
  return { otpId, expiresAt, deliveryHint: maskEmail(user.email), rate } satisfies SentCode
}

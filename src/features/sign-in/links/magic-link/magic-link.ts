import { identify } from '../../../../platform/crypto/identity.ts'
import { requireEmail } from '../../../../platform/mail/address.ts'
import { isServiceEnabled } from '../../../../platform/tenancy/services.ts'
import type { Work } from '../../../../platform/work.ts'
import {
  assertMaySignIn,
  completeMailboxLogin,
  type SessionReply,
  type SignInMethod,
} from '../../../access/login/login.ts'
import { type OtpSettings, otpSettings } from '../../otp/otp.ts'
import { issueOtp } from '../../otp/sign-in-codes/sign-in-codes.ts'
import { linkErrors } from '../errors.ts'
import { magicLinkEvents } from '../events.ts'
import { proofOfLink, redeemLink } from '../presented/presented.ts'
import { defineMailedPurpose, type MailedPurpose } from '../purposes/purposes.ts'
import { type LinkDelivery, type SendLinkInput, type SentLink, sendLink } from '../send-link/send-link.ts'
import { linkSettings } from '../settings.ts'
import { magicLinkMail } from './emails.ts'

/** Signing in by a mailed link. Also used for a sign-up link whose address meanwhile has a user. */
export const magicLinkMethod: SignInMethod = {
  id: 'magic_link',
  offer: { label: 'Magic link', service: 'magic_link', isOn: async () => true },
}

export const magicLinkPurpose = defineMailedPurpose('magic_link', 'magiclink')

/** The use of a link and of the code in the same mail. */
export interface MagicLinkUse {
  purpose: MailedPurpose
  /** The purpose of the code in the same mail. */
  codePurpose: 'login' | 'discovery'
  addressee: SendLinkInput['addressee']
}

const signIn: MagicLinkUse = {
  purpose: magicLinkPurpose,
  codePurpose: 'login',
  addressee: (facts) => (facts?.active ? { userId: facts.user_id } : null),
}

export interface SentMagicLink extends SentLink {
  /** The id of the code in the same mail, or null if there is none. */
  otpId: string | null
}

/**
 * Mails a link to the address, if an active user (or, for other uses, another addressee) has it. If codes may be
 * mailed, the mail also has a word pair to type instead. The response reveals none of this. Throws `invalid_request`,
 * `rate_limited`, `organization_suspended`, `account_locked`.
 */
export async function sendMagicLink(
  work: Work,
  sent: { email: string; delivery: LinkDelivery },
  { purpose, codePurpose, addressee }: MagicLinkUse = signIn,
): Promise<SentMagicLink> {
  const { email, delivery } = sent
  const settings = await linkSettings.effective(work)
  // A caller that mails the link itself must not learn the code.
  const codes = delivery.deliver ? await codeSettings(work) : null
  const identity = identify(work.platform, requireEmail(email)).hash
  let otpId: string | null = null
  const link = await sendLink(work, {
    purpose,
    email,
    delivery,
    ttlSeconds: settings.magic_link_ttl_seconds,
    limits: [
      { bucket: 'magic_link.send.minute', limit: settings.magic_link_rate_limit_per_minute, windowSeconds: 60 },
      { bucket: 'magic_link.send.hour', limit: settings.magic_link_rate_limit_per_hour, windowSeconds: 3600 },
    ],
    addressee,
    async compose(work, mail, addressee) {
      if (!codes) return magicLinkMail(codePurpose, mail, null)
      const [userId, withheld] = [addressee?.userId ?? null, addressee === null]
      const otp = await issueOtp(work, { purpose: codePurpose, userId, identity, settings: codes, withheld })
      otpId = otp.otpId
      return magicLinkMail(codePurpose, mail, otp)
    },
    opensSession: true,
    event: magicLinkEvents.sent,
  })
  return { ...link, otpId }
}

async function codeSettings(work: Work): Promise<OtpSettings | null> {
  if (!(await isServiceEnabled(work, 'otp'))) return null
  const settings = await otpSettings(work)
  return settings.channel_email ? settings : null
}

/**
 * Exchanges a sign-in link for a session. Throws `token_invalid`, `token_expired` (only for the right token), and what
 * the gates throw.
 */
export async function verifyMagicLink(work: Work, presented: { email: string; token: string }): Promise<SessionReply> {
  const { email, token } = presented
  const who = identify(work.platform, requireEmail(email))
  return redeemLink(work, { who, token, purposes: [magicLinkPurpose] }, async ({ link, facts }) => {
    if (facts) await assertMaySignIn(work, facts)
    if (!facts || facts.user_id !== link.user_id) throw linkErrors.tokenInvalid()
    const answer = await completeMailboxLogin(work, facts, {
      method: magicLinkMethod,
      amr: ['otp'],
      linkId: link.id,
      spends: [proofOfLink(link)],
    })
    // Another request used the link first.
    if (!answer) throw linkErrors.tokenInvalid()
    return answer
  })
}

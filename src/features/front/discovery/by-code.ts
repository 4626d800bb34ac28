import { identify } from '../../../platform/crypto/identity.ts'
import { burn } from '../../../platform/joined/proofs.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import type { Work } from '../../../platform/work.ts'
import { voidLinksTo } from '../../sign-in/links/links.ts'
import { signInCodeErrors } from '../../sign-in/otp/otp.ts'
import { mailCode, proveOwnCode, type SentCode } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import { linkPurpose } from './by-link.ts'
import { type Discovery, discover } from './discovery.ts'

/**
 * Mails a code to any address, so that the response reveals nothing about the address. Throws what `mailCode` throws.
 */
export async function sendDiscoveryCode(work: Work, email: string): Promise<SentCode> {
  return mailCode(work, { purpose: 'discovery', who: identify(work.platform, requireEmail(email)), userId: null })
}

/**
 * The organizations of the mailbox that the code proves. Throws `otp_invalid`, `otp_expired`,
 * `otp_too_many_attempts`.
 */
export async function discoverByCode(
  work: Work,
  sent: { email: string; otpId: string; code: string },
): Promise<Discovery> {
  const who = identify(work.platform, requireEmail(sent.email))
  const proof = await proveOwnCode(work, who, { ...sent, purpose: 'discovery', userId: null })
  const answer = await discover(work, {
    who,
    method: 'otp',
    async spend(work) {
      // The link in the same mail must not work as a second proof.
      return (await burn(work, proof)) && voidLinksTo(work, who, linkPurpose)
    },
  })
  // Another request has used the same code, or the link in the mail, first.
  if (!answer) throw signInCodeErrors.otpInvalid()
  return answer
}

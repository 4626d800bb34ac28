import { identify } from '../../../platform/crypto/identity.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import type { Work } from '../../../platform/work.ts'
import { linkErrors } from '../../sign-in/links/links.ts'
import { type MagicLinkUse, sendMagicLink } from '../../sign-in/links/magic-link/magic-link.ts'
import { consumeLink, redeemLink } from '../../sign-in/links/presented/presented.ts'
import { defineMailedPurpose } from '../../sign-in/links/purposes/purposes.ts'
import type { LinkDelivery } from '../../sign-in/links/send-link/send-link.ts'
import { endOtpRows } from '../../sign-in/otp/otp.ts'
import { type Discovery, discover } from './discovery.ts'

export const linkPurpose = defineMailedPurpose('discovery', 'discovery')

// The link is mailed to any address, whether or not a user has it.
const use: MagicLinkUse = { purpose: linkPurpose, codePurpose: 'discovery', addressee: () => ({ userId: null }) }

/** Mails a link to any address, together with a code if codes may be mailed. Throws what `sendMagicLink` throws. */
export function sendDiscoveryLink(work: Work, sent: { email: string; delivery: LinkDelivery }) {
  return sendMagicLink(work, sent, use)
}

/**
 * The organizations of the mailbox that the link proves. Throws `token_invalid`, and `token_expired` if the token is
 * right but too old.
 */
export async function discoverByLink(work: Work, presented: { email: string; token: string }): Promise<Discovery> {
  const { email, token } = presented
  const who = identify(work.platform, requireEmail(email))
  return redeemLink(work, { who, token, purposes: [linkPurpose] }, async ({ link }) => {
    const answer = await discover(work, {
      who,
      method: 'magic_link',
      async spend(work) {
        // The code in the same mail must not work as a second proof. Locks the code before the link, in the same
        // order as a request with the code. If both are used at the same time, one waits for the other and is then
        // refused.
        await endOtpRows(work.db, work.directory, who.hash, 'discovery').execute()
        return consumeLink(work, link)
      },
    })
    // Another request has used the same link, or the code in the mail, first.
    if (!answer) throw linkErrors.tokenInvalid()
    return answer
  })
}

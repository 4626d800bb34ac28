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

// The link is mailed to any address, with or without a user.
const use: MagicLinkUse = { purpose: linkPurpose, codePurpose: 'discovery', addressee: () => ({ userId: null }) }

/** Mails a link to any address, with a code beside it if codes may be mailed. Throws as `sendMagicLink`. */
export function sendDiscoveryLink(work: Work, sent: { email: string; delivery: LinkDelivery }) {
  return sendMagicLink(work, sent, use)
}

/** What there is for the mailbox of the link. Throws `token_invalid`, `token_expired` (only for the right token). */
export async function discoverByLink(work: Work, presented: { email: string; token: string }): Promise<Discovery> {
  const { email, token } = presented
  const who = identify(work.platform, requireEmail(email))
  return redeemLink(work, { who, token, purposes: [linkPurpose] }, async ({ link }) => {
    const answer = await discover(work, {
      who,
      method: 'magic_link',
      async spend(work) {
        // The code of the same mail is no second proof. First the code, as who comes by that locks it first: of both at
        // once, one waits for the other, and is refused.
        await endOtpRows(work.db, work.directory, who.hash, 'discovery').execute()
        return consumeLink(work, link)
      },
    })
    // Another request with the same link was faster, or one with the code.
    if (!answer) throw linkErrors.tokenInvalid()
    return answer
  })
}

import { identify } from '../../platform/crypto/identity.ts'
import { requireEmail } from '../../platform/mail/address.ts'
import type { Work } from '../../platform/work.ts'
import {
  defineMailedPurpose,
  type LinkDelivery,
  linkErrors,
  type MagicLinkUse,
  presentLink,
  proofOfLink,
  sendMagicLink,
} from '../links/links.ts'
import { type Discovery, discover } from './discovery.ts'

const purpose = defineMailedPurpose('discovery', 'discovery')

// Whoever has the address.
const use: MagicLinkUse = { purpose, codePurpose: 'discovery', addressee: () => ({ userId: null }) }

/**
 * Mails a link to an address, whoever has it, with a code beside it where codes may be mailed. Throws as `sendMagicLink`.
 */
export function sendDiscoveryLink(work: Work, sent: { email: string; delivery: LinkDelivery }) {
  return sendMagicLink(work, sent, use)
}

/** What there is for the mailbox of the link. Throws `token_invalid`, `token_expired` (only for the right token). */
export async function discoverByLink(work: Work, presented: { email: string; token: string }): Promise<Discovery> {
  const { email, token } = presented
  const who = identify(work.platform, requireEmail(email))
  return presentLink(work, { who, token, purposes: [purpose] }, async ({ link }) => {
    const answer = await discover(work, { who, method: 'magic_link', proof: proofOfLink(link) })
    // Another request with the same link was faster.
    if (!answer) throw linkErrors.tokenInvalid()
    return answer
  })
}

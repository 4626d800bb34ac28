import { Delivery, LinkReply, PresentedLinkBody, TokenHash } from './schema.ts'
import { readDelivery } from './send-link/send-link.ts'

/** What routes that mail or redeem links have in common. */
export const linkRoute = { Delivery, Reply: LinkReply, PresentedBody: PresentedLinkBody, TokenHash, readDelivery }

import { Delivery, LinkReply, PresentedLinkBody, TokenHash } from './schema.ts'
import { readDelivery } from './send-link/send-link.ts'

/** The parts that routes for mailing and redeeming links share. */
export const linkRoute = { Delivery, Reply: LinkReply, PresentedBody: PresentedLinkBody, TokenHash, readDelivery }

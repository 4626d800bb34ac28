export type { WithdrawnLink } from './belongings.ts'
export { deliveryErrors, linkErrors } from './errors.ts'
export { LinkEventData, magicLinkEvents } from './events.ts'
export {
  closeExpiredInvites,
  closeLinks,
  hasLiveLink,
  issueLink,
  linkUrl,
  markLinksUsed,
  voidLinks,
  voidLinksTo,
} from './link.ts'
export { linkRoute } from './link-route.ts'
export { SentMagicLinkReply, toSentMagicLink } from './schema.ts'
export { linkSettings } from './settings.ts'
export type { LinkRow } from './store.ts'
export { findTokenDirectory } from './token.ts'

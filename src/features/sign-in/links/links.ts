export type { WithdrawnLink } from './belongings.ts'
export { deliveryErrors, linkErrors } from './errors.ts'
export { LinkEventData, magicLinkEvents } from './events.ts'
export {
  closeExpiredInvites,
  closeLinks,
  consumeLink,
  countLinkUse,
  findLink,
  hasLiveLink,
  issueLink,
  judgeLink,
  linkUrl,
  lookUpLink,
  proofOfLink,
  refuseMadeUp,
  voidLinks,
  voidLinksTo,
} from './link.ts'
export { linkRoute } from './link-route.ts'
export { type MagicLinkUse, magicLinkMethod, sendMagicLink } from './magic-link.ts'
export { type FoundLink, presentLink } from './present-link.ts'
export { defineLinkPurpose, defineMailedPurpose, type MailedPurpose, purposeOfType } from './purposes.ts'
export { SentMagicLinkReply, toSentMagicLink } from './schema.ts'
export {
  type LinkDelivery,
  type LinkMailData,
  mailLink,
  type SentLink,
  sendLink,
} from './send-link.ts'
export { linkSettings } from './settings.ts'
export type { LinkRow } from './store.ts'
export { placeOfToken } from './token.ts'

import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { named } from '../../../platform/schema.ts'

/** The data of an event about a link that was created for a user. */
export const LinkEventData = named(
  'MailedLink',
  Type.Object({
    link_id: Type.String({ format: 'uuid' }),
    channel: Type.String({ examples: ['email'] }),
  }),
)

export const magicLinkEvents = defineEvents({
  sent: [
    'auth.magic_link.sent',
    'A sign-in link was created, for a user or for discovery, and mailed unless the caller mails it.',
    LinkEventData,
  ],
})

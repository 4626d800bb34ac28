import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { named } from '../../../platform/schema.ts'

/** The data of an event about a link that was created for a user. */
export const LinkEventData = named(
  'MailedLink',
  Type.Object(
    {
      link_id: Type.String({ description: 'The link. Later events about it have the same id.', format: 'uuid' }),
      channel: Type.String({ description: 'How the link was sent: always `email`.', examples: ['email'] }),
    },
    { description: 'A link that was mailed, or returned to your backend.' },
  ),
)

export const magicLinkEvents = defineEvents({
  sent: [
    'auth.magic_link.sent',
    'A sign-in link was created, for a user or for discovery. It is mailed unless the caller mails it.',
    LinkEventData,
  ],
})

import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { named } from '../../../platform/schema.ts'

/** The data of an event about a link that was created for a user. */
export const LinkEventData = named(
  'MailedLink',
  Type.Object(
    {
      link_id: Type.String({
        description: 'Id of the link. Later events about the link have the same id.',
        format: 'uuid',
      }),
      channel: Type.String({ description: 'How the link is sent: always `email`.', examples: ['email'] }),
    },
    { description: 'A link that was mailed, or returned to your backend.' },
  ),
)

export const magicLinkEvents = defineEvents({
  sent: [
    'auth.magic_link.sent',
    'A sign-in link was created, for a user or for discovery. The service mails the link, or returns it to the caller.',
    LinkEventData,
  ],
})

import { defineEvents } from '../../platform/events.ts'
import { LinkEventData } from '../login/login.ts'

export const magicLinkEvents = defineEvents({
  sent: [
    'auth.magic_link.sent',
    'A sign-in link was created for a user, and mailed unless the caller mails it.',
    LinkEventData,
  ],
})

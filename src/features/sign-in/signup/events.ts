import { defineEvents } from '../../../platform/events/events.ts'
import { LinkEventData } from '../links/links.ts'

export const signupEvents = defineEvents({
  linkSent: [
    'auth.signup_link.sent',
    'A link that finishes a sign-up or signs an existing user in was created, and mailed unless the caller mails it.',
    LinkEventData,
  ],
})

import { defineEvents } from '../../../platform/events/events.ts'
import { LinkEventData } from '../links/links.ts'

export const signupEvents = defineEvents({
  linkSent: [
    'auth.signup_link.sent',
    'A link was created that completes a sign-up or signs an existing user in. The service mails the link, or returns it to the caller.',
    LinkEventData,
  ],
})

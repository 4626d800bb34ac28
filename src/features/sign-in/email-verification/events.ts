import { defineEvents } from '../../../platform/events/events.ts'
import { LinkEventData } from '../links/links.ts'

export const emailVerificationEvents = defineEvents({
  sent: [
    'auth.email_verification.sent',
    'A link that verifies the email address of a user was created. The service mails the link, or returns it to the caller.',
    LinkEventData,
  ],
})

import { defineEvents } from '../../events/events.ts'
import { MailBounce, MailSuppression } from './schema.ts'

export const bounceEvents = defineEvents({
  bounced: [
    'mail.bounced',
    'The mail server refused an address, or a bounce or complaint was reported, and the service counted it. The same bounce or complaint is recorded only once.',
    MailBounce,
  ],
  suppressed: [
    'mail.suppressed',
    'An address was suppressed: it receives no emails for a day, or until the suppression is cleared. The event is recorded again when the mail server refuses an address that had only been reported, and when a complaint follows a bounce.',
    MailSuppression,
  ],
  cleared: [
    'mail.suppression_cleared',
    'A suppressed address was cleared, so it receives emails again.',
    MailSuppression,
  ],
})

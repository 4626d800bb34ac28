import { defineEvents } from '../../events/events.ts'
import { MailBounce, MailSuppression } from './schema.ts'

export const bounceEvents = defineEvents({
  bounced: [
    'mail.bounced',
    'The mail server refused an address, or a bounce or complaint was reported, and it counts. Each is recorded once.',
    MailBounce,
  ],
  suppressed: [
    'mail.suppressed',
    'An address receives no more emails, for a day or until it is cleared. Recorded again when the mail server refuses an ' +
      'address that was only reported, and when the owner of an address that bounces complains.',
    MailSuppression,
  ],
  cleared: ['mail.suppression_cleared', 'A suppressed address was cleared. It receives emails again.', MailSuppression],
})

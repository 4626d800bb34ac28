import type { JobHandler } from '../jobs/queue.ts'
import { defineDelivery } from '../outbox/delivery.ts'
import { cleanUpBounces } from './bounces/cleanup.ts'
import { noteRefusal, withholdSuppressed } from './bounces/delivery.ts'
import { describeForLog } from './describe.ts'
import { mailOutbox } from './outbox.ts'
import { openMailServer } from './smtp.ts'

export const mailDelivery = defineDelivery({
  outbox: mailOutbox,
  open: openMailServer,
  metrics: ({ metrics }) => ({ results: metrics.mail, oldestWaiting: metrics.mailOldestWaiting }),
  cleanUp: 'mail.cleanup',
  lines: {
    sent: 'An email was sent',
    refused: 'The mail server permanently refused an email',
    retried: 'An email could not be sent and will be retried',
    expired: 'An email was dropped: it could not be sent while it was of use',
    moreExpired: 'More emails were dropped: they could not be sent while they were of use',
  },
  describe: describeForLog,
  suppress: withholdSuppressed,
  refused: noteRefusal,
})

export const mailJobs: JobHandler[] = [mailDelivery.send, mailDelivery.cleanUp, cleanUpBounces]

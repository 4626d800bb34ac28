import type { JobHandler } from '../jobs/queue.ts'
import { defineDelivery } from '../outbox/delivery.ts'
import { mailOutbox } from './outbox.ts'
import { openMailServer } from './smtp.ts'

export const mailDelivery = defineDelivery({
  outbox: mailOutbox,
  open: ({ config }) => openMailServer(config),
  metrics: ({ metrics }) => ({ results: metrics.mail, oldestWaiting: metrics.mailOldestWaiting }),
  cleanUp: 'mail.cleanup',
  lines: {
    refused: 'The mail server permanently refused an email',
    retried: 'An email could not be sent and will be retried',
  },
})

export const mailJobs: JobHandler[] = [mailDelivery.send, mailDelivery.cleanUp]

import type { JobHandler } from '../jobs/queue.ts'
import { defineDelivery } from '../outbox/delivery.ts'
import { smsOutbox } from './outbox.ts'
import { openSmsProvider } from './provider.ts'

export const smsDelivery = defineDelivery({
  outbox: smsOutbox,
  open: openSmsProvider,
  metrics: ({ metrics }) => ({ results: metrics.sms, oldestWaiting: metrics.smsOldestWaiting }),
  cleanUp: 'sms.cleanup',
  lines: {
    refused: 'The SMS provider refused a message for good',
    retried: 'A text message did not leave and will be tried again',
  },
})

export const smsJobs: JobHandler[] = [smsDelivery.send, smsDelivery.cleanUp]

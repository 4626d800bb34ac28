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
    sent: 'A text message was sent',
    refused: 'The SMS provider permanently refused a text message',
    retried: 'A text message could not be sent and will be retried',
    expired: 'A text message was dropped: it could not be sent while it was of use',
    moreExpired: 'More text messages were dropped: they could not be sent while they were of use',
  },
})

export const smsJobs: JobHandler[] = [smsDelivery.send, smsDelivery.cleanUp]

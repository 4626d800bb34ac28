import type { JobHandler } from '../../platform/jobs/queue.ts'
import { deleteOldOtpRows } from './store.ts'

// Longer than any code lives: a newer code voids an older one, and failures count for a day, only while it is there.
const KEPT_DAYS = 2
const BATCH = 5000

export const otpJobs: JobHandler[] = [
  {
    name: 'otps.cleanup',
    cron: '*/10 * * * *',
    async handle(platform) {
      while ((await deleteOldOtpRows(platform.db, KEPT_DAYS, BATCH)) === BATCH);
    },
  },
]

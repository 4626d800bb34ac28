import type { JobHandler } from '../../platform/jobs/queue.ts'
import { deleteOldChallenges } from './challenges.ts'
import { deleteExpiredDevices } from './devices.ts'
import { deleteExpiredPending } from './store.ts'

const BATCH = 5000

export const cleanUpFactors: JobHandler = {
  name: 'factors.cleanup',
  cron: '23 * * * *',
  async handle({ db }) {
    for (const clean of [deleteOldChallenges, deleteExpiredDevices, deleteExpiredPending])
      while ((await clean(db, BATCH)) >= BATCH);
  },
}

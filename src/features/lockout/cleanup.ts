import type { JobHandler } from '../../platform/jobs/queue.ts'
import { deleteOldRows } from './store.ts'

const BATCH = 5000

export const cleanUpLockouts: JobHandler = {
  name: 'lockouts.cleanup',
  cron: '43 * * * *',
  async handle(platform) {
    while ((await deleteOldRows(platform.db, BATCH)) === BATCH);
  },
}

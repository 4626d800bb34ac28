import type { JobHandler } from '../../platform/jobs/queue.ts'
import { deleteOldLinkRows } from './store.ts'

// Lists show what became of an invitation for a month after its end.
const KEPT_DAYS = 30
const BATCH = 5000

export const cleanUpLinks: JobHandler = {
  name: 'links.cleanup',
  cron: '23 * * * *',
  async handle(platform) {
    while ((await deleteOldLinkRows(platform.db, KEPT_DAYS, BATCH)) === BATCH);
  },
}

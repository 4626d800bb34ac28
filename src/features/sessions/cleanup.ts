import type { JobHandler } from '../../platform/jobs/queue.ts'
import { deleteEndedSessionRows } from './store.ts'

const BATCH = 1000

/** Removes ended sessions. Nothing relies on it: a session's ends are checked wherever it is used. */
export const cleanUpSessions: JobHandler = {
  name: 'sessions.cleanup',
  cron: '*/10 * * * *',
  async handle({ db }) {
    while ((await deleteEndedSessionRows(db, BATCH)) === BATCH);
  },
}

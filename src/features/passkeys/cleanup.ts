import type { JobHandler } from '../../platform/jobs/queue.ts'
import { deleteOldCeremonyRows } from '../passkey-credentials/passkey-credentials.ts'

const BATCH = 5000

/** Removes challenges that have expired, which are refused before. */
export const cleanUpCeremonies: JobHandler = {
  name: 'passkeys.cleanup',
  cron: '*/10 * * * *',
  async handle({ db }) {
    while ((await deleteOldCeremonyRows(db, BATCH)) === BATCH);
  },
}

import { skipLocked } from '../../../platform/db/distributed.ts'
import { now } from '../../../platform/db/now.ts'
import { record, systemOrigin } from '../../../platform/events/events.ts'
import { enqueue, type JobHandler } from '../../../platform/jobs/queue.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { type CheckError, checkRecord } from './challenge.ts'
import { domainEvents } from './events.ts'
import { toDomain } from './schema.ts'
import { type DomainRow, findDomainRow, isFailingFor, takeDueRows, updateDomainRow } from './store.ts'
import { verifiedColumns } from './verification.ts'

const JOB = 'domains.recheck'
const BATCH = 200
const DAY = 24 * 3600

/** How many checks in a row, a day apart, must find no record before the organization loses the domain. */
const CHECKS_TO_LOSE = 4
/**
 * After so many days without a record the domain is lost for any reason: a domain without name servers has no owner.
 */
const DAYS_TO_LOSE = 30

/** Enqueues a job for every verified domain that is due for a check. */
export const recheckDueDomains: JobHandler = {
  name: 'domains.recheck_due',
  cron: '*/10 * * * *',
  async handle(platform) {
    const takeBatch = () =>
      platform.tx(async (tx) => {
        const batch = { limit: BATCH, nextSeconds: DAY, skipLocked: skipLocked(platform.database) }
        const due = await takeDueRows(tx, batch)
        for (const { directory_id: directoryId, id: domainId, failed_checks } of due)
          await enqueue(tx, JOB, { directoryId, domainId, failedChecks: String(failed_checks) }, { maxAttempts: 5 })
        return due.length
      })
    while ((await takeBatch()) === BATCH);
  },
}

/** Checks a verified domain. The organization loses it only after failures over several days. */
export const recheckDomain: JobHandler = {
  name: JOB,
  // It queries other people's servers.
  lane: 'slow',
  async handle(platform, { directoryId, domainId, failedChecks }) {
    const directory = await findDirectory(platform, String(directoryId))
    const row = directory && (await findDomainRow(platform.db, directory, String(domainId)))
    if (!directory || row?.status !== 'verified') return
    // If a job runs twice, only one run counts.
    if (row.failed_checks !== Number(failedChecks)) return
    const error = await checkRecord(platform, row)
    const work: Work = { platform, directory, origin: systemOrigin(), db: platform.db }
    const only = { status: row.status, failed_checks: row.failed_checks }
    if (error === null) await updateDomainRow(platform.db, directory, { id: row.id, only, set: verifiedColumns(row) })
    else await noteMissing(work, row, error)
  },
}

async function noteMissing(work: Work, row: DomainRow, error: CheckError): Promise<void> {
  const { directory } = work
  const failed_checks = row.failed_checks + (error === 'dns_unavailable' ? 0 : 1)
  await inTx(work, async (work) => {
    const { db } = work
    const isLost = failed_checks >= CHECKS_TO_LOSE || (await isFailingFor(db, directory, row.id, DAYS_TO_LOSE))
    const isFirst = row.failing_since === null
    const wasHeld = await updateDomainRow(db, directory, {
      id: row.id,
      only: { status: row.status, failed_checks: row.failed_checks },
      set: {
        last_error: error,
        ...(isLost ? LOST : { failed_checks, ...(isFirst ? { failing_since: now } : {}) }),
      },
    })
    const after = wasHeld && (isLost || isFirst) && (await findDomainRow(db, directory, row.id))
    if (!after) return
    const event = isLost ? domainEvents.verificationLost : domainEvents.verificationFailed
    await record(work, event({ target: { type: 'domain', id: row.id }, data: toDomain(after) }))
  })
}

const LOST = { status: 'failed', verified_at: null, next_check_at: null, failing_since: null, failed_checks: 0 }

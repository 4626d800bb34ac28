import type { Db } from '../../../platform/db/pool.ts'
import { record, systemOrigin } from '../../../platform/events/events.ts'
import { forEachPart } from '../../../platform/jobs/parts.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import type { Platform } from '../../../platform/platform.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { inTx } from '../../../platform/work.ts'
import { endImpersonations } from './end.ts'
import { impersonationEvents } from './events.ts'
import { impersonationSettings } from './settings.ts'
import { type EndedRow, findDirectoryIds, findEndedRows, takeRow } from './store.ts'

const BATCH = 200

/**
 * Records the end of impersonations, however they ended. Also ends impersonations that began while the organization
 * was withdrawing its consent, because the change of the setting could not see them yet.
 */
export const announceEndedImpersonations: JobHandler = {
  name: 'impersonation.end',
  cron: '* * * * *',
  async handle(platform) {
    await forEachPart(
      [endAllWithoutConsent, announceAll],
      ({ name }) => name,
      (step) => step(platform),
    )
  },
}

async function endAllWithoutConsent(platform: Platform): Promise<void> {
  await forEachPart(await findDirectoryIds(platform.db), String, (id) => endWithoutConsent(platform, id))
}

async function announceAll(platform: Platform): Promise<void> {
  await forEachPart(
    endedRows(platform.db),
    ({ id }) => id,
    (row) => announce(platform, row),
  )
}

async function* endedRows(db: Db): AsyncGenerator<EndedRow> {
  let after: EndedRow | null = null
  for (;;) {
    const rows: EndedRow[] = await findEndedRows(db, after, BATCH)
    yield* rows
    after = rows.at(-1) ?? null
    if (rows.length < BATCH) return
  }
}

async function endWithoutConsent(platform: Platform, directoryId: string): Promise<void> {
  const directory = await findDirectory(platform, directoryId)
  if (!directory) return
  const work = { platform, directory, origin: systemOrigin(), db: platform.db }
  if ((await impersonationSettings.effective(work)).impersonation_enabled) return
  await inTx(work, endImpersonations)
}

async function announce(platform: Platform, ended: EndedRow): Promise<void> {
  const directory = await findDirectory(platform, ended.directory_id)
  if (!directory) return
  await platform.tx(async (db) => {
    const row = await takeRow(db, directory, ended.id)
    if (!row) return
    const data = {
      id: row.id,
      user_id: row.auth_account_id,
      directory_user_id: row.user_id,
      impersonator: { sub: row.actor, reason: row.reason },
      ended: ended.is_expired ? ('expired' as const) : ('revoked' as const),
    }
    const work = { platform, directory, origin: systemOrigin(), db }
    await record(work, impersonationEvents.ended({ target: { type: 'session', id: row.id }, data }))
  })
}

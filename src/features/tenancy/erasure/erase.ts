import type { Tx } from '../../../platform/db/pool.ts'
import { record, systemOrigin } from '../../../platform/events/events.ts'
import { forEachPart } from '../../../platform/jobs/parts.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import { isOutgoingHeld } from '../../../platform/lifecycle/deployment.ts'
import type { ErasureWork } from '../../../platform/lifecycle/erasure.ts'
import type { Platform } from '../../../platform/platform.ts'
import {
  accountDirectory,
  type Directory,
  directoriesToErase,
  forgetDirectories,
  homeEnvironmentOf,
  sharedDirectories,
} from '../../../platform/tenancy/directory.ts'
import { deleteKeysOfOrganization } from '../api-keys/api-keys.ts'
import { removeRoster } from '../members/erasure/erasure.ts'
import { erasureOf, organizationEvents } from '../organizations/organizations.ts'
import { eraseElsewhere } from './elsewhere.ts'
import { erasedTables, recordErasure } from './records.ts'
import { isSealed } from './seal.ts'
import { beginErasure, deleteRows, type Erasing, listDue, lockDue, lockOrganization, setStep, steps } from './store.ts'

const ORGANIZATIONS = 100

/**
 * Erases the organizations whose erasure is due. Each step is idempotent and safe if two processes run it. After a
 * crash, the next run continues at the last step.
 */
export const eraseOrganizations: JobHandler = {
  name: 'organizations.erase',
  cron: '*/10 * * * *',
  // It may take minutes.
  lane: 'slow',
  async handle(platform) {
    // After a restore, an operator has to check first: the erasure may have been cancelled after the backup.
    if (await isOutgoingHeld(platform)) return
    await forEachPart(
      await listDue(platform.db, ORGANIZATIONS),
      ({ id }) => id,
      (due) => eraseOrganization(platform, due),
    )
  },
}

async function eraseOrganization(platform: Platform, due: Erasing): Promise<void> {
  const { id: organizationId, account_id: accountId } = due
  if (due.erasure_step === steps.scheduled && !(await begin(platform, organizationId))) return
  const work: ErasureWork = { platform, organizationId, held: (step) => hold(platform, organizationId, step) }
  const own = await directoriesToErase(platform.db, organizationId)
  await recordErasure.of(platform).chain(platform)
  if (due.erasure_step < steps.namedElsewhere) {
    await eraseElsewhere(work, { accountId, directoryIds: own.map(({ id }) => id) })
    await work.held((tx) => setStep(tx, organizationId, steps.begun, steps.namedElsewhere))
  }
  await removeEverything(work, accountId, own)
  if (due.erasure_step === steps.done) await work.held((tx) => setStep(tx, organizationId, steps.done, steps.checked))
  else await finish(work, accountId)
}

function hold<T>(platform: Platform, organizationId: string, step: (tx: Tx) => Promise<T>): Promise<T> {
  return platform.tx(async (tx) => {
    await lockOrganization(tx, organizationId)
    return step(tx)
  })
}

/**
 * Begins an erasure, which then cannot be cancelled. Returns false if it was cancelled before. Throws if the service
 * has not sealed the schedule.
 */
async function begin(platform: Platform, organizationId: string): Promise<boolean> {
  return platform.tx(async (tx) => {
    const due = await lockDue(tx, organizationId)
    if (!due || due.erasure_step !== steps.scheduled || !due.erase_at || !due.archived_at) return false
    const schedule = { id: due.id, erase_at: due.erase_at, archived_at: due.archived_at }
    if (!isSealed(platform, schedule, due.erase_seal))
      throw new Error('An erasure is scheduled in the database that the service did not schedule')
    await beginErasure(tx, organizationId)
    await forgetDirectories(platform, tx, organizationId)
    return true
  })
}

/** Removes the organization's data in all its directories. */
async function removeEverything(work: ErasureWork, accountId: string, own: Directory[]): Promise<void> {
  const { platform, organizationId } = work
  const records = recordErasure.of(platform)
  await work.held((tx) => deleteKeysOfOrganization(platform, tx, organizationId))
  await platform.tx((tx) => removeRoster(platform, tx, { accountId, organizationId }))
  for (const { id } of own)
    for (const { table, column } of erasedTables.of(platform)) await deleteRows(platform.db, table, column, id)
  for (const directory of await sharedDirectories(platform.db, accountId))
    await records.deliveries(work, directory, own)
  for (const directory of own) await records.all(work, directory)
}

/** Records `organization.erased`, once. */
async function finish(work: ErasureWork, accountId: string): Promise<void> {
  const { platform, organizationId } = work
  const home = await homeEnvironmentOf(platform, accountId, organizationId)
  const directory = await accountDirectory(platform, home)
  const isErased = await work.held(async (db) => {
    const erasedAt = await setStep(db, organizationId, steps.namedElsewhere, steps.done)
    if (!erasedAt) return false
    const row = { id: organizationId, account_id: accountId, home_slug: home.environmentSlug }
    const event = organizationEvents.erased(erasureOf(row, erasedAt))
    await record({ platform, directory, origin: systemOrigin(), db }, event)
    return true
  })
  if (isErased) platform.log.info({ subOrgId: organizationId }, 'An organization was erased')
}

import type { Page } from '../../../platform/http/pagination.ts'
import type { Platform } from '../../../platform/platform.ts'
import { directoryInReach } from '../../../platform/tenancy/services.ts'
import type { ReachWork } from '../../../platform/work.ts'
import { readId } from './changes.ts'
import { connectionErrors } from './errors.ts'
import { findConnectionRowInReach, type ListedConnectionRow, selectConnectionPage } from './store.ts'
import { showConnection } from './view.ts'

/** A page of the connections that the caller reaches, in the form that the API shows. */
export async function listConnections({ platform, db, reach }: ReachWork, page: Page) {
  const { rows, ...counted } = await selectConnectionPage(db, reach, page)
  return { rows: rows.map((row) => showable(platform, row)), ...counted }
}

/** Throws `connection_not_found`. */
export async function getConnection({ platform, db, reach }: ReachWork, id: string) {
  const row = await findConnectionRowInReach(db, reach, readId(id))
  if (!row) throw connectionErrors.notFound()
  // Throws if the service is off in the connection's directory.
  await directoryInReach(platform, reach, row.directory_id)
  return showable(platform, row)
}

function showable(platform: Platform, row: ListedConnectionRow) {
  return { ...row, shown: () => showConnection(platform, row) }
}

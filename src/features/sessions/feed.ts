import type { Reach } from '../../platform/http/directory.ts'
import { openCursor, sealCursor } from '../../platform/http/pagination.ts'
import type { Work } from '../../platform/work.ts'
import { databaseNow, listRevokedRows, type RevokedSession } from './store.ts'

const PATH = '/v1/sessions/revocations'
// A revocation becomes visible when its transaction commits, and carries the moment that began: closing a large
// organization takes several statements of up to 3 s. A cursor that stays this far behind passes none that is to come.
const SETTLED_MS = 30_000
// Sorts before every id: a feed that has nothing yet starts at a moment.
const BEFORE_ALL = '00000000-0000-7000-8000-000000000000'

/**
 * Ended sessions after a cursor, oldest first. At least once: what ended in the last seconds may come again with the
 * next call, and is never left out. The cursor is always answered, so that a caller can go on from there.
 */
export async function readRevocations(
  work: Work<Reach>,
  cursor: string | null,
  limit: number,
): Promise<{ rows: RevokedSession[]; nextCursor: string }> {
  const { platform, directory: reach, db } = work
  const after = cursor === null ? null : openCursor(platform, PATH, 'asc', cursor)
  const settled = (await databaseNow(db)).getTime() - SETTLED_MS
  const rows = await listRevokedRows(db, reach, after, limit)
  const passed = rows.findLast((row) => row.revoked_at.getTime() < settled)
  const position = passed
    ? { at: passed.revoked_at, id: passed.id }
    : (after ?? { at: new Date(settled), id: BEFORE_ALL })
  return { rows, nextCursor: sealCursor(platform, PATH, 'asc', position) }
}

import { sqlState } from '../../../../platform/db/failure.ts'
import { scimError, scimErrors } from '../errors.ts'
import { provisioningErrors } from '../provisioning.ts'
import type { List } from './list.ts'

/** Errors that every list may return. */
export const listErrors = [
  ...provisioningErrors,
  scimErrors.invalidFilter,
  scimErrors.invalidPath,
  scimErrors.invalidValue,
  scimErrors.invalidCursor,
  scimErrors.tooMany,
]

const TOO_BROAD =
  'The search looks at more resources than it has time for. Search with eq or sw of an attribute such as userName or ' +
  'externalId, or read the whole list in pages, without a filter and an order.'

const STATEMENT_TIMEOUT = '57014'

/**
 * Reads the rows of a page, and the total. Throws `scim_too_many` if a search through the whole directory was
 * cancelled because it took too long (RFC 7644 §3.12). For any other search, the database is at fault.
 */
export async function findPage<Row>(
  list: List,
  { select, count }: { select(): Promise<Row[]>; count(): Promise<number> },
): Promise<{ rows: Row[]; total: number }> {
  try {
    const rows = list.limit === 0 ? [] : await select()
    return { rows, total: await totalOf(list, rows.length, count) }
  } catch (error) {
    if (list.isBroad && sqlState(error) === STATEMENT_TIMEOUT) throw scimError(scimErrors.tooMany, TOO_BROAD)
    throw error
  }
}

/** Counted in the database only if the page does not show the total. */
async function totalOf(list: List, found: number, count: () => Promise<number>): Promise<number> {
  const { cursor, offset, limit } = list
  if (cursor?.after) return cursor.after.total
  const isLast = limit > 0 && found < (cursor ? limit + 1 : limit) && (found > 0 || offset === 0)
  return isLast ? offset + found : count()
}

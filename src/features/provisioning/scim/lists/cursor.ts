import { hashPurpose } from '../../../../platform/crypto/keyring.ts'
import { keyedHash, sameHash } from '../../../../platform/crypto/tokens.ts'
import { isId } from '../../../../platform/ids.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { scimError, scimErrors } from '../errors.ts'

const cursors = hashPurpose('scim-cursor')

const MAC_BYTES = 16
const MAX_LENGTH = 8000

/** Where a page ends, and the total when the first page was read. */
export interface Position {
  key: string
  id: string
  total: number
}

/** A cursor (RFC 9865 §2). It is signed, so it is valid only for this query. */
export function sealCursor(platform: Platform, query: string, { key, id, total }: Position): string {
  const place = Buffer.from(JSON.stringify([key, id, total]))
  return Buffer.concat([sign(platform, query, place), place]).toString('base64url')
}

/** Reads a cursor. Throws `scim_invalid_cursor` if it does not belong to this query. */
export function openCursor(platform: Platform, query: string, cursor: string): Position {
  const bytes = Buffer.from(cursor.length <= MAX_LENGTH ? cursor : '', 'base64url')
  const place = bytes.subarray(MAC_BYTES)
  // A different text that decodes to the same bytes is not accepted.
  if (bytes.toString('base64url') !== cursor) throw scimError(scimErrors.invalidCursor)
  if (!sameHash(bytes.subarray(0, MAC_BYTES), sign(platform, query, place))) throw scimError(scimErrors.invalidCursor)
  const [key, id, total]: unknown[] = JSON.parse(place.toString())
  if (typeof key === 'string' && isId(String(id)) && typeof total === 'number') return { key, id: String(id), total }
  throw scimError(scimErrors.invalidCursor)
}

function sign(platform: Platform, query: string, place: Buffer): Buffer {
  return keyedHash(platform.keyring.hashKey(cursors), query, place.toString('base64url')).subarray(0, MAC_BYTES)
}

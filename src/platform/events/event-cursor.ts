import { hashPurpose } from '../crypto/keyring.ts'
import { decrypt, encrypt } from '../crypto/secret-box.ts'
import { keyedHash } from '../crypto/tokens.ts'
import { invalidField } from '../errors.ts'
import type { Platform } from '../platform.ts'
import type { Reach } from '../tenancy/directory.ts'

/** A position in the stream, at an event or between two events. Readers continue after it. */
export interface Position {
  epoch: number
  txId: string
  id: string
}

const eventCursors = hashPurpose('event-cursor')

const FORM = /^[A-Za-z0-9_-]{80}$/

/**
 * Encodes a position as a cursor for readers of one reach. It is encrypted because transaction ids reveal the activity
 * of the whole deployment, and so that clients cannot depend on the content.
 */
export function sealPosition(platform: Platform, reach: Reach, { epoch, txId, id }: Position): string {
  const place = Buffer.alloc(8 + 8 + 16)
  place.writeBigUInt64BE(BigInt(epoch))
  place.writeBigUInt64BE(BigInt(txId), 8)
  place.write(id.replaceAll('-', ''), 16, 'hex')
  const { key, whose } = keyOf(platform, reach)
  return encrypt(key, place, whose).toString('base64url')
}

/** Reads the position in a cursor. Throws `invalid_request` for a cursor of another reach or deployment. */
export function openPosition(platform: Platform, reach: Reach, cursor: string): Position {
  const place = decryptOrNull(platform, reach, cursor)
  if (!place) {
    const message = 'after must be a next_cursor of this feed, read with the same subOrgId, or without one, as before'
    throw invalidField('after', 'cursor', message)
  }
  const id = place.toString('hex', 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { epoch: Number(place.readBigUInt64BE()), txId: String(place.readBigUInt64BE(8)), id }
}

function decryptOrNull(platform: Platform, reach: Reach, cursor: string): Buffer | null {
  if (!FORM.test(cursor)) return null
  const { key, whose } = keyOf(platform, reach)
  try {
    return decrypt(key, Buffer.from(cursor, 'base64url'), whose)
  } catch {
    return null
  }
}

/** Each reach has its own key. With one key for all, the random nonces of so many cursors would eventually repeat. */
function keyOf({ keyring }: Platform, reach: Reach): { key: Buffer; whose: Buffer } {
  const whose = reach.directory ? `directory/${reach.directory.id}` : `environment/${reach.environmentId}`
  return { key: keyedHash(keyring.hashKey(eventCursors), whose), whose: Buffer.from(whose) }
}

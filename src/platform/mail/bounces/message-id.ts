import { hashPurpose } from '../../crypto/keyring.ts'
import { ID_LENGTH, isTagOf, packId, TAG_LENGTH, tagOf, unpackId } from '../../crypto/tokens.ts'
import type { Platform } from '../../platform.ts'
import { parseEmail } from '../address.ts'

const messageIds = hashPurpose('message_id')

/** The mail that a `Message-ID` identifies. */
export interface MailReference {
  id: string
  directoryId: string
}

/** How long a report about a mail is accepted. Reports that were counted are remembered for longer. */
const REPORTED_WITHIN_MS = 30 * 24 * 3600_000

/**
 * The part of a `Message-ID` before the tag, for the log. With the tag, a reader of the log could forge a valid
 * report.
 */
export function untaggedMessageId(mail: MailReference): string {
  return `${packId(mail.id)}.${packId(mail.directoryId)}`
}

/**
 * The `Message-ID` of a mail: its id, its directory, and a keyed tag over both and the recipient. A report that
 * returns it proves that the service mailed this address, so no record of sent mails is needed. All attempts have the
 * same `Message-ID`, so that recipients recognize a mail that arrives twice (RFC 5322 §3.6.4).
 */
export function messageIdOf(
  { keyring }: Pick<Platform, 'keyring'>,
  mail: MailReference & { to: string },
  domain: string,
): string {
  const place = untaggedMessageId(mail)
  return `<${place}.${tagOf(keyring.hashKey(messageIds), bodyOf(place, mail.to))}@${domain}>`
}

const word = (length: number) => `([0-9A-Za-z]{${length}})`
const PARTS = [ID_LENGTH, ID_LENGTH, TAG_LENGTH].map(word).join(String.raw`\.`)
const FORM = new RegExp(String.raw`^<?${PARTS}@[^\s<>@]{1,255}>?$`)

/** Returns the mail of a `Message-ID` if it was mailed to this address in the last 30 days, or else null. */
export function readMessageId(
  { keyring, clock }: Pick<Platform, 'keyring' | 'clock'>,
  text: string,
  to: string,
): MailReference | null {
  const [, packedId = '', packedDirectory = '', tag = ''] = FORM.exec(text.trim()) ?? []
  const [id, directoryId] = [unpackId(packedId), unpackId(packedDirectory)]
  if (id === null || directoryId === null) return null
  if (!isTagOf(keyring.hashKey(messageIds), bodyOf(`${packedId}.${packedDirectory}`, to), tag)) return null
  // Process clock: the id has the time of the process that made it.
  return clock.now().getTime() - createdAt(id) > REPORTED_WITHIN_MS ? null : { id, directoryId }
}

/** Uses the form for comparison, because a report may write the address in a different case. */
function bodyOf(place: string, to: string): string {
  return `${place}.${parseEmail(to)?.norm ?? ''}`
}

/** The time when an id was made (RFC 9562 §5.7). */
function createdAt(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}

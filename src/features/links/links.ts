import { hashIdentity } from '../../platform/crypto/identity.ts'
import { ID_LENGTH, keyedHash, packId, randomBase62, SECRET_LENGTH, unpackId } from '../../platform/crypto/tokens.ts'
import type { Tx } from '../../platform/db/pool.ts'
import { countAct } from '../../platform/http/rate-limit.ts'
import { newId } from '../../platform/ids.ts'
import type { Platform } from '../../platform/platform.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { linkErrors } from './errors.ts'
import {
  closeExpiredLinkRows,
  closeLinkRow,
  closeLinkRows,
  consumeLinkRow,
  findLinkRow,
  insertLinkRow,
  type LinkRow,
} from './store.ts'

export { linkErrors } from './errors.ts'
export type { LinkRow } from './store.ts'

/** Keeps the links of each use apart: one made for one never passes in another (ASVS 6.6.2). */
export type LinkPurpose =
  | 'magic_link'
  | 'password_reset'
  /** Never mailed: answered to a right password that has to be changed. */
  | 'password_change'
  | 'invite'
  | 'email_verification'
  | 'signup'
  | 'unlock'

/** `type` of a link, for the page that it leads to. */
const TYPES: Record<Exclude<LinkPurpose, 'password_change'>, string> = {
  magic_link: 'magiclink',
  password_reset: 'recovery',
  invite: 'invite',
  email_verification: 'verification',
  signup: 'signup',
  unlock: 'unlock',
}

/** Which purpose the `type` of a link stands for; undefined: none. */
export function purposeOfType(type: string): LinkPurpose | undefined {
  return (Object.keys(TYPES) as (keyof typeof TYPES)[]).find((purpose) => TYPES[purpose] === type)
}

export interface NewLink {
  purpose: LinkPurpose
  /** Null: nobody has the address. The link takes the same path, and redeems nothing. */
  userId: string | null
  /** Keyed hash of the normalised address (`hashIdentity`). */
  identity: Buffer
  ttlSeconds: number
  /** What redeeming it makes: the profile of a sign-up. */
  details?: Record<string, unknown>
}

export interface MadeLink {
  id: string
  /** 256 random bits behind the id of the directory: the only time it is shown. */
  token: string
  expiresAt: Date
}

/** Makes a link's secret, which voids the older links of its address and purpose. Mails nothing. */
export async function makeLink(work: TxWork, link: NewLink): Promise<MadeLink> {
  const { directory, db } = work
  const id = newId()
  const token = packId(directory.id) + randomBase62()
  const { purpose, userId, identity, ttlSeconds, details = {} } = link
  const tokenHash = hashToken(work, token)
  const row = { id, purpose, userId, identity, tokenHash, details, ttlSeconds }
  return { id, token, expiresAt: await insertLinkRow(db, directory, row) }
}

/**
 * The address to mail: where the application asked for, or the page of the service. The one builder of mailed links,
 * from the configured base URL alone, whatever Host or forwarded header a request came with.
 */
export function linkUrl(
  platform: Platform,
  link: { purpose: keyof typeof TYPES; token: string; email: string; redirectTo: string | null },
): string {
  const url = new URL(link.redirectTo ?? `${platform.config.baseUrl}/auth/link`)
  url.searchParams.set('token_hash', link.token)
  url.searchParams.set('email', link.email)
  url.searchParams.set('type', TYPES[link.purpose])
  return url.href
}

/** The directory that a token belongs to, from the token itself; null: it is none of ours. Proves nothing. */
export function directoryOfToken(token: string): string | null {
  const isWhole = token.length === ID_LENGTH + SECRET_LENGTH && /^[0-9A-Za-z]+$/.test(token)
  return isWhole ? unpackId(token.slice(0, ID_LENGTH)) : null
}

export interface PresentedLink {
  token: string
  /** It was made for one of these. */
  purposes: readonly LinkPurpose[]
  /** It was mailed to this address; null where the caller names none. */
  identity: Buffer | null
}

/**
 * The link that a token stands for, live at this moment; does not spend it. A link of another purpose, address or
 * directory answers as one that never was.
 * Throws `token_invalid`, and `token_expired` only for the right token.
 */
export async function findLink(work: Work, presented: PresentedLink): Promise<LinkRow> {
  const { directory, db } = work
  const { token, purposes, identity } = presented
  if (directoryOfToken(token) !== directory.id) throw linkErrors.tokenInvalid()
  const link = await findLinkRow(db, directory, hashToken(work, token))
  const fits =
    link && purposes.some((purpose) => purpose === link.purpose) && (!identity || link.identity.equals(identity))
  if (!fits) throw linkErrors.tokenInvalid()
  // Told to whoever has the right token alone.
  if (link.used_at) throw linkErrors.tokenInvalid({ detail: 'The link was used before.', extra: { reason: 'used' } })
  if (link.closed_at && link.closed_at < link.expires_at)
    throw linkErrors.tokenInvalid({
      detail: 'The link was withdrawn, or a newer one was sent.',
      extra: { reason: 'withdrawn' },
    })
  if (link.expired) throw linkErrors.tokenExpired()
  return link
}

/**
 * Counts a try at what costs a hash, such as a new password: whoever holds a link, key or not, gets few of them.
 * Throws `rate_limited`.
 */
export async function countLinkUse(work: Work, link: LinkRow): Promise<void> {
  await countAct(work, link.token_hash, [
    { bucket: 'link.minute', limit: 10, windowSeconds: 60 },
    { bucket: 'link.day', limit: 50, windowSeconds: 86_400 },
  ])
}

/**
 * The one consumer of links, as a query for the statement that writes what the link pays for. It returns a row to one
 * caller only: none means that another request was faster, or that the link has expired or was withdrawn.
 */
export function consumeLink({ db, directory }: Work, link: LinkRow) {
  return consumeLinkRow(db, directory, link.id)
}

/** Withdraws the links on their way to a user and to their address, but the one that is being redeemed. Returns how many. */
export async function voidLinks(
  { platform, directory, db }: TxWork,
  user: { id: string; email_norm: string },
  options: { purpose?: LinkPurpose; exceptId?: string | undefined } = {},
): Promise<number> {
  const identity = hashIdentity(platform, user.email_norm)
  return closeLinkRows(db, directory, { userId: user.id, identity, ...options })
}

/** Withdraws one link. False: there is none, or it was over. */
export async function closeLink({ db, directory }: TxWork, purpose: LinkPurpose, id: string): Promise<boolean> {
  return closeLinkRow(db, directory, purpose, id)
}

/** The links that have expired unused and were not announced, of every directory: each is answered once. */
export async function closeExpiredLinks(
  tx: Tx,
  purpose: LinkPurpose,
  limit: number,
): Promise<{ id: string; directory_id: string }[]> {
  return closeExpiredLinkRows(tx, purpose, limit)
}

function hashToken({ platform, directory }: Work, token: string): Buffer {
  return keyedHash(platform.keyring.hashKey('link'), directory.id, token)
}

import { hashIdentity, type Identity } from '../../../platform/crypto/identity.ts'
import { skipLocked } from '../../../platform/db/distributed.ts'
import { systemOrigin } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { forEachDirectory } from '../../../platform/jobs/due-rows.ts'
import type { Platform } from '../../../platform/platform.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { type HeldUser, lockFreeUserRows } from '../../directory/users/users.ts'
import { deliveryErrors } from './errors.ts'
import { isMailed, type LinkPurpose, type MailedPurpose } from './purposes/purposes.ts'
import {
  closeExpiredInviteRows,
  closeLinkRows,
  closeLinksById,
  expiredInvites,
  findUsersOfLinks,
  hasLiveLinkRow,
  insertLinkRow,
  useLinkRows,
} from './store.ts'
import { hashLinkToken, makeLinkToken } from './token.ts'

export interface NewLink {
  purpose: LinkPurpose
  /** Null for a decoy, which redeems nothing, and if redeeming the link creates the user. */
  userId: string | null
  /** Keyed hash of the normalised address (`hashIdentity`). */
  identity: Buffer
  ttlSeconds: number
  /** Data that is needed to redeem the link, such as the profile of a sign-up. */
  details?: Record<string, unknown>
  /** True for a link that is never sent. */
  isDecoy?: boolean
  /** Which older links this link voids. If absent, the purpose decides. */
  replaces?: LinkPurpose['replaces']
}

export interface IssuedLink {
  id: string
  /** Only the keyed hash of the token is stored. */
  token: string
  expiresAt: Date
}

/**
 * Refuses to give a link of the team's directory to the caller, because its holder becomes the member. Every link that
 * is not mailed is checked here. Only the command line may print one, because its user controls the server. Throws
 * `team_link_withheld`.
 */
export function assertMayHandOver({ directory, origin }: Pick<Work, 'directory' | 'origin'>): void {
  if (directory.kind === 'console' && origin.actor.type !== 'cli') throw deliveryErrors.teamLinkWithheld()
}

/**
 * Issues a link and voids older ones as its purpose `replaces` says. A decoy voids only decoys. Sends no mail. If the
 * purpose is never mailed, the response contains the link, so a link of the team throws `team_link_withheld`.
 */
export async function issueLink(work: TxWork, link: NewLink): Promise<IssuedLink> {
  const { directory, db } = work
  if (!isMailed(link.purpose)) assertMayHandOver(work)
  const id = newId()
  const token = makeLinkToken(work.platform, directory)
  const { purpose, userId, identity, ttlSeconds, details = {}, isDecoy = false } = link
  const { replaces = purpose.replaces } = link
  const tokenHash = hashLinkToken(work.platform, directory, token)
  const row = { id, purpose: purpose.name, replaces, userId, identity, tokenHash, details, isDecoy, ttlSeconds }
  return { id, token, expiresAt: await insertLinkRow(db, directory, row) }
}

/**
 * Builds the URL to mail, which leads to the page that the application asked for or to the hosted page. This function
 * alone builds mailed links. It uses only the configured base URL, never a `Host` or forwarded header.
 */
export function linkUrl(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  link: { purpose: MailedPurpose; token: string; email: string; redirectTo: string | null },
): string {
  // Base URL: this is the one builder of mailed links.
  const url = new URL(link.redirectTo ?? `${platform.config.baseUrl}/auth/link`)
  url.searchParams.set('token_hash', link.token)
  url.searchParams.set('email', link.email)
  url.searchParams.set('type', link.purpose.type)
  // Only a hint for the page. The token decides about the organization.
  url.searchParams.delete('org_id')
  if (directory.organizationId) url.searchParams.set('org_id', directory.organizationId)
  return url.href
}

/**
 * Withdraws a user's links of one purpose. If strangers cannot request such links, also withdraws links to the user's
 * address. Returns the ids.
 */
export async function voidLinks(
  { platform, directory, db }: TxWork,
  user: { id: string; email_norm: string },
  purpose: LinkPurpose,
): Promise<string[]> {
  const identity = purpose.replaces === 'address' ? hashIdentity(platform, user.email_norm) : null
  const closed = await closeLinkRows(db, directory, { userId: user.id, identity, purpose: purpose.name }).execute()
  return closed.map(({ id }) => id)
}

/** Withdraws all links of one purpose to an address, for all users. Always returns true. */
export async function voidLinksTo({ directory, db }: TxWork, who: Identity, purpose: LinkPurpose): Promise<true> {
  await closeLinkRows(db, directory, { userId: null, identity: who.hash, purpose: purpose.name }).execute()
  return true
}

/** Whether a user has a live link of one purpose. */
export function hasLiveLink({ db, directory }: Work, userId: string, purpose: LinkPurpose): Promise<boolean> {
  return hasLiveLinkRow(db, directory, userId, purpose.name)
}

/**
 * Marks a user's live links of one purpose as used, because their purpose was fulfilled in another way. Returns the
 * ids.
 */
export async function markLinksUsed(
  { db, directory }: TxWork,
  { id: userId }: { id: string },
  purpose: LinkPurpose,
  { exceptId, details }: { exceptId: string | undefined; details: Record<string, unknown> },
): Promise<string[]> {
  return useLinkRows(db, directory, { userId, purpose: purpose.name, exceptId, details })
}

/** Withdraws links of one purpose. Returns how many were live. */
export async function closeLinks({ db, directory }: TxWork, purpose: LinkPurpose, ids: string[]): Promise<number> {
  return ids.length === 0 ? 0 : closeLinksById(db, directory, purpose.name, ids)
}

/**
 * Closes the invitations of every directory that expired unused, `batch` at a time. `announce` gets the ids and users
 * of one directory in the transaction that closes them. If another transaction has locked a user, that user's
 * invitations wait for the next run. A directory that fails does not delay the others (`forEachDirectory`).
 */
export async function closeExpiredInvites(
  platform: Platform,
  batch: number,
  announce: (work: TxWork, ids: string[], held: HeldUser[]) => Promise<void>,
): Promise<void> {
  await forEachDirectory(platform.db, { ...expiredInvites, batch }, async (directoryId, given) => {
    const directory = await findDirectory(platform, directoryId)
    await platform.tx(async (db) => {
      const work = directory && { platform, directory, origin: systemOrigin(), db }
      // Locks users before links, as every change of a user does.
      const links = await findUsersOfLinks(db, directoryId, given)
      const userIds = links.flatMap(({ user_id }) => user_id ?? [])
      const { held, busyIds } = work ? await lockFreeUserRows(work, userIds) : { held: [], busyIds: [] }
      const free = links.filter(({ user_id }) => user_id === null || !busyIds.includes(user_id)).map(({ id }) => id)
      const ids = await closeExpiredInviteRows(db, directoryId, free, skipLocked(platform.database))
      if (work && ids.length) await announce(work, ids, held)
    })
  })
}

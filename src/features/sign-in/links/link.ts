import { hashIdentity, type Identity } from '../../../platform/crypto/identity.ts'
import { skipLocked } from '../../../platform/db/distributed.ts'
import { systemOrigin } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { forEachDirectory } from '../../../platform/jobs/due-rows.ts'
import { burn } from '../../../platform/joined/proofs.ts'
import { countAct } from '../../../platform/limits/rate-limit.ts'
import type { Platform } from '../../../platform/platform.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { readFacts, type SignInFacts } from '../../access/login/login.ts'
import { deliveryErrors, linkErrors } from './errors.ts'
import { isMailed, type LinkPurpose, type MailedPurpose } from './purposes.ts'
import {
  closeExpiredInviteRows,
  closeLinkRows,
  closeLinksById,
  expiredInvites,
  hasLiveLinkRow,
  insertLinkRow,
  type LinkRow,
  linkProof,
  shownLink,
  toLinkRow,
} from './store.ts'
import { hashLinkToken, isLinkToken, makeLinkToken } from './token.ts'

export interface NewLink {
  purpose: LinkPurpose
  /** Null for a decoy, which redeems nothing, and where redeeming the link creates the user. */
  userId: string | null
  /** Keyed hash of the normalised address (`hashIdentity`). */
  identity: Buffer
  ttlSeconds: number
  /** What redeeming it needs: the profile of a sign-up. */
  details?: Record<string, unknown>
  /** It is sent to nobody. */
  isDecoy?: boolean
  /** Which older links it voids; absent: those that its purpose says. */
  replaces?: LinkPurpose['replaces']
}

export interface IssuedLink {
  id: string
  /** Not stored: only its keyed hash is. */
  token: string
  expiresAt: Date
}

/**
 * Refuses to hand a link of the team's directory to the caller: its holder becomes the member. Every link that is not
 * mailed passes here. Only the command line prints one, because its user controls the server. Throws `team_link_withheld`.
 */
export function assertMayHandOver({ directory, origin }: Pick<Work, 'directory' | 'origin'>): void {
  if (directory.kind === 'console' && origin.actor.type !== 'cli') throw deliveryErrors.teamLinkWithheld()
}

/**
 * Issues a link, which voids the older ones that its purpose `replaces`; a decoy voids decoys alone. Mails nothing. A
 * link of a purpose that is never mailed goes into the response. Throws `team_link_withheld` for such a link of the team.
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
 * The URL to mail: the one the application asked for, or the hosted page. The one builder of mailed links, which uses
 * only the configured base URL, never a Host or forwarded header.
 */
export function linkUrl(
  platform: Platform,
  link: { purpose: MailedPurpose; token: string; email: string; redirectTo: string | null },
): string {
  // Base URL: this is the one builder of mailed links.
  const url = new URL(link.redirectTo ?? `${platform.config.baseUrl}/auth/link`)
  url.searchParams.set('token_hash', link.token)
  url.searchParams.set('email', link.email)
  url.searchParams.set('type', link.purpose.type)
  return url.href
}

export interface LinkLookup {
  token: string
  /** The link must be for one of these. */
  purposes: readonly LinkPurpose[]
  /** The address that the link must have been mailed to; null if the caller names none. */
  who: Identity | null
}

/** A link that was looked up, with the facts about the user of the address. */
export interface LookedUp {
  /** The token is not one of ours: nothing was looked up. */
  madeUp: boolean
  link: LinkRow | null
  facts: SignInFacts | null
}

/** Looks a token up, unless it is made up; judges nothing. */
export async function lookUpLink(work: Work, { token, who }: LinkLookup): Promise<LookedUp> {
  const { platform, directory } = work
  if (!(await isLinkToken(platform, token))) return { madeUp: true, link: null, facts: null }
  const link_hash = hashLinkToken(platform, directory, token)
  const { person, read } = await readFacts(work, who, shownLink({ link_hash }))
  return { madeUp: false, link: toLinkRow(read), facts: person }
}

/** For rules that ask the database for something else before they look the link up. Throws `token_invalid`. */
export async function refuseMadeUp({ platform }: Work, token: string): Promise<void> {
  if (!(await isLinkToken(platform, token))) throw linkErrors.tokenInvalid()
}

/** The live link of a token; does not consume it. Throws what `judgeLink` throws. */
export async function findLink(work: Work, presented: LinkLookup): Promise<LinkRow> {
  return judgeLink((await lookUpLink(work, presented)).link, presented)
}

/**
 * A link of another purpose, address or directory is treated as one that never existed.
 * Throws `token_invalid`, and `token_expired` only for the right token.
 */
export function judgeLink(link: LinkRow | null, { purposes, who }: LinkLookup): LinkRow {
  const fits = link && purposes.some(({ name }) => name === link.purpose) && (!who || link.identity.equals(who.hash))
  if (!fits) throw linkErrors.tokenInvalid()
  // Revealed only to someone who has the right token.
  if (link.used) throw linkErrors.tokenInvalid({ detail: 'The link was used before.', extra: { reason: 'used' } })
  if (link.withdrawn)
    throw linkErrors.tokenInvalid({
      detail: 'The link was withdrawn, or a newer one was sent.',
      extra: { reason: 'withdrawn' },
    })
  if (link.expired) throw linkErrors.tokenExpired()
  return link
}

/**
 * Counts an attempt that costs a hash, such as a new password: a link allows only few, with or without an API key.
 * Throws `rate_limited`.
 */
export async function countLinkUse(work: Work, link: LinkRow): Promise<void> {
  await countAct(work, link.token_hash, [
    { bucket: 'link.minute', limit: 10, windowSeconds: 60 },
    { bucket: 'link.day', limit: 50, windowSeconds: 86_400 },
  ])
}

/** What a sign-in by this link burns. */
export function proofOfLink(link: LinkRow) {
  return linkProof({ link_id: link.id })
}

/** Burns a link that pays for something else. Returns false when another request was faster, or it is no longer live. */
export function consumeLink(work: TxWork, link: LinkRow): Promise<boolean> {
  return burn(work, proofOfLink(link))
}

/** Withdraws the links of a user for one purpose, and of their address, unless strangers have some mailed to that. */
export async function voidLinks(
  { platform, directory, db }: TxWork,
  user: { id: string; email_norm: string },
  purpose: LinkPurpose,
): Promise<void> {
  const identity = purpose.replaces === 'address' ? hashIdentity(platform, user.email_norm) : null
  await closeLinkRows(db, directory, { userId: user.id, identity, purpose: purpose.name }).execute()
}

/** Withdraws the links to an address for one purpose, whoever has it. Returns true, however many there are. */
export async function voidLinksTo({ directory, db }: TxWork, who: Identity, purpose: LinkPurpose): Promise<true> {
  await closeLinkRows(db, directory, { userId: null, identity: who.hash, purpose: purpose.name }).execute()
  return true
}

/** Whether a link of a user for one purpose is live. */
export function hasLiveLink({ db, directory }: Work, userId: string, purpose: LinkPurpose): Promise<boolean> {
  return hasLiveLinkRow(db, directory, userId, purpose.name)
}

/** Withdraws links of one purpose. Returns how many of them were live. */
export async function closeLinks({ db, directory }: TxWork, purpose: LinkPurpose, ids: string[]): Promise<number> {
  return ids.length === 0 ? 0 : closeLinksById(db, directory, purpose.name, ids)
}

/**
 * Closes the invitations of every directory that expired unused, `batch` at a time. Announces the ids of each directory in
 * the transaction that closes them. A directory that fails delays no other (`forEachDirectory`).
 */
export async function closeExpiredInvites(
  platform: Platform,
  batch: number,
  announce: (work: TxWork, ids: string[]) => Promise<void>,
): Promise<void> {
  await forEachDirectory(platform.db, { ...expiredInvites, batch }, async (directoryId, given) => {
    const directory = await findDirectory(platform, directoryId)
    await platform.tx(async (db) => {
      const ids = await closeExpiredInviteRows(db, directoryId, given, skipLocked(platform.database))
      if (directory && ids.length) await announce({ platform, directory, origin: systemOrigin(), db }, ids)
    })
  })
}

import type { Identity } from '../../../../platform/crypto/identity.ts'
import { ApiError } from '../../../../platform/errors.ts'
import { recordFailure } from '../../../../platform/events/failures.ts'
import { burn } from '../../../../platform/joined/proofs.ts'
import { countAct } from '../../../../platform/limits/rate-limit.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'
import { loginEvents, readFacts, type SignInFacts } from '../../../access/login/login.ts'
import { linkErrors } from '../errors.ts'
import type { LinkPurpose } from '../purposes/purposes.ts'
import { type LinkRow, linkProof, shownLink, toLinkRow } from '../store.ts'
import { hashLinkToken, isLinkToken } from '../token.ts'

export interface LinkLookup {
  token: string
  /** The link must have one of these purposes. */
  purposes: readonly LinkPurpose[]
  /** The address that the link must have been mailed to, or null if the caller names none. */
  who: Identity | null
}

/** A link that was looked up, with the facts about the user of the address. */
export interface LookedUp {
  /** True if this service did not issue the token. Then nothing was looked up. */
  madeUp: boolean
  link: LinkRow | null
  facts: SignInFacts | null
}

/** Looks up a token unless it is made up. Does not check the link. */
export async function lookUpLink(work: Work, { token, who }: LinkLookup): Promise<LookedUp> {
  const { platform, directory } = work
  if (!(await isLinkToken(platform, token))) return { madeUp: true, link: null, facts: null }
  const link_hash = hashLinkToken(platform, directory, token)
  const { person, read } = await readFacts(work, who, shownLink({ link_hash }))
  return { madeUp: false, link: toLinkRow(read), facts: person }
}

/** For rules that query something else before they look up the link. Throws `token_invalid` for a made-up token. */
export async function refuseForgedToken({ platform }: Work, token: string): Promise<void> {
  if (!(await isLinkToken(platform, token))) throw linkErrors.tokenInvalid()
}

/** Finds the live link of a token without consuming it. Throws what `judgeLink` throws. */
export async function findLink(work: Work, presented: LinkLookup): Promise<LinkRow> {
  return assertLinkUsable((await lookUpLink(work, presented)).link, presented)
}

/**
 * Checks a link. A link of another purpose, address or directory is treated like a missing one.
 * Throws `token_invalid`, and `token_expired` only for the right token.
 */
export function assertLinkUsable(link: LinkRow | null, { purposes, who }: LinkLookup): LinkRow {
  const fits = link && purposes.some(({ name }) => name === link.purpose) && (!who || link.identity.equals(who.hash))
  if (!fits) throw linkErrors.tokenInvalid()
  // Revealed only to callers with the right token.
  if (link.used) throw linkErrors.tokenInvalid({ detail: 'The link was already used.', extra: { reason: 'used' } })
  if (link.withdrawn)
    throw linkErrors.tokenInvalid({
      detail: 'The link was withdrawn or replaced by a newer link.',
      extra: { reason: 'withdrawn' },
    })
  if (link.expired) throw linkErrors.tokenExpired()
  return link
}

/**
 * Counts an attempt that costs a hash, such as a new password. Each link allows only a few, with or without an API
 * key. Throws `rate_limited`.
 */
export async function countLinkUse(work: Work, link: LinkRow): Promise<void> {
  await countAct(work, link.token_hash, [
    { bucket: 'link.minute', limit: 10, windowSeconds: 60 },
    { bucket: 'link.day', limit: 50, windowSeconds: 86_400 },
  ])
}

/** The proof that a sign-in with this link consumes. */
export function proofOfLink(link: LinkRow) {
  return linkProof({ link_id: link.id })
}

/**
 * Consumes a link for a purpose other than a sign-in. Returns false if another request was faster or the link is no
 * longer live.
 */
export function consumeLink(work: TxWork, link: LinkRow): Promise<boolean> {
  return burn(work, proofOfLink(link))
}

export interface PresentedLink {
  /** The addressee in the request, or null. */
  who: Identity | null
  token: string
  purposes: readonly [LinkPurpose, ...LinkPurpose[]]
}

export interface FoundLink {
  link: LinkRow
  /** The facts about the current user of the address. The caller checks whether the link belongs to that user. */
  facts: SignInFacts | null
}

const refusals: string[] = [linkErrors.tokenInvalid.code, linkErrors.tokenExpired.code]

/**
 * Handles every link from a mail. Looks up the link together with the user of the address; then `redeem` checks and
 * consumes it. A refusal is recorded after the writes of `redeem` were rolled back. The refusal of a made-up token is
 * not recorded, because no link has that token.
 * Throws `token_invalid`, `token_expired`, and what `redeem` throws.
 */
export async function redeemLink<T>(
  work: Work,
  presented: PresentedLink,
  redeem: (found: FoundLink) => Promise<T>,
): Promise<T> {
  const { madeUp, link: found, facts } = await lookUpLink(work, presented)
  if (madeUp) throw linkErrors.tokenInvalid()
  let link: LinkRow | null = null
  try {
    link = assertLinkUsable(found, presented)
    return await redeem({ link, facts })
  } catch (error) {
    if (!(error instanceof ApiError && refusals.includes(error.definition.code))) throw error
    const userId = facts?.user_id ?? link?.user_id
    await recordFailure(
      { ...work, db: work.platform.db },
      presented.who?.hash ?? null,
      loginEvents.failed({
        ...(userId ? { target: { type: 'user', id: userId } } : {}),
        data: { method: link?.purpose ?? presented.purposes[0].name, reason: error.definition.code },
      }),
    )
    throw error
  }
}

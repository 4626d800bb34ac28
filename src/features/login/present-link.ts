import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events.ts'
import type { Work } from '../../platform/work.ts'
import { findLink, type LinkPurpose, type LinkRow, linkErrors } from '../links/links.ts'
import { findSignInFacts, type Identity } from './door.ts'
import type { SignInFacts } from './store.ts'

export interface LinkToPresent {
  /** Whom the request says that it was mailed to; null: it says nothing. */
  who: Identity | null
  token: string
  purposes: readonly [LinkPurpose, ...LinkPurpose[]]
}

export interface PresentedLink {
  link: LinkRow
  /** Of whoever has the address now; whether the link is theirs is for the caller to see. */
  facts: SignInFacts | null
}

const refusals: string[] = [linkErrors.tokenInvalid.code, linkErrors.tokenExpired.code]

/**
 * What every link passes that a person brings from their mail: it is looked up, with whoever has the address, and
 * `redeem` judges and spends it. A refusal of the link, by either, is recorded after whatever `redeem` wrote is gone.
 * Throws `token_invalid`, `token_expired`, and what `redeem` throws.
 */
export async function presentLink<T>(
  work: Work,
  presented: LinkToPresent,
  redeem: (found: PresentedLink) => Promise<T>,
): Promise<T> {
  const { who, token, purposes } = presented
  const [link, facts] = await Promise.all([
    findLink(work, { token, purposes, identity: who?.hash ?? null }).catch(refusalOf),
    who && findSignInFacts(work, who),
  ])
  const found = link instanceof ApiError ? null : link
  try {
    if (link instanceof ApiError) throw link
    return await redeem({ link, facts })
  } catch (error) {
    if (!(error instanceof ApiError && refusals.includes(error.definition.code))) throw error
    const userId = facts?.user_id ?? found?.user_id
    await record(
      { ...work, db: work.platform.db },
      {
        type: 'auth.login.failed',
        ...(userId ? { target: { type: 'user', id: userId } } : {}),
        data: { method: found?.purpose ?? purposes[0], reason: error.definition.code },
      },
    )
    throw error
  }
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

import type { Identity } from '../../../platform/crypto/identity.ts'
import { ApiError } from '../../../platform/errors.ts'
import { recordFailure } from '../../../platform/events/failures.ts'
import type { Work } from '../../../platform/work.ts'
import { loginEvents, type SignInFacts } from '../../access/login/login.ts'
import { linkErrors } from './errors.ts'
import { judgeLink, lookUpLink } from './link.ts'
import type { LinkPurpose } from './purposes.ts'
import type { LinkRow } from './store.ts'

export interface PresentedLink {
  /** Whom the request names as the addressee; null if it names no one. */
  who: Identity | null
  token: string
  purposes: readonly [LinkPurpose, ...LinkPurpose[]]
}

export interface FoundLink {
  link: LinkRow
  /** The facts about the current user of the address; the caller checks whether the link is theirs. */
  facts: SignInFacts | null
}

const refusals: string[] = [linkErrors.tokenInvalid.code, linkErrors.tokenExpired.code]

/**
 * What every link from a mail passes through: it is looked up, together with the user of the address, and `redeem`
 * judges and consumes it. A refusal by either is recorded after the writes of `redeem` were rolled back; that of a made-up
 * token is not, since it was nobody's link.
 * Throws `token_invalid`, `token_expired`, and what `redeem` throws.
 */
export async function presentLink<T>(
  work: Work,
  presented: PresentedLink,
  redeem: (found: FoundLink) => Promise<T>,
): Promise<T> {
  const { madeUp, link: found, facts } = await lookUpLink(work, presented)
  if (madeUp) throw linkErrors.tokenInvalid()
  let link: LinkRow | null = null
  try {
    link = judgeLink(found, presented)
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

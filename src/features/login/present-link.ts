import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events.ts'
import { requireEmail } from '../../platform/mail/address.ts'
import { findLink, type LinkPurpose, type LinkRow, linkErrors } from '../links/links.ts'
import { assertMaySignIn, findSignInFacts, type Identity, identify, type LoginContext } from './door.ts'
import type { SignInFacts } from './store.ts'

export interface PresentedLink {
  who: Identity
  link: LinkRow
  /** Of whoever has the address now; whether the link is theirs is for the caller to see. */
  facts: SignInFacts | null
}

/**
 * The link that a person brings from their mail, and whoever has the address; both are looked up at once. Spends
 * nothing. Throws `token_invalid`, `token_expired`, and what the door throws; a link that is not valid is recorded.
 */
export async function findPresentedLink(
  context: LoginContext,
  presented: { email: string; token: string; purpose: LinkPurpose },
): Promise<PresentedLink> {
  const { platform, directory } = context
  const { token, purpose } = presented
  const who = identify(platform, requireEmail(presented.email))
  const [found, facts] = await Promise.all([
    findLink(platform.db, platform, directory, { token, purposes: [purpose], identity: who.hash }).catch(refusalOf),
    findSignInFacts(context, platform.db, who),
  ])
  if (found instanceof ApiError) throw await refuseLink(context, purpose, facts, found)
  if (facts) assertMaySignIn(facts)
  return { who, link: found, facts }
}

/** Records that a link was refused. Returns what to throw. */
export async function refuseLink(
  { platform, directory, origin }: LoginContext,
  purpose: LinkPurpose,
  facts: SignInFacts | null,
  refusal = linkErrors.tokenInvalid(),
): Promise<ApiError> {
  await record(platform.db, directory, origin, {
    type: 'auth.login.failed',
    ...(facts ? { target: { type: 'user', id: facts.user_id } } : {}),
    data: { method: purpose, reason: refusal.definition.code },
  })
  return refusal
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

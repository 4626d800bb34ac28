import type { ApiError } from '../../../../platform/errors.ts'
import { defineSlot } from '../../../../platform/platform.ts'
import type { Work } from '../../../../platform/work.ts'
import type { SignInFacts } from '../sign-in-facts.ts'

type Person = Pick<SignInFacts, 'user_id' | 'auth_account_id' | 'email'>

/**
 * Whether single sign-on is enforced: `off` (not in this directory), `exempt` (not for this person), `bound` (for
 * this person).
 */
export type Enforcement = 'off' | 'exempt' | 'bound'

export interface SsoOnly {
  /** `person` is null for someone who is not a user yet. */
  enforcement(work: Work, person: Person | null): Promise<Enforcement>
  /**
   * The error for every other method, with the connection to start. Call it only for a person who has proved their
   * identity.
   */
  refusal(work: Work, person: Person): Promise<ApiError>
  /** Whether single sign-on works for the person with an address. */
  way(work: Work, emailNorm: string): Promise<SsoAccess>
}

// Slot: single sign-on belongs to `federation`, which may not be imported from here. `src/wiring` fills the slot.
export const ssoOnly = defineSlot<SsoOnly>('who signs in by single sign-on alone')

/**
 * Whether single sign-on is enforced for a person. Determined for every address before a code or link is sent, so
 * that the response time reveals nothing about the person.
 */
export async function enforcementFor(work: Work, person: Person | null): Promise<Enforcement> {
  return ssoOnly.of(work.platform).enforcement(work, person)
}

/**
 * `singleSignOn`: a connection accepts the address. `noAccess`: there are connections, but none accepts the address.
 * `unavailable`: no connection works for any address.
 */
export type SsoAccess = 'singleSignOn' | 'noAccess' | 'unavailable'

/** How a person can sign in: with any method or, if single sign-on is enforced for them, as `SsoWay` says. */
export type SignInAccess = 'any' | SsoAccess

export async function signInAccessOf(work: Work, person: Person): Promise<SignInAccess> {
  return signInAccessUnder(work, await enforcementFor(work, person), person.email.toLowerCase())
}

/**
 * Like `signInWayOf`, for an address that need not belong to a user. The caller has already determined the
 * enforcement.
 */
export async function signInAccessUnder(
  work: Work,
  enforcement: Enforcement,
  emailNorm: string,
): Promise<SignInAccess> {
  if (enforcement === 'off') return 'any'
  // Also determined for exempt people, so that the response time does not reveal who is exempt.
  const way = await ssoOnly.of(work.platform).way(work, emailNorm)
  return enforcement === 'exempt' ? 'any' : way
}

/** Throws `sso_required` for a user who must use single sign-on. */
export async function assertSsoNotRequired(work: Work, person: Person): Promise<void> {
  if ((await enforcementFor(work, person)) === 'bound') throw await ssoOnly.of(work.platform).refusal(work, person)
}

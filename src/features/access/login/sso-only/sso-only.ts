import type { ApiError } from '../../../../platform/errors.ts'
import { defineSlot } from '../../../../platform/platform.ts'
import type { Work } from '../../../../platform/work.ts'
import type { SignInFacts } from '../sign-in-facts.ts'

type Person = Pick<SignInFacts, 'user_id' | 'auth_account_id' | 'email'>

/** Whether single sign-on is enforced for a person: `off`: not here; `exempt`: not for this person; `bound`: for this person. */
export type Enforcement = 'off' | 'exempt' | 'bound'

export interface SsoOnly {
  /** For a user, or for a person who is no user yet. */
  enforcement(work: Work, person: Person | null): Promise<Enforcement>
  /** The refusal of every other method, with the connection to start. Only for a person who has proved who they are. */
  refusal(work: Work, person: Person): Promise<ApiError>
  /** How the person of an address signs in by single sign-on. */
  way(work: Work, emailNorm: string): Promise<SsoAccess>
}

// Slot: single sign-on is of the wing of federation, which is above.
export const ssoOnly = defineSlot<SsoOnly>('who signs in by single sign-on alone')

/**
 * Whether single sign-on is enforced for a person. Asked for every address before a code or a link is sent, so that the time
 * of the answer says nothing of the person.
 */
export async function enforcementFor(work: Work, person: Person | null): Promise<Enforcement> {
  return ssoOnly.of(work.platform).enforcement(work, person)
}

/**
 * `singleSignOn`: a connection takes the address. `noAccess`: none of those that work does. `unavailable`: no connection works,
 * whatever the address is.
 */
export type SsoAccess = 'singleSignOn' | 'noAccess' | 'unavailable'

/** How a person can sign in: by any method, or, where single sign-on is enforced for them, as it allows. */
export type SignInAccess = 'any' | SsoAccess

export async function signInAccessOf(work: Work, person: Person): Promise<SignInAccess> {
  return signInAccessUnder(work, await enforcementFor(work, person), person.email.toLowerCase())
}

/** The same of an address, which may be of no user, by what is enforced for it. */
export async function signInAccessUnder(
  work: Work,
  enforcement: Enforcement,
  emailNorm: string,
): Promise<SignInAccess> {
  if (enforcement === 'off') return 'any'
  // Asked for people who are exempt as well, so that the time does not tell who is.
  const way = await ssoOnly.of(work.platform).way(work, emailNorm)
  return enforcement === 'exempt' ? 'any' : way
}

/** Throws `sso_required` for a user who must use single sign-on. */
export async function assertSsoNotRequired(work: Work, person: Person): Promise<void> {
  if ((await enforcementFor(work, person)) === 'bound') throw await ssoOnly.of(work.platform).refusal(work, person)
}

import type { ApiError } from '../../../../platform/errors.ts'
import { handedIn } from '../../../../platform/platform.ts'
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
  /** Whether a connection can sign in the person who has an address. */
  isReachable(work: Work, emailNorm: string): Promise<boolean>
}

// Handed in: single sign-on is of the wing of federation, which is above.
export const ssoOnly = handedIn<SsoOnly>('who signs in by single sign-on alone')

/**
 * Whether single sign-on is enforced for a person. Asked for every address before a code or a link is sent, so that the time
 * of the answer says nothing of the person.
 */
export async function enforcementFor(work: Work, person: Person | null): Promise<Enforcement> {
  return ssoOnly.of(work.platform).enforcement(work, person)
}

/** How a person can sign in: by any method, by single sign-on alone, or not at all: it is enforced, and no connection takes them. */
export type SignInWay = 'any' | 'singleSignOn' | 'none'

export async function signInWayOf(work: Work, person: Person): Promise<SignInWay> {
  return wayUnder(work, await enforcementFor(work, person), person.email.toLowerCase())
}

/** The same of an address, which may be of no user, by what is enforced for it. */
export async function wayUnder(work: Work, enforcement: Enforcement, emailNorm: string): Promise<SignInWay> {
  if (enforcement === 'off') return 'any'
  // Asked for people who are exempt as well, so that the time does not tell who is.
  const isReachable = await ssoOnly.of(work.platform).isReachable(work, emailNorm)
  if (enforcement === 'exempt') return 'any'
  return isReachable ? 'singleSignOn' : 'none'
}

/** Throws `sso_required` for a user who must use single sign-on. */
export async function assertNotBound(work: Work, person: Person): Promise<void> {
  if ((await enforcementFor(work, person)) === 'bound') throw await ssoOnly.of(work.platform).refusal(work, person)
}

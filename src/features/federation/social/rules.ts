import type { SocialName } from '../../../platform/config/config-social.ts'
import type { Work } from '../../../platform/work.ts'
import { doorSettings } from '../../access/login/login.ts'
import { assertSignupAllowed } from '../../sign-in/signup/signup.ts'
import type { FederationRules } from '../federation/complete/complete.ts'
import type { Application } from './dialect.ts'

/** The names as the providers write them. */
const LABELS: Record<SocialName, string> = {
  google: 'Google',
  github: 'GitHub',
  apple: 'Apple',
  microsoft: 'Microsoft',
}

/** The rules of a social sign-in in an organization. */
export async function rulesOf(work: Work, name: SocialName, openSignup: boolean | null): Promise<FederationRules> {
  return {
    jit: await maySignUp(work, openSignup),
    defaultRole: 'member',
    groups: null,
    needsOwnDomain: false,
    domains: [],
    relink: false,
    isClaimNamed: false,
    sourceName: LABELS[name],
  }
}

/** Whether an unknown person may become a user. The same settings apply as at every sign-up. */
export async function maySignUp(work: Work, openSignup: boolean | null): Promise<boolean> {
  const { allow_sign_up: isAllowed } = await doorSettings.effective(work)
  return isAllowed && (await assertSignupAllowed(work, openSignup ?? undefined)).open
}

/**
 * The clients for which a provider uses the same subject for a person: at Apple, all clients of a team; at Microsoft,
 * only one client. Null for Google and GitHub: all clients.
 */
export function sectorOf(name: SocialName, { clientId, teamId }: Application): string | null {
  if (name === 'apple') return teamId
  return name === 'microsoft' ? clientId : null
}

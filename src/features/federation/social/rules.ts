import type { SocialName } from '../../../platform/config/config-social.ts'
import type { Work } from '../../../platform/work.ts'
import { doorSettings } from '../../access/login/login.ts'
import { assertSignupAllowed } from '../../sign-in/signup/signup.ts'
import type { FederationRules } from '../federation/complete/complete.ts'
import type { Application } from './dialect.ts'

/** As their owners write them. */
const LABELS: Record<SocialName, string> = {
  google: 'Google',
  github: 'GitHub',
  apple: 'Apple',
  microsoft: 'Microsoft',
}

/** What a social sign-in may do in an organization. */
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

/** Whether an unknown person becomes a user: as at every sign-up. */
export async function maySignUp(work: Work, openSignup: boolean | null): Promise<boolean> {
  const { allow_sign_up: isAllowed } = await doorSettings.effective(work)
  return isAllowed && (await assertSignupAllowed(work, openSignup ?? undefined)).open
}

/**
 * The clients to which a provider names a person alike: those of a team at Apple, a single one at Microsoft. Null: all, at
 * Google and GitHub.
 */
export function sectorOf(name: SocialName, { clientId, teamId }: Application): string | null {
  if (name === 'apple') return teamId
  return name === 'microsoft' ? clientId : null
}

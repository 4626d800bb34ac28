import type { SocialName } from '../../../platform/config/config-social.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Begun } from '../federation/begin/begin.ts'
import type { FederatedPerson } from '../federation/federation.ts'
import type { OidcPerson } from '../oidc/oidc.ts'

/** An application registered at a provider, by an organization or by the deployment. */
export interface Application {
  clientId: string
  /** The client secret; of Apple the private key that makes one. */
  secret: string
  scopes: readonly string[]
  teamId: string | null
  keyId: string | null
  tenant: string | null
}

/** What comes back through the browser. */
export interface SocialCallback {
  code?: string
  state?: string
  iss?: string
  error?: string
  /** Apple's, in JSON, at the first sign-in alone. */
  user?: string
}

export interface SocialContext {
  platform: Platform
  directoryId: string
  application: Application
  redirectUri: string
}

/** How a provider is spoken to. */
export interface Dialect {
  name: SocialName
  /** What is asked for unless the organization says otherwise; without the first it would not do. */
  scopes: readonly [string, ...string[]]
  /** Where the browser goes. Throws FederationFailure. */
  start(context: SocialContext, begun: Begun): Promise<string>
  /** Who came back. Throws FederationFailure. */
  finish(context: SocialContext, begun: Begun, callback: SocialCallback): Promise<FederatedPerson>
}

/** Where the provider is, which the operator may say. */
export function baseOf({ config }: Pick<Platform, 'config'>, name: SocialName, usual: string): string {
  return config.social[name].url ?? usual
}

/** Second factors of social providers do not count: users can turn them off there. */
export function toFederated(person: OidcPerson): FederatedPerson {
  const { groups: _, acr: __, ...rest } = person
  return { ...rest, amr: [], isTwoFactor: false }
}

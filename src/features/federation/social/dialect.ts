import type { SocialName } from '../../../platform/config/config-social.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Begun } from '../federation/begin/begin.ts'
import type { FederatedPerson } from '../federation/federation.ts'
import type { OidcPerson } from '../oidc/oidc.ts'

/** An application registered at a provider, by an organization or by the deployment. */
export interface Application {
  clientId: string
  /** The client secret. For Apple, the private key from which secrets are made. */
  secret: string
  scopes: readonly string[]
  teamId: string | null
  keyId: string | null
  tenant: string | null
}

/** The parameters that the browser brings back. */
export interface SocialCallback {
  code?: string
  state?: string
  iss?: string
  error?: string
  /** Only from Apple: JSON with the person's names, sent at the first sign-in. */
  user?: string
}

export interface SocialContext {
  platform: Platform
  directoryId: string
  application: Application
  redirectUri: string
}

/** How to sign in at a particular provider. */
export interface Dialect {
  name: SocialName
  /** The scopes to request unless the organization sets others. The first one is always requested. */
  scopes: readonly [string, ...string[]]
  /** The address to send the browser to. Throws FederationFailure. */
  start(context: SocialContext, begun: Begun): Promise<string>
  /** The person who signed in. Throws FederationFailure. */
  finish(context: SocialContext, begun: Begun, callback: SocialCallback): Promise<FederatedPerson>
}

/** The provider's base address, which the operator can override. */
export function baseOf({ config }: Pick<Platform, 'config'>, name: SocialName, usual: string): string {
  return config.social[name].url ?? usual
}

/** Second factors at social providers do not count, since users can turn them off there. */
export function toFederated(person: OidcPerson): FederatedPerson {
  const { groups: _, acr: __, ...rest } = person
  return { ...rest, amr: [], isTwoFactor: false }
}

import { defineSlot } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import type { Begun } from '../federation/begin/begin.ts'
import type { LogoutDemand } from '../federation/logout/logout.ts'
import type { ConnectionConfig } from './config.ts'
import type { KnownConnection } from './known/known.ts'
import type { ConnectionCheck } from './schema.ts'

/** What a request asks of a provider in addition to a sign-in. */
export interface StartHints {
  /** The user that the provider should ask for. */
  loginHint: string | null
}

/** A protocol by which connections sign in, which its feature brings in. */
export interface SsoProtocol {
  /** Where the browser goes to sign in. Throws FederationFailure. */
  start(work: Work, connection: KnownConnection, begun: Begun, hints: StartHints): Promise<{ authorizationUrl: string }>
  /** Where the browser goes to sign out; null where the provider has no address for it. Throws FederationFailure. */
  logOut?(work: Work, connection: KnownConnection, demand: LogoutDemand): Promise<string | null>
  /** Tries what can be tried without a person. */
  check(work: Work, connection: KnownConnection): Promise<ConnectionCheck[]>
  /** The configuration that a provider's metadata gives. Throws FederationFailure, and `unavailable` if too many wait. */
  readMetadata?(work: Work, xml: string): Promise<Partial<ConnectionConfig>>
  /** Seconds that a sign-in may take. */
  ttlSeconds?: number
}

// Slot: each protocol imports connections, and a register lists them.
/** Those of this deployment. */
export const ssoProtocols = defineSlot<Partial<Record<'saml' | 'oidc', SsoProtocol>>>('the protocols of single sign-on')

import { defineSlot } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import type { Begun } from '../federation/begin/begin.ts'
import type { LogoutDemand } from '../federation/logout/logout.ts'
import type { ConnectionConfig } from './config.ts'
import type { KnownConnection } from './known/known.ts'
import type { ConnectionCheck } from './schema.ts'

/** What a sign-in request asks of a provider. */
export interface StartHints {
  /** The user that the provider should suggest. */
  loginHint: string | null
}

/** The implementation of a protocol, which the protocol's own feature folder provides. */
export interface SsoProtocol {
  /** The address to sign in at the provider. Throws FederationFailure. */
  start(work: Work, connection: KnownConnection, begun: Begun, hints: StartHints): Promise<{ authorizationUrl: string }>
  /** The address to sign out at the provider. Null if the provider has none. Throws FederationFailure. */
  logOut?(work: Work, connection: KnownConnection, demand: LogoutDemand): Promise<string | null>
  /** Runs the checks that need no person. */
  check(work: Work, connection: KnownConnection): Promise<ConnectionCheck[]>
  /**
   * Reads the configuration from a provider's metadata. Throws FederationFailure, and `unavailable` if too many
   * messages wait.
   */
  readMetadata?(work: Work, xml: string): Promise<Partial<ConnectionConfig>>
  /** How many seconds a sign-in may take. */
  ttlSeconds?: number
}

// Slot: the protocols import connections, so connections cannot import them.
/** The protocols of this deployment. */
export const ssoProtocols = defineSlot<Partial<Record<'saml' | 'oidc', SsoProtocol>>>('the protocols of single sign-on')

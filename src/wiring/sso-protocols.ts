import type { SsoProtocol } from '../features/federation/connections/connections.ts'
import { oidcProtocol } from '../features/federation/oidc/oidc.ts'
import { samlProtocol } from '../features/federation/saml/protocol.ts'

/** The protocols with which connections sign users in. */
export const protocols: Partial<Record<'saml' | 'oidc', SsoProtocol>> = { oidc: oidcProtocol, saml: samlProtocol }

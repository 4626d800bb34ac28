import type { SsoProtocol } from './features/connections/connections.ts'
import { oidcProtocol } from './features/oidc/oidc.ts'
import { samlProtocol } from './features/saml/protocol.ts'

/** The protocols by which connections sign in. */
export const protocols: Partial<Record<'saml' | 'oidc', SsoProtocol>> = { oidc: oidcProtocol, saml: samlProtocol }

import type { SsoProtocol } from './features/connections/connections.ts'

/** The protocols by which connections sign in. */
export const protocols: Partial<Record<'saml' | 'oidc', SsoProtocol>> = {}

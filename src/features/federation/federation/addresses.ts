import type { Platform } from '../../../platform/platform.ts'

/** The address of a route of ours, for providers: built from the configured base URL alone. */
export function publicUrl({ config }: Pick<Platform, 'config'>, path: `/v1/${string}`): string {
  // Base URL: builds the callback addresses that providers know.
  return `${config.baseUrl}/api${path}`
}

/**
 * The redirect URI of an OpenID connection: its own (RFC 9700 §4.4.2), or, with `null`, the one that connections of earlier
 * releases share.
 */
export function oidcRedirectUri(platform: Pick<Platform, 'config'>, connectionId: string | null): string {
  return publicUrl(platform, `/v1/auth/login/sso/oidc/callback${connectionId === null ? '' : `/${connectionId}`}`)
}

/** The redirect URI of a social provider: its own, or, with `null`, the one that applications of earlier releases share. */
export function socialRedirectUri(platform: Pick<Platform, 'config'>, provider: string | null): string {
  return publicUrl(platform, `/v1/auth/login/social/callback${provider === null ? '' : `/${provider}`}`)
}

/** Where every OpenID provider sends browsers back to that have signed out (RP-Initiated Logout §3). */
export function oidcPostLogoutRedirectUri(platform: Pick<Platform, 'config'>): string {
  return publicUrl(platform, '/v1/auth/login/sso/oidc/logged-out')
}

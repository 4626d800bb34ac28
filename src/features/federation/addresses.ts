import type { Platform } from '../../platform/platform.ts'

/** The address of a route of ours, for providers: built from the configured base URL alone. */
export function publicUrl({ config }: Pick<Platform, 'config'>, path: `/v1/${string}`): string {
  return `${config.baseUrl}/api${path}`
}

/** Where OpenID providers send browsers. */
export function oidcRedirectUri(platform: Pick<Platform, 'config'>): string {
  return publicUrl(platform, '/v1/auth/login/sso/oidc/callback')
}

/** Where every OpenID provider sends browsers back to that have signed out (RP-Initiated Logout §3). */
export function oidcPostLogoutRedirectUri(platform: Pick<Platform, 'config'>): string {
  return publicUrl(platform, '/v1/auth/login/sso/oidc/logged-out')
}

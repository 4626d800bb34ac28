import { publicUrl } from '../../../platform/http/public-url.ts'
import type { Platform } from '../../../platform/platform.ts'

/**
 * The redirect URI of an OpenID connection: its own (RFC 9700 §4.4.2), or with null the URI that connections of
 * earlier releases share.
 */
export function oidcRedirectUri(platform: Pick<Platform, 'config'>, connectionId: string | null): string {
  return publicUrl(platform, `/v1/auth/login/sso/oidc/callback${connectionId === null ? '' : `/${connectionId}`}`)
}

/** The address to which OpenID providers send browsers after a logout (RP-Initiated Logout §3). */
export function oidcPostLogoutRedirectUri(platform: Pick<Platform, 'config'>): string {
  return publicUrl(platform, '/v1/auth/login/sso/oidc/logged-out')
}

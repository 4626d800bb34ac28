import { publicUrl } from '../../../platform/http/public-url.ts'
import type { Platform } from '../../../platform/platform.ts'

/** The redirect URI of a social provider: its own, or with null the URI that applications of earlier releases share. */
export function socialRedirectUri(platform: Pick<Platform, 'config'>, provider: string | null): string {
  return publicUrl(platform, `/v1/auth/login/social/callback${provider === null ? '' : `/${provider}`}`)
}

import type { Platform } from '../../../platform/platform.ts'

/** The address of a domain's provider, which is also its OpenID issuer. */
export function providerUrl({ config }: Platform, domain: string): string {
  // Base URL: the provider names itself and its endpoints.
  return `${config.baseUrl}/dev/idp/${domain}`
}

/** Whether an address belongs to this service. The provider sends browsers nowhere else. */
export function isOwnUrl({ config }: Platform, text: string): boolean {
  // Base URL: the provider responds only to this service.
  return URL.parse(text)?.origin === new URL(config.baseUrl).origin
}

/** The domain in lower case; null if the text is not a domain. */
export function readDomain(text: string | undefined): string | null {
  return text !== undefined && text.length <= 100 && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text) ? text : null
}

import type { Platform } from '../../../platform/platform.ts'

/** Where the provider of a domain answers, which is also its OpenID issuer. */
export function providerUrl({ config }: Platform, domain: string): string {
  // Base URL: the provider names itself and its endpoints.
  return `${config.baseUrl}/dev/idp/${domain}`
}

/** Whether an address is one of this service: the provider sends browsers nowhere else. */
export function isOwnUrl({ config }: Platform, text: string): boolean {
  // Base URL: the provider answers this service alone.
  return URL.parse(text)?.origin === new URL(config.baseUrl).origin
}

/** A domain in lower case, or null for another text. */
export function readDomain(text: string | undefined): string | null {
  return text !== undefined && text.length <= 100 && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text) ? text : null
}

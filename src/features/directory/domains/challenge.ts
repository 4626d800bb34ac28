import { randomBase62 } from '../../../platform/crypto/tokens.ts'
import { lookUpTxt } from '../../../platform/outbound/dns.ts'
import type { Platform } from '../../../platform/platform.ts'

/** The label of a domain's DNS record, below the domain. */
export const RECORD_PREFIX = '_watchword-challenge'

/** Why a check did not find the record: there is none, there are only others, or DNS did not respond. */
export const CHECK_ERRORS = ['txt_not_found', 'txt_mismatch', 'dns_unavailable'] as const
export type CheckError = (typeof CHECK_ERRORS)[number]

/** The DNS record that an organization must create. Its token is random. */
export function recordOf({ domain, token }: { domain: string; token: string }) {
  return { type: 'dns_txt' as const, name: `${RECORD_PREFIX}.${domain}`, value: `watchword-verify=${token}` }
}

export function newToken(): string {
  return randomBase62()
}

// Domains that do not exist in public DNS (RFC 2606 §2, RFC 6761 §6).
const TEST_DOMAIN = /\.(test|example|localhost)$/

/**
 * Looks for the DNS record of a domain. Returns why it was not found; null if it was. In development, test domains
 * count as found.
 */
export async function checkRecord(
  platform: Platform,
  claim: { domain: string; token: string },
): Promise<CheckError | null> {
  if (platform.config.development && TEST_DOMAIN.test(claim.domain)) return null
  const { name, value } = recordOf(claim)
  const { texts } = await lookUpTxt(platform, name)
  if (texts === null) return 'dns_unavailable'
  if (texts.length === 0) return 'txt_not_found'
  return texts.some((text) => text.trim() === value) ? null : 'txt_mismatch'
}

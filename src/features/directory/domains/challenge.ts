import { randomBase62 } from '../../../platform/crypto/tokens.ts'
import { lookUpTxt } from '../../../platform/outbound/dns.ts'
import type { Platform } from '../../../platform/platform.ts'

/** The label below a domain that its record stands at. */
export const RECORD_PREFIX = '_watchword-challenge'

/** Why a check did not find the record: there is none, others are there, or the DNS did not answer. */
export const CHECK_ERRORS = ['txt_not_found', 'txt_mismatch', 'dns_unavailable'] as const
export type CheckError = (typeof CHECK_ERRORS)[number]

/** What an organization is to put into the DNS, of which the token is random. */
export function recordOf({ domain, token }: { domain: string; token: string }) {
  return { type: 'dns_txt' as const, name: `${RECORD_PREFIX}.${domain}`, value: `watchword-verify=${token}` }
}

export function newToken(): string {
  return randomBase62()
}

// Names that DNS never has (RFC 2606 §2, RFC 6761 §6).
const TEST_DOMAIN = /\.(test|example|localhost)$/

/** Asks the DNS for the record of a domain. Returns why it is not there, or null. In development test domains have it. */
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

import type { Platform } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import { listDomains } from '../../directory/domains/domains.ts'

/** The result of one check of a provider, and how to fix a problem. */
interface ProviderCheck {
  id: string
  ok: boolean
  message: string
  fix: string | null
}

const MAX_CLOCK_DIFFERENCE_SECONDS = 60

export const passed = (id: string, message: string): ProviderCheck => ({ id, ok: true, message, fix: null })
export const failed = (id: string, message: string, fix: string): ProviderCheck => ({ id, ok: false, message, fix })

/** Compares the clocks by the `Date` header of a response from the provider. */
export function checkClock({ clock }: Pick<Platform, 'clock'>, date: string | null): ProviderCheck {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return passed('clock', 'The provider does not say what time it is.')
  // Process clock: this clock is compared with the provider's clock.
  const seconds = Math.round(Math.abs(theirs - clock.now().getTime()) / 1000)
  if (seconds <= MAX_CLOCK_DIFFERENCE_SECONDS) return passed('clock', 'The clocks agree.')
  const fix = 'Set the clock of this service, or of the provider, by NTP.'
  return failed('clock', `The clock of the provider is ${seconds} seconds apart from ours.`, fix)
}

/** Reports that no domain is verified. This is not the provider's fault, but every first sign-in would be refused. */
export async function checkDomain(work: Work): Promise<ProviderCheck[]> {
  if ((await listDomains(work)).some(({ status }) => status === 'verified')) return []
  const fix = 'Verify the domain of the addresses of the people: POST /v1/admin-portal with the action add_domain.'
  const message = 'The organization has no verified domain, so unknown users are refused.'
  return [{ id: 'domain', ok: true, message, fix }]
}

import type { Platform } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import { listDomains } from '../../directory/domains/domains.ts'

/** One thing that a test of a provider has looked at, and how to mend it. */
interface ProviderCheck {
  id: string
  ok: boolean
  message: string
  fix: string | null
}

const MAX_CLOCK_DIFFERENCE_SECONDS = 60

export const passed = (id: string, message: string): ProviderCheck => ({ id, ok: true, message, fix: null })
export const failed = (id: string, message: string, fix: string): ProviderCheck => ({ id, ok: false, message, fix })

/** Compares the clocks, by the `Date` of an answer of the provider. */
export function checkClock({ clock }: Pick<Platform, 'clock'>, date: string | null): ProviderCheck {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return passed('clock', 'The provider does not say what time it is.')
  // Process clock: this is the clock that the check compares with the clock of the provider.
  const seconds = Math.round(Math.abs(theirs - clock.now().getTime()) / 1000)
  if (seconds <= MAX_CLOCK_DIFFERENCE_SECONDS) return passed('clock', 'The clocks agree.')
  const fix = 'Set the clock of this service, or of the provider, by NTP.'
  return failed('clock', `The clock of the provider is ${seconds} seconds apart from ours.`, fix)
}

/** That no domain is verified is no fault of the provider, but would refuse everybody who has not signed in before. */
export async function checkDomain(work: Work): Promise<ProviderCheck[]> {
  if ((await listDomains(work)).some(({ status }) => status === 'verified')) return []
  const fix = 'Verify the domain of the addresses of the people: POST /v1/admin-portal with the action add_domain.'
  const message = 'The organization has no verified domain, so unknown users are refused.'
  return [{ id: 'domain', ok: true, message, fix }]
}

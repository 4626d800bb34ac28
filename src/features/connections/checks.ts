import type { Platform } from '../../platform/platform.ts'
import type { ConnectionCheck } from './schema.ts'

const MAX_CLOCK_DIFFERENCE_SECONDS = 60

export const passed = (id: string, message: string): ConnectionCheck => ({ id, ok: true, message, fix: null })
export const failed = (id: string, message: string, fix: string): ConnectionCheck => ({ id, ok: false, message, fix })

/** Compares the clocks, by the `Date` of an answer of the provider. */
export function checkClock({ clock }: Pick<Platform, 'clock'>, date: string | null): ConnectionCheck {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return passed('clock', 'The provider does not say what time it is.')
  const seconds = Math.round(Math.abs(theirs - clock.now().getTime()) / 1000)
  if (seconds <= MAX_CLOCK_DIFFERENCE_SECONDS) return passed('clock', 'The clocks agree.')
  const fix = 'Set the clock of this service, or of the provider, by NTP.'
  return failed('clock', `The clock of the provider is ${seconds} seconds apart from ours.`, fix)
}

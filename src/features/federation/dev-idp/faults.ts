import type { Platform } from '../../../platform/platform.ts'

/** Common mistakes of identity providers, to try out how a sign-in reacts. */
export const FAULTS = {
  none: 'no fault',
  cancelled: 'the person cancels',
  unknown_certificate: 'signed by an expired certificate that the metadata does not have',
  missing_email: 'no email address',
  wrong_audience: 'issued to another application (audience)',
  clock_ahead: 'the clock of the provider is an hour ahead',
} as const

export type Fault = keyof typeof FAULTS

const AHEAD_MS = 3600_000

export function isFault(text: string): text is Fault {
  return Object.hasOwn(FAULTS, text)
}

/** The time of the provider's clock. */
export function providerTime({ clock }: Platform, fault: Fault = 'none'): Date {
  // Process clock: messages of a provider are checked with this clock.
  return new Date(clock.now().getTime() + (fault === 'clock_ahead' ? AHEAD_MS : 0))
}

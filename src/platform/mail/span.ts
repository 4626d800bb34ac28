const UNITS = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
]

/**
 * How long something lasts, as a mail says it: `10 minutes`, `24 hours`, `7 days`. Rounded down, as nothing may
 * end sooner than its mail says; a minute at least.
 */
export function spanInWords(seconds: number): string {
  // From two of a unit on: `24 hours` says more than `1 day`.
  const unit = UNITS.find((each) => seconds >= 2 * each.seconds) ?? { name: 'minute', seconds: 60 }
  const count = Math.max(1, Math.floor(seconds / unit.seconds))
  return count === 1 ? `1 ${unit.name}` : `${count} ${unit.name}s`
}

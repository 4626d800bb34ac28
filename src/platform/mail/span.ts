const UNITS = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
]

/**
 * A duration as a mail states it: `10 minutes`, `24 hours`, `7 days`. Rounded down, as nothing may expire sooner than
 * its mail says; at least a minute.
 */
export function spanInWords(seconds: number): string {
  // A unit is used from two of it on: `24 hours` is clearer than `1 day`.
  const unit = UNITS.find((each) => seconds >= 2 * each.seconds) ?? { name: 'minute', seconds: 60 }
  const count = Math.max(1, Math.floor(seconds / unit.seconds))
  return count === 1 ? `1 ${unit.name}` : `${count} ${unit.name}s`
}

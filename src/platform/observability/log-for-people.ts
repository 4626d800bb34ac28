const LEVELS = new Map<unknown, string>([
  ['warn', 'Warning: '],
  ['error', 'Error: '],
])

const SAID_ELSEWHERE = ['level', 'time', 'msg', 'error']

/**
 * Rewrites JSON log lines for people. A request becomes `POST /v1/users 409 email_exists 11 ms`. Other lines become
 * their message, with fields as `name=value` and an error's stack frames below.
 */
export function forPeople(write: (line: string) => void): { write(line: string): void } {
  return { write: (line) => write(`${toText(JSON.parse(line))}\n`) }
}

function toText(fields: Record<string, unknown>): string {
  const { level, msg, method, route, status, durationMs, code, error } = fields
  if (msg === 'request')
    return [method, route, status, ...(code ? [code] : []), `${Math.round(Number(durationMs))} ms`].join(' ')
  const { frames = [], ...facts } = isRecord(error) ? error : {}
  const shown = [
    ...Object.entries(fields).filter(([name]) => !SAID_ELSEWHERE.includes(name)),
    ...Object.entries(facts),
  ].map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
  const below = Array.isArray(frames) ? frames.map((frame) => `\n    ${String(frame)}`) : []
  return `${LEVELS.get(level) ?? ''}${String(msg)}${shown.length ? ` (${shown.join(', ')})` : ''}${below.join('')}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** One user, as written on a line. */
export interface TextUser {
  email: string
  displayName?: string
  firstName?: string
  lastName?: string
}

/** A line that has more than an address and two names. `email` is the text in the address's place. */
export interface UnreadableLine {
  email: string
  unreadable: true
}

// A whole line that is not blank and does not start with #.
const USER_LINE = /(?<![^\r\n])[^\S\r\n]*[^\s#][^\r\n]*/g

/**
 * Reads one user per line: `email`, `email,First,Last` or `Name <email>`. Ignores blank lines and lines that start
 * with #. Does not validate addresses. Stops after `enough` users.
 */
export function parseBulkText(text: string, enough = Number.POSITIVE_INFINITY): (TextUser | UnreadableLine)[] {
  return Array.from(text.matchAll(USER_LINE).take(enough), ([line]) => parseLine(line.trim()))
}

function parseLine(line: string): TextUser | UnreadableLine {
  // Checked first, because a name may contain commas: `Lovelace, Ada <ada@example.com>`.
  const open = line.endsWith('>') ? line.lastIndexOf('<') : -1
  if (open >= 0) {
    const email = line.slice(open + 1, -1).trim()
    return { email, ...named('displayName', unquote(line.slice(0, open).trim())) }
  }
  const [email = '', first = '', last = '', ...more] = line.split(',').map((part) => part.trim())
  if (more.length) return { email, unreadable: true }
  return { email, ...named('firstName', unquote(first)), ...named('lastName', unquote(last)) }
}

function named(field: 'displayName' | 'firstName' | 'lastName', value: string) {
  return value === '' ? {} : { [field]: value }
}

function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).trim() : text
}

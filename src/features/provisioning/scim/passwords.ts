/** Longer bodies are not logged, because people read the log. */
const MAX_BODY = 16_384

/** Also with the URN of its schema (RFC 7644 §3.10). */
const ATTRIBUTE = /(?:^|:)password$/i
/** As a separate word, in a name or a filter. */
const WORD = /\bpassword\b/i
/** Members of a body that contain SCIM paths or filters (RFC 7644 §3.4.2, §3.5.2, §3.7). */
const ASKING = /^(?:path|filter)$/i
/**
 * Other members may contain the word password, as in a job title. They count only if they name the attribute or
 * compare it.
 */
const NAMED = /(?:^|[:"'&?])\s*password\s*(?:$|[[."'=])|\bpassword\s+(?:eq|ne|co|sw|ew|gt|ge|lt|le)\b/i

/** A request in the form in which it may be logged. */
interface Kept {
  path: string
  /** Null if there was no body or it is not logged. */
  body: unknown
  /** Whether only the password attribute was left out. */
  isWhole: boolean
}

/**
 * Removes passwords from a request before it is logged: the attribute, and the whole query or body if another part
 * names the attribute, because the password may then be anywhere. `route` replaces a path that contains the word.
 */
export function withoutPasswords(url: string, route: string, body: unknown): Kept {
  const [bare = ''] = url.split('?', 1)
  const path = asks(bare, WORD) ? route : asks(url, WORD) ? bare : url
  let asksInside = false
  const text = JSON.stringify(body ?? null, (name, value) => {
    if (ATTRIBUTE.test(name)) return undefined
    const how = ASKING.test(name) ? WORD : NAMED
    asksInside ||= WORD.test(name) || (typeof value === 'string' && asks(value, how))
    return value
  })
  return {
    path,
    body: asksInside || text.length > MAX_BODY ? null : JSON.parse(text),
    isWhole: path === url && !asksInside,
  }
}

/** Whether the text matches, also in repeated percent-encoding, which a proxy may have added. */
function asks(text: string, how: RegExp): boolean {
  return how.test(
    text.replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
  )
}

/** A reason without the quotes from the request. */
export function withoutQuotes(reason: string | null): string | null {
  // An unfinished quote extends to the end, so the pattern takes linear time.
  return reason?.replaceAll(/"(?:[^"\\]|\\.?)*(?:"|$)/gs, '"…"') ?? null
}

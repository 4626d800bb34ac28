/** What is longer is not kept: a log is to be read by people. */
const MAX_BODY = 16_384

/** With the URN of its schema, too (RFC 7644 §3.10). */
const ATTRIBUTE = /(?:^|:)password$/i
/** As a word of its own, in what names or asks for something. */
const WORD = /\bpassword\b/i
/** Members of a body that are written in the language of SCIM (RFC 7644 §3.4.2, §3.5.2, §3.7): they name, compare and ask. */
const ASKING = /^(?:path|filter)$/i
/** Other members may contain the word password, as in a job title. Only a password that is named or compared counts. */
const NAMED = /(?:^|[:"'&?])\s*password\s*(?:$|[[."'=])|\bpassword\s+(?:eq|ne|co|sw|ew|gt|ge|lt|le)\b/i

/** A request as it may be kept. */
interface Kept {
  path: string
  /** Null if there was none, or it is not kept. */
  body: unknown
  /** Whether nothing but the attribute was left out of it. */
  isWhole: boolean
}

/**
 * Leaves passwords out of what is kept of a request: the attribute, and the whole query or body where something else
 * asks for one, since its value may stand anywhere beside. `route` stands in for a path that has the word.
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

/** Whether it asks so, in escapes of escapes, too: a proxy may have made them. */
function asks(text: string, how: RegExp): boolean {
  return how.test(
    text.replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
  )
}

/** A reason without what it quotes of the request. */
export function withoutQuotes(reason: string | null): string | null {
  // A quote that does not end goes to the end: nothing is read twice.
  return reason?.replaceAll(/"(?:[^"\\]|\\.?)*(?:"|$)/gs, '"…"') ?? null
}

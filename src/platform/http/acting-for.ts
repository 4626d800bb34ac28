import type { IncomingHttpHeaders } from 'node:http'
import { type ApiError, invalidField } from '../errors.ts'
import type { Origin } from '../events/origin.ts'
import { isName, MAX_NAME } from '../schema.ts'

/** The customer's own id of the person that its backend acts for. */
export const ACTOR_ID_HEADER = 'X-Actor-Id'
/** The name of that person. */
export const ACTOR_NAME_HEADER = 'X-Actor-Name'

/**
 * Reads from the headers which person a backend acts for. Returns undefined if there is none. The person is only
 * recorded and gets no rights. Throws `invalid_request`.
 */
export function readActingFor(headers: IncomingHttpHeaders): Origin['onBehalfOf'] {
  const id = readHeader(headers, ACTOR_ID_HEADER)
  const name = readHeader(headers, ACTOR_NAME_HEADER)
  if (id !== null) return { id, name }
  if (name === null) return undefined
  const message = `${ACTOR_NAME_HEADER} is sent without ${ACTOR_ID_HEADER}`
  throw invalidField(ACTOR_ID_HEADER, 'required', message)
}

function readHeader(headers: IncomingHttpHeaders, header: string): string | null {
  const sent = headers[header.toLowerCase()]
  if (sent === undefined) return null
  const text = decode(String(sent))
  if (text === null || !isName(text)) throw malformed(header)
  return text
}

// Header values are bytes, and nothing says whether those beyond ASCII are Latin-1 or UTF-8 (RFC 9110 §5.5).
function decode(sent: string): string | null {
  if (!/^[\x20-\x7e]*$/.test(sent)) return null
  try {
    return decodeURIComponent(sent)
  } catch {
    return null
  }
}

function malformed(header: string): ApiError {
  const message =
    `${header} must have 1 to ${MAX_NAME} characters and no control characters, with characters beyond ASCII and % ` +
    'percent-encoded as UTF-8'
  return invalidField(header, 'format', message)
}

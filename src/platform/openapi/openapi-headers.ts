import type { Route } from '../http/route.ts'
import type { JsonObject } from './openapi-schemas.ts'

const string = { type: 'string' }

/**
 * Response headers in the contract, by the name of their component. The contract's introduction lists the headers of
 * every response and refusal.
 */
const headers = {
  Etag: ['ETag', 'The version of the record, for If-Match, or of the document, for If-None-Match.', string],
  Link: ['Link', 'The address of the next page (RFC 8288), if there are more: `<…>; rel="next"`.', string],
  Location: [
    'Location',
    'URL that the browser is sent to, or URL of the new resource.',
    { type: 'string', format: 'uri' },
  ],
} as const satisfies Record<string, readonly [name: string, description: string, schema: JsonObject]>

type HeaderName = keyof typeof headers

/** `components.headers`. */
export const headerComponents: Record<string, JsonObject> = Object.fromEntries(
  Object.entries(headers).map(([name, [, description, schema]]) => [name, { description, schema }]),
)

/** The headers of a response as references, if there are any. */
function refer(names: HeaderName[]): JsonObject | undefined {
  if (names.length === 0) return undefined
  return Object.fromEntries(names.map((name) => [headers[name][0], { $ref: `#/components/headers/${name}` }]))
}

/** The headers of a route's successful responses. */
export function headersOfReply(route: Route): JsonObject | undefined {
  return refer([
    ...(route.etag || route.kept ? (['Etag'] as const) : []),
    ...(route.media === 'json' && 'cursor' in route.query.properties ? (['Link'] as const) : []),
  ])
}

/** An additional header for created resources (RFC 9110 §15.3.2). */
export const headersOfMade = refer(['Location'])

/** The headers of a redirect. */
export const headersOfRedirect = refer(['Location'])

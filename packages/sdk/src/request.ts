/** A request of Express, Fastify or Node, or a Fetch request. */
export interface IncomingRequest {
  headers: Headers | Record<string, string | string[] | undefined>
  method?: string | undefined
  /** The address that the framework has found behind your proxies. */
  ip?: string | undefined
  socket?: { remoteAddress?: string | undefined } | undefined
}

/** The separators for values of a header that was sent several times (RFC 9110 §5.3, RFC 9113 §8.2.3). */
const SEPARATORS: Record<string, string> = { cookie: '; ', 'webhook-signature': ' ' }

/** A header of the request by its lower-case name. */
export function headerOf({ headers }: Pick<IncomingRequest, 'headers'>, name: string): string | undefined {
  // Also accepts the `Headers` class of another package.
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  const value = headers[name] ?? Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1]
  return Array.isArray(value) ? value.join(SEPARATORS[name] ?? ', ') : value
}

const isHeaders = (headers: IncomingRequest['headers']): headers is Headers => typeof headers.get === 'function'

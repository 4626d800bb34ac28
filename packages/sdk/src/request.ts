/** A request of Express, Fastify or Node, or one of the Fetch standard. */
export interface IncomingRequest {
  headers: Headers | Record<string, string | string[] | undefined>
  method?: string | undefined
  /** The address that the framework has found behind your proxies. */
  ip?: string | undefined
  socket?: { remoteAddress?: string | undefined } | undefined
}

/** How the values of a header that was sent several times are put together (RFC 9110 §5.3, RFC 9113 §8.2.3). */
const SEPARATORS: Record<string, string> = { cookie: '; ', 'webhook-signature': ' ' }

/** A header of the request, by its name in lower case. */
export function headerOf({ headers }: Pick<IncomingRequest, 'headers'>, name: string): string | undefined {
  // Also the `Headers` of another package.
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  const value = headers[name] ?? Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1]
  return Array.isArray(value) ? value.join(SEPARATORS[name] ?? ', ') : value
}

const isHeaders = (headers: IncomingRequest['headers']): headers is Headers => typeof headers.get === 'function'

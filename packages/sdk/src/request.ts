/** A request of Express, Fastify or Node, or one of the Fetch standard. */
export interface IncomingRequest {
  headers: Headers | Record<string, string | string[] | undefined>
  method?: string | undefined
  /** The address that the framework has found behind your proxies. */
  ip?: string | undefined
  socket?: { remoteAddress?: string | undefined } | undefined
}

/** A header of the request, by its name in lower case. */
export function headerOf({ headers }: Pick<IncomingRequest, 'headers'>, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

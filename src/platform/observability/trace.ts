import type { IncomingHttpHeaders } from 'node:http'

// W3C Trace Context §3.2: later versions begin in the same form, and ids with only zeros are invalid.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/

/** The id of the request's trace, from its `traceparent`, as a field of log lines. */
export function traceOf({ traceparent }: IncomingHttpHeaders): { traceId?: string } {
  const traceId = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
  return traceId === undefined ? {} : { traceId }
}

import type { IncomingHttpHeaders } from 'node:http'

// W3C Trace Context §3.2: of a later version the beginning has the same form, and ids of zeros alone are none.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/

/** The id of the trace that a request is part of by its `traceparent`, as a field of its log lines. */
export function traceOf({ traceparent }: IncomingHttpHeaders): { traceId?: string } {
  const traceId = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
  return traceId === undefined ? {} : { traceId }
}

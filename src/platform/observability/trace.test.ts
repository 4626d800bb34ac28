import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'

const app = await startApp()

/** The log line of a request with this `traceparent`. */
async function logged(traceparent: string): Promise<Record<string, unknown>> {
  const requestId = `trace-${crypto.randomUUID()}`
  await app.as(null).get('/v1/users', { traceparent, 'x-request-id': requestId })
  const lines = app.logLines.map((line) => JSON.parse(line))
  return lines.find((line) => line.requestId === requestId && line.msg === 'request')
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

test('log lines name the trace that a request is part of', async () => {
  expect(await logged(`00-${TRACE}-00f067aa0ba902b7-01`)).toMatchObject({ traceId: TRACE, status: 401 })
  expect(await logged(`01-${TRACE}-00f067aa0ba902b7-01-more`)).toMatchObject({ traceId: TRACE })
})

test.each([
  `ff-${TRACE}-00f067aa0ba902b7-01`,
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
  `00-${TRACE}-00f067aa0ba902b7-01x`,
  'a secret',
])('what is no traceparent is not logged: %s', async (text) => {
  expect(await logged(text)).not.toHaveProperty('traceId')
})

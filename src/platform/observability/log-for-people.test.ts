import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { forPeople } from './log-for-people.ts'

function linesOf(write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  write(
    createLog(
      { logLevel: 'debug' },
      forPeople((line) => void lines.push(line)),
    ),
  )
  return lines
}

test('a request is its method, route, status, refusal and time', () => {
  expect(
    linesOf((log) => {
      log.info({ requestId: 'req_1', method: 'POST', route: '/v1/users', status: 200, durationMs: 10.6 }, 'request')
      log.info({ method: 'GET', route: '/v1/x', status: 404, durationMs: 0.4, code: 'not_found' }, 'request')
    }),
  ).toEqual(['POST /v1/users 200 11 ms\n', 'GET /v1/x 404 not_found 0 ms\n'])
})

test('anything else is its message, with the fields and the frames of an error', () => {
  const error = Object.assign(new TypeError('secret'), { code: 'EBAD' })
  const [plain, warning, failure = ''] = linesOf((log) => {
    log.info({}, 'Rotated signing keys')
    log.warn({ job: 'mail.send', attempt: 3 }, 'A job failed')
    log.error({ code: 'uncaughtException', error }, 'It ends')
  })
  expect([plain, warning]).toEqual(['Rotated signing keys\n', 'Warning: A job failed (job=mail.send, attempt=3)\n'])
  expect(failure).toMatch(
    /^Error: It ends \(code=uncaughtException, name=TypeError, code=EBAD\)\n {4}at .*log-for-people\.test\.ts/,
  )
  expect(failure).not.toContain('secret')
})

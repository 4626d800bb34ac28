import { expect, test } from 'vitest'
import { createLog } from './log.ts'

/** What is logged about an error. */
function lineOf(error: unknown): string {
  const lines: string[] = []
  createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) }).error({ error }, 'It failed')
  expect(lines).toHaveLength(1)
  return lines[0] ?? ''
}

const SECRET = 'amber-falcon@example.com'

test('a line tells of an error what it is and where, and nothing that it quotes', () => {
  const cause = Object.assign(new TypeError(`cannot read ${SECRET}`), { code: 'EBAD', hint: SECRET })
  const error = new Error(`Key (email)=(${SECRET}) exists`, { cause })
  Object.assign(error, { code: '23505', constraint: 'users_email', detail: SECRET, where: SECRET, query: SECRET })
  const line = lineOf(error)
  expect(line).not.toContain(SECRET)
  expect(JSON.parse(line)).toMatchObject({
    msg: 'It failed',
    error: {
      name: 'Error',
      code: '23505',
      constraint: 'users_email',
      frames: expect.arrayContaining([expect.stringContaining('log.test.ts')]),
      cause: { name: 'TypeError', code: 'EBAD' },
    },
  })
})

test('what is thrown and is no error is told by its kind alone', () => {
  expect(JSON.parse(lineOf(SECRET)).error).toEqual({ name: 'string' })
})

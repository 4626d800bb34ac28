import { expect, test } from 'vitest'
import { httpErrors } from '../errors.ts'
import { toProblem } from './problem.ts'

test('a problem says what to do about it: in its own words, else in those of the catalogue', () => {
  const detailOf = (error: Error) => toProblem(error, 'https://auth.example', 'req_1').body['detail']
  expect(detailOf(httpErrors.organizationNotFound())).toBe(httpErrors.organizationNotFound.help)
  expect(detailOf(httpErrors.organizationNotFound({ detail: 'Not here.' }))).toBe('Not here.')
})

test('of a failure of ours nobody is told more than that it happened', () => {
  const failure = Object.assign(new Error('canary-5d1f in a statement'), { detail: 'canary-5d1f', code: '22P02' })
  for (const thrown of [failure, 'canary-5d1f', { detail: 'canary-5d1f' }]) {
    const problem = toProblem(thrown, 'https://auth.example', 'req_1')
    expect([problem.status, problem.body['code']]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(problem)).not.toContain('canary-5d1f')
  }
})

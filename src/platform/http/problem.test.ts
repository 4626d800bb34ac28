import { expect, test } from 'vitest'
import { httpErrors } from '../errors.ts'
import { toProblem } from './problem.ts'

test('a problem says what to do about it: in its own words, else in those of the catalogue', () => {
  const detailOf = (error: Error) => toProblem(error, 'https://auth.example', 'req_1').body['detail']
  expect(detailOf(httpErrors.organizationNotFound())).toBe(httpErrors.organizationNotFound.help)
  expect(detailOf(httpErrors.organizationNotFound({ detail: 'Not here.' }))).toBe('Not here.')
})

import { expect, test } from 'vitest'
import { rememberFirstLines } from './first-lines.ts'

const address = (n: number) => `person${n}@example.com`

test('the first line of every address is known, however many there are', () => {
  const lines = rememberFirstLines()
  const wrong = []
  for (let n = 1; n <= 50_000; n++) if (lines.note(address(n), n) !== n) wrong.push(n)
  for (let n = 1; n <= 50_000; n++) if (lines.note(address(n), 50_000 + n) !== n) wrong.push(n)
  expect(wrong).toEqual([])
})

test('a table that is full keeps what it has, and takes no more', () => {
  const lines = rememberFirstLines(16)
  for (let n = 1; n <= 1000; n++) expect(lines.note(address(n), n)).toBe(n)
  const known = Array.from({ length: 1000 }, (_, n) => lines.note(address(n + 1), 2000)).filter((line) => line < 2000)
  expect(known).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
})

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// Words that almost always stand in a sentence that has to be read twice.
const RIDDLES = /\b(whoever|whomever|whom|nobody|somebody|besides|thereof|heretofore)\b/i

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

/** Every text below a value, with its place. */
function textsIn(value: unknown, place = ''): [place: string, text: string][] {
  if (typeof value === 'string') return [[place, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, `${place}/${key}`))
}

const riddlesIn = (text: string) => textsIn(JSON.parse(text)).filter(([, one]) => RIDDLES.test(one))

describe('no riddle is in', () => {
  test.each(['openapi.json', 'openapi.scim.json', 'locales/en.json'])('%s', (path) => {
    expect(riddlesIn(read(path))).toEqual([])
  })

  test.each([
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'docs/start/sdk.md',
    'packages/sdk/README.md',
  ])('%s', (path) => {
    expect(
      read(path)
        .split('\n')
        .filter((line) => RIDDLES.test(line)),
    ).toEqual([])
  })
})

test('a riddle is found with its place', () => {
  const text = JSON.stringify({ a: [{ detail: 'Ask whoever has it.' }], b: 'Ask an administrator.' })
  expect(riddlesIn(text)).toEqual([['/a/0/detail', 'Ask whoever has it.']])
})

import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// Words that almost always stand in a sentence that has to be read twice.
const RIDDLES = /\b(whoever|whomever|whom|nobody|somebody|besides|thereof|heretofore)\b/i

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')

/** Without the blocks that run, whose data may be any text; the code to copy stays. */
const proseOf = (text: string) => text.replaceAll(/^ *```(bash|json|text)\n[\s\S]*?^ *```$/gm, '')

const guides = globSync(
  ['docs/{sign-in,enterprise,directory,reference,internals}/*.md', 'docs/start/{sdk,testing}.md'],
  { cwd: root },
).sort()

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

  test.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'packages/sdk/README.md', ...guides])(
    '%s',
    (path) => {
      expect(
        proseOf(read(path))
          .split('\n')
          .filter((line) => RIDDLES.test(line)),
      ).toEqual([])
    },
  )
})

test('the guides are found', () => {
  expect(guides.length).toBeGreaterThan(30)
})

test('a riddle is found with its place', () => {
  const text = JSON.stringify({ a: [{ detail: 'Ask whoever has it.' }], b: 'Ask an administrator.' })
  expect(riddlesIn(text)).toEqual([['/a/0/detail', 'Ask whoever has it.']])
})

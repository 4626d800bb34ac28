import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// Words that almost always stand in a sentence that has to be read twice. `nobody` as code is a user of the system.
const RIDDLES = /(?<!`)\b(whoever|whomever|whom|nobody|somebody|besides|thereof|heretofore)\b/i

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')

/** Without the blocks that run, whose data may be any text; the code to copy stays. */
const proseOf = (text: string) => text.replaceAll(/^ *```(bash|json|text)\n[\s\S]*?^ *```$/gm, '')

const guides = globSync(
  ['docs/index.md', 'docs/{start,sign-in,enterprise,directory,operate,reference,internals}/*.md'],
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

const sources = globSync('src/**/*.{ts,js}', { cwd: root })
  .filter((path) => !/\.(test|gen)\.ts$/.test(path))
  .sort()

const COMMENT = /^\s*(\/\/|\/?\*|--)|\s\/\/\s/

/** The comment lines of a source with a riddle, SQL comments included. */
const riddlesInComments = (source: string) =>
  source.split('\n').filter((line) => COMMENT.test(line) && RIDDLES.test(line.slice(line.search(COMMENT))))

test('no riddle is in the comments of src', () => {
  const found = sources.flatMap((path) => riddlesInComments(read(path)).map((line) => `${path}: ${line.trim()}`))
  expect(found).toEqual([])
})

test('a riddle is found in every kind of comment, and not in code', () => {
  const comments = ['// Ask whoever has it.', '/** For whom. */', ' * Nobody.', '  -- Somebody.', 'f() // Besides.']
  expect(riddlesInComments([...comments, "const user = 'nobody'"].join('\n'))).toEqual(comments)
})

test('the guides and sources are found', () => {
  expect(sources.length).toBeGreaterThan(500)
  expect(guides.length).toBeGreaterThan(30)
})

test('a riddle is found with its place', () => {
  const text = JSON.stringify({ a: [{ detail: 'Ask whoever has it.' }], b: 'Ask an administrator.' })
  expect(riddlesIn(text)).toEqual([['/a/0/detail', 'Ask whoever has it.']])
})

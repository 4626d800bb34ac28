import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// What a mail says beside its own text. A name that others choose goes through withoutLinks: mail programs would make a link of
// "evil.example", and the reader would trust it as the service's.

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = globSync('src/**/emails.ts', { cwd: root }).sort()

/** What no person chooses, by the name of the placeholder. */
const OWN = {
  span: 'a time in words',
  digits: 'a code',
  code: 'a code',
  ip: 'an address of the network',
  program: 'words of ours for a browser and a system',
  browser: 'a word of ours',
  system: 'a word of ours',
  address: 'masked: only its domain is shown in full',
}

/** The values that a mail fills in, by file: the placeholder, and the expression. */
function valuesIn(source: string): { name: string; value: string }[] {
  const written = [...source.matchAll(/\(language, (\{[^{}]*\}|\w+)\)/g)].map(([, values = '']) => values)
  const objects = written.map((values) =>
    values.startsWith('{') ? values : (new RegExp(`const ${values} = (\\{.*\\})`).exec(source)?.[1] ?? ''),
  )
  return objects.flatMap((text) => {
    const inside = text.slice(1, -1)
    const names = [...inside.matchAll(/(?:^|,)\s*(\w+)(?=\s*(?::|,|$))/g)]
    return names.map(({ 1: name = '', index }, at) => ({ name, value: inside.slice(index, names[at + 1]?.index) }))
  })
}

/** Whether the value is made by `withoutLinks`, where it stands or where its name is defined. */
const isSafe = (source: string, { name, value }: { name: string; value: string }) =>
  name in OWN || value.includes('withoutLinks(') || new RegExp(`const ${name} = .*withoutLinks\\(`).test(source)

const wrongIn = (source: string) =>
  valuesIn(source)
    .filter((each) => !isSafe(source, each))
    .map(({ name }) => name)

test.each(files)('%s shows no name that others choose as it is', (file) => {
  expect(wrongIn(readFileSync(`${root}/${file}`, 'utf8'))).toEqual([])
})

test('the mails are found, and a bare name in one', () => {
  expect(files.length).toBeGreaterThan(12)
  const all = files.flatMap((file) => valuesIn(readFileSync(`${root}/${file}`, 'utf8')).map(({ name }) => name))
  expect([...new Set(all)]).toEqual(
    expect.arrayContaining(['source', 'organization', 'inviter', 'team', 'name', 'names', 'origin', 'span']),
  )
  expect(wrongIn('const about = { source }\nlinked(language, about)')).toEqual(['source'])
  expect(wrongIn('linked(language, { source, span: words(language, ttl) })')).toEqual(['source'])
  expect(wrongIn('linked(language, { source: withoutLinks(source), organization })')).toEqual(['organization'])
})

import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// What a mail says beside its own text. A name that others choose goes through withoutLinks: mail programs would make a link of
// "evil.example", and the reader would trust it as the service's.

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = globSync('src/**/emails.ts', { cwd: root }).sort()

/** What no person chooses, by the name of the placeholder. */
const OWN = {
  expires_in: 'a time in words',
  code_expires_in: 'a time in words',
  undo_expires_in: 'a time in words',
  duration: 'a time in words',
  time: 'a time in words',
  digits: 'a code',
  ip: 'an address of the network',
  device: 'browser and system, in words of the service',
  codes_left: 'a number',
  new_address: 'masked: only its domain is shown in full',
  account_address: 'masked: only its domain is shown in full',
}

/** The values of the placeholders of a mail: the name, and the expression. */
function valuesIn(source: string): { name: string; value: string }[] {
  const objects = [...source.matchAll(/values: \(.*?\) => \(\{([^{}]*)\}\)/g)].map(([, inside = '']) => inside)
  return objects.flatMap((inside) => {
    const names = [...inside.matchAll(/(?:^|,)\s*(\w+)(?=\s*(?::|,|$))/g)]
    return names.map(({ 1: name = '', index }, at) => ({ name, value: inside.slice(index, names[at + 1]?.index) }))
  })
}

const wrongIn = (source: string) =>
  valuesIn(source)
    .filter(({ name, value }) => !(name in OWN || value.includes('withoutLinks(')))
    .map(({ name }) => name)

test.each(files)('%s shows no name that others choose as it is', (file) => {
  expect(wrongIn(readFileSync(`${root}/${file}`, 'utf8'))).toEqual([])
})

test('the mails are found, and a bare name in one', () => {
  expect(files.length).toBeGreaterThan(12)
  const all = files.flatMap((file) => valuesIn(readFileSync(`${root}/${file}`, 'utf8')).map(({ name }) => name))
  expect([...new Set(all)]).toEqual(
    expect.arrayContaining(['provider', 'organization', 'inviter', 'passkey_names', 'name', 'origin', 'expires_in']),
  )
  expect(wrongIn('values: () => ({ provider })')).toEqual(['provider'])
  expect(wrongIn('values: (language) => ({ provider, expires_in: words(language, ttl) })')).toEqual(['provider'])
  expect(wrongIn('values: () => ({ provider: withoutLinks(provider), organization })')).toEqual(['organization'])
})

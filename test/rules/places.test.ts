import { expect, test } from 'vitest'
import { routes } from '../../src/wiring/routes.ts'
import { featureOf, isForTests, readSources, roomOf } from './source.ts'

const sources = readSources('src').filter(({ path }) => !isForTests(path))

/** The folders in which a route has this path: its own, or one that it answers at too. */
function placesOf(path: string): Set<string> {
  const declares = ({ text }: { text: string }) =>
    [...text.matchAll(/\b(?:path:|aliases:)\s*(\[[^\]]*\]|'[^']+')/g)].some(([, list]) => list?.includes(`'${path}'`))
  return new Set(sources.filter(declares).map((file) => roomOf(file.path) ?? file.path))
}

test.each([...new Set(routes.flatMap(({ path, aliases }) => [path, ...aliases]))])(
  '%s is written out in the folder of its route, and in no other',
  (path) => {
    // As `path: '…'`, so that a search for it finds the folder.
    expect([...placesOf(path)]).toEqual([expect.stringMatching(/^src\/(features\/|platform$)/)])
  },
)

// Their names contain the noun of another folder, but they are nouns of their own.
const COMPOUNDS = new Set(['federated-sessions', 'saml-metadata'])

test('no noun has two folders', () => {
  const singular = (word: string) => word.replace(/s$/, '')
  const folders = [...new Set(sources.flatMap(({ path }) => roomOf(path) ?? []))].filter((folder) =>
    folder.startsWith('src/features/'),
  )
  const names = folders.map((folder) => featureOf(`${folder}/routes.ts`) ?? '')
  const nounsOf = (name: string) => [name, ...(COMPOUNDS.has(name) ? [] : name.split('-'))].map(singular)
  const twice = names.filter((name, n) => names.some((other, m) => m !== n && nounsOf(other).includes(singular(name))))
  expect(names.length).toBeGreaterThan(15)
  expect(twice).toEqual([])
})

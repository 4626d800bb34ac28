import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { isForTests, readSources, type SourceFile, topLevelStatements, withoutComments } from './source.ts'

/** A statement at the top level of a file: what it declares, and what it names, as `<path> <name>`. */
interface Declaration {
  path: string
  declares: string[]
  uses: Set<string>
  code: string
}

const IMPORTED = /^(?:import|export) (?!type )\{([^}]*)\} from '(\.[^']+)'/
/** Statements that run nothing. */
const NOTHING_RUN = /^import |^(?:export )?(?:type|interface) /
const DECLARED = /^(?:export )?(?:async )?(?:function\*?|const|let|class) (?:(\w+)|[{[]([^}\]]*)[}\]])/

const sources = readSources('src').filter(({ path }) => !isForTests(path))
const isWorker = ({ path }: { path: string }) => path.endsWith('-worker.ts')
const declarations = sources.flatMap((file) => declarationsOf(file))

function declarationsOf(file: SourceFile): Declaration[] {
  const { path } = file
  const statements = topLevelStatements(file).map(({ text }) => withoutComments(text).trim())
  const known = new Map(statements.flatMap((code) => importedBy(path, code)))
  for (const name of statements.flatMap(declaredBy)) known.set(name, `${path} ${name}`)
  return statements.map((code) => {
    const passedOn = new Map(code.startsWith('export {') ? importedBy(path, code) : [])
    const declares = [...declaredBy(code), ...passedOn.keys()].map((name) => `${path} ${name}`)
    // A word after a dot is a property, after three it is spread.
    const words = NOTHING_RUN.test(code) ? [] : (code.match(/(?<!(?<!\.)\.|[\w$])\w+/g) ?? [])
    const uses = new Set([...words.flatMap((word) => known.get(word) ?? []), ...passedOn.values()])
    return { path, declares, uses: uses.difference(new Set(declares)), code }
  })
}

/** What a statement imports at run time, or passes on, under which name. */
function importedBy(path: string, code: string): [name: string, origin: string][] {
  const [, list = '', target = ''] = IMPORTED.exec(code) ?? []
  return list.split(',').flatMap((entry) => {
    const [, name, alias = name] = /^\s*(\w+)(?: as (\w+))?\s*$/.exec(entry) ?? []
    return alias === undefined ? [] : [[alias, `${join(dirname(path), target)} ${name}`]]
  })
}

function declaredBy(code: string): string[] {
  const [, name, list = ''] = DECLARED.exec(code) ?? []
  return name === undefined ? (list.match(/\w+/g) ?? []) : [name]
}

/** Everything that calls what reads a message, directly or not, as far as the threads, each with what it calls. */
function readers(): Map<Declaration, Declaration | null> {
  const isFirst = ({ declares, code }: Declaration) =>
    /'@xmldom\/xmldom'|'xml-crypto'/.test(code.replaceAll(/^import type .*$/gm, '')) ||
    declares.some((name) => / (readXml|decryptElement)$/.test(name))
  const others = declarations.filter((one) => !isWorker(one))
  const found = new Map<Declaration, Declaration | null>(others.filter(isFirst).map((one) => [one, null]))
  // A map goes on to what is added while it is walked.
  for (const called of found.keys())
    for (const one of others)
      if (!found.has(one) && called.declares.some((name) => one.uses.has(name))) found.set(one, called)
  return found
}

test('messages of identity providers are parsed, verified and decrypted in threads alone', () => {
  const found = readers()
  const reading = [...found.keys()]
  const names = reading.flatMap(({ declares }) => declares.map((name) => name.split(' ')[1]))
  expect(names).toEqual(expect.arrayContaining(['readPosted', 'readResponse', 'readNameId', 'verifySigned']))
  // A chain of calls that does not lead to a thread ends at a statement that nothing uses.
  const used = new Set(declarations.flatMap(({ uses }) => [...uses]))
  const ends = reading.filter(({ declares }) => !declares.some((name) => used.has(name)))
  const chainOf = (one: Declaration): string[] => {
    const called = found.get(one)
    return [one.declares[0] ?? `${one.path}: ${one.code}`, ...(called ? chainOf(called) : [])]
  }
  expect(
    ends.map((one) => chainOf(one).join(' → ')),
    'call the last one by way of defineThreadWork',
  ).toEqual([])
  const paths = new Set(reading.map(({ path }) => path))
  const loading = declarations.filter((one) => !isWorker(one) && /import\('\.[^']*'\)/.test(one.code))
  const loaded = loading.flatMap(({ path, code }) =>
    [...code.matchAll(/import\('(\.[^']*)'\)/g)].map(([, target = '']) => join(dirname(path), target)),
  )
  expect(loaded.length).toBeGreaterThan(5)
  expect(loaded.filter((path) => paths.has(path))).toEqual([])
})

test('nothing but a thread runs the file of a thread', () => {
  const workers = sources.filter(isWorker).map(({ path }) => path)
  expect(workers).toHaveLength(4)
  const loading = sources.filter(({ imports }) =>
    imports.some(({ target, typeOnly }) => workers.includes(target) && !typeOnly),
  )
  expect(loading.map(({ path }) => path)).toEqual([])
})

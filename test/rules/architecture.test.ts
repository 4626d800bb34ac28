import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { countExplanations } from './exceptions.ts'
import {
  crowdedFunctions,
  exportedNames,
  featureOf,
  isForTests,
  measureFunctions,
  readSources,
  reExports,
  roomOf,
  type SourceFile,
} from './source.ts'

/** Of a function: its own, and with the functions inside. */
const [MAX_OWN_LINES, MAX_LINES] = [60, 70]

/** Of the folder of a noun, without its tests. */
const MAX_NOUN_LINES = 1900

/** Names that the public file of a noun or of a part exports. Aim at 12. */
const MAX_PUBLIC_NAMES = 20

/** The wings of `src/features`, and the wings that each imports. A new dependency between wings is a decision. */
const USES: Record<string, string[]> = {
  directory: [],
  access: ['directory'],
  'sign-in': ['access', 'directory'],
  federation: ['access', 'directory', 'sign-in'],
  provisioning: ['directory', 'federation'],
  tenancy: ['access', 'directory', 'sign-in'],
  records: ['directory'],
  oauth: ['access', 'directory'],
  front: ['access', 'directory', 'federation', 'sign-in', 'tenancy'],
}

/** Folders of wings without routes, rules of tenants or a public file. */
const LIBRARIES = ['xml', 'language', 'deliveries']

const all = readSources('src')
const sources = all.filter((file) => !isForTests(file.path))
const tests = [...all.filter((file) => isForTests(file.path)), ...readSources('test')]
const generated = (file: SourceFile) => file.path.endsWith('.gen.ts')
const written = sources.filter((file) => !generated(file))

function filesWith(pattern: RegExp, files = sources): string[] {
  return files.filter((file) => pattern.test(file.text)).map((file) => file.path)
}

/** The file that declares what is exported under this name. Throws if not exactly one does. */
function fileOf(name: string): string {
  const [path, ...more] = filesWith(new RegExp(String.raw`^export (async )?(const|function|interface) ${name}\b`, 'm'))
  if (path === undefined || more.length > 0) throw new Error(`${name} is not declared in exactly one file`)
  return path
}

/** In lines, without those that explain exceptions. */
const lengthOf = (file: SourceFile) => file.lines - countExplanations(file)

function count(pattern: RegExp): number {
  return sources.reduce((sum, file) => sum + (file.text.match(pattern)?.length ?? 0), 0)
}

test('the platform imports no feature, and nothing imports the files that wire', () => {
  const wrong = sources.flatMap((file) => {
    const room = roomOf(file.path)
    if (!room) return []
    const inside = file.imports.filter(({ target }) => target.startsWith('src/'))
    // The vocabulary of the interface is shared.
    const allowed = room === 'src/platform' ? /^src\/(platform\/|contract)/ : /^src\/(platform\/|features\/|contract)/
    return inside.filter(({ target }) => !allowed.test(target)).map(({ target }) => `${file.path} → ${target}`)
  })
  expect(wrong).toEqual([])
})

test('nothing of the product imports what is there for tests', () => {
  const wrong = sources.flatMap((file) =>
    file.imports.filter(({ target }) => isForTests(target)).map(({ target }) => `${file.path} → ${target}`),
  )
  expect(wrong).toEqual([])
})

/** What a map of dependencies has left after all that depend on nothing are taken away, again and again. */
function cyclesIn(uses: Map<string, Set<string>>): string[] {
  let left = new Set([...uses].flatMap(([from, to]) => [from, ...to]))
  for (;;) {
    const leaves = [...left].filter((one) => ![...(uses.get(one) ?? [])].some((other) => left.has(other)))
    if (!leaves.length) return [...left]
    left = new Set([...left].filter((one) => !leaves.includes(one)))
  }
}

test('nouns import one another by public files, wings as listed, and neither in a cycle', () => {
  const [nouns, wings] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()]
  const wrong: string[] = []
  for (const file of sources)
    for (const { target } of file.imports) {
      const [from, room] = [roomOf(file.path), roomOf(target)]
      if (!room?.startsWith('src/features/') || !from?.startsWith('src/features/')) continue
      const [[, , wing = '', noun = ''], [, , otherWing = '', other = '']] = [from.split('/'), room.split('/')]
      const [inner = '', ...below] = target.slice(room.length + 1).split('/')
      const folder = `${room}/${inner}`
      // So is a folder inside one, a part of the noun.
      const isPart = below.length > 0 && target === `${folder}/${inner}.ts`
      if (below.length > 0 && !file.path.startsWith(`${folder}/`) && !isPart) wrong.push(target)
      if (from === room) continue
      nouns.set(noun, (nouns.get(noun) ?? new Set()).add(other))
      // Of a library the nouns of its wing import any file.
      const isLibrary = LIBRARIES.includes(other)
      if (isLibrary ? wing !== otherWing : target !== `${room}/${other}.ts` && !isPart)
        wrong.push(`${file.path} → ${target}`)
      if (wing !== otherWing) wings.set(wing, (wings.get(wing) ?? new Set()).add(otherWing))
    }
  expect(wrong).toEqual([])
  const found = Object.keys(USES).map((wing) => [wing, [...(wings.get(wing) ?? [])].sort()])
  expect(Object.fromEntries(found)).toEqual(USES)
  expect([cyclesIn(nouns), cyclesIn(wings)]).toEqual([[], []])
})

test('no files of src import one another in a cycle, types included', () => {
  const known = new Set(sources.map(({ path }) => path))
  const uses = sources.map(({ path, imports }) => {
    const own = imports.map(({ target }) => target).filter((target) => known.has(target))
    return [path, new Set(own)] as const
  })
  expect(cyclesIn(new Map(uses))).toEqual([])
})

/** The file that bears the name of its folder, of a noun or of a part inside it. */
const isPublic = ({ path }: SourceFile) =>
  featureOf(path) !== null && basename(path) === `${basename(dirname(path))}.ts`

test('public files stay narrow', () => {
  const sizes = sources.filter(isPublic).map((file) => ({ path: file.path, names: exportedNames(file).length }))
  expect(sizes.length).toBeGreaterThan(30)
  expect(sizes.filter(({ names }) => names > MAX_PUBLIC_NAMES)).toEqual([])
})

test('no noun exports what it has from another noun', () => {
  const files = sources.filter(({ path }) => path.startsWith('src/features/'))
  expect(files.flatMap(reExports)).toEqual([])
})

test('inside a noun the arrows point from routes to rules to store', () => {
  const wrong = sources.flatMap((file) => {
    const room = roomOf(file.path)
    if (room === null || room === 'src/platform') return []
    const own = file.imports.filter(({ target }) => target.startsWith(`${room}/`))
    const isStore = file.path.endsWith('/store.ts')
    const bad = own.filter(({ target, typeOnly }) => target.endsWith('/routes.ts') || (isStore && !typeOnly))
    return bad.map(({ target }) => `${file.path} → ${target}`)
  })
  expect(wrong).toEqual([])
})

test('the platform names no feature', () => {
  // SCIM is a medium, with statuses and refusals of its own, before it is a feature.
  const nouns = /\b(otp|mfa|totp|passkeys?|webauthn|lockouts?|sign-?up|invites?|magic.?links?|sso|saml|rbac)\b/i
  const inPlatform = written.filter((file) => file.path.startsWith('src/platform/'))
  const naming = inPlatform.flatMap((file) =>
    [...file.text.replaceAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').matchAll(new RegExp(nouns, 'gi'))].map(
      ([word]) => `${file.path}: ${word}`,
    ),
  )
  expect(naming).toEqual([])
  // What it keeps registers of is defined by the nouns.
  expect(filesWith(/(?<!function )\b(defineEndReasons|defineProof)\(/, inPlatform)).toEqual([])
})

test('the environment is read by the configuration, and Fastify is used beside the server', () => {
  expect(filesWith(/process\.env/)).toEqual([fileOf('parseConfig')])
  const users = sources.filter((file) => file.imports.some(({ target, typeOnly }) => target === 'fastify' && !typeOnly))
  const folder = dirname(fileOf('buildServer'))
  expect(users.map(({ path }) => path).filter((path) => dirname(path) !== folder)).toEqual([])
})

test('the sample of a route is in its feature', () => {
  const samples = tests.filter((file) => file.path.endsWith('/sample.ts'))
  const wrong = samples.flatMap((file) => {
    const routes = sources.find(({ path }) => path === file.path.replace('sample.ts', 'routes.ts'))
    const paths = [...file.text.matchAll(/^ {2}'[A-Z]+ (\/v1\/[^' ]+)':/gm)].map(([, path]) => path)
    const strange = paths.filter((path) => !routes?.text.includes(`'${path}'`))
    return paths.length ? strange.map((path) => `${file.path}: ${path}`) : [`${file.path} has none`]
  })
  expect(samples.length).toBeGreaterThan(15)
  expect(wrong).toEqual([])
})

/** Files that the documentation of a package without `exports` tells its users to import. */
const DOCUMENTED = ['ajv/dist/2020.js']

test('no file imports a private file of a package: one that its `exports` do not name', () => {
  const files = [...sources, ...tests, ...['tools', 'examples', 'bench'].flatMap(readSources)]
  const wrong = files.flatMap(({ path, text }) =>
    // Any name in quotes that is imported, or is the only argument of a call, such as `require`.
    [...text.matchAll(/(?:\bfrom |\bimport |\()'((?:@[\w-]+\/)?[a-z][\w-]*)\/([^'\n]+)'/g)].flatMap(
      ([, name = '', inner = '']) =>
        isExported(name, inner) || DOCUMENTED.includes(`${name}/${inner}`) ? [] : [`${path} → ${name}/${inner}`],
    ),
  )
  expect(wrong).toEqual([])
  expect(isExported('jose', 'jwt/decode')).toBe(true)
  expect(isExported('xml-crypto', 'lib/signed-xml.js')).toBe(false)
  expect(isExported('fastify', 'lib/server.js')).toBe(false)
})

/** Whether a package names a file in its `exports`. True for what is no package that is installed. */
function isExported(name: string, inner: string): boolean {
  const path = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  if (!existsSync(path)) return true
  const { exports }: { exports?: object } = JSON.parse(readFileSync(path, 'utf8'))
  const isNamed = (key: string) => {
    const [before = '', after] = key.slice(2).split('*')
    return after === undefined ? before === inner : inner.startsWith(before) && inner.endsWith(after)
  }
  return Object.keys(exports ?? {}).some((key) => key.startsWith('./') && isNamed(key))
}

test('files and functions stay small, nothing is exported as default, and the server needs few packages', () => {
  const tooLong = (files: SourceFile[], ceiling: number) =>
    files
      .filter((file) => !generated(file) && lengthOf(file) > ceiling)
      .map((file) => `${file.path}: ${lengthOf(file)} lines`)
  expect([...tooLong(sources, 400), ...tooLong(tests, 600)]).toEqual([])
  const long = written.flatMap((file) =>
    measureFunctions(file)
      .filter(({ lines, ownLines }) => ownLines > MAX_OWN_LINES || lines > MAX_LINES)
      .map(({ line, lines, ownLines }) => `${file.path}:${line} has ${lines} lines, ${ownLines} of its own`),
  )
  expect(long).toEqual([])
  expect(filesWith(/^export default/m, [...sources, ...tests])).toEqual([])
  expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(32)
})

test('the folder of a noun stays small enough to be read at one go', () => {
  const sizes = new Map<string, number>()
  for (const file of written) {
    const { path } = file
    const room = roomOf(path)
    if (room === null || room === 'src/platform') continue
    const folder = dirname(path).slice(dirname(room).length + 1)
    sizes.set(folder, (sizes.get(folder) ?? 0) + lengthOf(file))
  }
  expect(sizes.size).toBeGreaterThan(15)
  expect([...sizes].filter(([, lines]) => lines > MAX_NOUN_LINES)).toEqual([])
})

test('a function has at most four positional parameters', () => {
  const crowded = written.flatMap((file) => crowdedFunctions(file, 4).map(({ name }) => `${file.path}: ${name}`))
  expect(crowded).toEqual([])
})

test('rules open transactions, routes never', () => {
  const routes = sources.filter((file) => /[/-]routes?\.ts$/.test(file.path) && roomOf(file.path) !== 'src/platform')
  expect(routes.length).toBeGreaterThan(20)
  expect(filesWith(/\b(inTx|tx)\(/, routes)).toEqual([])
})

test('there is one of each: issuer of sessions, maker of tenants, way out', () => {
  const issuing = /insert into sessions|insertInto\('sessions'/
  expect(count(new RegExp(issuing, 'g'))).toBe(1)
  expect(filesWith(issuing)).toEqual([fileOf('sessionOutcome')])
  expect(filesWith(/unique symbol/).sort()).toEqual([fileOf('nameText'), fileOf('Directory')])
  expect(filesWith(/\bas (unknown as )?(Directory|Reach|AccountScope)\b/)).toEqual([])
  expect(filesWith(/(?<![.\w])fetch\(|\bhttps?\.(request|get)\(|(from |import\()'undici'/)).toEqual([
    fileOf('outboundFetch'),
  ])
})

test('there is one map with a bound on its entries', () => {
  const bounding = /\.size >=? \w+(?: && [^)]*)?\) [^\n]*\.(clear|delete)\(/
  expect(filesWith(bounding)).toEqual([fileOf('boundedMap')])
})

test('there is one queue for turns: nothing but it and joined statements keeps what is settled later', () => {
  const keeping = /Promise\.withResolvers|\.(push|unshift|set|add)\([^\n]*\b(resolve|reject)\b/
  expect(filesWith(keeping)).toEqual([fileOf('coalesce'), fileOf('openFairQueue')])
})

test('there is one way to join statements, and one maker of SQL as text', () => {
  const [queue, definition] = [fileOf('coalesce'), fileOf('defineJoined')]
  const users = sources.filter(({ imports }) => imports.some(({ target }) => target === queue))
  expect(users.map(({ path }) => path)).toEqual([definition])
  // A queue of its own gathers what comes in one turn of the event loop.
  expect(filesWith(/\bsetImmediate\(/).sort()).toEqual([queue, fileOf('openFairQueue')].sort())
  // Two forms of a text, one of them for a distributed database.
  expect(filesWith(/(\.|\{ |')distributed\b(?!\.ts)/).sort()).toEqual(
    [fileOf('skipLocked'), definition, 'src/wiring/app.ts'].sort(),
  )
  expect(filesWith(/isOfOne|\binOne\b|in_one\b/i)).toEqual([definition])
  // Parameters that hold a column of the rows of several requests.
  expect(filesWith(/\brecordset\(/).sort()).toEqual([fileOf('appendBlocks'), definition, fileOf('recordset')].sort())
  expect(filesWith(/\bas (unknown as )?SqlText\b/)).toEqual([fileOf('nameText')])
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLACES } from '../../src/cli/table-places.ts'
import { placesOf, SUBJECTS, unexplained } from './exceptions.ts'
import { isForTests, readSources, roomOf, type SourceFile } from './source.ts'
import { findOwners, tablesNamedByPlatform, writtenTables } from './table-owners.ts'

const all = readSources('src')
const sources = all.filter(({ path }) => !isForTests(path) && !path.endsWith('.gen.ts'))
const rooms = sources.filter(({ path }) => roomOf(path))
const tests = [...all.filter(({ path }) => isForTests(path)), ...readSources('test')]
const tables = Object.values(PLACES).flat()
const { owners, complaints } = findOwners(sources, tables)

test('each table has one owner, and every other statement that writes it says why', () => {
  expect(complaints).toEqual([])
  // A migration fills the one; `joinSettings` joins the other of the parts that features define.
  expect(tables.filter((table) => !owners.has(table))).toEqual(['social_redirects', 'auth_settings'])
})

test('the platform says why it names a table of a feature', () => {
  expect(tablesNamedByPlatform(sources, tables, owners)).toEqual([])
})

test('the time is that of the database: `clock_now()` in SQL, and another clock only with a reason', () => {
  const process = /new Date\(\)|Date\.now\(\)|clock\.now\(\)|(?<!function )epochSeconds\(/
  expect(unexplained(rooms, 'Process clock', process)).toEqual([])
  expect(unexplained(sources, 'Database clock', /(?<![.\w])(now\(\)(?!:)|current_timestamp)/)).toEqual([])
})

test('the configured base URL is read only with a reason', () => {
  const read = /config(\.baseUrl|\s*\}?\s*=\s*platform\b[^\n]*baseUrl)|\{ baseUrl \} = platform\.config/
  expect(unexplained(rooms, 'Base URL', read)).toEqual([])
})

test('a statement that consumes a one-time secret names its table, and says what it is used up for', () => {
  const consumer = /\bused_at\s*(=|:(?! (true|false)\b))/
  expect(unexplained(sources, 'Consumes', consumer, 'Consumes <table>')).toEqual([])
  for (const place of placesOf(sources, 'Consumes'))
    for (const { line, names } of place.explanations)
      expect([place.path, line, names]).toEqual([place.path, line, writtenTables(place, tables)])
})

test('every connection has a deadline: it is opened by client.ts or a pool, or says why not', () => {
  const opening = /new pg\.(Client|Pool)\((?!\{ connectionString: url( \?\? '')? \}\))/
  expect(unexplained(sources, 'Own connection', opening)).toEqual([])
})

test('cheap hashes and old key pairs are for tests: code that takes them says so, and no other code sets them', () => {
  const option = /\b(hashCost|makeRsaPair)\b(?! \} from|\??: (PasswordParameters|MakeRsaPair)\b)/
  expect(unexplained(sources, 'Test option', option)).toEqual([])
})

test('the lock of clean-ups is left out where the database is distributed, so it is written in one place', () => {
  expect(unexplained(sources, 'Skips locked rows', /for update skip locked/)).toEqual([])
})

test('a statement that takes the name of its table says who gives the name', () => {
  const dynamic = /(insertInto|updateTable|deleteFrom)\((?!['{])|\b(insert into|update|delete from) \$\{/
  expect(unexplained(sources, 'Table by name', dynamic)).toEqual([])
})

test('a slot says why its value is not imported', () => {
  expect(unexplained(sources, 'Slot', /(?<!function )\bdefineSlot[<(]/)).toEqual([])
})

test('CONTRIBUTING.md lists every kind of exception', () => {
  const guide = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8')
  expect(SUBJECTS.filter((subject) => !guide.includes(`| \`// ${subject}`))).toEqual([])
})

test('test files leave the process as it was, since others follow in it, or say why they touch it', () => {
  // Shared process: these are the patterns that the rule looks for.
  const touch =
    /\bvi\.(mock|stub|spy|use(?!Real)|setSystem)\w*|process\.env(\[[^\]]+\]|\.\w+) \??\??=[^=]|process\.(on|once|chdir|umask|exitCode)\b|\bglobalThis\.\w+ =|setDefaultCACertificates|setGlobalDispatcher/
  const config = readFileSync(new URL('../../vitest.config.ts', import.meta.url), 'utf8')
  const imported = new Set(
    tests.flatMap(({ imports }) => imports.flatMap(({ target, typeOnly }) => (typeOnly ? [] : target))),
  )
  // What no test loads is a program that runs in a process of its own.
  const loaded = tests.filter(
    ({ path }) => path.endsWith('.test.ts') || imported.has(path) || config.includes(`'${path}'`),
  )
  expect(loaded.length).toBeLessThan(tests.length)
  expect(unexplained(loaded, 'Shared process', touch)).toEqual([])
})

const source = (path: string, ...lines: string[]): SourceFile => {
  const text = `${lines.join('\n')}\n`
  return { path, text, lines: lines.length, imports: [] }
}

test.each([
  ['without a comment', ['const at = Date.now()'], 'a.ts:1: avoid Date.now(), or write above it'],
  ['with a comment of another subject', ['// Base URL: for people to read.', 'const at = Date.now()'], ':2: avoid'],
  ['without a reason', ['// Process clock: yes.', 'const at = Date.now()'], ':1: give the reason'],
  [
    'without a reason, above another comment',
    ['// Process clock: yes.', '// It is read here so that people see it.', 'const at = Date.now()'],
    ':1: give the reason',
  ],
  [
    'with one comment above another',
    ['// Process clock: for people to read.', '// Process clock: for people to read.', 'const at = Date.now()'],
    ':2: line 1 explains',
  ],
  [
    'with two comments',
    [
      '// Process clock: for people to read.',
      '//',
      '// a',
      'const at = f(',
      '  // Process clock: for people to read.',
      '  Date.now())',
    ],
    ':5: line 1 explains',
  ],
  [
    'that is gone',
    ['// Process clock: for people to read.', 'const at = 1', '// Date.now()'],
    ':1: nothing here needs',
  ],
])('an exception %s is reported', (_, lines, message) => {
  expect(unexplained([source('a.ts', ...lines)], 'Process clock', /Date\.now\(\)/)).toEqual([
    expect.stringContaining(message),
  ])
})

test.each([
  [['/** At. */', '// Process clock: for people to read.', 'const at = Date.now()']],
  [
    [
      'const at = () => {',
      '  // Process clock: for people who read it, with a sentence that',
      '  // goes on.',
      '  return Date.now()',
      '}',
    ],
  ],
])('an exception with a reason is taken', (lines) => {
  expect(unexplained([source('a.ts', ...lines)], 'Process clock', /Date\.now\(\)/)).toEqual([])
})

const write = "const write = (db: Db) => db.insertInto('links').execute()"
const sqlWrite = 'const change = sql`update links set closed_at = null`'
const why = '// Foreign table links: only to show how it is done.'
const [OWNER, OTHER] = ['src/features/sign-in/links/store.ts', 'src/features/directory/users/store.ts']

test.each([
  [
    'with two owners',
    [source(OWNER, write), source(OTHER, sqlWrite)],
    'written by src/features/sign-in/links (src/features/sign-in/links/store.ts:1) and by src/features/directory/users',
  ],
  ['whose owner calls it foreign too', [source(OWNER, why, write), source(OTHER, why, sqlWrite)], 'no owner'],
  [
    'of which one writer explains one of two statements',
    [source(OWNER, write), source(OTHER, why, sqlWrite, write)],
    'and by src/features/directory/users',
  ],
  ['that its owner also calls foreign', [source(OWNER, write, why, sqlWrite)], 'owns links, remove the comment'],
  [
    'that a comment names without need',
    [source(OWNER, write), source(OTHER, why, 'const a = 1')],
    'nothing here touches links',
  ],
  [
    'that is foreign for no reason',
    [source(OWNER, write), source(OTHER, '// Foreign table links: yes.', sqlWrite)],
    'give the reason',
  ],
])('a table %s is reported', (_, files, message) => {
  expect(findOwners(files, ['links']).complaints).toEqual([expect.stringContaining(message)])
})

test('a table is the owner’s, with writers that say why', () => {
  const found = findOwners([source(OWNER, write), source(OTHER, why, sqlWrite)], ['links'])
  expect(found).toEqual({ owners: new Map([['links', 'src/features/sign-in/links']]), complaints: [] })
})

test.each([
  ['without a comment', ["const a = 'links'"], ':1: the platform names links of src/features/sign-in/links'],
  [
    'with a comment on a word that is not there',
    ['// Not a table links: it is a word of English.', 'const a = 1'],
    ':1: remove this comment',
  ],
  [
    'with a comment on a table that no feature owns',
    ['// Foreign table events: to show how it is done.', "const a = 'events'"],
    ':1: no feature owns events',
  ],
])('the platform that names a table %s is reported', (_, lines, message) => {
  const owners = new Map([['links', 'src/features/sign-in/links']])
  const file = source('src/platform/a.ts', ...lines)
  expect(tablesNamedByPlatform([file], ['links', 'events'], owners)).toEqual([expect.stringContaining(message)])
  for (const comment of [
    '// Foreign table links: to show how it is done.',
    '// Not a table links: it is a word of English.',
  ])
    expect(
      tablesNamedByPlatform([source('src/platform/a.ts', comment, "const a = 'links'")], ['links'], owners),
    ).toEqual([])
})

import fc from 'fast-check'
import { type Expression, Kysely, PostgresDialect, type SqlBool, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { matchesResource } from '../patch/filter-match.ts'
import { parseFilter } from './filter.ts'
import { compileFilter, compileSort, defineFilterTargets, type FilterColumn } from './filter-sql.ts'
import { isObject, own, type ScimObject } from './json.ts'
import { readName } from './reader.ts'
import { defineAttribute, defineResourceType } from './schema.ts'

const EXTENSION = 'urn:acme:params:scim:2.0:User'
const type = defineResourceType(
  {
    id: 'urn:ietf:params:scim:schemas:core:2.0:User',
    name: 'User',
    description: 'User',
    attributes: [
      defineAttribute('userName', 'Any case.'),
      defineAttribute('name', 'Parts.', { subAttributes: [defineAttribute('givenName', 'Any case.')] }),
      defineAttribute('active', 'Truth.', { type: 'boolean' }),
      defineAttribute('age', 'Number.', { type: 'integer' }),
      defineAttribute('emails', 'Many.', {
        multiValued: true,
        subAttributes: [
          defineAttribute('value', 'Any case.'),
          defineAttribute('type', 'Any case.'),
          defineAttribute('primary', 'Truth.', { type: 'boolean' }),
        ],
      }),
    ],
  },
  [
    {
      id: EXTENSION,
      name: 'Acme',
      description: 'Acme',
      attributes: [defineAttribute('badge', 'Exact.', { caseExact: true })],
    },
  ],
)

const text = (value: Expression<unknown>, caseExact = false): FilterColumn => ({
  kind: 'column',
  type: 'string',
  caseExact,
  value,
})
const truth = (value: Expression<unknown>): FilterColumn => ({
  kind: 'column',
  type: 'boolean',
  caseExact: false,
  value,
})
const targets = defineFilterTargets({
  id: text(sql`body->>'id'`, true),
  userName: { ...text(sql`body->>'userName'`), folded: sql`lower(body->>'userName')` },
  externalId: text(sql`body->>'externalId'`, true),
  name: { kind: 'presence', present: sql`body->'name'->>'givenName' <> ''` },
  'name.givenName': text(sql`body->'name'->>'givenName'`),
  active: truth(sql`(body->>'active')::boolean`),
  age: { kind: 'column', type: 'integer', caseExact: false, value: sql`(body->>'age')::int` },
  'meta.lastModified': {
    kind: 'column',
    type: 'dateTime',
    caseExact: false,
    value: sql`(body->'meta'->>'lastModified')::timestamptz`,
  },
  [`${EXTENSION}:badge`]: text(sql`body->${sql.lit(EXTENSION)}->>'badge'`, true),
  emails: {
    kind: 'elements',
    parts: {
      value: text(sql`e->>'value'`),
      type: text(sql`e->>'type'`),
      primary: truth(sql`(e->>'primary')::boolean`),
    },
    exists: (condition) => sql`exists (select 1 from jsonb_array_elements(body->'emails') as e where ${condition})`,
  },
})

let db: Kysely<unknown>
beforeAll(async () => {
  db = new Kysely({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: inject('serverUrl'), max: 1 }) }),
  })
  await sql`create temporary table people (at int, body jsonb)`.execute(db)
})
afterAll(() => db.destroy())

const store = async (people: ScimObject[]) => {
  await sql`truncate people`.execute(db)
  await sql`insert into people select ordinality, value from jsonb_array_elements(${JSON.stringify(people)}::jsonb) with ordinality`.execute(
    db,
  )
}
const select = async (condition: Expression<SqlBool>) => {
  const { rows } = await sql<{ at: number }>`select at from people where ${condition} order by at`.execute(db)
  return rows.map((row) => row.at - 1)
}

// Letters with and without case, wildcards of LIKE, and characters that sort differently by UTF-16 than by code point.
const words = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', '%', '_', '\\', '"', "'", ' ', '漢', '😀', '\uffee'),
  maxLength: 3,
})
const moments = fc.constantFrom(
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.001Z',
  '2026-01-01T01:00:00+01:00',
  '2025-12-31T23:59:59.999Z',
)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const people = fc
  .record({
    userName: words,
    externalId: maybe(words),
    active: maybe(fc.boolean()),
    age: maybe(fc.integer({ min: 0, max: 3 })),
    name: maybe(fc.record({ givenName: words })),
    meta: fc.record({ lastModified: moments }),
    emails: maybe(
      fc.array(fc.record({ value: words, type: maybe(words), primary: maybe(fc.boolean()) }), { maxLength: 3 }),
    ),
    [EXTENSION]: maybe(fc.record({ badge: words })),
  })
  .map((person): ScimObject => JSON.parse(JSON.stringify(person)))

const texts = (name: fc.Arbitrary<string>) =>
  fc.oneof(
    fc
      .tuple(name, fc.constantFrom('eq', 'NE', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'), words)
      .map(([name, operator, value]) => `${name} ${operator} ${JSON.stringify(value)}`),
    nullable(name),
  )
const nullable = (name: fc.Arbitrary<string>) =>
  fc.tuple(name, fc.constantFrom('pr', 'eq null', 'ne null')).map(([name, operator]) => `${name} ${operator}`)
const truths = (name: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.tuple(name, fc.constantFrom('eq', 'ne'), fc.boolean()).map((parts) => parts.join(' ')),
    nullable(name),
  )
const ordered = (name: string, values: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le'), values)
    .map(([operator, value]) => `${name} ${operator} ${value}`)

/** A term, and conjunctions of it in brackets, up to this depth. */
function nested(term: fc.Arbitrary<string>, depth: number): fc.Arbitrary<string> {
  if (depth === 0) return term
  const below = nested(term, depth - 1)
  return fc.oneof(
    term,
    below.map((filter) => `not (${filter})`),
    fc
      .tuple(fc.array(below, { minLength: 2, maxLength: 3 }), fc.constantFrom(' and ', ' or '))
      .map(([filters, word]) => `(${filters.join(word)})`),
    fc.tuple(below, below, below).map(([a, b, c]) => `(${a} or ${b} and ${c})`),
  )
}

const partFilters = nested(fc.oneof(texts(fc.constantFrom('value', 'type')), truths(fc.constant('primary'))), 2)
const filters = nested(
  fc.oneof(
    texts(
      fc.constantFrom(
        'userName',
        'externalId',
        'name.givenName',
        `${EXTENSION}:badge`,
        'emails',
        'emails.type',
        'EMAILS.value',
      ),
    ),
    truths(fc.constantFrom('active', 'emails.primary')),
    nullable(fc.constantFrom('age', 'meta.lastModified', 'name.givenName')),
    fc.constantFrom('name pr', 'emails pr'),
    ordered('age', fc.constantFrom('0', '1', '1.5', '-1', '3', '1e2')),
    ordered(
      'meta.lastModified',
      moments.map((moment) => `"${moment}"`),
    ),
    partFilters.map((filter) => `emails[${filter}]`),
    fc.tuple(partFilters, words).map(([filter, value]) => `emails[${filter}].value eq ${JSON.stringify(value)}`),
  ),
  3,
)

test('a filter finds in SQL what it matches in memory', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(people, { minLength: 1, maxLength: 12 }),
      fc.array(filters, { minLength: 10, maxLength: 10 }),
      async (all, asked) => {
        await store(all)
        for (const filter of asked) {
          const parsed = parseFilter(filter)
          const matching = all.flatMap((person, at) => (matchesResource(type, person, parsed) ? [at] : []))
          expect({ filter, found: await select(compileFilter(parsed, targets)) }).toEqual({ filter, found: matching })
        }
      },
    ),
    { numRuns: Number(process.env['SCIM_FILTERS'] ?? 150) },
  )
})

test('what is asked for stands nowhere in the statement', () => {
  const filter = parseFilter(`userName eq "'; drop table people; --" and emails[value co "$1"] and age gt 1`)
  const { sql: statement, parameters } = compileFilter(filter, targets).compile(db)
  expect(statement).not.toContain('drop')
  expect(parameters).toEqual([`'; drop table people; --`, '%$1%', 1])
})

test.each([
  ['shoeSize eq 43', '"shoeSize" is not an attribute that can be searched.'],
  ['emails.display eq "x"', '"emails.display" is not an attribute that can be searched.'],
  ['emails[display eq "x"]', '"display" is not an attribute that can be searched.'],
  ['userName[value eq "x"]', '"userName" has no values to choose from.'],
  ['nobody[value eq "x"]', '"nobody" is not an attribute that can be searched.'],
  ['name eq "x"', '"name" has parts; one of them has to be named.'],
  ['active gt true', 'active is of the type boolean and cannot be compared by gt with "true".'],
  ['age co 1', 'age is of the type integer and cannot be compared by co with "1".'],
  ['age eq "1"', 'age is of the type integer and cannot be compared by eq with "1".'],
  [`${EXTENSION}:userName eq "x"`, `"${EXTENSION}:userName" is not an attribute that can be searched.`],
  ['toString pr', '"toString" is not an attribute that can be searched.'],
  ['emails[toString pr]', '"toString" is not an attribute that can be searched.'],
  ['a pr or userName pr', '"a" is not an attribute that can be searched.'],
])('%s is refused', (filter, detail) => {
  expect(() => compileFilter(parseFilter(filter), targets)).toThrow(
    expect.objectContaining({ scimType: 'invalidFilter', message: detail }),
  )
})

test('rows in the order of an attribute, in any case', async () => {
  await store([{ userName: 'b' }, { userName: 'A' }, { userName: 'a' }, { userName: 'Z' }])
  const order = async (name: string) => {
    const by = compileSort(readName(name) ?? { urn: null, name, sub: null }, targets)
    const { rows } = await sql<{ body: ScimObject }>`select body from people order by ${by}, at`.execute(db)
    return rows.map(({ body }) => (isObject(body) ? own(body, 'userName') : null))
  }
  expect(await order('username')).toEqual(['A', 'a', 'b', 'Z'])
  expect(await order('age')).toEqual(['b', 'A', 'a', 'Z'])
  for (const name of ['emails', 'name', 'shoeSize'])
    await expect(order(name)).rejects.toThrow(expect.objectContaining({ scimType: 'invalidPath' }))
})

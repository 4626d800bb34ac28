import { expect, test } from 'vitest'
import { tags } from '../../src/contract/tags.ts'
import { compileValidator } from '../../src/platform/http/validate.ts'
import { isId } from '../../src/platform/ids.ts'
import { requiresOrganization } from '../../src/platform/tenancy/resolve-directory.ts'
import { routes } from '../../src/wiring/routes.ts'
import { documents } from './contract.ts'
import { bodyExamplesOf, examplesOf } from './contract-examples.ts'

type Part = Record<string, unknown>

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A field, a parameter or a tag, with where it stands. */
interface Described {
  place: string
  name: string
  description: string
}

/** Every part below a value, with its place. Examples are data of somebody, not parts of the contract. */
function partsWithin(value: unknown, place = ''): { place: string; part: Part }[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => partsWithin(item, `${place}/${at}`))
  if (!isPart(value)) return []
  const inner = Object.entries(value).filter(([key]) => key !== 'example' && key !== 'examples')
  return [{ place, part: value }, ...inner.flatMap(([key, item]) => partsWithin(item, `${place}/${key}`))]
}

const resolved = (document: object, part: Part): Part => {
  const [, name] = String(part['$ref'] ?? '').match(/^#\/components\/schemas\/(\w+)$/) ?? []
  return name === undefined ? part : Object(Object(document).components.schemas[name])
}

/** What a schema says of itself, or the schema it refers to, or the one that it is unless it is null. */
function descriptionOf(document: object, part: Part): string {
  if (typeof part['description'] === 'string') return part['description']
  const target = resolved(document, part)
  if (target !== part) return descriptionOf(document, target)
  const arms = Array.isArray(part['anyOf']) ? part['anyOf'].filter(isPart) : []
  return arms.map((arm) => descriptionOf(document, arm)).find((text) => text !== '') ?? ''
}

function fieldsOf(document: object): Described[] {
  return partsWithin(document).flatMap(({ place, part }) =>
    Object.entries(isPart(part['properties']) && !place.endsWith('/properties') ? part['properties'] : {}).flatMap(
      ([name, field]) =>
        isPart(field) ? [{ place: `${place}.${name}`, name, description: descriptionOf(document, field) }] : [],
    ),
  )
}

function parametersOf(document: object): Described[] {
  return partsWithin(document).flatMap(({ place, part }) =>
    typeof part['in'] === 'string' && typeof part['name'] === 'string'
      ? [{ place: `${place}.${part['name']}`, name: part['name'], description: descriptionOf(document, part) }]
      : [],
  )
}

const tagsOf = (document: object): Described[] =>
  Object(document).tags.map(({ name, description = '' }: Described) => ({ place: `tag ${name}`, name, description }))

const ARTICLES = new Set(['a', 'an', 'the', 'its', 'this', 'of', 'is'])

/** The words of a text, however they are joined: `next_cursor`, `nextCursor` and `The next cursor.` are the same. */
function wordsOf(text: string): string {
  const words =
    text
      .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.filter((word) => !ARTICLES.has(word)).join(' ')
}

function faultOf({ name, description }: Described): string | null {
  if (description.trim() === '') return 'no description'
  return wordsOf(description) === wordsOf(name) ? 'repeats its name' : null
}

test.each(documents)('every field, parameter and tag says what it is, and not merely its name', (document) => {
  const all = [fieldsOf, parametersOf, tagsOf].map((read) => read(document))
  for (const kind of all) expect(kind.length).toBeGreaterThan(0)
  const faults = all.flat().flatMap((described) => {
    const fault = faultOf(described)
    return fault === null ? [] : [`${described.place}: ${fault}`]
  })
  expect(faults).toEqual([])
})

test('every route has a tag of the list, and every tag of the list a route', () => {
  const used = new Set(routes.filter(({ hidden }) => !hidden).map(({ tag }) => tag))
  expect([...used].sort()).toEqual(Object.keys(tags).sort())
})

test('the service accepts every printed body, which names an organization where a write with an org-wide key must', () => {
  const shown = routes.flatMap((route) => bodyExamplesOf(route).map(([name, example]) => ({ route, name, example })))
  expect(shown.length).toBeGreaterThan(100)
  const faults = shown.flatMap(({ route, name, example }) => {
    const place = `${route.operation} ${name}`
    const lacks = route.auth === 'key' && requiresOrganization(route) && !isId(String(Object(example).subOrgId))
    return [
      ...(Object.keys(Object(example)).length === 0 ? [`${place}: shows nothing`] : []),
      ...(lacks ? [`${place}: no subOrgId`] : []),
      ...(refusalOf(route, example) ?? []).map((text) => `${place}: ${text}`),
    ]
  })
  expect(faults).toEqual([])
})

/** What the validator of a route says against a body. */
function refusalOf(route: (typeof routes)[number], example: unknown): string[] | null {
  try {
    if (route.body) compileValidator(route.body, 'body')(example)
    return null
  } catch (error) {
    return [String(Object(error).details?.detail ?? error)]
  }
}

test.each(documents)('no example has a placeholder', (document) => {
  const media = partsWithin(document).flatMap(({ place, part }) =>
    'schema' in part ? examplesOf(part).map(([name, example]) => ({ place: `${place} ${name}`, example })) : [],
  )
  const schemas = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    Array.isArray(Object(schema).examples) ? [{ place: name, example: Object(schema).examples[0] }] : [],
  )
  const faults = [...media, ...schemas].flatMap(({ place, example }) =>
    placeholdersWithin(example).map((text) => `${place}: ${text}`),
  )
  expect(faults).toEqual([])
})

// What the service itself masks.
const MASKED = /^(\w+_…\w{4})$/

function placeholdersWithin(value: unknown): string[] {
  if (typeof value === 'string') return value.includes('…') && !MASKED.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(placeholdersWithin)
}

import { isPart, listOf, type Part, partOf } from '../src/platform/openapi/document-parts.ts'

/** A place in both documents, and what was found there before. */
export interface Spot {
  /** Where this is, for the reader of a report. */
  place: string
  /** Whether clients send this value or receive it. */
  direction: 'request' | 'response'
  base: Part
  next: Part
  /** The breaks within a pair of components, by their references. Ends recursion. */
  known: Map<string, string[]>
}

/** The same part in both documents. */
export interface Pair {
  old: unknown
  next: unknown
}

/**
 * Schemas that the contract declares open: clients must expect further values of this property. Those of an operation or
 * a webhook are compared value by value, and new ones are no break.
 */
const OPEN: Record<string, string> = { Problem: 'code', Event: 'type' }

/** One alternative of a schema: its references are followed and its `allOf` is merged. */
interface Alternative extends Part {
  /** The name of its component. */
  $name?: string
  /** The property whose values are open, if this extends one of `OPEN`. */
  open?: string
}

/** Returns the breaking changes of a schema, each as a sentence that begins with its place. */
export function breaksOfSchema({ old, next }: Pair, spot: Spot): string[] {
  const [from, to] = [nameOf(old), nameOf(next)]
  const key = `${spot.direction} ${from} ${to}`
  const isComponent = from !== '' && to !== ''
  const known = isComponent ? spot.known.get(key) : undefined
  if (known) return known
  const isSame = isComponent && from === to
  if (isComponent) spot.known.set(key, [])
  const pair = [alternativesOf(old, spot.base), alternativesOf(next, spot.next)] as const
  const breaks = breaksOfAlternatives(...pair, isSame ? { ...spot, place: `${from} (${spot.direction})` } : spot)
  // Breaks of components with different names are reported at every place that refers to them.
  if (isSame) spot.known.set(key, breaks)
  else if (isComponent) spot.known.delete(key)
  return breaks
}

function breaksOfAlternatives(old: Alternative[], next: Alternative[], spot: Spot): string[] {
  const closed = ({ open }: Alternative) => open === undefined
  const matched = new Set<Alternative>()
  const breaks = old.filter(closed).flatMap((alternative) => {
    const isNamed = ({ $name }: Alternative) => $name !== undefined && $name === alternative.$name
    const found = next
      .filter((other) => closed(other) && fits(kindOf(alternative), kindOf(other), spot.direction))
      .map((other) => ({ other, breaks: breaksOfAlternative(alternative, other, spot) }))
      .sort((a, b) => Number(isNamed(b.other)) - Number(isNamed(a.other)) || a.breaks.length - b.breaks.length)[0]
    if (found) matched.add(found.other)
    else if (spot.direction === 'response' && kindOf(alternative) === 'null') return []
    return found?.breaks ?? [`${spot.place}: ${kindOf(alternative)} is no longer possible`]
  })
  return [
    ...breaks,
    ...(spot.direction === 'response' ? addedAlternatives(old, next.filter(closed), matched, spot) : []),
    ...breaksOfOpen(openValues(old), openValues(next), spot),
  ]
}

/** What a response may be now that no alternative of the base allows. */
function addedAlternatives(old: Alternative[], next: Alternative[], matched: Set<Alternative>, spot: Spot): string[] {
  return next
    .filter((alternative) => !matched.has(alternative))
    .filter((alternative) => !old.some((other) => breaksOfKind(other, alternative, spot).length === 0))
    .map((alternative) => `${spot.place}: ${kindOf(alternative)} is now possible`)
}

function breaksOfKind(old: Alternative, next: Alternative, spot: Spot): string[] {
  return fits(kindOf(old), kindOf(next), spot.direction) ? breaksOfAlternative(old, next, spot) : ['another type']
}

/** Schemas by the value of their open property, such as the code of a problem. */
export function openValues(alternatives: Alternative[]): Map<string, Alternative> {
  return new Map(
    alternatives.flatMap(({ open = '', ...alternative }) => {
      const { [open]: discriminator, ...properties } = partOf(alternative['properties'])
      const values = valuesOf(mergedOf(discriminator)) ?? []
      return values.map((value): [string, Alternative] => [`${open} ${value}`, { ...alternative, properties }])
    }),
  )
}

/** Returns the breaks of open schemas: a value is gone, or what comes with it has changed. */
export function breaksOfOpen(old: Map<string, Alternative>, next: Map<string, Alternative>, spot: Spot): string[] {
  return [...old].flatMap(([value, alternative]) => {
    const other = next.get(value)
    const within = { ...spot, place: `${spot.place} ${value}` }
    return other ? breaksOfAlternative(alternative, other, within) : [`${spot.place}: ${value} is gone`]
  })
}

function breaksOfAlternative(old: Alternative, next: Alternative, spot: Spot): string[] {
  const own = spot.direction === 'request' ? narrowings(old, next) : widenings(old, next)
  return [
    ...own.map((what) => `${spot.place}: ${what}`),
    ...breaksOfProperties(old, next, spot),
    ...membersOf(old).flatMap(([name, member]) => {
      const other = new Map(membersOf(next)).get(name)
      return breaksOfSchema({ old: member, next: other ?? {} }, { ...spot, place: spot.place + name })
    }),
  ]
}

function breaksOfProperties(old: Alternative, next: Alternative, spot: Spot): string[] {
  const [before, after] = [partOf(old['properties']), partOf(next['properties'])]
  const at = (name: string) => ({ ...spot, place: `${spot.place}.${name}` })
  const kept = Object.keys(before).flatMap((name) =>
    name in after
      ? breaksOfSchema({ old: before[name], next: after[name] }, at(name))
      : [`${at(name).place}: the field is gone`],
  )
  const [demanded, demands] = [listOf(old['required']), listOf(next['required'])]
  const changed =
    spot.direction === 'request'
      ? demands.filter((name) => !demanded.includes(name)).map((name) => `${at(String(name)).place}: is now required`)
      : demanded
          .filter((name) => !demands.includes(name) && String(name) in after)
          .map((name) => `${at(String(name)).place}: may now be absent`)
  return [...kept, ...changed]
}

/** Schemas of items, and of fields without a declared name. */
function membersOf(alternative: Alternative): [string, unknown][] {
  const { items, additionalProperties: rest, patternProperties, propertyNames } = alternative
  return [
    ...(items === undefined ? [] : [['[]', items] satisfies [string, unknown]]),
    ...(isPart(rest) ? [['{}', rest] satisfies [string, unknown]] : []),
    ...(propertyNames === undefined ? [] : [['{name}', propertyNames] satisfies [string, unknown]]),
    ...Object.entries(partOf(patternProperties)).map(([name, schema]): [string, unknown] => [`{${name}}`, schema]),
  ]
}

const LOWEST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const HIGHEST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

/** What a request may no longer be. */
function narrowings(old: Alternative, next: Alternative): string[] {
  const [before, after] = [valuesOf(old), valuesOf(next)]
  const refused = after && (before ? before.filter((value) => !after.includes(value)) : ['any other value'])
  return [
    ...(refused ?? []).map((value) => `${value} is no longer accepted`),
    ...['format', 'pattern', 'multipleOf', 'contentEncoding']
      .filter((key) => next[key] !== undefined && next[key] !== old[key])
      .map((key) => `${key} was ${old[key]}, is ${next[key]}`),
    ...[...LOWEST, ...HIGHEST]
      .filter((key) => next[key] !== undefined && isTighter(key, old[key], next[key]))
      .map((key) => `${key} was ${old[key]}, is ${next[key]}`),
    ...(next['uniqueItems'] === true && old['uniqueItems'] !== true ? ['items must now be unique'] : []),
    ...(next['additionalProperties'] === false && old['additionalProperties'] !== false
      ? ['other fields are no longer accepted']
      : []),
    ...('default' in old && JSON.stringify(old['default']) !== JSON.stringify(next['default'])
      ? [`default was ${JSON.stringify(old['default'])}, is ${JSON.stringify(next['default'])}`]
      : []),
  ]
}

function isTighter(key: string, old: unknown, next: unknown): boolean {
  if (HIGHEST.includes(key)) return Number(next) < Number(old ?? Number.POSITIVE_INFINITY)
  return Number(next) > Number(old ?? (/imum$/.test(key) ? Number.NEGATIVE_INFINITY : 0))
}

/** What a response may be now, or no longer is. */
function widenings(old: Alternative, next: Alternative): string[] {
  const [before, after] = [valuesOf(old), valuesOf(next)]
  return [
    ...(before && !after ? ['any value is now possible'] : []),
    ...(before && after ? after.filter((value) => !before.includes(value)) : []).map(
      (value) => `${value} is now possible`,
    ),
    ...(before && after ? before.filter((value) => !after.includes(value)) : []).map(
      (value) => `${value} is no longer possible`,
    ),
    ...(old['format'] !== undefined && next['format'] !== old['format']
      ? [`format was ${old['format']}, is ${next['format']}`]
      : []),
  ]
}

function valuesOf({ enum: values, const: only }: Part): string[] | undefined {
  if (only !== undefined) return [JSON.stringify(only)]
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : undefined
}

/** The type of values, `any` where the schema does not say. */
function kindOf(alternative: Alternative): string {
  const [first] = valuesOf(alternative) ?? []
  if (typeof alternative['type'] === 'string') return alternative['type']
  if (first !== undefined) return typeof JSON.parse(first)
  return alternative['properties'] === undefined ? 'any' : 'object'
}

/** Whether values of the new type are a safe replacement for those of the old one. */
function fits(old: string, next: string, direction: Spot['direction']): boolean {
  const [narrow, wide] = direction === 'request' ? [old, next] : [next, old]
  return narrow === wide || wide === 'any' || (narrow === 'integer' && wide === 'number')
}

/** The alternatives of a schema: of a union those of its parts, of several types one for each. */
export function alternativesOf(schema: unknown, document: Part): Alternative[] {
  const { anyOf, oneOf, allOf, type, ...own } = followed(schema, document)
  const types = Array.isArray(type) ? type.map((each) => ({ type: each })) : [type === undefined ? {} : { type }]
  const unions = [...[anyOf, oneOf].filter(Array.isArray), ...listOf(allOf).map((part) => [part])]
  return unions.reduce<Alternative[]>(
    (all, union) =>
      all.flatMap((one) => union.flatMap((part) => alternativesOf(part, document).map((other) => merge(one, other)))),
    types.map((each) => ({ ...own, ...each })),
  )
}

/** The union of what two schemas demand. */
function merge(a: Alternative, b: Alternative): Alternative {
  const [first, second] = [partOf(a['properties']), partOf(b['properties'])]
  const both = Object.keys(first).filter((name) => name in second)
  const joined = both.map((name) => [name, { allOf: [first[name], second[name]] }])
  const properties = { ...first, ...second, ...Object.fromEntries(joined) }
  const required = [...new Set([...listOf(a['required']), ...listOf(b['required'])])]
  return {
    ...a,
    ...b,
    ...(a.$name === undefined ? {} : { $name: a.$name }),
    ...(Object.keys(properties).length ? { properties } : {}),
    ...(required.length ? { required } : {}),
  }
}

/** A discriminator, whose parts are plain schemas. */
function mergedOf(schema: unknown): Part {
  return Object.assign({}, partOf(schema), ...listOf(partOf(schema)['allOf']))
}

/** The part that a `$ref` names, with its `$name` and what stands beside the reference; a part without one as it is. */
export function followed(value: unknown, document: Part): Part {
  const { $ref, ...beside } = partOf(value)
  if (typeof $ref !== 'string') return beside
  const target = $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => partOf(at)[name], document)
  const $name = nameOf(value)
  const open = OPEN[$name]
  return { ...followed(target, document), ...(open === undefined ? {} : { open }), ...beside, $name }
}

function nameOf(value: unknown): string {
  return (
    String(partOf(value)['$ref'] ?? '')
      .split('/')
      .at(-1) ?? ''
  )
}

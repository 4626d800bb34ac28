/** An object in a document. */
export type Part = Record<string, unknown>

/** Whether the value is an object and not a list. */
export function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value as an object, or an empty object. */
export function partOf(value: unknown): Part {
  return isPart(value) ? value : {}
}

/** The value as a list, or an empty list. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

const REFERENCE = '#/components/schemas/'

/** The name of the schema that this schema refers to, or undefined. */
export function referredName(schema: unknown): string | undefined {
  const reference = partOf(schema)['$ref']
  return typeof reference === 'string' && reference.startsWith(REFERENCE)
    ? reference.slice(REFERENCE.length)
    : undefined
}

export const schemaOf = (document: Part, name: string): Part =>
  partOf(partOf(partOf(document['components'])['schemas'])[name])

/** The part itself, or the part that it refers to. */
export function follow(document: Part, value: unknown): Part {
  const reference = partOf(value)['$ref']
  if (typeof reference !== 'string') return partOf(value)
  const target = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, step) => partOf(inner)[step], document)
  return follow(document, target)
}

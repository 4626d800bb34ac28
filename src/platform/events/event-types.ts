import { invalidField } from '../errors.ts'
import { eventCatalogue, matchesType, unknownTypes } from './events.ts'

/** Reads the event types of a filter, which are separated by commas. Throws `invalid_request` for an unknown type. */
export function readTypes(text: string): string[] {
  const known = eventCatalogue().map(({ type }) => type)
  const asked = text.split(',').map((name) => name.trim())
  const unknown = unknownTypes(asked)
  if (!unknown.length) return known.filter((type) => asked.some((name) => matchesType(name, type)))
  const message = `types names unknown types: ${unknown.map((name) => JSON.stringify(name.slice(0, 100))).join(', ')}`
  throw invalidField('types', 'enum', message, `${message}. Known types: ${known.join(', ')}.`)
}

import { MEMBERS } from './core-schemas.ts'
import { quoted, ScimLanguageError } from './error.ts'
import { isObject, isUnassigned, own, type ScimObject, type ScimValue } from './json.ts'
import { parseDateTime } from './operand.ts'
import { isDangerous, readName } from './reader.ts'
import {
  findExtension,
  findSubAttribute,
  locateAttribute,
  type ScimAttribute,
  type ScimResourceType,
} from './schema.ts'

/** Limits for a whole resource. A group may have more members than `elements`, limited only by the request's size. */
const LIMITS = { depth: 10, values: 100_000, characters: 2_000_000, elements: 1_000 }

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/**
 * Converts a whole resource from a client (POST, PUT) to canonical form: names as in the schemas, without read-only,
 * null or empty values. `schemasOf` adds `schemas`. Attributes that no schema knows are kept. Throws ScimLanguageError
 * (invalidSyntax, invalidValue).
 */
export function normaliseResource(type: ScimResourceType, body: unknown): ScimObject {
  if (!isObject(body)) throw new ScimLanguageError('invalidSyntax', 'The body is not a JSON object.')
  checkSize(body)
  const resource: ScimObject = {}
  for (const [key, value] of Object.entries(body)) putAttribute(type, resource, key, value)
  checkRequired(type, resource)
  return resource
}

function putAttribute(type: ScimResourceType, resource: ScimObject, key: string, value: ScimValue): void {
  const extension = findExtension(type, key)
  if (extension) {
    if (isUnassigned(value)) return
    if (!isObject(value)) throw wrongValue(key, 'an object')
    const normal = normaliseParts(value, key, (name) => extension.attributes.get(name.toLowerCase()) ?? null)
    if (normal) putOnce(resource, extension.schema.id, normal)
    return
  }
  if (isSchemaOf(type, key))
    throw new ScimLanguageError('invalidValue', `${quoted(key)} is no attribute: its own stand in the resource itself.`)
  const name = readName(key)
  const place = name && name.sub === null ? locateAttribute(type, name) : null
  const attribute = place?.urn === null ? place.attribute : null
  if (attribute?.name === 'schemas') {
    checkSchemas(value)
    return
  }
  const normal = attribute ? normaliseInput(attribute, value, attribute.name) : unassignedAsNothing(value)
  if (normal !== undefined) putOnce(resource, attribute?.name ?? key, normal)
}

/**
 * Whether a name is the URN of the core schema. Clients do not look for attributes below it, so none may be stored
 * there.
 */
export function isSchemaOf(type: ScimResourceType, name: string): boolean {
  return name.toLowerCase() === type.schema.id.toLowerCase()
}

function checkSchemas(value: ScimValue): void {
  if (!isUnassigned(value) && !(Array.isArray(value) && value.every((urn) => typeof urn === 'string')))
    throw wrongValue('schemas', 'an array of URNs')
}

/** The parts of a complex value or of an extension. Undefined if none is left. */
function normaliseParts(
  value: ScimObject,
  label: string,
  find: (name: string) => ScimAttribute | null,
): ScimObject | undefined {
  const parts: ScimObject = {}
  for (const [key, part] of Object.entries(value)) {
    const attribute = find(key)
    const name = attribute?.name ?? key
    const normal = attribute ? normaliseInput(attribute, part, `${label}.${name}`) : unassignedAsNothing(part)
    if (normal !== undefined) putOnce(parts, name, normal)
  }
  return Object.keys(parts).length > 0 ? parts : undefined
}

function normaliseInput(attribute: ScimAttribute, value: ScimValue, label: string): ScimValue | undefined {
  // RFC 7644 §3.3, §3.5.1: read-only values are ignored.
  return attribute.mutability === 'readOnly' ? undefined : normaliseValue(attribute, value, label)
}

/**
 * A value in the attribute's form, or undefined for no value. `label` is used in messages. Throws ScimLanguageError
 * (invalidValue).
 */
export function normaliseValue(
  attribute: ScimAttribute,
  value: ScimValue,
  label: string = attribute.name,
): ScimValue | undefined {
  if (!attribute.multiValued) return normaliseSingle(attribute, value, label)
  if (isUnassigned(value)) return undefined
  const elements = (Array.isArray(value) ? value : [value])
    .map((element) => normaliseSingle(attribute, element, label))
    .filter((element) => element !== undefined)
  if (attribute.name !== MEMBERS) checkElements(elements.length, label)
  if (elements.filter(isPrimary).length > 1) throw wrongValue(label, 'one primary value at most')
  return elements.length > 0 ? elements : undefined
}

/** Throws ScimLanguageError (invalidValue) if an attribute would have too many values. */
export function checkElements(count: number, label: string): void {
  if (count > LIMITS.elements) throw wrongValue(label, `at most ${LIMITS.elements} values`)
}

/** Converts one value of a multi-valued attribute in the same way. */
export function normaliseSingle(attribute: ScimAttribute, value: ScimValue, label: string): ScimValue | undefined {
  if (isUnassigned(value)) return undefined
  switch (attribute.type) {
    case 'complex':
      return normaliseComplex(attribute, value, label)
    case 'boolean':
      return readBoolean(attribute, value, label)
    case 'integer':
      return expect(typeof value === 'number' && Number.isSafeInteger(value), value, label, 'an integer')
    case 'decimal':
      return expect(typeof value === 'number', value, label, 'a number')
    case 'dateTime':
      return expect(typeof value === 'string' && parseDateTime(value) !== null, value, label, 'a date and time')
    case 'binary':
      return expect(typeof value === 'string' && BASE64.test(value), value, label, 'Base64')
    case 'string':
    case 'reference':
      return expect(typeof value === 'string', value, label, 'a string')
  }
}

function normaliseComplex(attribute: ScimAttribute, value: ScimValue, label: string): ScimObject | undefined {
  // Microsoft Entra sends only the id of a manager.
  if (typeof value === 'string' && !attribute.multiValued && findSubAttribute(attribute, 'value'))
    return value === '' ? undefined : { value }
  if (!isObject(value)) throw wrongValue(label, 'an object')
  return normaliseParts(value, label, (name) => findSubAttribute(attribute, name))
}

function readBoolean(attribute: ScimAttribute, value: ScimValue, label: string): boolean {
  if (typeof value === 'boolean') return value
  // Microsoft Entra sends "True" and "False".
  const word = attribute.name === 'active' && typeof value === 'string' ? value.toLowerCase() : ''
  if (word === 'true' || word === 'false') return word === 'true'
  throw wrongValue(label, 'true or false')
}

function expect(holds: boolean, value: ScimValue, label: string, expected: string): ScimValue {
  if (holds) return value
  throw wrongValue(label, expected)
}

function unassignedAsNothing(value: ScimValue): ScimValue | undefined {
  return isUnassigned(value) ? undefined : value
}

function putOnce(object: ScimObject, name: string, value: ScimValue): void {
  if (Object.hasOwn(object, name)) throw new ScimLanguageError('invalidValue', `${quoted(name)} is there twice.`)
  object[name] = value
}

function wrongValue(label: string, expected: string): ScimLanguageError {
  return new ScimLanguageError('invalidValue', `${quoted(label)} has to be ${expected}.`)
}

export function isPrimary(element: ScimValue): boolean {
  return isObject(element) && own(element, 'primary') === true
}

/** Throws ScimLanguageError (invalidValue) if a required attribute is missing or empty. */
export function checkRequired(type: ScimResourceType, resource: ScimObject): void {
  for (const attribute of type.schema.attributes) {
    if (!attribute.required) continue
    const value = own(resource, attribute.name)
    if (isUnassigned(value) || (typeof value === 'string' && value.trim() === ''))
      throw new ScimLanguageError('invalidValue', `${attribute.name} is required.`)
  }
}

/** Throws ScimLanguageError (invalidValue) for a value that is too large or too deep, or cannot be stored. */
export function checkSize(value: ScimValue): void {
  const left = { values: LIMITS.values, characters: LIMITS.characters }
  const visit = (value: ScimValue, depth: number) => {
    left.values -= 1
    if (depth > LIMITS.depth) throw new ScimLanguageError('invalidValue', 'The values are nested too deeply.')
    if (left.values < 0) throw tooLarge()
    if (typeof value === 'string') countText(value, left)
    else if (Array.isArray(value)) for (const element of value) visit(element, depth + 1)
    else if (isObject(value))
      for (const [name, part] of Object.entries(value)) {
        if (isDangerous(name))
          throw new ScimLanguageError('invalidValue', `${quoted(name)} is no name of an attribute.`)
        countText(name, left)
        visit(part, depth + 1)
      }
  }
  visit(value, 0)
}

function countText(text: string, left: { characters: number }): void {
  left.characters -= text.length
  if (left.characters < 0) throw tooLarge()
  // PostgreSQL can store neither.
  if (text.includes('\0') || !text.isWellFormed())
    throw new ScimLanguageError('invalidValue', `${quoted(text)} has characters that cannot be stored.`)
}

function tooLarge(): ScimLanguageError {
  return new ScimLanguageError('invalidValue', 'The values are too many, or too large.')
}

/** The URNs of the schemas to which a resource's attributes belong (RFC 7643 §3). */
export function schemasOf(type: ScimResourceType, resource: ScimObject): string[] {
  const extensions = Object.keys(resource).filter((name) => /^urn:/i.test(name) && isObject(resource[name]))
  return [type.schema.id, ...extensions]
}

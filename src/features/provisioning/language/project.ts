import { isObject, type ScimObject, type ScimValue } from './json.ts'
import { readName } from './reader.ts'
import {
  type AttributeName,
  findSubAttribute,
  locateAttribute,
  type ScimAttribute,
  type ScimResourceType,
} from './schema.ts'

/** The attributes of resources in a response (RFC 7644 §3.9). */
export interface Selection {
  type: ScimResourceType
  /** Keys of the requested attributes, or null for those that are returned by default. */
  attributes: ReadonlySet<string> | null
  /** Keys of attributes with a requested part. */
  holders: ReadonlySet<string>
  excluded: ReadonlySet<string>
}

/** The number of names that are read in a list. Further names are ignored. */
const MAX_NAMES = 200
const MAX_NAME_LENGTH = 512

/**
 * Reads `attributes` and `excludedAttributes`, which are names separated by commas, or an array of names in `.search`.
 * Unknown names select nothing. `excludedAttributes` is only used without `attributes`.
 */
export function readSelection(
  type: ScimResourceType,
  { attributes, excludedAttributes }: { attributes?: string | string[]; excludedAttributes?: string | string[] },
): Selection {
  const names = readNames(type, attributes)
  const holders = new Set([...names].flatMap(holdersOf))
  return { type, attributes: names.size > 0 ? names : null, holders, excluded: readNames(type, excludedAttributes) }
}

function readNames(type: ScimResourceType, list: string | string[] = []): Set<string> {
  const names = (Array.isArray(list) ? list : list.split(',')).slice(0, MAX_NAMES)
  return new Set(
    names.flatMap((text) => {
      const trimmed = text.trim()
      const name = readName(trimmed)
      return trimmed === '' || trimmed.length > MAX_NAME_LENGTH
        ? []
        : [name ? keyOf(type, name) : trimmed.toLowerCase()]
    }),
  )
}

/** Cached, because it is needed for each name of each resource on a page. */
function holdersOf(key: string): string[] {
  return [...key.matchAll(/\./g)].map(({ index }) => key.slice(0, index))
}

function keyOf(type: ScimResourceType, name: AttributeName): string {
  const place = locateAttribute(type, name)
  return [place.urn, place.name === null ? null : [place.name, place.sub].filter((part) => part !== null).join('.')]
    .filter((part) => part !== null)
    .join(':')
    .toLowerCase()
}

/** Whether the response contains an attribute of the resource itself, so that it must be read. */
export function isSelected(selection: Selection, name: string): boolean {
  const attribute = selection.type.attributes.get(name.toLowerCase()) ?? null
  return selects(selection, name.toLowerCase(), attribute, [])
}

/** Selects the attributes of a resource for the response. Always includes `id` and `schemas`, and never a password. */
export function project(selection: Selection, resource: ScimObject): ScimObject {
  return Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]): [string, ScimValue][] => {
      const extension = selection.type.extensionsByUrn.get(name.toLowerCase())
      if (isObject(value) && (extension || name.includes(':'))) {
        const find = (part: string) => extension?.attributes.get(part.toLowerCase()) ?? null
        const parts = projectParts(selection, value, {
          prefix: `${name.toLowerCase()}:`,
          whole: name.toLowerCase(),
          find,
        })
        return parts && !selection.excluded.has(name.toLowerCase()) ? [[name, parts]] : []
      }
      const attribute = selection.type.attributes.get(name.toLowerCase()) ?? null
      return projectAttribute(selection, { key: name.toLowerCase(), name, attribute, above: [] }, value)
    }),
  )
}

interface Place {
  key: string
  name: string
  attribute: ScimAttribute | null
  /** The keys of the attributes that contain it. */
  above: string[]
}

function projectAttribute(selection: Selection, place: Place, value: ScimValue): [string, ScimValue][] {
  if (!selects(selection, place.key, place.attribute, place.above)) return []
  const find = (part: string) => findSubAttribute(place.attribute, part)
  const where = { prefix: `${place.key}.`, whole: place.key, find, above: place.above }
  if (isObject(value)) {
    const parts = projectParts(selection, value, where)
    return parts ? [[place.name, parts]] : []
  }
  if (!Array.isArray(value)) return [[place.name, value]]
  const elements = value.flatMap((element): ScimValue[] => {
    if (!isObject(element)) return [element]
    const parts = projectParts(selection, element, where)
    return parts ? [parts] : []
  })
  return [[place.name, elements]]
}

interface Parts {
  prefix: string
  whole: string
  find: (name: string) => ScimAttribute | null
  above?: string[]
}

function projectParts(selection: Selection, value: ScimObject, parts: Parts): ScimObject | null {
  const above = [...(parts.above ?? []), parts.whole]
  const entries = Object.entries(value).flatMap(([name, part]) =>
    projectAttribute(
      selection,
      { key: `${parts.prefix}${name.toLowerCase()}`, name, attribute: parts.find(name), above },
      part,
    ),
  )
  return entries.length > 0 ? Object.fromEntries(entries) : null
}

/** RFC 7643 §7, `returned`. */
function selects(selection: Selection, key: string, attribute: ScimAttribute | null, above: string[]): boolean {
  const returned = attribute?.returned ?? 'default'
  if (returned === 'never') return false
  if (returned === 'always') return true
  const { attributes, holders, excluded } = selection
  if (attributes) return attributes.has(key) || holders.has(key) || above.some((each) => attributes.has(each))
  return returned === 'default' && !excluded.has(key)
}

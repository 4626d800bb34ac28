import { Marked } from 'marked'
import { follow, listOf, type Part, partOf, referredName } from '../../../platform/openapi/document-parts.ts'
import { type Html, html, trustOwnFile } from '../../../platform/pages/html.ts'

const marked = new Marked({ gfm: true })

/** Renders a description from the contract as HTML. */
export function renderMarkdown(text: string): Html {
  return trustOwnFile(marked.parse(text, { async: false }))
}

const renderInline = (text: string) => trustOwnFile(marked.parseInline(text, { async: false }))

// The deepest fields are in records in lists in replies.
const MAX_DEPTH = 6

/** Renders the fields of an object as a list. Each has its type, description and, folded, its inner fields. */
export function renderFields(document: Part, schema: unknown, within: string[] = []): Html | null {
  const { properties, required } = objectOf(document, schema)
  const names = new Set(listOf(required))
  const items = Object.entries(partOf(properties)).map(([name, property]) =>
    renderField(document, { name, property, isRequired: names.has(name), within }),
  )
  return items.length === 0 ? null : html`<ul class="fields">\n${items}</ul>`
}

interface Field {
  name: string
  property: unknown
  isRequired: boolean
  within: string[]
}

function renderField(document: Part, { name, property, isRequired, within }: Field): Html {
  const { description } = { ...follow(document, property), ...partOf(property) }
  const facts = [
    typeOf(document, property),
    ...limitsOf(follow(document, property)),
    ...(isRequired ? ['required'] : []),
  ]
  const text = typeof description === 'string' && html`\n<p>${renderInline(description)}</p>`
  const inner = innerOf(document, property)
  const known = referredName(inner) ?? ''
  const more =
    inner === null || within.length >= MAX_DEPTH || within.includes(known)
      ? null
      : renderFields(document, inner, [...within, known])
  const details = more && html`\n<details><summary>Fields of <code>${name}</code></summary>${more}</details>`
  return html`<li><code>${name}</code> <span class="type">${facts.join(', ')}</span>${text}${details}</li>\n`
}

/** The schema with the schemas of `allOf` merged into it. */
export function objectOf(document: Part, schema: unknown): Part {
  const own = follow(document, schema)
  const parts = [...listOf(own['allOf']).map((part) => objectOf(document, part)), own]
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => partOf(properties))),
    required: parts.flatMap(({ required }) => listOf(required)),
  }
}

const choicesOf = (schema: Part) => [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]

/**
 * The object whose fields are shown as the inner fields of a field: the field itself, the items of a list, the values
 * of a map, or the only choice that is not null.
 */
function innerOf(document: Part, schema: unknown): unknown {
  const own = follow(document, schema)
  const choices = choicesOf(own).filter((choice) => follow(document, choice)['type'] !== 'null')
  const [only, ...others] = choices
  if (only !== undefined && others.length === 0) return innerOf(document, only)
  if (own['items'] !== undefined) return innerOf(document, own['items'])
  const values = own['additionalProperties']
  if (own['properties'] === undefined && own['allOf'] === undefined)
    return partOf(values)['type'] ? innerOf(document, values) : null
  return schema
}

/** The type in words, such as `string (uuid) or null` or `list of objects`. */
function typeOf(document: Part, schema: unknown): string {
  const own = follow(document, schema)
  const { const: constant, enum: values, type, format, items } = own
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  const choices = choicesOf(own).map((choice) => typeOf(document, choice))
  if (choices.length > 0) return [...new Set(choices)].join(' or ')
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeOf(document, items)}`
  const types = (Array.isArray(type) ? type : [type ?? (own['properties'] || own['allOf'] ? 'object' : 'any')]).map(
    String,
  )
  return types.map((one) => (one === 'string' && typeof format === 'string' ? `string (${format})` : one)).join(' or ')
}

const LIMITS: [keyword: string, text: (value: unknown) => string][] = [
  ['minLength', (value) => (value === 1 ? 'not empty' : `at least ${value} characters`)],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minimum', (value) => `at least ${value}`],
  ['maximum', (value) => `at most ${value}`],
  ['minItems', (value) => `at least ${value} items`],
  ['maxItems', (value) => `at most ${value} items`],
  ['default', (value) => `default ${JSON.stringify(value)}`],
]

const limitsOf = (schema: Part) =>
  LIMITS.flatMap(([keyword, text]) => (schema[keyword] === undefined ? [] : [text(schema[keyword])]))

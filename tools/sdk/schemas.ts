import type { Operation } from '../../src/platform/openapi/document-operations.ts'
import { isPart, listOf, type Part, partOf, referredName } from '../../src/platform/openapi/document-parts.ts'
import { pascal } from '../../src/platform/openapi/openapi-schemas.ts'
import { docComment } from './text.ts'

/** The TypeScript type of a JSON Schema, in as many lines as it needs; `onName` hears of each schema it refers to. */
export function typeOf(schema: unknown, onName: (name: string) => void): string {
  const name = referredName(schema)
  if (name !== undefined) {
    onName(name)
    return name
  }
  const { const: constant, enum: values, allOf, anyOf, oneOf, type, items } = partOf(schema)
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(allOf)) return unique(allOf.map((inner) => inParentheses(typeOf(inner, onName)))).join(' & ')
  const choices = anyOf ?? oneOf
  if (Array.isArray(choices)) return unique(choices.map((inner) => typeOf(inner, onName))).join(' | ')
  if (Array.isArray(type))
    return unique(type.map((one) => typeOf({ ...partOf(schema), type: one }, onName))).join(' | ')
  if (type === 'array') return `${inParentheses(typeOf(items, onName))}[]`
  if (type === 'object' || partOf(schema)['properties'] !== undefined) return objectType(partOf(schema), onName)
  if (type === 'integer' || type === 'number') return 'number'
  return typeof type === 'string' && ['string', 'boolean', 'null'].includes(type) ? type : 'unknown'
}

function objectType(schema: Part, onName: (name: string) => void): string {
  const properties = Object.entries(partOf(schema['properties']))
  const [pattern] = Object.values(partOf(schema['patternProperties']))
  const more = pattern ?? schema['additionalProperties']
  const record = isPart(more) ? `Record<string, ${typeOf(more, onName)}>` : 'Record<string, unknown>'
  if (properties.length === 0) return more === false ? 'Record<string, never>' : record
  const fields = fieldsOf(schema, onName)
  return more === undefined || more === false ? `{\n${fields}}` : `{\n${fields}} & ${record}`
}

/** The fields of an object, each with its description. An optional one may also be undefined. */
export function fieldsOf(schema: Part, onName: (name: string) => void): string {
  const required = new Set(listOf(schema['required']))
  return Object.entries(partOf(schema['properties']))
    .map(([name, property]) => {
      const text = indent(typeOf(property, onName))
      const field = required.has(name) ? `${keyOf(name)}: ${text}` : `${keyOf(name)}?: ${text} | undefined`
      return `${indent(docComment(partOf(property)['description']), '  ')}  ${field}\n`
    })
    .join('')
}

const keyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** Every line but the first further in; with `first`, also that one. */
export function indent(text: string, first = ''): string {
  return text === '' ? '' : `${first}${text.replaceAll(/\n(?=.)/g, '\n  ')}`
}

const inParentheses = (type: string) => (/ [|&] /.test(type) ? `(${type})` : type)

const unique = (types: string[]) => [...new Set(types)]

/** The name of the type of an operation, such as `UsersListParams`. */
export const typeName = ({ namespace, name }: Operation, ending: string) => `${pascal(`${namespace}.${name}`)}${ending}`

import { mediaOf } from '../http/media.ts'
import type { Route } from '../http/route.ts'
import { asExamples, exampleOf, noteRecords, snake } from './openapi-examples.ts'
import { headersOfMade, headersOfRedirect, headersOfReply } from './openapi-headers.ts'
import type { Recurring } from './openapi-recurring.ts'
import { type Components, type Json, type JsonObject, pascal, toJson } from './openapi-schemas.ts'

/** Parts that the operations of a document share. */
export interface Shared {
  components: Components
  responses: Recurring
  /** Given examples by the name of their schema, where a composed example is not enough. */
  given: Record<string, Json>
  /** The first example of each record, by the name of its schema. */
  records: Map<string, Json>
}

/** The successful responses of a route, by status. Collects examples of records by the name of their schema. */
export function describeReplies(route: Route, { components, responses, given, records }: Shared): JsonObject {
  const headers = headersOfReply(route)
  const replies = Object.entries(route.replies).map(([status, reply]): [string, JsonObject] => {
    if (status === '304') return [status, { description: 'Unchanged: the ETag in If-None-Match is current.', headers }]
    if (status === '204') return [status, { description: `${sentenceOf(route)} There is no content.`, headers }]
    const name = `${pascal(route.operation)}Reply${status === '200' ? '' : status}`
    const described = toJson(reply)
    const schema = components.referAs(name, described)
    const { reply: own, replies: named } = status === '200' ? route.examples : {}
    const subject = { of: 'answer', place: `${route.operation} answer`, given } as const
    const shown = toJson(named ?? { default: own ?? exampleOf(described, subject) })
    const [example] = Object.values(shown)
    noteRecords(described, example, records)
    const [type = ''] = mediaOf(route.media).type.split(';')
    const csv = route.csv ? { 'text/csv': { schema: { type: 'string' } } } : {}
    const content = { [type]: { schema, ...asExamples(shown) }, ...csv }
    const base = String(Object(schema).$ref).split('/').at(-1) ?? name
    const title = base.endsWith('Reply') || base === name ? base : `${base}Reply`
    const sent = status === '201' ? { ...headers, ...headersOfMade } : headers
    return [status, responses.note(title, { description: sentenceOf(route, described), headers: sent, content })]
  })
  const page = { description: 'A page.', headers, content: { 'text/html': { schema: { type: 'string' } } } }
  const redirect = { description: 'Redirects the browser to another address.', headers: headersOfRedirect }
  const files = Object.fromEntries(
    Object.entries(route.downloads).map(([type, example]) => [type, { schema: { type: 'string' }, example }]),
  )
  const file = { description: 'A file.', headers, content: files }
  return {
    ...Object.fromEntries(replies),
    ...(Object.keys(files).length ? { '200': file } : {}),
    ...(route.shows ? { '200': page } : {}),
    ...(route.kept ? { '304': { description: 'Unchanged: the ETag in If-None-Match is current.', headers } } : {}),
    ...(route.redirects ? { [route.method === 'GET' ? '302' : '303']: redirect } : {}),
  }
}

/** Describes a response in a sentence: from its schema, by the things in it, or by what the request has done. */
function sentenceOf(route: Route, reply: JsonObject = {}): string {
  if (typeof reply.description === 'string') return reply.description
  const properties = Object.entries(toJson(reply.properties ?? {}))
  const things = properties.filter(([, field]) => isThing(Object(field))).map(([name]) => name)
  const [first] = things
  if ('has_more' in Object(reply.properties)) return `A page of ${wordsOf(String(first))}.`
  if (things.length > 0) return `Contains ${new Intl.ListFormat('en').format(things.map((name) => `\`${name}\``))}.`
  const [verb = '', ...rest] = route.summary.split(' ')
  if (verb === 'Read') return `The ${rest.join(' ').replace(/^(the|this) /, '')}.`
  return `${pastOf(verb)} ${rest.join(' ')}.`
}

/** Whether a field is a record and not just a value. */
function isThing({ type, anyOf, 'x-name': name }: JsonObject): boolean {
  return (
    name !== undefined || type === 'object' || type === 'array' || (Array.isArray(anyOf) && isThing(Object(anyOf[0])))
  )
}

/** `subOrganizations` → `organizations`. */
function wordsOf(field: string): string {
  return snake(field).replace(/^sub_/, '').replace(/^api_/, 'API ').replaceAll('_', ' ')
}

const PAST: Record<string, string> = {
  Send: 'Sent',
  Resend: 'Resent',
  Set: 'Set',
  Reset: 'Reset',
  Withdraw: 'Withdrew',
  Verify: 'Verified',
  Give: 'Gave',
  Log: 'Logged',
  Undo: 'Undid',
}

function pastOf(verb: string): string {
  return PAST[verb] ?? (verb.endsWith('e') ? `${verb}d` : `${verb}ed`)
}

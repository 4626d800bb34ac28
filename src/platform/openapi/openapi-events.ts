import { anyEvent, eventEnvelope } from '../events/event-envelope.ts'
import { type EventDefinition, eventCatalogue } from '../events/events.ts'
import { CREATED_AT, exampleOf, idOf, noteRecords } from './openapi-examples.ts'
import { type Components, type Json, type JsonObject, pascal, toJson } from './openapi-schemas.ts'

/** The events in the contract. */
export interface DescribedEvents {
  webhooks: Record<string, JsonObject>
  /** An example of the event that most readers know. */
  example: Json
}

/**
 * Describes the events about each kind of resource as one schema, whose `type` is one of theirs. `AnyEvent`, the body
 * of a webhook, is one of these schemas. The catalogue describes each type. Collects examples of records by the name
 * of their schema.
 */
export function describeEvents(components: Components, records: Map<string, Json>): DescribedEvents {
  const envelope = components.referAs('Event', eventEnvelope)
  const events = eventCatalogue()
  const refs = [...Map.groupBy(events, ({ data }) => data).values()].flatMap((about) => {
    const [first] = about
    if (!first) return []
    const described = { description: DATA, ...Object(components.refer(first.data)) }
    const example = dataExampleOf(first)
    // A record's example is at its own schema.
    const isRecord = '$ref' in described && Object.keys(first.example).length === 0
    if (isRecord) noteRecords(toJson(first.data), example, records)
    const data = isRecord ? described : { ...described, examples: [example] }
    const resource = typeof data.$ref === 'string' ? data.$ref.split('/').at(-1) : pascal(first.type)
    const name = `${resource}Event`
    if (components.schemas.has(name)) throw new Error(`Two kinds of events have the name ${name}`)
    const types = about.map(({ type }) => type)
    const meaning = about.map(({ type, help }) => (types.length === 1 ? help : `\`${type}\`: ${help}`)).join(' ')
    const type = { ...(types.length === 1 ? { const: first.type } : { enum: types }), description: meaning }
    components.schemas.set(name, { allOf: [envelope, { properties: { type, data } }] })
    return `#/components/schemas/${name}`
  })
  components.define(anyEvent, {
    description: 'An event of any type. [The catalogue](/docs/events) describes each type. More types may be added.',
    // There is no discriminator: `type` distinguishes the schemas, and some generators do not support names in a
    // mapping.
    oneOf: refs.map(($ref) => ({ $ref })),
  })
  const [first] = events.filter(({ type }) => type === 'user.created')
  const example = first ? exampleOfCreation(first) : {}
  return { webhooks: { event: { post: webhookOf(example) } }, example }
}

const DATA = 'What happened, with the fields of this type of event.'

/** One webhook for all types, described by `AnyEvent`. */
function webhookOf(example: Json): JsonObject {
  return {
    operationId: 'webhooks.receive',
    tags: ['Webhooks'],
    summary: 'Receive an event',
    description: 'Sent to each webhook that subscribes to the type. [The catalogue](/docs/events) lists every type.',
    // Deliveries are signed. Linters require a statement that no security scheme of the contract applies.
    security: [],
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/AnyEvent' }, example } } },
    responses: { '200': { description: 'Any 2xx response acknowledges receipt.' } },
  }
}

function dataExampleOf({ type, data: schema, example }: EventDefinition): JsonObject {
  const owner = type.split('.').at(-2) ?? ''
  const data = exampleOf(toJson(schema), { of: 'answer', place: `event ${type} data`, owner })
  return { ...Object(data), ...toJson(example) }
}

/** An example of the event that most readers know. */
function exampleOfCreation(event: EventDefinition): JsonObject {
  const envelope = exampleOf(toJson(eventEnvelope), { of: 'answer', place: `event ${event.type}` })
  const target = { type: 'user', id: idOf('id', 'user') }
  const unused = { emailVerified: false, lastLoginAt: null, updatedAt: CREATED_AT }
  const data = { ...dataExampleOf(event), ...unused }
  return { ...Object(envelope), type: event.type, target, data, previous: null }
}

import { anyEvent, eventEnvelope } from '../events/event-envelope.ts'
import { type EventDefinition, eventCatalogue } from '../events/events.ts'
import { idOf } from './openapi-example-values.ts'
import { exampleOf } from './openapi-examples.ts'
import { type Components, type Json, type JsonObject, pascal, toJson } from './openapi-schemas.ts'

/** Events in the contract. */
export interface DescribedEvents {
  webhooks: Record<string, JsonObject>
  /** Data and an example of it, of one event about each kind of thing. */
  contents: JsonObject[]
  /** An example of the event that most readers know. */
  example: Json
}

/**
 * The events about each kind of thing as a schema, whose `type` is one of theirs, and `AnyEvent`, which is one of these
 * schemas: the body of the webhook. What each type says stands in the catalogue.
 */
export function describeEvents(components: Components): DescribedEvents {
  const envelope = components.referAs('Event', eventEnvelope)
  const events = eventCatalogue()
  const contents: JsonObject[] = []
  const refs = [...Map.groupBy(events, ({ data }) => data).values()].flatMap((about) => {
    const [first] = about
    if (!first) return []
    const data = { ...Object(components.refer(first.data)) }
    const resource = typeof data.$ref === 'string' ? data.$ref.split('/').at(-1) : pascal(first.type)
    const name = `${resource}Event`
    if (components.schemas.has(name)) throw new Error(`Two kinds of events have the name ${name}`)
    contents.push({ schema: data, example: dataExampleOf(first, false) })
    const types = about.map(({ type }) => type)
    const type = types.length === 1 ? { const: first.type } : { enum: types }
    components.schemas.set(name, { allOf: [envelope, { properties: { type, data } }] })
    return `#/components/schemas/${name}`
  })
  components.define(anyEvent, {
    description: 'An event of any type. [The catalogue](/docs/events) says what each means. More types may come.',
    // No discriminator: `type` tells them apart, and not every generator takes names in a mapping.
    oneOf: refs.map(($ref) => ({ $ref })),
  })
  const [first] = events.filter(({ type }) => type === 'user.created')
  return { webhooks: { event: webhook }, example: first ? exampleOfCreation(first) : {}, contents }
}

/** One for all types: `AnyEvent` tells them apart. */
const webhook: JsonObject = {
  post: {
    operationId: 'webhooks.receive',
    tags: ['Webhooks'],
    summary: 'Receive an event',
    description: 'Sent to each webhook that subscribes to the type. [The catalogue](/docs/events) lists every type.',
    // The deliveries are signed: linters want it said that no scheme of the contract applies.
    security: [],
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/AnyEvent' } } } },
    responses: { '200': { description: 'Any 2xx acknowledges receipt.' } },
  },
}

function dataExampleOf({ type, data: schema, example }: EventDefinition, isNew: boolean): JsonObject {
  const owner = type.split('.').at(-2) ?? ''
  const data = exampleOf(toJson(schema), { of: 'answer', place: `event ${type} data`, owner, isNew })
  return { ...Object(data), ...toJson(example) }
}

/** The event that most readers know. */
function exampleOfCreation(event: EventDefinition): JsonObject {
  const envelope = exampleOf(toJson(eventEnvelope), { of: 'answer', place: `event ${event.type}` })
  const target = { type: 'user', id: idOf('id', 'user') }
  return { ...Object(envelope), type: event.type, target, data: dataExampleOf(event, true), previous: null }
}

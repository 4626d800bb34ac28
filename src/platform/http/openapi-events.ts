import { anyEvent, eventEnvelope } from '../event-envelope.ts'
import { type EventDefinition, eventCatalogue } from '../events.ts'
import { idOf } from './openapi-example-values.ts'
import { exampleOf } from './openapi-examples.ts'
import { type Components, type Json, type JsonObject, pascal, toJson } from './openapi-schemas.ts'

/** Events in the contract. */
export interface DescribedEvents {
  webhooks: Record<string, JsonObject>
  /** Data and an example of it, of one event of each resource and of what differs from it. */
  contents: JsonObject[]
  /** An example of the event that most readers know. */
  example: Json
}

/** Each type of event as a schema, and `AnyEvent`, which is one of them: the body of the webhook. */
export function describeEvents(components: Components): DescribedEvents {
  const envelope = components.referAs('Event', eventEnvelope)
  const events = eventCatalogue()
  // One example of each resource, and of what differs from it: a contract is read whole.
  const firsts = new Set([...Map.groupBy(events, ({ data }) => data).values()].map(([event]) => event))
  const isShown = (event: EventDefinition) => firsts.has(event) || Object.keys(event.example).length > 0
  const contents: JsonObject[] = []
  const refs = events.map((event) => {
    const name = `${pascal(event.type)}Event`
    const data = { ...Object(components.refer(event.data)) }
    if (isShown(event)) contents.push({ schema: data, example: dataExampleOf(event, false) })
    const properties = { type: { const: event.type }, data }
    components.schemas.set(name, { description: event.help, allOf: [envelope, { properties }] })
    return `#/components/schemas/${name}`
  })
  components.define(anyEvent, {
    description: 'An event of any type. More types may come.',
    // No discriminator: the `const` of each tells them apart, and not every generator takes names in a mapping.
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

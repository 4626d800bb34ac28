import { anyEvent, eventEnvelope } from '../event-envelope.ts'
import { type EventDefinition, eventCatalogue } from '../events.ts'
import { CREATED_AT, idOf } from './openapi-example-values.ts'
import { exampleOf } from './openapi-examples.ts'
import { type Components, type Json, type JsonObject, pascal, toJson } from './openapi-schemas.ts'

/** Events in the contract. */
export interface DescribedEvents {
  webhooks: Record<string, JsonObject>
  /** An example of the event that most readers know. */
  example: Json
}

/** Each type of event as a schema and as a webhook, and `AnyEvent`, which is one of them. */
export function describeEvents(components: Components): DescribedEvents {
  const envelope = components.referAs('Event', eventEnvelope)
  const events = eventCatalogue()
  const refs = events.map((event): [string, string] => {
    const name = `${pascal(event.type)}Event`
    const properties = { type: { type: 'string', const: event.type }, data: components.refer(event.data) }
    components.schemas.set(name, { allOf: [envelope, { type: 'object', properties }] })
    return [event.type, `#/components/schemas/${name}`]
  })
  components.define(anyEvent, {
    description: 'An event of any type. More types may come.',
    oneOf: refs.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(refs) },
  })
  const schemas = new Map(refs)
  // One example of each resource, and of what differs from it: a contract is read whole.
  const firsts = new Set([...Map.groupBy(events, ({ data }) => data).values()].map(([event]) => event))
  const isShown = (event: EventDefinition) => firsts.has(event) || event.example.data !== undefined
  const webhooks = events.map((event) => {
    const example = isShown(event) ? { example: exampleOfEvent(event) } : {}
    return [event.type, describeWebhook(event, { schema: { $ref: schemas.get(event.type) ?? '' }, ...example })]
  })
  const [first] = events.filter(({ type }) => type === 'user.created')
  return { webhooks: Object.fromEntries(webhooks), example: first ? exampleOfEvent(first) : {} }
}

function describeWebhook(event: EventDefinition, content: JsonObject): JsonObject {
  return {
    post: {
      operationId: `on.${event.type}`,
      summary: event.help,
      requestBody: { content: { 'application/json': content } },
      responses: { '200': { description: 'Any 2xx acknowledges receipt.' } },
    },
  }
}

function exampleOfEvent(event: EventDefinition): JsonObject {
  const { type, data: schema, example } = event
  const noun = type.split('.').at(-2) ?? ''
  const isNew = /created|registered|resent/.test(type)
  const envelope = exampleOf(toJson(eventEnvelope), { of: 'answer', place: `event ${type}` })
  const subject = { of: 'answer', place: `event ${type} data`, owner: noun, isNew } as const
  const data: JsonObject = { ...Object(exampleOf(toJson(schema), subject)), ...toJson(example.data ?? {}) }
  const target = targetOf(event, data)
  return {
    ...Object(envelope),
    type,
    target: target === null ? null : { type: target, id: idOf('id', target) },
    data,
    previous: type.endsWith('.updated') && data.updatedAt ? { updatedAt: CREATED_AT } : null,
  }
}

/** The type of what an event is about, null for settings and the like: mostly the noun of its type, or else a user. */
function targetOf({ type, example }: EventDefinition, data: JsonObject): string | null {
  if (example.target !== undefined) return example.target
  const [resource = ''] = type.split('.')
  if (type.split('.').length === 2 && 'id' in data) return resource
  return /settings|policy|config/.test(type) ? null : 'user'
}

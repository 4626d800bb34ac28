import { type Static, Type } from 'typebox'
import { named, nullable } from '../schema.ts'
import { fits } from '../validator.ts'
import type { StreamedEvent } from './event-rows.ts'

/**
 * The version of the form in which events leave the service. A change that consumers would notice needs a new version.
 */
const API_VERSION = '2026-11-01'

const OnBehalfOf = Type.Object({
  id: Type.String({ description: 'Your id of the person: `X-Actor-Id` of the request.', examples: ['4711'] }),
  name: nullable(
    Type.String({ examples: ['Grace Hopper'] }),
    'Name of the person: `X-Actor-Name` of the request. Null: not sent.',
  ),
})
const Via = Type.Object({
  type: Type.String({ description: '`api_key`, or `user` for a member of the team.', examples: ['api_key'] }),
  id: Type.String({ description: 'The API key, or the `directoryUserId` of the member.', format: 'uuid' }),
})

/** Fields of every event, in the feed and in the body of a webhook. */
export const eventEnvelope = named(
  'Event',
  Type.Object({
    id: Type.String({
      description: 'Id of the event. The same in the feed and in every delivery.',
      examples: ['evt_0198b6f2-7c1b-7e05-8a63-c94d1b7f20e8'],
    }),
    type: Type.String({ description: 'Type of the event, such as `user.created`.', examples: ['user.created'] }),
    timestamp: Type.String({ description: 'When the event happened (RFC 3339, in UTC).', format: 'date-time' }),
    api_version: Type.String({
      description: 'Version of the event format. The version changes only if the format changes incompatibly.',
      examples: [API_VERSION],
    }),
    environment: Type.String({ examples: ['production'] }),
    sub_org_id: nullable(
      Type.String({ format: 'uuid' }),
      'The organization in which the event happened. Null: no organization, for example for a change of the whole environment.',
    ),
    actor: Type.Object(
      {
        type: Type.String({
          description: '`api_key`, `user`, `scim` (provisioning), `system` (jobs) or `cli`.',
          examples: ['api_key'],
        }),
        id: nullable(
          Type.String({ format: 'uuid' }),
          'The id of the API key or the user. Null: this kind of actor has no id.',
        ),
        on_behalf_of: nullable(
          OnBehalfOf,
          'The person that your backend acted for (`X-Actor-Id` and `X-Actor-Name`). Null without these headers.',
        ),
        via: nullable(
          Via,
          'For sign-ins and sign-outs, the actor is the user, and this is the API key or team member that sent the request. For a user’s request that your backend sends with its API key, this is the API key. Otherwise null.',
        ),
      },
      { description: 'Who caused the event.' },
    ),
    target: nullable(
      Type.Object({
        type: Type.String({ description: 'Type of the resource, such as `user` or `session`.', examples: ['user'] }),
        id: Type.String({ description: 'Id of the resource.', format: 'uuid' }),
      }),
      'The resource that the event is about. Null: none.',
    ),
    request_id: nullable(
      Type.String({ examples: ['req_01KAV3R0M2Y7Q9Z8X5W4V3T2S1'] }),
      '`X-Request-Id` of the request. Null: no request caused the event, but for example a job.',
    ),
    ip_address: nullable(
      Type.String({
        description: 'IP address of the end user, if the request contained it.',
        examples: ['203.0.113.7'],
      }),
    ),
    user_agent: nullable(
      Type.String({
        description: 'User agent of the end user, if the request contained it.',
        examples: ['Mozilla/5.0'],
      }),
    ),
    data: Type.Object(
      {},
      { additionalProperties: true, description: 'The resource in the same form as in API responses.' },
    ),
    previous: nullable(
      Type.Object(
        {},
        { additionalProperties: true, description: 'For an update: the previous values of the changed fields.' },
      ),
    ),
  }),
)

/** An event of any type. The contract describes it as the union of all types. */
export const anyEvent = named('AnyEvent', Type.Object(eventEnvelope.properties))

/** An event in the form that the event feed, the audit log and webhooks share. */
export function toEvent(event: StreamedEvent): Static<typeof eventEnvelope> {
  return {
    id: `evt_${event.id}`,
    type: event.type,
    timestamp: event.created_at.toISOString(),
    api_version: API_VERSION,
    environment: event.environment_slug,
    sub_org_id: event.organization_id,
    actor: {
      type: event.actor_type,
      id: event.actor_id,
      on_behalf_of: fits(OnBehalfOf, event.on_behalf_of) ? event.on_behalf_of : null,
      via: fits(Via, event.via) ? event.via : null,
    },
    target:
      event.target_type === null || event.target_id === null ? null : { type: event.target_type, id: event.target_id },
    request_id: event.request_id,
    ip_address: event.ip_address,
    user_agent: event.user_agent,
    data: Object(event.data),
    previous: event.previous === null ? null : Object(event.previous),
  }
}

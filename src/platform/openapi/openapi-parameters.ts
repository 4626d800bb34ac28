import type { TObject } from 'typebox'
import { httpErrors } from '../errors.ts'
import { ACTOR_ID_HEADER, ACTOR_NAME_HEADER } from '../http/acting-for.ts'
import type { Route } from '../http/route.ts'
import { NAME } from '../schema.ts'
import { ENVIRONMENT_HEADER } from '../tenancy/chosen-environment.ts'
import type { Recurring } from './openapi-recurring.ts'
import { type Components, type Json, type JsonObject, pascal, toJson } from './openapi-schemas.ts'

/** The meaning of `subOrgId`, by the data that a route works on. Keys of one organization need not send it. */
const organizations = {
  SubOrgIdOfRead:
    'Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level.',
  SubOrgIdOfWrite:
    'Organization. Required with an org-wide key (not limited to one organization), in the query or in the body.',
  SubOrgIdOrToken: 'Organization. If omitted, the token in the request identifies the organization.',
  SubOrgIdOrEnvironment:
    'Organization. An org-wide key (not limited to one organization) must send either this or `scope`, in the query or in the body.',
  SubOrgIdOrAccount:
    'Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the account level.',
  SubOrgIdOfReach:
    'Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole environment.',
  SubOrgIdOfNone:
    'Do not send it. The request applies to every organization and requires an org-wide key (not limited to one organization).',
  SubOrgIdOfAccount:
    'Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole account.',
}

type OrganizationName = keyof typeof organizations

function organizationOf(route: Route): OrganizationName {
  if (route.directory === 'reach') return 'SubOrgIdOfReach'
  // Discovery signs people in and belongs to no organization yet.
  if (route.directory === 'account' && route.scope === 'auth.login') return 'SubOrgIdOfNone'
  if (route.directory === 'account') return 'SubOrgIdOfAccount'
  if (route.directory === 'one-or-account') return 'SubOrgIdOrAccount'
  if (route.directory === 'one-or-environment') return 'SubOrgIdOrEnvironment'
  if (route.organizationToken !== null) return 'SubOrgIdOrToken'
  return route.method === 'GET' ? 'SubOrgIdOfRead' : 'SubOrgIdOfWrite'
}

/** Parameters that many routes share, for `components.parameters`. */
export const parameterComponents: Record<string, JsonObject> = {
  IdempotencyKey: header(
    'Idempotency-Key',
    'For 24 hours, a repeated request with the same key returns the first response again, with the header `Idempotent-Replayed: true`.',
    255,
  ),
  IfMatch: header(
    'If-Match',
    'The ETag that the change is based on. The change is refused if the record has changed since.',
  ),
  IfNoneMatch: header('If-None-Match', 'The ETag of your copy. Returns 304 if your copy is current.'),
  EndUserIp: header(
    'X-End-User-IP',
    'IP address of the end user that the request is made for. With an access token, ignored unless X-API-Key is sent too.',
  ),
  EndUserAgent: header(
    'X-End-User-Agent',
    'User agent of the end user that the request is made for. With an access token, ignored unless X-API-Key is sent too.',
    512,
  ),
  ActorId: header(
    ACTOR_ID_HEADER,
    'With an API key: your own id of the person that your backend acts for. The id is recorded in `actor.on_behalf_of` of events and grants no rights. Percent-encode `%` and non-ASCII characters as UTF-8.',
  ),
  ActorName: header(
    ACTOR_NAME_HEADER,
    'Name of the person in X-Actor-Id, with the same encoding. Send it only together with X-Actor-Id.',
  ),
  Environment: header(
    ENVIRONMENT_HEADER,
    'Id of the environment in which a team member’s request works. Default: the home environment of the organization in the request, or else production. An API key may send only its own environment.',
    36,
  ),
  TrustedDevice: header(
    'X-Trusted-Device',
    'The trusted_device_token of the end user’s device. A valid token replaces the second factor.',
    100,
  ),
  ...Object.fromEntries(
    Object.entries(organizations).map(([name, description]) => [
      name,
      { name: 'subOrgId', in: 'query', description, schema: { type: 'string' } },
    ]),
  ),
}

/** The parameters of a route: its own, and references to shared ones. */
export function describeParameters(route: Route, components: Components, recurring: Recurring): Json[] {
  const own = [
    ...fieldsAsParameters(route.params, 'path', components),
    ...fieldsAsParameters(route.query, 'query', components),
  ]
    .filter(({ name, in: place }) => name !== 'subOrgId' || place === 'path')
    .map((parameter) => recurring.note(`${pascal(String(parameter.in))}${pascal(String(parameter.name))}`, parameter))
  const shared: [string, boolean][] = [
    [organizationOf(route), route.scope !== null],
    ['IdempotencyKey', route.idempotency],
    ['IfMatch', route.errors.some(({ code }) => code === httpErrors.versionConflict.code)],
    ['IfNoneMatch', route.kept],
    ['EndUserIp', recordsEndUser(route)],
    ['EndUserAgent', recordsEndUser(route)],
    ['ActorId', route.auth === 'key'],
    ['ActorName', route.auth === 'key'],
    ['TrustedDevice', route.takesDevice],
    ['Environment', route.auth === 'key'],
  ]
  const refs = shared.flatMap(([name, applies]) => (applies ? [{ $ref: `#/components/parameters/${name}` }] : []))
  return [...own, ...refs]
}

/** Whether a backend may state the end user of a request. Reads do not record the end user. */
function recordsEndUser({ auth, method }: Route): boolean {
  return (auth === 'key' || auth === 'user') && method !== 'GET'
}

/**
 * A body as JSON Schema. The meaning of `subOrgId` is described at the parameter, because routes with two modes share
 * bodies.
 */
export function describeBody(route: Route): JsonObject {
  const body = toJson(route.body)
  if (route.scope === null) return body
  const { subOrgId, ...properties }: JsonObject = Object(body.properties)
  const description = 'Organization, if the query does not name it.'
  return { ...body, properties: { ...properties, subOrgId: { ...Object(subOrgId), [NAME]: 'SubOrgId', description } } }
}

function fieldsAsParameters(schema: TObject, place: 'path' | 'query', components: Components): JsonObject[] {
  const { properties = {}, required: listed } = toJson(schema)
  const names = Array.isArray(listed) ? listed : []
  return Object.entries(properties as JsonObject).map(([name, field]) => {
    const { description, ...rest } = toJson(field)
    const described = description === undefined ? {} : { description }
    const schema = components.refer(rest)
    const required = place === 'path' || names.includes(name) ? { required: true } : {}
    return { name, in: place, ...required, ...described, schema }
  })
}

function header(name: string, description: string, maxLength?: number): JsonObject {
  return {
    name,
    in: 'header',
    description,
    schema: { type: 'string', ...(maxLength ? { maxLength } : {}) },
  }
}

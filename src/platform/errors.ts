import { type TProperties, Type } from 'typebox'

/** One invalid field of a request, in `errors[]` of an `invalid_request`. */
export interface FieldError {
  field: string
  code: string
  message: string
}

export interface ErrorDefinition {
  status: number
  /** Stable and documented, because callers branch on it. */
  code: string
  /** The general problem in a few words. It is the problem's `title` (RFC 9457 §3.1.3). */
  title: string
  /** Cause and remedy in one or two sentences. Shown in the catalogue, and used as `detail` if an error sets none. */
  help: string
  /** Members that a problem with this code may have in addition to the members of every problem (RFC 9457 §3.2). */
  members: TProperties
}

export interface ErrorDetails {
  /** Public: this occurrence and what to do about it. By default the `help` of the definition. */
  detail?: string
  /** Logged, never sent. */
  cause?: unknown
  errors?: FieldError[]
  headers?: Record<string, string>
  /** The limit that was used up, for metrics. Never sent. */
  limit?: string
  /** Extension members of the problem, such as `retry_after`. The definition must declare them. */
  extra?: Record<string, unknown>
}

/** Reads a field of an error, such as Node.js's `code`. Returns undefined if the value is not an error. */
export function readErrorField(error: unknown, name: string): unknown {
  return error instanceof Error ? Reflect.get(error, name) : undefined
}

/** A refusal with a stable code. The caller sees everything in it except `cause` and `limit`. */
export class ApiError extends Error {
  readonly definition: ErrorDefinition
  readonly details: ErrorDetails

  constructor(definition: ErrorDefinition, details: ErrorDetails) {
    super(details.detail ?? definition.title, { cause: details.cause })
    this.name = 'ApiError'
    this.definition = definition
    this.details = details
  }
}

export interface ErrorFactory extends ErrorDefinition {
  (details?: ErrorDetails): ApiError
  /** The same code with another status from its definition. */
  as(status: number): ErrorFactory
}

/** If the contract gives a code several statuses, they are listed here, the usual one first. */
type ErrorRow = readonly [
  status: number | readonly [number, ...number[]],
  code: string,
  title: string,
  help: string,
  members?: TProperties,
]

/** Every error code of the service. Modules add their codes when they are loaded. */
const catalogue = new Map<string, ErrorDefinition>()

/**
 * Defines a feature's errors. Throws if a code is already defined: each code has one owner, from which others import
 * it.
 */
export function defineErrors<K extends string>(table: Record<K, ErrorRow>): Record<K, ErrorFactory> {
  const factories = Object.entries<ErrorRow>(table).map(([key, row]) => [key, define(row)] as const)
  return Object.fromEntries(factories) as Record<K, ErrorFactory>
}

function define([given, code, title, help, members = {}]: ErrorRow): ErrorFactory {
  if (catalogue.has(code)) throw new Error(`Error code ${code} is defined twice`)
  const statuses = typeof given === 'number' ? ([given] as const) : given
  const as = (status: number): ErrorFactory => {
    if (!statuses.includes(status)) throw new Error(`Error code ${code} is not defined with status ${status}`)
    const definition = { status, code, title, help, members }
    return Object.assign((details: ErrorDetails = {}) => new ApiError(definition, details), definition, { as })
  }
  catalogue.set(code, { status: statuses[0], code, title, help, members })
  return as(statuses[0])
}

/** Every error code that a loaded module defines, sorted. The documentation is generated from it. */
export function errorCatalogue(): ErrorDefinition[] {
  return [...catalogue.values()].sort((a, b) => a.status - b.status || a.code.localeCompare(b.code))
}

/** The definition of a code, if a loaded module has one. */
export function findErrorDefinition(code: string): ErrorDefinition | undefined {
  return catalogue.get(code)
}

const fieldErrors = (description: string) =>
  Type.Array(
    Type.Object({
      field: Type.String({ description: 'The field, as a path such as `users.0.email`.' }),
      code: Type.String({ description: 'What is wrong with it, such as `required` or `unknown_property`.' }),
      message: Type.String({ description: 'The problem as a sentence, for developers.' }),
    }),
    { description },
  )

/** Errors that the pipeline itself may return on any route. */
export const httpErrors = defineErrors({
  invalidRequest: [
    400,
    'invalid_request',
    'Invalid request',
    'errors[] lists each invalid field and what is wrong with it. Unknown properties are refused too.',
    { errors: fieldErrors('The invalid fields.') },
  ],
  invalidJson: [
    400,
    'invalid_json',
    'The body is not valid JSON',
    'The body could not be parsed. Send one JSON value in UTF-8.',
  ],
  credentialConflict: [
    400,
    'api_key_conflict',
    'Conflicting API keys',
    'The headers X-API-Key and Authorization contain different keys, or one of these headers is sent twice. Send one key.',
  ],
  subOrgRequired: [
    400,
    'sub_org_required',
    'subOrgId is required',
    'An org-wide key reaches every organization, so a write must name the organization to change. Send subOrgId.',
    { errors: fieldErrors('The unknown property that may be a misspelt subOrgId.') },
  ],
  subOrgConflict: [
    400,
    'sub_org_conflict',
    'Conflicting organization',
    'The query and the body name different organizations. Send subOrgId once, or the same value in both places.',
  ],
  apiKeyMissing: [
    401,
    'api_key_missing',
    'API key missing',
    'Send the key in the header X-API-Key, or as Authorization: Bearer.',
  ],
  apiKeyInvalid: [
    401,
    'api_key_invalid',
    'API key invalid',
    'The key is mistyped, was revoked, or belongs to another deployment. Check the key, or create a new one.',
  ],
  apiKeyExpired: [401, 'api_key_expired', 'API key expired', 'The expiresAt of the key has passed. Create a new key.'],
  apiKeyIpNotAllowed: [
    403,
    'api_key_ip_not_allowed',
    'Address not allowed for this key',
    'The client’s IP address is not in the key’s allowedIps. Add the address with PATCH /v1/api-keys/{id}, or call from an allowed address.',
  ],
  apiKeyMismatch: [
    403,
    'api_key_mismatch',
    'The key does not reach the user',
    'X-API-Key accompanies the access token of a user outside its reach. Send a key of the token’s environment, either org-wide or limited to the user’s organization, or send no key.',
  ],
  accessTokenMissing: [
    401,
    'access_token_missing',
    'Access token missing',
    'This route is for end users. Send the access token as Authorization: Bearer. An API key does not work here.',
  ],
  accessTokenInvalid: [
    401,
    'access_token_invalid',
    'Access token invalid',
    'The token has expired, its session has ended, or it is not a token of this service. Exchange the refresh token for a new access token, or sign in again.',
  ],
  scimTokenMissing: [
    401,
    'scim_token_missing',
    'SCIM token missing',
    'Send the SCIM token of the organization as Authorization: Bearer. An API key does not work here.',
  ],
  scimTokenInvalid: [
    401,
    'scim_token_invalid',
    'SCIM token invalid',
    'The token is mistyped, was replaced, or is not a token of this service. Create a new token with POST /v1/scim/config.',
  ],
  privilegeEscalation: [
    403,
    'privilege_escalation',
    'More permissions required',
    'A caller can grant only what it has itself: scopes, organization, environment, expiry, allowed addresses and rate limit. A caller can act on a team member only if it has all permissions of that member. Only an API key with the scope `*` and without an expiry, address list or rate limit can sign team members in.',
  ],
  insufficientScope: [
    403,
    'insufficient_scope',
    'Permission missing',
    '`scope` names the missing scope. Use a key that has this scope.',
    { scope: Type.String({ description: 'The missing scope.' }) },
  ],
  impersonationReadOnly: [
    403,
    'impersonation_read_only',
    'Impersonation sessions are read-only',
    'The access token belongs to an impersonation session (claim `act`), which cannot change anything. Use the user’s own session for this change.',
  ],
  subOrgMismatch: [
    403,
    'sub_org_mismatch',
    'The organization does not match',
    'A key or team member limited to one organization cannot reach another organization. Requests that apply to all organizations require an org-wide key or a member of the account. Omit subOrgId from such requests.',
  ],
  productionKeyRequired: [
    403,
    'production_key_required',
    'A production key is required',
    'Keys of every environment can read the team, shared environments, production organizations and their custom environments. Only production keys can change these. Use a production key.',
  ],
  homeKeyRequired: [
    403,
    'home_key_required',
    'A home-environment key is required',
    'Only keys of an organization’s home environment can change the organization. The field `environment` of the organization names its home environment.',
  ],
  serviceDisabled: [
    403,
    'service_disabled',
    'Service disabled',
    '`service` names the disabled service. Turn the service on with PUT /v1/organization-apps. Sign-in methods also require the service auth.',
    { service: Type.String({ description: 'The service that is off.' }) },
  ],
  organizationSuspended: [
    403,
    'organization_suspended',
    'The organization is suspended or archived',
    '`organization_status` says which. No user can sign in or refresh until the organization is active again.',
    { organization_status: Type.String({ description: '`suspended` or `archived`.' }) },
  ],
  originNotAllowed: [
    403,
    'origin_not_allowed',
    'Origin not allowed',
    'Add the origin of the page, such as https://app.example.com, to allowed_origins (PATCH /v1/auth/settings).',
    { origin: Type.String({ description: 'The origin of the page.' }) },
  ],
  notFound: [404, 'not_found', 'Not found', 'No route has this path. Check the path and the version.'],
  organizationNotFound: [
    404,
    'organization_not_found',
    'Organization not found',
    'No organization has this id, or the caller cannot reach it.',
  ],
  environmentNotFound: [
    404,
    'environment_not_found',
    'Environment not found',
    'No environment has this id, or the caller cannot see it.',
  ],
  methodNotAllowed: [
    405,
    'method_not_allowed',
    'Method not allowed',
    'The response header Allow lists the methods that this path supports.',
  ],
  notAcceptable: [
    406,
    'not_acceptable',
    'Not acceptable',
    'Responses are application/json. Send an Accept header that allows this type.',
  ],
  idempotencyInProgress: [
    409,
    'idempotency_in_progress',
    'The first request is still running',
    'The first request with this idempotency key is still running. Try again in a moment.',
  ],
  versionConflict: [
    412,
    'version_conflict',
    'The record has changed',
    'The record was changed after you read it. Read it again, and repeat the change.',
  ],
  payloadTooLarge: [
    413,
    'payload_too_large',
    'Body too large',
    'The body exceeds the route’s limit: 1 MiB for most routes, 5 MiB for bulk creation of users.',
  ],
  unsupportedMediaType: [
    415,
    'unsupported_media_type',
    'Unsupported media type',
    'Send application/json, uncompressed. A charset, if sent, must be utf-8.',
  ],
  idempotencyKeyReused: [
    422,
    'idempotency_key_reused',
    'Idempotency key used for another request',
    'An idempotency key stands for one request with one path, body and environment. Use a new key for a different request.',
  ],
  rateLimited: [
    429,
    'rate_limited',
    'Too many requests',
    'Wait for the number of seconds in retry_after (also in the header Retry-After), then try again.',
    { retry_after: Type.Integer({ description: 'Seconds to wait before the next attempt.' }) },
  ],
  internal: [
    500,
    'internal_error',
    'Internal error',
    'The service failed. request_id identifies the failed request in the log of the service.',
  ],
  unavailable: [
    503,
    'unavailable',
    'Temporarily unavailable',
    'The database or the service is busy or unreachable. Try again after the number of seconds in Retry-After. A single change was made either completely or not at all.',
  ],
})

/** `invalid_request` for one field, or for several with the same problem. The message ends without a full stop. */
export function invalidField(
  fields: string | string[],
  code: string,
  message: string,
  detail = `${message}.`,
): ApiError {
  return httpErrors.invalidRequest({ detail, errors: [fields].flat().map((field) => ({ field, code, message })) })
}

/** The refusal of work that would have to wait too long. */
export function busy(): ApiError {
  return httpErrors.unavailable({ detail: 'The service is busy. Try again.', headers: { 'retry-after': '1' } })
}

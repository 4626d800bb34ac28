/** One field of a request that was refused, in `errors[]` of an `invalid_request`. */
export interface FieldError {
  field: string
  code: string
  message: string
}

export interface ErrorDefinition {
  status: number
  /** Stable, documented, what callers branch on. */
  code: string
  /** The general case in a few words; the `title` of the problem (RFC 9457 §3.1.3). */
  title: string
}

export interface ErrorDetails {
  /** Safe for the public: this occurrence, and what to do about it. */
  detail?: string
  /** For the log alone. */
  cause?: unknown
  errors?: FieldError[]
  headers?: Record<string, string>
  /** Extension members of the problem, such as `retry_after`. */
  extra?: Record<string, unknown>
}

/** A refusal with a stable code. Everything in it but `cause` is shown to the caller. */
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
}

/** The catalogue: every code of the service, filled as the modules that define them load. */
const catalogue = new Map<string, ErrorDefinition>()

/** Defines a feature's errors: `key: [status, code, title]`. The same code twice must mean the same thing. */
export function defineErrors<K extends string>(
  table: Record<K, readonly [status: number, code: string, title: string]>,
): Record<K, ErrorFactory> {
  const factories = Object.entries<readonly [number, string, string]>(table).map(([key, [status, code, title]]) => {
    const definition = { status, code, title }
    const known = catalogue.get(code)
    if (known && known.status !== status) throw new Error(`Error code ${code} is defined with two statuses`)
    if (!known) catalogue.set(code, definition)
    const factory = (details: ErrorDetails = {}) => new ApiError(definition, details)
    return [key, Object.assign(factory, definition)] as const
  })
  return Object.fromEntries(factories) as Record<K, ErrorFactory>
}

/** Every error code that any loaded module defines, sorted; feeds the documentation. */
export function errorCatalogue(): ErrorDefinition[] {
  return [...catalogue.values()].sort((a, b) => a.status - b.status || a.code.localeCompare(b.code))
}

/** What the pipeline itself may answer on any route. */
export const httpErrors = defineErrors({
  invalidRequest: [400, 'invalid_request', 'Invalid request'],
  invalidJson: [400, 'invalid_json', 'The body is not valid JSON'],
  credentialConflict: [400, 'api_key_conflict', 'Two different API keys in one request'],
  subOrgRequired: [400, 'sub_org_required', 'subOrgId is required'],
  subOrgConflict: [400, 'sub_org_conflict', 'subOrgId differs between query and body'],
  apiKeyMissing: [401, 'api_key_missing', 'API key missing'],
  apiKeyInvalid: [401, 'api_key_invalid', 'API key invalid'],
  apiKeyExpired: [401, 'api_key_expired', 'API key expired'],
  insufficientScope: [403, 'insufficient_scope', 'The API key lacks the scope of this route'],
  subOrgMismatch: [403, 'sub_org_mismatch', 'The API key belongs to another organization'],
  serviceDisabled: [403, 'service_disabled', 'Service disabled'],
  notFound: [404, 'not_found', 'Not found'],
  organizationNotFound: [404, 'organization_not_found', 'Organization not found'],
  methodNotAllowed: [405, 'method_not_allowed', 'Method not allowed'],
  notAcceptable: [406, 'not_acceptable', 'Not acceptable'],
  idempotencyInProgress: [409, 'idempotency_in_progress', 'A request with this idempotency key is still running'],
  versionConflict: [412, 'version_conflict', 'The record has changed'],
  payloadTooLarge: [413, 'payload_too_large', 'Body too large'],
  unsupportedMediaType: [415, 'unsupported_media_type', 'Unsupported media type'],
  idempotencyKeyReused: [422, 'idempotency_key_reused', 'Idempotency key used with another body'],
  rateLimited: [429, 'rate_limited', 'Too many requests'],
  internal: [500, 'internal_error', 'Internal error'],
  unavailable: [503, 'unavailable', 'Temporarily unavailable'],
})

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
  /** Cause and cure in a sentence or two: in the catalogue, and the `detail` of a problem that brings none. */
  help: string
}

export interface ErrorDetails {
  /** Safe for the public: this occurrence, and what to do about it. Default: the `help` of its definition. */
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

/** Defines a feature's errors: `key: [status, code, title, help]`. The same code twice must mean the same thing. */
export function defineErrors<K extends string>(
  table: Record<K, readonly [status: number, code: string, title: string, help: string]>,
): Record<K, ErrorFactory> {
  const factories = Object.entries<readonly [number, string, string, string]>(table).map(
    ([key, [status, code, title, help]]) => {
      const definition = { status, code, title, help }
      const known = catalogue.get(code)
      if (known && known.status !== status) throw new Error(`Error code ${code} is defined with two statuses`)
      if (!known) catalogue.set(code, definition)
      const factory = (details: ErrorDetails = {}) => new ApiError(definition, details)
      return [key, Object.assign(factory, definition)] as const
    },
  )
  return Object.fromEntries(factories) as Record<K, ErrorFactory>
}

/** Every error code that any loaded module defines, sorted; feeds the documentation. */
export function errorCatalogue(): ErrorDefinition[] {
  return [...catalogue.values()].sort((a, b) => a.status - b.status || a.code.localeCompare(b.code))
}

/** What the pipeline itself may answer on any route. */
export const httpErrors = defineErrors({
  invalidRequest: [
    400,
    'invalid_request',
    'Invalid request',
    'errors[] names the fields that are wrong and why. Unknown properties are refused too.',
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
    'Two different API keys in one request',
    'X-API-Key and Authorization carry different keys, or one of them came twice: send one.',
  ],
  subOrgRequired: [
    400,
    'sub_org_required',
    'subOrgId is required',
    'An org-wide key reaches every organization, so a write has to name one.',
  ],
  subOrgConflict: [
    400,
    'sub_org_conflict',
    'subOrgId differs between query and body',
    'Name the organization once, or alike in both places.',
  ],
  apiKeyMissing: [
    401,
    'api_key_missing',
    'API key missing',
    'Send the key in the header X-API-Key, or as Authorization: Bearer.',
  ],
  apiKeyInvalid: [401, 'api_key_invalid', 'API key invalid', 'The key is mistyped, revoked, or of another deployment.'],
  apiKeyExpired: [
    401,
    'api_key_expired',
    'API key expired',
    'The key has passed its expiresAt: rotate it, or make another.',
  ],
  insufficientScope: [
    403,
    'insufficient_scope',
    'The API key lacks the scope of this route',
    'scope names what the key lacks: use a key that has it.',
  ],
  subOrgMismatch: [
    403,
    'sub_org_mismatch',
    'The API key belongs to another organization',
    'The key belongs to one organization, or the act is for keys of all of them.',
  ],
  serviceDisabled: [
    403,
    'service_disabled',
    'Service disabled',
    'service names it; PUT /v1/organization-apps turns it on. Sign-in methods also need auth.',
  ],
  notFound: [404, 'not_found', 'Not found', 'Nothing answers at this path.'],
  organizationNotFound: [
    404,
    'organization_not_found',
    'Organization not found',
    'There is no such organization in the reach of the key.',
  ],
  methodNotAllowed: [
    405,
    'method_not_allowed',
    'Method not allowed',
    'The header Allow names the methods of this path.',
  ],
  notAcceptable: [406, 'not_acceptable', 'Not acceptable', 'Answers are application/json: accept that.'],
  idempotencyInProgress: [
    409,
    'idempotency_in_progress',
    'A request with this idempotency key is still running',
    'The first request with this key has not been answered yet: try again in a moment.',
  ],
  versionConflict: [
    412,
    'version_conflict',
    'The record has changed',
    'Somebody changed the record after you read it: read it again, and repeat the change.',
  ],
  payloadTooLarge: [413, 'payload_too_large', 'Body too large', 'Bodies take 1 MiB, a bulk of users 5 MiB.'],
  unsupportedMediaType: [
    415,
    'unsupported_media_type',
    'Unsupported media type',
    'Send application/json; its charset, if any, is utf-8.',
  ],
  idempotencyKeyReused: [
    422,
    'idempotency_key_reused',
    'Idempotency key used with another body',
    'A key stands for one request: use a fresh one for another body.',
  ],
  rateLimited: [
    429,
    'rate_limited',
    'Too many requests',
    'retry_after and the header Retry-After say in how many seconds to try again.',
  ],
  internal: [
    500,
    'internal_error',
    'Internal error',
    'Our fault. request_id names the occurrence in the log of the service.',
  ],
  unavailable: [
    503,
    'unavailable',
    'Temporarily unavailable',
    'The database or the service is busy or away: try again after Retry-After. Nothing was half done.',
  ],
})

import { Type } from 'typebox'
import { defineErrors, type ErrorDetails, type ErrorFactory } from '../../../platform/errors.ts'
import { ScimLanguageError, type ScimLanguageReason } from '../language/error.ts'

const scimType = (keyword: string) => ({ scimType: Type.String({ description: `\`${keyword}\` (RFC 7644 §3.12).` }) })

export const scimErrors = defineErrors({
  disabled: [
    403,
    'scim_disabled',
    'Provisioning is off',
    'Turn SCIM provisioning on for the organization: PATCH /v1/scim/config with enabled true.',
  ],
  filterNotAllowed: [
    403,
    'scim_filter_not_allowed',
    'The endpoint does not support filters',
    'The service provider configuration, schemas and resource types cannot be filtered (RFC 7644 §4). Remove the filter from the request.',
  ],
  connectionNotFound: [
    400,
    'scim_connection_not_found',
    'Connection not found',
    'sso_connection_id must be the id of a connection of this organization.',
  ],
  logNotFound: [
    404,
    'scim_log_not_found',
    'Request not found',
    'No logged SCIM request has this id. Requests are kept for 14 days. List them with GET /v1/scim/logs.',
  ],
  notReplayable: [
    409,
    'scim_not_replayable',
    'This request cannot be repeated',
    'Only a refused write can be repeated, and only if its body was kept. A body is kept if it has at most 16 KiB and contains no password.',
  ],
  invalidFilter: [
    400,
    'scim_invalid_filter',
    'The filter cannot be used',
    'The filter does not follow the grammar of RFC 7644 §3.4.2.2, is too long or too deep, or names an attribute that cannot be searched.',
    scimType('invalidFilter'),
  ],
  invalidPath: [
    400,
    'scim_invalid_path',
    'The path cannot be used',
    'path must follow the grammar of RFC 7644 §3.5.2 and name an attribute of the resource.',
    scimType('invalidPath'),
  ],
  invalidValue: [
    400,
    'scim_invalid_value',
    'A value is missing or invalid',
    'Send a value that matches the schema at /Schemas. For a user, userName or emails must contain an email address.',
    scimType('invalidValue'),
  ],
  invalidSyntax: [
    400,
    'scim_invalid_syntax',
    'The body is not a SCIM message',
    'The body must be a resource, a PatchOp, a SearchRequest or a BulkRequest, as defined in RFC 7644 §3.',
    scimType('invalidSyntax'),
  ],
  noTarget: [
    400,
    'scim_no_target',
    'The path selects nothing',
    'No value of the attribute matches the filter in the path. Read the resource, then correct the path.',
    scimType('noTarget'),
  ],
  mutability: [
    400,
    'scim_mutability',
    'The attribute cannot be changed',
    'The attribute is read-only or immutable. Remove it from the request.',
    scimType('mutability'),
  ],
  tooMany: [
    400,
    'scim_too_many',
    'Too many operations or results',
    'Send at most 1 000 operations in one request, or narrow the search.',
    scimType('tooMany'),
  ],
  invalidCursor: [
    400,
    'scim_invalid_cursor',
    'The cursor cannot be used',
    'cursor must be the nextCursor value from an earlier page of the same query (RFC 9865 §2.1).',
    scimType('invalidCursor'),
  ],
  resourceNotFound: [
    404,
    'scim_resource_not_found',
    'Resource not found',
    'The resource was deleted, was never provisioned here, or belongs to another organization.',
  ],
  uniqueness: [
    409,
    'scim_uniqueness',
    'Another resource has this value',
    'No two users may have the same userName or email address, and no two groups the same displayName. Find the existing resource and change it.',
    scimType('uniqueness'),
  ],
  notSupported: [
    501,
    'scim_not_supported',
    'Not supported by this SCIM endpoint',
    '`/Me` is not supported, because a provisioning client is not a user. Use `/Users`.',
  ],
})

/** An error with SCIM's keyword for it. */
export function scimError(factory: ErrorFactory, detail?: string, more: ErrorDetails = {}) {
  const keyword = SCIM_TYPES.get(factory.code)
  return factory({
    ...(detail === undefined ? {} : { detail }),
    ...more,
    ...(keyword === undefined ? {} : { extra: { scimType: keyword } }),
  })
}

const SCIM_TYPES = new Map([
  [scimErrors.invalidFilter.code, 'invalidFilter'],
  [scimErrors.invalidPath.code, 'invalidPath'],
  [scimErrors.invalidValue.code, 'invalidValue'],
  [scimErrors.invalidSyntax.code, 'invalidSyntax'],
  [scimErrors.noTarget.code, 'noTarget'],
  [scimErrors.mutability.code, 'mutability'],
  [scimErrors.tooMany.code, 'tooMany'],
  [scimErrors.invalidCursor.code, 'invalidCursor'],
  [scimErrors.uniqueness.code, 'uniqueness'],
])

const OF_LANGUAGE: Record<ScimLanguageReason, ErrorFactory> = {
  invalidFilter: scimErrors.invalidFilter,
  invalidPath: scimErrors.invalidPath,
  invalidValue: scimErrors.invalidValue,
  invalidSyntax: scimErrors.invalidSyntax,
  noTarget: scimErrors.noTarget,
  mutability: scimErrors.mutability,
  tooMany: scimErrors.tooMany,
}

/** The errors of the SCIM language. */
export const languageErrors = Object.values(OF_LANGUAGE)

/** Converts an error of the SCIM language to a refusal. Returns any other error unchanged. */
export function asScimError(error: unknown): unknown {
  return error instanceof ScimLanguageError ? scimError(OF_LANGUAGE[error.scimType], error.message) : error
}

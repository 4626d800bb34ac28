import { groupType, userType } from '../language/core-schemas.ts'

const MESSAGES = 'urn:ietf:params:scim:schemas:core:2.0'

/** The maximum and the default number of results on a page. */
export const [MAX_RESULTS, DEFAULT_RESULTS] = [200, 100]
export const MAX_OPERATIONS = 1000
export const MAX_BULK_BYTES = 1024 * 1024

/** RFC 7643 §5, RFC 9865 §4. */
export function serviceProviderConfig(baseUrl: string) {
  return {
    schemas: [`${MESSAGES}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: MAX_OPERATIONS, maxPayloadSize: MAX_BULK_BYTES },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: DEFAULT_RESULTS,
      maxPageSize: MAX_RESULTS,
    },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The SCIM token of the organization, as Authorization: Bearer.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
  }
}

/** RFC 7643 §6. */
export function resourceTypes(baseUrl: string) {
  return [userType, groupType].map(({ name, schema, extensions }) => ({
    schemas: [`${MESSAGES}:ResourceType`],
    id: name,
    name,
    description: schema.description,
    endpoint: `/${name}s`,
    schema: schema.id,
    ...(extensions.length ? { schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })) } : {}),
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
  }))
}

/** RFC 7643 §7. */
export function schemas(baseUrl: string) {
  return [userType.schema, groupType.schema, ...userType.extensions].map((schema) => ({
    schemas: [`${MESSAGES}:Schema`],
    ...schema,
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${schema.id}` },
  }))
}

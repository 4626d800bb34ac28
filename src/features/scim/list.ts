const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** A whole list (RFC 7644 §3.4.2). */
export function toList<T>(resources: T[]) {
  const { length } = resources
  return { schemas: [LIST], totalResults: length, startIndex: 1, itemsPerPage: length, Resources: resources }
}

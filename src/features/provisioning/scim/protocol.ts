import { type TProperties, Type } from 'typebox'
import { open } from '../../../platform/http/object-schemas.ts'
import { checkedApart, named } from '../../../platform/schema.ts'
import { listQuery, searchBody, selectionQuery } from './lists/lists.ts'

const Schemas = Type.Optional(
  Type.Array(Type.String(), {
    description: 'URNs of the schemas of the object.',
    examples: [['urn:ietf:params:scim:schemas:core:2.0:User']],
  }),
)

/** Any resource or message. SCIM's own schemas define its types. */
const Resource = named('ScimResource', open(Type.Object({ schemas: Schemas })))

/** The version that a change requires (RFC 7644 §3.14, RFC 9110 §13.1). */
export const conditionOf = ({ ifMatch, ifNoneMatch }: Record<'ifMatch' | 'ifNoneMatch', string | null>) => ({
  ifMatch,
  ifNoneMatch,
})

/** The parts that routes of resources share. */
export const scimRoute = {
  about: { media: 'scim', tolerant: true, tag: 'SCIM', service: 'scim' },
  params: Type.Object({ id: Type.String({ description: 'The request: `id` in `GET /v1/scim/logs`.' }) }),
  listed: Type.Object(listQuery),
  selected: Type.Object(selectionQuery),
  searched: named('ScimSearchRequest', open(Type.Object({ schemas: Schemas, ...searchBody }))),
  Patch: named(
    'ScimPatch',
    open(
      Type.Object({
        schemas: Schemas,
        Operations: checkedApart(
          Type.Optional(
            Type.Array(Type.Unsafe<unknown>({}), {
              description:
                'The changes (RFC 7644 §3.5.2). They are applied in order, and either all or none take effect.',
              examples: [[{ op: 'replace', path: 'active', value: false }]],
            }),
          ),
        ),
      }),
    ),
  ),
  ListReply: named(
    'ScimList',
    Type.Object({
      schemas: Type.Array(Type.String(), {
        description: 'Always the URN of a list response.',
        examples: [['urn:ietf:params:scim:api:messages:2.0:ListResponse']],
      }),
      totalResults: Type.Integer({ description: 'Number of matching resources.' }),
      startIndex: Type.Optional(
        Type.Integer({ description: 'Position of the first resource on this page, from 1. Absent with a cursor.' }),
      ),
      itemsPerPage: Type.Integer({ description: 'Number of resources on this page.' }),
      nextCursor: Type.Optional(
        Type.String({
          description: 'Send it as `cursor` to read the next page (RFC 9865). Absent on the last page.',
          examples: ['mF3kQ9mQsVgPeAo3RuIxWyHt6CkZjEn4'],
        }),
      ),
      Resources: Type.Array(Resource, { description: 'The users, groups or other resources.' }),
    }),
  ),
  Resource,
  /** A resource in which only some fields are described. */
  resource<P extends TProperties>(name: string, fields: P) {
    return named(name, open(Type.Object({ schemas: Schemas, ...fields })))
  },
} as const

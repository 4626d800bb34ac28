import { type Static, Type } from 'typebox'
import { type ImportedHashType, importedHashTypes } from '../../../../platform/crypto/password-format.ts'
import { checkedApart, nullable, secret } from '../../../../platform/schema.ts'
import { User, UserCreate } from '../schema.ts'

export const MAX_USERS_PER_REQUEST = 500

/** An entry of `users`. Each row is checked separately, so that only an invalid row fails. */
export const BulkUser = Type.Object(
  {
    ...UserCreate.properties,
    passwordHash: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 1024 })),
    passwordHashType: Type.Optional(
      Type.Unsafe<ImportedHashType | null>({ type: ['string', 'null'], enum: [...importedHashTypes, null] }),
    ),
  },
  { additionalProperties: false },
)
export type BulkUser = Static<typeof BulkUser>

/**
 * A row of an import from the command line. It has fields that the API does not accept: a key that may create users
 * need not have the right to enroll their factors.
 */
export const ImportedUser = Type.Object(
  { ...BulkUser.properties, totpSecret: Type.Optional(Type.String({ maxLength: 1024 })) },
  { additionalProperties: false },
)

export const BulkCreate = Type.Object({
  users: checkedApart(
    secret(
      Type.Optional(
        Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
          description:
            'The fields of a single user, and `passwordHash` with its ' +
            `\`passwordHashType\` (${importedHashTypes.join(', ')}) to import passwords.`,
        }),
      ),
    ),
  ),
  bulkText: Type.Optional(
    Type.String({
      description:
        'One user per line: `email`, `email,First,Last` or `Name <email>`. Blank lines and lines that begin with # are ignored.',
    }),
  ),
})

export const BulkReply = Type.Object(
  {
    created: Type.Array(User, { description: 'The users who were created, in the order of the request.' }),
    skipped: Type.Array(
      Type.Object({
        email: Type.String({
          description: 'The email address of the row as it was sent.',
          examples: ['grace@acme.example'],
        }),
        reason: Type.Enum(['already_exists', 'duplicate_in_request'], {
          description:
            '`already_exists`: a user has the address. `duplicate_in_request`: an earlier row of the request has the address.',
        }),
      }),
      { description: 'Rows that were skipped.' },
    ),
    failed: Type.Array(
      Type.Object({
        email: nullable(
          Type.String({ examples: ['not an address'] }),
          'The email address of the row as it was sent. Null: the row has no address.',
        ),
        error: Type.String({
          description:
            '`invalid_email`, `invalid_field:<name>`, `external_id_taken`, or, if the caller may not give the roles, `insufficient_scope`, `service_disabled` or `privilege_escalation`.',
          examples: ['invalid_email'],
        }),
      }),
      { description: 'Rows that were refused. The others are not affected.' },
    ),
  },
  { description: 'The outcome of each entry.' },
)
export type BulkReply = Static<typeof BulkReply>

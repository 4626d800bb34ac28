import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { named, nullable, overlapSeconds } from '../../../platform/schema.ts'

const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })

const MAX_TOKEN_DAYS = 730

export const ON_DEPROVISION = ['deactivate', 'delete'] as const

export const ScimConfig = named(
  'ScimConfig',
  Type.Object(
    {
      enabled: Type.Boolean({ description: 'Whether the endpoint accepts requests for this organization.' }),
      endpointUrl: Type.String({
        description:
          'The base URL for the provisioning client. It is the same for all organizations, because the token identifies the organization.',
        examples: ['https://auth.example.com/api/os/scim/v2'],
      }),
      sso_connection_id: nullable(Id, 'The connection whose group_role_mapping gives roles to provisioned groups.'),
      subOrgId: nullable(Id),
      tokenSet: Type.Boolean({ description: 'Whether a token exists.' }),
      tokenHint: nullable(Type.String({ examples: ['scim_…9aF2'] }), 'The last characters of the token.'),
      tokenRotatedAt: nullable(Moment, 'When the current token was created. Null: never.'),
      tokenExpiresAt: nullable(Moment, 'When the previous token, which still works, expires.'),
      currentTokenExpiresAt: nullable(Moment, 'When the current token expires or expired. Null: never.'),
      lastRequestAt: nullable(Moment, 'When the client last sent a request, to the minute. Null: never.'),
      userCount: Type.Integer({ description: 'Users that provisioning manages.', examples: [0] }),
      groupCount: Type.Integer({ description: 'Groups that the client provisioned.', examples: [0] }),
      onDeprovision: Type.Enum([...ON_DEPROVISION], {
        description: 'How a user that the client deletes is handled. `active: false` always deactivates.',
      }),
    },
    { description: 'How the directory of the organization provisions users.' },
  ),
)
export type ScimConfig = Static<typeof ScimConfig>

export const ScimConfigPatch = Type.Object({
  enabled: Type.Optional(Type.Boolean({ description: '`false` refuses every request of the client. Users are kept.' })),
  sso_connection_id: Type.Optional(nullable(Type.String({ minLength: 1 }), 'The linked connection. Null: none.')),
  onDeprovision: Type.Optional(
    Type.Enum([...ON_DEPROVISION], {
      description: 'How a user that the client deletes is handled. `active: false` always deactivates.',
    }),
  ),
})
export type ScimConfigPatch = Static<typeof ScimConfigPatch>

export const ScimConfigAction = Type.Object({
  action: Type.Enum(['rotate-token'], { description: 'Always `rotate-token`.' }),
  overlap_seconds: overlapSeconds('Seconds for which the previous token keeps working. 0 ends it at once.'),
  token_expires_in_days: Type.Optional(
    nullable(
      Type.Integer({ minimum: 1, maximum: MAX_TOKEN_DAYS, examples: [365] }),
      'Days for which the new token works. Absent or null: until the next rotation.',
    ),
  ),
})

/** A token that expires soon or has expired. */
export const ScimTokenExpiring = named(
  'ScimTokenExpiring',
  Type.Object(
    {
      subOrgId: nullable(Id),
      tokenHint: Type.String({ description: 'The last characters of the token.', examples: ['scim_…9aF2'] }),
      expiresAt: Moment,
      days: Type.Integer({ minimum: 0, description: 'Days until it expires.', examples: [30] }),
    },
    { description: 'A provisioning token that expires soon or has expired.' },
  ),
)

export const ScimConfigReply = Type.Object({ config: ScimConfig })
export const ScimTokenReply = Type.Object({
  token: Type.String({
    description: 'The token for the provisioning client. Shown only in this response.',
    examples: ['scim_4fQ0ZyK1nB7vX2cM9tR8sW3uJ6pL5dH0gA7eT4iO1qYb2kR9aF'],
  }),
  config: ScimConfig,
})

export const ScimLog = named(
  'ScimLog',
  Type.Object(
    {
      id: Id,
      method: Type.String({ description: 'HTTP method of the request.', examples: ['POST'] }),
      path: Type.String({ description: 'Path below the endpoint.', examples: ['/Users'] }),
      status: Type.Integer({ description: 'HTTP status of the response.', examples: [409] }),
      outcome: Type.Enum(['accepted', 'refused'], { description: 'Whether the request was carried out.' }),
      code: nullable(Type.String({ examples: ['scim_uniqueness'] }), 'Why it was refused. Null: it was accepted.'),
      reason: nullable(
        Type.String({ examples: ['Another user has this userName.'] }),
        'The same as a sentence. Null: it was accepted.',
      ),
      fix: nullable(
        Type.String({ examples: ['Find the resource, and change it.'] }),
        'What to change at the client. Null: nothing.',
      ),
      effect: nullable(
        Type.String({ examples: ['1 group updated, 3 members added, 4 members removed'] }),
        'What an accepted write changed. `Nothing changed` if the data was already the same.',
      ),
      warnings: Type.Array(Type.String(), {
        description: 'Warnings about an accepted write, such as an `externalId` that another user has.',
        examples: [[]],
      }),
      body: Type.Unknown({
        description: 'The JSON that was sent, without secrets. Null: none.',
        examples: [{ userName: 'ada@acme.example' }],
      }),
      replayOf: nullable(Id, 'The request that this one repeats.'),
      createdAt: Moment,
    },
    { description: 'A request of the provisioning client.' },
  ),
)
export type ScimLog = Static<typeof ScimLog>

export const ScimLogListReply = Type.Object({
  logs: Type.Array(ScimLog, { description: 'Requests of the last 14 days.' }),
  ...listReply,
})

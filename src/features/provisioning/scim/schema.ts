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
          'The base URL for the provisioning client. The URL is the same for all organizations, because the token identifies the organization.',
        examples: ['https://auth.example.com/api/os/scim/v2'],
      }),
      sso_connection_id: nullable(
        Id,
        'The connection whose group_role_mapping maps provisioned groups to roles. Null: none.',
      ),
      subOrgId: nullable(Id),
      tokenSet: Type.Boolean({ description: 'Whether a token exists.' }),
      tokenHint: nullable(Type.String({ examples: ['scim_…9aF2'] }), 'The last characters of the token.'),
      tokenRotatedAt: nullable(Moment, 'When the current token was created. Null: never.'),
      tokenExpiresAt: nullable(Moment, 'When the previous token stops working. Null: no previous token works.'),
      currentTokenExpiresAt: nullable(Moment, 'When the current token expires or expired. Null: never.'),
      lastRequestAt: nullable(Moment, 'When the client last sent a request, to the minute. Null: never.'),
      userCount: Type.Integer({ description: 'Number of users that provisioning manages.', examples: [0] }),
      groupCount: Type.Integer({ description: 'Number of groups that the client provisioned.', examples: [0] }),
      onDeprovision: Type.Enum([...ON_DEPROVISION], {
        description:
          'What happens to a user that the provisioning client deletes. A user that the client sets to `active: false` is always deactivated.',
      }),
    },
    { description: 'How the directory of the organization provisions users.' },
  ),
)
export type ScimConfig = Static<typeof ScimConfig>

export const ScimConfigPatch = Type.Object({
  enabled: Type.Optional(
    Type.Boolean({
      description: '`false`: every request of the provisioning client is refused. Existing users are kept.',
    }),
  ),
  sso_connection_id: Type.Optional(
    nullable(
      Type.String({ minLength: 1 }),
      'The connection whose group_role_mapping maps provisioned groups to roles. Null: none.',
    ),
  ),
  onDeprovision: Type.Optional(
    Type.Enum([...ON_DEPROVISION], {
      description:
        'What happens to a user that the provisioning client deletes. A user that the client sets to `active: false` is always deactivated.',
    }),
  ),
})
export type ScimConfigPatch = Static<typeof ScimConfigPatch>

export const ScimConfigAction = Type.Object({
  action: Type.Enum(['rotate-token'], { description: 'Always `rotate-token`.' }),
  overlap_seconds: overlapSeconds(
    'Seconds for which the previous token keeps working. 0: the previous token stops working at once.',
  ),
  token_expires_in_days: Type.Optional(
    nullable(
      Type.Integer({ minimum: 1, maximum: MAX_TOKEN_DAYS, examples: [365] }),
      'Days after which the new token expires. Absent or null: the token works until the next rotation.',
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
      days: Type.Integer({ minimum: 0, description: 'Days until the token expires.', examples: [30] }),
    },
    { description: 'A provisioning token that expires soon or has expired.' },
  ),
)

export const ScimConfigReply = Type.Object({ config: ScimConfig })
export const ScimTokenReply = Type.Object({
  token: Type.String({
    description: 'The token for the provisioning client. The token is shown only in this response.',
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
      path: Type.String({
        description: 'Path of the request, without the base URL of the endpoint.',
        examples: ['/Users'],
      }),
      status: Type.Integer({ description: 'HTTP status of the response.', examples: [409] }),
      outcome: Type.Enum(['accepted', 'refused'], { description: 'Whether the request was accepted or refused.' }),
      code: nullable(
        Type.String({ examples: ['scim_uniqueness'] }),
        'Why the request was refused, as a code. Null: the request was accepted.',
      ),
      reason: nullable(
        Type.String({ examples: ['Another user has this userName.'] }),
        'Why the request was refused, as a sentence. Null: the request was accepted.',
      ),
      fix: nullable(
        Type.String({ examples: ['Find the resource, and change it.'] }),
        'What to change at the provisioning client. Null: nothing.',
      ),
      effect: nullable(
        Type.String({ examples: ['1 group updated, 3 members added, 4 members removed'] }),
        'What an accepted write changed. `Nothing changed`: the data was already the same.',
      ),
      warnings: Type.Array(Type.String(), {
        description: 'Warnings about an accepted write, for example that another user has the same `externalId`.',
        examples: [[]],
      }),
      body: Type.Unknown({
        description: 'The JSON body of the request, without secrets. Null: no body was kept.',
        examples: [{ userName: 'ada@acme.example' }],
      }),
      replayOf: nullable(Id, 'Id of the request that this request repeats. Null: this request is not a repetition.'),
      createdAt: Moment,
    },
    { description: 'A request of the provisioning client.' },
  ),
)
export type ScimLog = Static<typeof ScimLog>

export const ScimLogListReply = Type.Object({
  logs: Type.Array(ScimLog, { description: 'Requests of the provisioning client in the last 14 days.' }),
  ...listReply,
})

import { type Static, Type } from 'typebox'
import { named, nullable } from '../../../platform/schema.ts'
import { exampleTokens, SessionTokens } from '../claims/claims.ts'
import { DiscoveredOrganization } from './discovered/discovered.ts'

/** The response of every route that returns a session, or a challenge before it. */
export const SessionReply = named(
  'LoginResult',
  Type.Object(
    {
      session: nullable(
        SessionTokens,
        'The new session. Null if a second factor is required: continue with challenge_token. Also null if the response has sign_in_required or discovery_token.',
      ),
      sign_in_required: Type.Optional(
        Type.Boolean({
          description: 'Only for POST /v1/auth/invite/accept: a team member has joined and must sign in as usual.',
        }),
      ),
      discovery_token: Type.Optional(
        Type.String({
          description:
            'Only if the request has no subOrgId: returned by POST /v1/auth/token/exchange after a social sign-in, and by POST /v1/auth/login/passkey/verify if the passkey belongs to users in several organizations. Send it to POST /v1/auth/discovery/exchange to sign in to one of `organizations`.',
          examples: ['dsc_v1.0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce.9mQsVgPeAo3RuIxWyHt6CkZjEn4SGlBv'],
        }),
      ),
      expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'When `discovery_token` expires.' })),
      organizations: Type.Optional(
        Type.Array(DiscoveredOrganization, {
          description: 'Organizations to choose from. Only with `discovery_token`.',
        }),
      ),
      mfa_required: Type.Optional(
        Type.Boolean({ description: 'The first factor was correct, and a second factor is required.' }),
      ),
      challenge_token: Type.Optional(
        Type.String({
          description:
            'Send it to POST /v1/mfa/challenge/verify or, if enrollment_required is true, to PUT /v1/mfa/totp.',
          examples: ['mfa_4kPq7Lw2ZbN9xTg1RcVf8YdJhQmS3uXe6BaKoEi5WnC'],
        }),
      ),
      challenge_expires_at: Type.Optional(
        Type.String({
          description: 'When the challenge expires. After that the user must sign in again.',
          format: 'date-time',
        }),
      ),
      directory_user_id: Type.Optional(
        Type.String({ format: 'uuid', description: 'The user of the challenge. Send it as userId of an enrollment.' }),
      ),
      sub_org_id: Type.Optional(
        nullable(
          Type.String({ format: 'uuid' }),
          'The organization of the challenge. Send it as subOrgId in the requests that complete the challenge. Null for the team.',
        ),
      ),
      methods: Type.Optional(
        Type.Array(Type.String({ examples: ['totp'] }), {
          description: 'Methods that complete the challenge. `passkey`: the user signs in with a passkey instead.',
        }),
      ),
      enrollment_required: Type.Optional(
        Type.Boolean({ description: 'The user has no factor and must enroll one to sign in.' }),
      ),
      mfa: Type.Optional(
        Type.Object(
          {
            required: Type.Boolean({ description: 'Whether the policy requires a second factor of the user.' }),
            enrolled: Type.Boolean({ description: 'Whether the user has a second factor.' }),
            grace_ends_at: Type.String({
              description: 'From this time on, the user must enroll a factor to sign in.',
              format: 'date-time',
            }),
          },
          {
            description:
              'The MFA policy requires a second factor that the user has not enrolled. Until grace_ends_at, the user can sign in without a second factor.',
          },
        ),
      ),
      organization: Type.Optional(
        Type.Object(
          {
            subOrgId: Type.String({ description: 'The organization: `id` in `/v1/organizations`.', format: 'uuid' }),
            name: Type.String({ description: 'The organization’s name.' }),
            slug: Type.String({ description: 'The organization’s slug.' }),
          },
          {
            description:
              'The organization of the challenge, or the organization that POST /v1/auth/discovery/create created.',
          },
        ),
      ),
    },
    // A complete sign-in. The fields of a challenge are only present if `session` is null.
    {
      description: 'The session, or a challenge if a second factor is required.',
      examples: [{ session: exampleTokens }],
    },
  ),
)
export type SessionReply = Static<typeof SessionReply>

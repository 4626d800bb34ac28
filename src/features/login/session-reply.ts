import { type Static, Type } from 'typebox'
import { named, nullable } from '../../platform/schema.ts'

const example = {
  access_token:
    'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTk4YjZmMiIsInJvbGUiOiJtZW1iZXIifQ.5rKqv2mXcB8wYd0T',
  refresh_token: 'rt_0H3fK9mQ2xVbT7cLwZ5nRyEaU8sJdGi4PoXqBkM1tWvN6hCe',
  expires_in: 3600,
  user_id: '0198b6f2-81d0-7b55-8c0e-2f64a9d7b310',
  directory_user_id: '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21',
}

/** A session with its tokens, which are shown only here. */
export const SessionTokens = named(
  'SessionTokens',
  Type.Object({
    access_token: Type.String({
      description: 'JWT (RFC 9068) to present to the customer’s API as a Bearer token.',
      examples: [example.access_token],
    }),
    refresh_token: Type.String({
      description: 'Single use: POST /v1/auth/token/refresh returns its successor.',
      examples: [example.refresh_token],
    }),
    expires_in: Type.Integer({
      description: 'Seconds until the access token expires.',
      examples: [example.expires_in],
    }),
    user_id: Type.String({ format: 'uuid', examples: [example.user_id] }),
    directory_user_id: Type.String({ format: 'uuid', examples: [example.directory_user_id] }),
  }),
)
export type SessionTokens = Static<typeof SessionTokens>

/** The response of every route that ends in a session, or in a challenge before it. */
export const SessionReply = named(
  'LoginResult',
  Type.Object(
    {
      session: nullable(SessionTokens, 'Null while the second factor is missing: continue with challenge_token.'),
      mfa_required: Type.Optional(
        Type.Boolean({ description: 'The first factor was right, and a second is required.' }),
      ),
      challenge_token: Type.Optional(
        Type.String({
          description: 'For POST /v1/mfa/challenge/verify, or PUT /v1/mfa/totp if enrollment_required.',
          examples: ['mfa_4kPq7Lw2ZbN9xTg1RcVf8YdJhQmS3uXe6BaKoEi5WnC'],
        }),
      ),
      challenge_expires_at: Type.Optional(Type.String({ format: 'date-time' })),
      directory_user_id: Type.Optional(
        Type.String({ format: 'uuid', description: 'The user of the challenge: userId of an enrollment.' }),
      ),
      methods: Type.Optional(
        Type.Array(Type.String({ examples: ['totp'] }), {
          description: 'What passes the challenge: `totp`, `backup`, `sms`; `passkey`: sign in with it instead.',
        }),
      ),
      enrollment_required: Type.Optional(
        Type.Boolean({ description: 'The user has no factor and must enroll one to sign in.' }),
      ),
      mfa: Type.Optional(
        Type.Object(
          { required: Type.Boolean(), enrolled: Type.Boolean(), grace_ends_at: Type.String({ format: 'date-time' }) },
          {
            description:
              'The policy requires a factor that the user has not enrolled; until grace_ends_at they sign in without.',
          },
        ),
      ),
    },
    // A complete sign-in: the fields of a challenge come only with `session` null.
    {
      description: 'The session, or the challenge of a second factor that is missing.',
      examples: [{ session: example }],
    },
  ),
)
export type SessionAnswer = Static<typeof SessionReply>

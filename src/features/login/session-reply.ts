import { type Static, Type } from 'typebox'

/** A session as it is handed out, the only time its tokens are shown. */
export const SessionTokens = Type.Object({
  access_token: Type.String({ description: 'JWT (RFC 9068) to present to the customer’s API as a Bearer token.' }),
  refresh_token: Type.String({ description: 'Single use: POST /v1/auth/token/refresh answers its successor.' }),
  expires_in: Type.Integer({ description: 'Seconds until the access token expires.' }),
  user_id: Type.String({ format: 'uuid' }),
  directory_user_id: Type.String({ format: 'uuid' }),
})
export type SessionTokens = Static<typeof SessionTokens>

const { properties, required } = SessionTokens
const SessionOrNull = Type.Unsafe<SessionTokens | null>({
  type: ['object', 'null'],
  properties,
  required,
  description: 'Null while the second factor is missing: then challenge_token leads on.',
})

/** The answer of every route that ends in a session, or in a challenge before it. */
export const SessionReply = Type.Object({
  session: SessionOrNull,
  mfa_required: Type.Optional(Type.Boolean({ description: 'The first factor was right, and a second is asked for.' })),
  challenge_token: Type.Optional(
    Type.String({ description: 'For POST /v1/mfa/challenge/verify, or PUT /v1/mfa/totp if enrollment_required.' }),
  ),
  challenge_expires_at: Type.Optional(Type.String({ format: 'date-time' })),
  directory_user_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Whom the challenge is for: userId of an enrollment.' }),
  ),
  methods: Type.Optional(
    Type.Array(Type.String(), {
      description: 'What passes: `totp`, `backup`, `sms`; `passkey`: signing in with it.',
    }),
  ),
  enrollment_required: Type.Optional(
    Type.Boolean({ description: 'The person has no factor, and enrolls one to get in.' }),
  ),
  mfa: Type.Optional(
    Type.Object(
      { required: Type.Boolean(), enrolled: Type.Boolean(), grace_ends_at: Type.String({ format: 'date-time' }) },
      { description: 'The policy requires a factor that the person has not enrolled; until then they get in without.' },
    ),
  ),
})
export type SessionAnswer = Static<typeof SessionReply>

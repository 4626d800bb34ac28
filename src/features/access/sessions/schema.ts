import { type Static, Type } from 'typebox'
import { described, named, nullable, oneOf } from '../../../platform/schema.ts'
import type { ListedSession } from './store.ts'

const Id = Type.String({ format: 'uuid' })
const SessionId = Type.String({ format: 'uuid', examples: ['0198b6f2-9a3c-7e18-b1d4-6c7f20e5a841'] })
const OrganizationId = Type.String({ format: 'uuid', examples: ['0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce'] })
const AccountId = Type.String({ format: 'uuid', examples: ['0198b6f2-81d0-7b55-8c0e-2f64a9d7b310'] })
const ConnectionId = Type.String({ format: 'uuid', examples: ['0198b6f2-b45d-7a02-9e7c-8f31d6c20b94'] })
const Moment = Type.String({ format: 'date-time' })

/** How the user signed in. */
export const AuthenticationFields = {
  auth_method: oneOf(
    ['password', 'otp', 'magic_link', 'passkey', 'social', 'sso', 'signup', 'invite', 'impersonation'],
    { examples: ['otp'] },
  ),
  amr: Type.Array(Type.String({ examples: ['otp'] })),
  aal: oneOf(['aal1', 'aal2']),
  connection_id: nullable(
    ConnectionId,
    'The SAML or OIDC connection that the user signed in with. The value stays if the connection is deleted. Null: the user signed in with another method.',
  ),
}

/** The impersonator and the reason. */
export const Impersonator = named(
  'Impersonator',
  Type.Object(
    {
      sub: Type.String({
        description: 'Your name or id of the support person, as sent at the start of the impersonation.',
        examples: ['grace@support.example'],
      }),
      reason: Type.String({
        description: 'The reason, as sent at the start of the impersonation. Shown in the audit log.',
        examples: ['Ticket 4711: empty invoice'],
      }),
    },
    { description: 'The support person who acts for the user: `act` of the token (RFC 8693 §4.1).' },
  ),
)

export const EndReason = Type.String({
  description: 'Why the session ended, such as `revoked`, `logout`, `password_changed`, `refresh_token_reused`.',
  examples: ['revoked'],
})

export const Session = named(
  'Session',
  Type.Object(
    {
      id: SessionId,
      user_id: AccountId,
      directory_user_id: Id,
      sub_org_id: nullable(OrganizationId),
      ...AuthenticationFields,
      ip_address: nullable(
        Type.String({ examples: ['203.0.113.7'] }),
        'Address of the end user at the sign-in, from `X-End-User-IP`. Null if it was not sent.',
      ),
      user_agent: nullable(
        Type.String({ examples: ['Mozilla/5.0'] }),
        'User agent of the end user at the sign-in, from `X-End-User-Agent`. Null if it was not sent.',
      ),
      status: oneOf(['active'], { description: 'Always `active`: lists show live sessions only.' }),
      impersonator: nullable(
        Impersonator,
        'The support person who acts for the user. Null for the user’s own session.',
      ),
      created_at: Moment,
      last_active_at: described(Moment, 'Time of the last refresh, or of the sign-in.'),
      expires_at: described(Moment, 'When the session ends unless it is refreshed before.'),
    },
    { description: 'A live session of a user.' },
  ),
)

export function toSession(row: ListedSession): Static<typeof Session> {
  return {
    id: row.id,
    user_id: row.auth_account_id,
    directory_user_id: row.user_id,
    sub_org_id: row.organization_id,
    auth_method: row.auth_method,
    amr: row.amr,
    aal: row.aal,
    connection_id: row.connection_id,
    ip_address: row.ip_address,
    user_agent: row.user_agent,
    status: 'active',
    impersonator: row.actor === null || row.act_reason === null ? null : { sub: row.actor, reason: row.act_reason },
    created_at: row.created_at.toISOString(),
    last_active_at: row.last_active_at.toISOString(),
    // The earlier of both ends.
    expires_at: new Date(Math.min(Number(row.idle_expires_at), Number(row.expires_at))).toISOString(),
  }
}

export const UserSessions = named(
  'UserSessions',
  Type.Object(
    {
      user_id: described(AccountId, 'The auth account of the user, `userId` in `/v1/users`.'),
      directory_user_id: Id,
      sessions: Type.Array(Session, {
        description: 'Live sessions of the user on this page. More sessions of the user may follow on the next page.',
      }),
    },
    { description: 'A user and the sessions on this page.' },
  ),
)

/** Groups sessions by user, in the order of each user's first session on the page. */
export function groupByUser(rows: ListedSession[]): Static<typeof UserSessions>[] {
  const groups = Map.groupBy(rows.map(toSession), (session) => session.directory_user_id)
  return [...groups].flatMap(([directory_user_id, sessions]) =>
    sessions.slice(0, 1).map(({ user_id }) => ({ user_id, directory_user_id, sessions })),
  )
}

export const Revocation = named(
  'Revocation',
  Type.Object(
    {
      session_id: described(SessionId, 'Id of the session: `sid` of its access tokens.'),
      user_id: AccountId,
      directory_user_id: Id,
      revoked_at: described(Moment, 'When the session ended. Refuse its access tokens that were issued earlier.'),
      reason: EndReason,
    },
    { description: 'A session that ended before it expired.' },
  ),
)

export const OwnSession = named(
  'OwnSession',
  Type.Object(
    {
      ...Session.properties,
      current: Type.Boolean({
        description: 'Whether the access token of this request belongs to the session.',
        examples: [true],
      }),
    },
    { description: 'A live session of the signed-in user.' },
  ),
)

const NamingToken = Type.String({
  minLength: 1,
  maxLength: 8192,
  examples: ['rt_0H3fK9mQ2xVbT7cLwZ5nRyEaU8sJdGi4PoXqBkM1tWvN6hCe'],
})

/** Names a session in a body. Exactly one field must be present. */
export const SessionName = Type.Object({
  refresh_token: Type.Optional(described(NamingToken, 'The latest refresh token of the session.')),
  access_token: Type.Optional(described(NamingToken, 'An unexpired access token of the session.')),
  session_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The session: `id` in `GET /v1/sessions`. An org-wide key (not limited to one organization) must also send `subOrgId`.',
    }),
  ),
})
export type SessionName = Static<typeof SessionName>

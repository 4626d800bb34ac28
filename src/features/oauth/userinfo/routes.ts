import { type Static, Type } from 'typebox'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { named } from '../../../platform/schema.ts'
import type { UserCaller } from '../../../platform/tenancy/caller.ts'
import { getUser, type UserRow } from '../../directory/users/users.ts'

/** Claims of OpenID Connect Core §5.1 and §5.3.2, and this service's own. */
const UserInfo = named(
  'UserInfo',
  Type.Object(
    {
      sub: Type.String({ format: 'uuid', description: 'The auth account, the same as `sub` of the token.' }),
      email: Type.String({ description: 'The email address of the user.', examples: ['ada@acme.example'] }),
      email_verified: Type.Boolean({ description: 'Whether the user has proved the mailbox.' }),
      name: Type.Optional(
        Type.String({ description: 'Full name. Absent if the user has none.', examples: ['Ada Lovelace'] }),
      ),
      given_name: Type.Optional(
        Type.String({ description: 'First name. Absent if the user has none.', examples: ['Ada'] }),
      ),
      family_name: Type.Optional(
        Type.String({ description: 'Last name. Absent if the user has none.', examples: ['Lovelace'] }),
      ),
      phone_number: Type.Optional(
        Type.String({
          description: 'Phone number as it was entered. Absent if the user has none.',
          examples: ['+14155550123'],
        }),
      ),
      locale: Type.Optional(
        Type.String({ description: 'Language tag (BCP 47). Absent if the user has none.', examples: ['de-AT'] }),
      ),
      updated_at: Type.Integer({
        description: 'When the profile last changed, in seconds since 1970.',
        examples: [1_795_339_800],
      }),
      directory_user_id: Type.String({ format: 'uuid' }),
      org_id: Type.Optional(
        Type.String({ description: 'The organization of the user. Absent: the account level.', format: 'uuid' }),
      ),
      role: Type.String({ description: 'The built-in role of the user.', examples: ['member'] }),
      sid: Type.String({ format: 'uuid', description: 'The session: `sid` of the token.' }),
      amr: Type.Array(Type.String({ examples: ['otp'] })),
      aal: Type.String({ examples: ['aal1'] }),
      connection_id: Type.Optional(
        Type.String({ format: 'uuid', description: 'The SAML or OIDC connection of the session.' }),
      ),
      auth_time: Type.Integer({
        description: 'When the user signed in or stepped up, in seconds since 1970.',
        examples: [1_795_336_200],
      }),
    },
    { description: 'The user and the session of the access token.' },
  ),
)

/** Routes that return data about the user who calls them. */
export const userInfoRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/auth/userinfo',
    operation: 'me.getUserInfo',
    auth: 'user',
    cors: 'origins',
    tag: 'End user',
    summary: 'Read the user of the token',
    description:
      'OpenID Connect UserInfo. Apps can call this, and so can web pages whose origin is in the auth setting allowed_origins. Send the access token as a Bearer token, without an API key. Claims without a value are omitted. A session that has ended is refused at once. If failed attempts lock the user, existing sessions continue.',
    reply: UserInfo,
    handle: async (work) => toUserInfo(await getUser(work, work.caller.directoryUserId), work.caller),
  }),
]

/** A claim without a value is left out (OpenID Connect Core §5.3.2). */
function toUserInfo(user: UserRow, caller: UserCaller): Static<typeof UserInfo> {
  const { first_name: first, last_name: last, phone, locale } = user
  const name = user.display_name ?? [first, last].filter(Boolean).join(' ')
  return {
    sub: caller.userId,
    email: user.email,
    email_verified: user.email_verified,
    ...(name ? { name } : {}),
    ...(first ? { given_name: first } : {}),
    ...(last ? { family_name: last } : {}),
    ...(phone ? { phone_number: phone } : {}),
    ...(locale ? { locale } : {}),
    updated_at: Math.floor(user.updated_at.getTime() / 1000),
    directory_user_id: caller.directoryUserId,
    ...(caller.organizationId ? { org_id: caller.organizationId } : {}),
    role: user.role,
    sid: caller.sessionId,
    amr: [...caller.amr],
    aal: caller.aal,
    ...(caller.connectionId ? { connection_id: caller.connectionId } : {}),
    auth_time: Math.floor(caller.authenticatedAt.getTime() / 1000),
  }
}

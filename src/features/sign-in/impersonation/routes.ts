import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { doorRoutes, loginErrors } from '../../access/login/login.ts'
import { Impersonator, sessionEvents } from '../../access/sessions/sessions.ts'
import { UserParams, userErrors } from '../../directory/users/users.ts'
import { impersonationErrors } from './errors.ts'
import { impersonationEvents } from './events.ts'
import { impersonate } from './impersonation.ts'

const DEFAULT_SECONDS = 900
const MAX_SECONDS = 3600

export const impersonationRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/impersonate',
    operation: 'users.impersonate',
    scope: 'impersonate',
    service: 'sessions',
    // A replayed response could contain a token whose session has ended.
    idempotency: false,
    tag: 'Users',
    summary: 'Impersonate a user',
    description:
      'Returns an access token of the user, without a refresh token. The claim `act` of the token names the support person and the reason (RFC 8693 §4.1). In the API of this service, the token can only read. The organization must allow impersonation (setting impersonation_enabled). The user is notified by email. A user can be impersonated at most 20 times an hour. End the session with DELETE /v1/sessions/{sessionId}.',
    params: UserParams,
    body: Type.Object({
      reason: Type.String({
        description: 'The reason. Shown in the audit log, in `act` of the token and in the session list of the user.',
        minLength: 1,
        maxLength: 500,
        pattern: '\\S',
        examples: ['Ticket 4711: empty invoice'],
      }),
      actor: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          pattern: '\\S',
          description:
            'The person in your system who impersonates the user. Required with an API key. For a team member, the service uses the member.',
          examples: ['grace@support.example'],
        }),
      ),
      duration_seconds: Type.Optional(
        Type.Integer({
          minimum: 60,
          maximum: MAX_SECONDS,
          description: `Default ${DEFAULT_SECONDS}, at most access_token_ttl_seconds.`,
        }),
      ),
    }),
    reply: Type.Object({
      session: Type.Object(
        {
          id: Type.String({ description: 'The session, `sid` of the token.', format: 'uuid' }),
          access_token: Type.String({
            description: 'Access token whose `act` names the support person.',
            examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTk4YjZmMiJ9.5rKq'],
          }),
          expires_in: Type.Integer({ description: 'Lifetime of the token, in seconds.', examples: [900] }),
          expires_at: Type.String({ description: 'When the session and its token end.', format: 'date-time' }),
          user_id: Type.String({ format: 'uuid' }),
          directory_user_id: Type.String({ format: 'uuid' }),
          impersonator: Impersonator,
        },
        { description: 'The session of the support person, which cannot be refreshed.' },
      ),
    }),
    errors: [
      userErrors.notFound,
      impersonationErrors.disabled,
      impersonationErrors.neverSignedIn,
      httpErrors.organizationSuspended,
      loginErrors.accountLocked,
      ...doorRoutes.barred,
    ],
    event: impersonationEvents.started,
    maybeEvents: [sessionEvents.created],
    async handle(work, { params, body }) {
      const { reason, actor, duration_seconds: durationSeconds = DEFAULT_SECONDS } = body
      return { session: await impersonate(work, params.userId, { reason, actor, durationSeconds }) }
    },
  }),
]

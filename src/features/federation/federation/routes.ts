import { Type } from 'typebox'
import { byAge, finishPage, listQuery, listReply, readPage } from '../../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { RevokedCount } from '../../../platform/schema.ts'
import { providerLogoutEvents } from '../../access/federated-sessions/federated-sessions.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { reachUser, UserParams, userErrors, userEvents } from '../../directory/users/users.ts'
import { exchangeCode } from './complete/complete.ts'
import { exchangePersonCode } from './discovered/discovered.ts'
import { federationErrors } from './errors.ts'
import { federationEvents } from './events.ts'
import { listIdentities, unlinkIdentity } from './identities.ts'
import { Identity, toIdentity } from './schema.ts'

const about = { tag: 'Users' } as const

export const federationRoutes: Route[] = [
  defineRoute({
    ...about,
    method: 'GET',
    path: '/v1/users/{userId}/identities',
    operation: 'users.listIdentities',
    scope: 'users.read',
    directory: 'reach',
    summary: 'List the identities of a user',
    params: UserParams,
    query: Type.Object(listQuery),
    reply: Type.Object({
      identities: Type.Array(Identity, { description: 'The links of the user to providers.' }),
      ...listReply,
    }),
    errors: [userErrors.notFound],
    async handle(work, { params: { userId }, query }) {
      const page = readPage(work.platform, `/v1/users/${userId}/identities`, query)
      const { user, there } = await reachUser(work, userId)
      const { rows, reply } = finishPage(work, page, await listIdentities(there, user.id, page), byAge)
      return { identities: rows.map((row) => toIdentity(row, user)), ...reply }
    },
  }),
  defineRoute({
    ...about,
    method: 'DELETE',
    path: '/v1/users/{userId}/identities/{identityId}',
    operation: 'users.deleteIdentity',
    scope: 'users.write',
    summary: 'Unlink an identity of a user',
    description:
      'Ends the sessions that were created through this identity. At the next sign-in through the provider, the person is treated as new and can be linked to a user again by email address.',
    params: Type.Object({
      ...UserParams.properties,
      identityId: Type.String({ description: 'Identity: `id` in `GET /v1/users/{userId}/identities`.' }),
    }),
    reply: Type.Object({ success: Type.Boolean(), revoked: RevokedCount }),
    errors: [userErrors.notFound, federationErrors.identityNotFound],
    event: federationEvents.unlinked,
    maybeEvents: [...providerLogoutEvents, userEvents.updated],
    async handle(work, { params }) {
      const revoked = await unlinkIdentity(work, { userId: params.userId, id: params.identityId })
      return { success: true, revoked }
    },
  }),
]

export const exchangeRoute: Route = defineRoute({
  method: 'POST',
  path: '/v1/auth/token/exchange',
  operation: 'tokens.exchange',
  scope: 'auth.login',
  service: 'auth',
  tag: 'Tokens',
  summary: 'Exchange a code for a session',
  description:
    'Send the code that redirectUri received (response_mode `code`). A code works once, within 60 seconds. If the code is from a social sign-in that was started without an organization, use an org-wide key (not limited to one organization) and omit subOrgId. The response then contains a discovery_token and the organizations of the person, and `session` is null.',
  body: Type.Object({
    code: Type.String({
      description: '`code` of the redirect to your redirectUri. Works once, within 60 seconds.',
      minLength: 1,
      maxLength: 200,
      examples: ['6qW0h3TqkY2v'],
    }),
  }),
  takesDevice: true,
  organizationToken: 'code',
  errors: [federationErrors.codeInvalid, ...doorRoutes.errors],
  reply: doorRoutes.login.reply,
  maybeEvents: [...doorRoutes.login.event, ...doorRoutes.login.maybeEvents],
  handle: (work, { body }) =>
    work.directory.kind === 'account' ? exchangePersonCode(work, body.code) : exchangeCode(work, body.code),
})

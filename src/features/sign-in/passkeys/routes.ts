import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { wholeList, wholeListReply } from '../../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { described } from '../../../platform/schema.ts'
import { accountDirectory, type Reach } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { sessionIdOf } from '../../access/sessions/sessions.ts'
import { userErrors } from '../../directory/users/users.ts'
import { deletePasskeyOf, describeFactorsLeft, listPasskeysOf, renamePasskeyOf } from './administration.ts'
import { passkeyErrors } from './errors.ts'
import { passkeyEvents } from './events.ts'
import { finishRegistration, requireAnswer, startRegistration } from './registration.ts'
import {
  ChallengeId,
  CredentialParams,
  Passkey,
  PasskeyPatch,
  REGISTER_EXAMPLE,
  RegisterBody,
  RegisterReply,
  RequestOptions,
  SignInOptionsBody,
  SignInVerifyBody,
} from './schema.ts'
import { signInInEnvironment, signInWithPasskey, startInEnvironment, startSignIn } from './sign-in/sign-in.ts'

const tag = 'Passkeys'
const service = 'passkeys' as const

/** Replaces the directory by the account-level directory of the environment, which has its default settings. */
async function environmentOf<W extends Omit<Work, 'directory'>>(work: W, reach: Reach): Promise<W & Work> {
  return { ...work, directory: await accountDirectory(work.platform, reach) }
}

export const passkeyRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/passkey/register',
    operation: 'passkeys.register',
    scope: 'passkeys.write',
    service,
    tag,
    summary: 'Register a passkey',
    description:
      'Registering a passkey requires two calls. First send the action `options`, and pass the returned options to navigator.credentials.create() in the browser. Then send the action `verify` with challengeId and the result from the browser. A challenge can be answered once, within 300 seconds. The user is notified by email. Call this only if the user asked for it, because the service trusts your key. If require_recent_sign_in_seconds is set, `options` also requires the access_token of one of the user’s sessions.',
    body: RegisterBody,
    reply: RegisterReply,
    errors: [
      userErrors.notFound,
      ...doorRoutes.barred,
      httpErrors.organizationSuspended,
      userErrors.verificationRequired,
      passkeyErrors.recentSignInRequired,
      httpErrors.impersonationReadOnly,
      passkeyErrors.passkeyInvalid,
      passkeyErrors.exists,
      passkeyErrors.limitReached,
    ],
    maybeEvents: [passkeyEvents.registered],
    examples: { reply: REGISTER_EXAMPLE },
    handle: async (work, { body }) => {
      const { userId, deviceName = null, access_token: accessToken = null } = body
      if (body.action === 'options')
        return startRegistration(work, { userId, sessionId: await sessionIdOf(work, accessToken) })
      const credential = await finishRegistration(work, { userId, deviceName, ...requireAnswer(body) })
      return { success: true, credential }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/passkey/options',
    team: true,
    operation: 'login.passkey.start',
    scope: 'auth.login',
    directory: 'reach',
    service,
    tag,
    summary: 'Start a sign-in by passkey',
    description:
      'Pass the options to navigator.credentials.get() in the browser. The response does not reveal whether a user has the ' +
      'address or a passkey. For autofill, omit email and send conditional. One network (X-End-User-IP) can start at most start_limit_per_minute_network sign-ins without an email per minute. With an org-wide key (not limited to one organization) and without subOrgId, the challenge uses the rp_id and origins of the environment’s defaults and lists no passkeys: the user chooses a passkey on the device. Passkeys of organizations with a different rp_id require subOrgId.',
    body: SignInOptionsBody,
    reply: Type.Object({
      options: described(RequestOptions, 'For `navigator.credentials.get()` in the browser.'),
      challengeId: ChallengeId,
    }),
    // The last release required `subOrgId`, so clients already handle this error.
    errors: [...doorRoutes.sendErrors, httpErrors.subOrgRequired],
    async handle({ reach, ...work }, { body: { email = '', conditional = false } }) {
      const { directory } = reach
      return directory
        ? startSignIn({ ...work, directory }, { email, conditional })
        : startInEnvironment(await environmentOf(work, reach), email)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/passkey/verify',
    team: true,
    operation: 'login.passkey.verify',
    scope: 'auth.login',
    directory: 'reach',
    takesDevice: true,
    service,
    tag,
    summary: 'Complete a sign-in by passkey',
    description:
      'A passkey with fingerprint, face or PIN counts as both factors. A challenge can be answered only once, even if the answer is wrong. Without subOrgId, the session belongs to the organization of the user who has the passkey. If the passkey belongs to users in several organizations, the response contains a discovery_token and these organizations instead of a session.',
    body: SignInVerifyBody,
    // The last release required `subOrgId`, so clients already handle this error.
    errors: [passkeyErrors.passkeyInvalid, ...doorRoutes.errors, httpErrors.subOrgRequired],
    reply: doorRoutes.login.reply,
    maybeEvents: [...doorRoutes.login.event, ...doorRoutes.login.maybeEvents, passkeyEvents.updated],
    async handle({ reach, ...work }, { body }) {
      const { directory } = reach
      return directory
        ? signInWithPasskey({ ...work, directory }, body)
        : signInInEnvironment(await environmentOf(work, reach), body)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/webauthn/credentials',
    operation: 'passkeys.list',
    scope: 'passkeys.read',
    directory: 'reach',
    service,
    tag,
    summary: 'List the passkeys of a user',
    query: Type.Object({
      userId: Type.String({ minLength: 1, description: 'The user: `id` or `userId` of the user.' }),
    }),
    reply: Type.Object(
      {
        credentials: Type.Array(Passkey, { description: 'Every passkey of the user, oldest first.' }),
        ...wholeListReply,
      },
      { description: 'Every passkey of the user, oldest first.' },
    ),
    errors: [userErrors.notFound],
    handle: async (work, { query }) => ({
      credentials: await listPasskeysOf(work, query.userId),
      ...wholeList,
    }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/webauthn/credentials/{credentialId}',
    operation: 'passkeys.update',
    scope: 'passkeys.write',
    service,
    tag,
    summary: 'Rename a passkey',
    params: CredentialParams,
    body: PasskeyPatch,
    reply: Type.Object({ credential: described(Passkey, 'The passkey with its new name.') }),
    errors: [passkeyErrors.notFound],
    maybeEvents: [passkeyEvents.updated],
    examples: { body: { deviceName: 'Ada’s phone' } },
    handle: async (work, { params, body }) => ({
      credential: await renamePasskeyOf(work, params.credentialId, body.deviceName || null),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/webauthn/credentials/{credentialId}',
    operation: 'passkeys.delete',
    scope: 'passkeys.write',
    service,
    tag,
    summary: 'Delete a passkey',
    description:
      'The user can no longer sign in with the passkey. Existing sessions continue. The user is notified by email. The response says whether the passkey was the user’s last factor and whether the MFA policy requires a factor.',
    params: CredentialParams,
    reply: Type.Object({
      success: Type.Boolean(),
      last_factor: Type.Optional(Type.Boolean({ description: 'Whether the user now has no second factor.' })),
      mfa_required: Type.Optional(
        Type.Boolean({ description: 'Whether the policy requires a second factor of this user.' }),
      ),
    }),
    errors: [passkeyErrors.notFound],
    event: passkeyEvents.deleted,
    examples: { reply: { success: true } },
    handle: async (work, { params }) => {
      const removal = await deletePasskeyOf(work, params.credentialId)
      return { success: true, ...(await describeFactorsLeft(work, removal)) }
    },
  }),
]

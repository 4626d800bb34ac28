import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { accountDefaults } from '../../platform/settings.ts'
import { doorErrors, loginErrors, sendErrors, sessionRoute } from '../login/login.ts'
import { userErrors } from '../users/users.ts'
import { passkeyErrors } from './errors.ts'
import { tellLastFactor } from './last-factor.ts'
import { deletePasskeyOf, finishRegistration, listPasskeysOf, requireAnswer, startRegistration } from './passkeys.ts'
import { relatedOriginsOf } from './related-origins.ts'
import {
  CredentialParams,
  Passkey,
  RegisterBody,
  RegisterReply,
  RequestOptions,
  SignInOptionsBody,
  SignInVerifyBody,
  toPasskey,
} from './schema.ts'
import { PasskeySettings, passkeySettings } from './settings.ts'
import { changeSettings, readSettings } from './settings-change.ts'
import { signInWithPasskey, startSignIn } from './sign-in.ts'

const tag = 'Passkeys'
const service = 'passkeys' as const
const Sources = Type.Record(Type.String(), Type.Enum(['default', 'account', 'directory']))
const InForce = Type.Object(
  { id: Type.String(), name: Type.String(), origins: Type.Array(Type.String()) },
  { description: 'What follows from the settings.' },
)
const SettingsReply = Type.Object({ settings: PasskeySettings, relying_party: InForce })

export const passkeyRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/passkey/register',
    scope: 'passkeys.write',
    service,
    tag,
    summary: 'Register a passkey',
    description:
      'First with the action options: hand the answer’s options to navigator.credentials.create() in the browser. Then ' +
      'with verify, challengeId and what the browser made. A challenge takes one answer within 300 seconds. The user ' +
      'is told by mail. A call with your key is your word that the person asked for it; with ' +
      'require_recent_sign_in_seconds set, the step options also takes the access_token of a session of theirs.',
    body: RegisterBody,
    reply: RegisterReply,
    errors: [
      userErrors.notFound,
      loginErrors.userInactive,
      loginErrors.organizationSuspended,
      passkeyErrors.verificationRequired,
      passkeyErrors.recentSignInRequired,
      passkeyErrors.passkeyInvalid,
      passkeyErrors.exists,
      passkeyErrors.limitReached,
    ],
    maybeEvents: ['passkey.registered'],
    handle: async (work, { body }) => {
      const { userId, deviceName = null, access_token: accessToken = null } = body
      if (body.action === 'options') return startRegistration(work, { userId, accessToken })
      const passkey = await finishRegistration(work, { userId, deviceName, ...requireAnswer(body) })
      return { success: true, credential: toPasskey(passkey) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/passkey/options',
    scope: 'auth.login',
    service,
    tag,
    summary: 'Start a sign-in by passkey',
    description:
      'Hand the options to navigator.credentials.get() in the browser. The answer looks the same whether or not ' +
      'anybody has the address or a passkey. Empty email with conditional: for autofill, and for people who choose ' +
      'among the passkeys on their device.',
    body: SignInOptionsBody,
    reply: Type.Object({ options: RequestOptions, challengeId: Type.String() }),
    errors: sendErrors,
    examples: { body: { email: 'ada@example.com' } },
    handle: (work, { body }) => startSignIn(work, { email: body.email, conditional: body.conditional ?? false }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/passkey/verify',
    scope: 'auth.login',
    service,
    tag,
    summary: 'Exchange the answer of a passkey for a session',
    description:
      'With fingerprint, face or PIN a passkey is both factors: no second one is asked for. Every answer, right or ' +
      'wrong, spends its challenge.',
    body: SignInVerifyBody,
    errors: [passkeyErrors.passkeyInvalid, ...doorErrors],
    ...sessionRoute,
    handle: (work, { body }) => signInWithPasskey(work, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/webauthn/credentials',
    scope: 'passkeys.read',
    directory: 'reach',
    service,
    tag,
    summary: 'List the passkeys of a user',
    query: Type.Object({
      userId: Type.String({ minLength: 1, description: 'Directory user (`id`) or auth account (`userId`).' }),
    }),
    reply: Type.Object({ credentials: Type.Array(Passkey) }),
    errors: [userErrors.notFound],
    handle: async (work, { query }) => ({
      credentials: (await listPasskeysOf(work, query.userId)).map(toPasskey),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/webauthn/credentials/{credentialId}',
    scope: 'passkeys.write',
    service,
    tag,
    summary: 'Delete a passkey',
    description:
      'It signs nobody in from now on; sessions go on. The user is told by mail. The answer says so when it was the ' +
      'last factor that the user had, and whether the MFA policy requires one.',
    params: CredentialParams,
    reply: Type.Object({
      success: Type.Boolean(),
      last_factor: Type.Optional(Type.Boolean({ description: 'The user has no factor left beside the first one.' })),
      mfa_required: Type.Optional(Type.Boolean({ description: 'The policy requires one of this user.' })),
    }),
    errors: [passkeyErrors.notFound],
    event: 'passkey.deleted',
    handle: async (work, { params }) => {
      const removal = await deletePasskeyOf(work, params.credentialId)
      return { success: true, ...(await tellLastFactor(work, removal)) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/auth/passkey/settings',
    scope: 'passkeys.read',
    tag,
    summary: 'Read the settings of passkeys',
    description: 'Without subOrgId an org-wide key reads the defaults that its environment’s organizations inherit.',
    query: Type.Object({ effective: Type.Optional(Type.Boolean({ description: 'Adds the source of each value.' })) }),
    reply: Type.Object({ ...SettingsReply.properties, sources: Type.Optional(Sources) }),
    handle: async (work, { query }) => ({
      ...(await readSettings(work)),
      ...(query.effective ? { sources: await passkeySettings.sources(work) } : {}),
    }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/auth/passkey/settings',
    scope: 'passkeys.write',
    tag,
    summary: 'Change the settings of passkeys',
    description:
      'null returns a field to the inherited value. Passkeys work for the rp_id alone that they were made for: those ' +
      'made before a change of it sign nobody in until it is changed back.',
    body: Type.Object(passkeySettings.patchBody),
    reply: SettingsReply,
    event: 'passkey.settings.updated',
    handle: (work, { body }) => changeSettings(work, body),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/auth/passkey/settings/defaults',
    scope: 'passkeys.write',
    directory: 'account',
    tag,
    summary: 'Change the defaults of passkeys that the environment’s organizations inherit',
    description: 'For org-wide keys. null returns a field to the default of the service.',
    body: Type.Object(passkeySettings.patchBody),
    reply: SettingsReply,
    event: 'passkey.settings.updated',
    handle: (work, { body }) => changeSettings({ ...work, directory: accountDefaults(work.directory).directory }, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/.well-known/webauthn',
    auth: 'public',
    tag,
    summary: 'List the pages of other sites that use the passkeys of this host',
    description: 'Asked by browsers at the host that is the rp_id (WebAuthn Level 3, related origins).',
    reply: Type.Object({ origins: Type.Array(Type.String()) }),
    handle: async ({ platform, host, headers }) => {
      headers['cache-control'] = 'public, max-age=300'
      return { origins: await relatedOriginsOf(platform, host) }
    },
  }),
]

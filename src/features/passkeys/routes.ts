import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { settingsRoutes } from '../../platform/http/settings-routes.ts'
import { named } from '../../platform/schema.ts'
import { doorErrors, doorRoute, loginErrors, sendErrors } from '../login/login.ts'
import { userErrors } from '../users/users.ts'
import { passkeyErrors } from './errors.ts'
import { passkeyEvents } from './events.ts'
import { describeFactorsLeft } from './last-factor.ts'
import { deletePasskeyOf, finishRegistration, listPasskeysOf, requireAnswer, startRegistration } from './passkeys.ts'
import { relatedOriginsOf } from './related-origins.ts'
import {
  ChallengeId,
  CredentialParams,
  Passkey,
  REGISTER_EXAMPLE,
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
const Origin = Type.String({ examples: ['https://app.acme.example'] })
const InForce = named(
  'RelyingParty',
  Type.Object(
    {
      id: Type.String({ examples: ['acme.example'] }),
      name: Type.String({ examples: ['Acme'] }),
      origins: Type.Array(Origin),
    },
    { description: 'What results from the settings.' },
  ),
)
const SettingsPatch = named('PasskeySettingsPatch', Type.Object(passkeySettings.patchBody))
const SettingsReply = named('PasskeySettingsReply', Type.Object({ settings: PasskeySettings, relying_party: InForce }))

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
      'First with the action options: pass the returned options to navigator.credentials.create() in the browser. Then ' +
      'with verify, challengeId and the result of the browser. A challenge can be answered once, within 300 seconds. The ' +
      'user is notified by email. A call with your key asserts that the user asked for it; with ' +
      'require_recent_sign_in_seconds set, the action options also requires the access_token of one of their sessions.',
    body: RegisterBody,
    reply: RegisterReply,
    errors: [
      userErrors.notFound,
      loginErrors.userInactive,
      loginErrors.organizationSuspended,
      userErrors.verificationRequired,
      passkeyErrors.recentSignInRequired,
      passkeyErrors.passkeyInvalid,
      passkeyErrors.exists,
      passkeyErrors.limitReached,
    ],
    maybeEvents: [passkeyEvents.registered],
    examples: { reply: REGISTER_EXAMPLE },
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
    operation: 'login.passkey.options',
    scope: 'auth.login',
    service,
    tag,
    summary: 'Start a sign-in by passkey',
    description:
      'Pass the options to navigator.credentials.get() in the browser. The response looks the same whether or not a user ' +
      'has the address or a passkey. Empty email with conditional: for autofill, and for users who choose among the ' +
      'passkeys on their device.',
    body: SignInOptionsBody,
    reply: Type.Object({ options: RequestOptions, challengeId: ChallengeId }),
    errors: sendErrors,
    handle: (work, { body }) => startSignIn(work, { email: body.email, conditional: body.conditional ?? false }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/passkey/verify',
    operation: 'login.passkey.verify',
    scope: 'auth.login',
    takesDevice: true,
    service,
    tag,
    summary: 'Exchange the response of a passkey for a session',
    description:
      'With fingerprint, face or PIN a passkey is both factors: no second one is required. Every response, right or ' +
      'wrong, consumes its challenge.',
    body: SignInVerifyBody,
    errors: [passkeyErrors.passkeyInvalid, ...doorErrors],
    ...doorRoute,
    handle: (work, { body }) => signInWithPasskey(work, body),
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
    operation: 'passkeys.delete',
    scope: 'passkeys.write',
    service,
    tag,
    summary: 'Delete a passkey',
    description:
      'It no longer signs in; existing sessions continue. The user is notified by email. The response says if it was the ' +
      'user’s last factor, and whether the MFA policy requires one.',
    params: CredentialParams,
    reply: Type.Object({
      success: Type.Boolean(),
      last_factor: Type.Optional(Type.Boolean({ description: 'The user has no second factor left.' })),
      mfa_required: Type.Optional(Type.Boolean({ description: 'The policy requires one of this user.' })),
    }),
    errors: [passkeyErrors.notFound],
    event: passkeyEvents.deleted,
    examples: { reply: { success: true } },
    handle: async (work, { params }) => {
      const removal = await deletePasskeyOf(work, params.credentialId)
      return { success: true, ...(await describeFactorsLeft(work, removal)) }
    },
  }),
  ...settingsRoutes(passkeySettings, {
    tag,
    noun: 'passkeys',
    scopes: { read: 'passkeys.read', write: 'passkeys.write' },
    get: { path: '/v1/auth/passkey/settings', summary: 'Read passkey settings' },
    update: {
      path: '/v1/auth/passkey/settings',
      summary: 'Change passkey settings',
      description:
        'null returns a field to the inherited value. Passkeys work only for the rp_id that they were created for: ' +
        'after it is changed, existing passkeys do not sign in until it is changed back.',
    },
    updateDefaults: {
      path: '/v1/auth/passkey/settings/defaults',
      summary: 'Change the passkey settings that the environment’s organizations inherit',
    },
    body: SettingsPatch,
    reply: SettingsReply,
    examples: {
      body: { rp_id: 'acme.example', origins: ['https://app.acme.example'] },
      reply: {
        settings: {
          rp_id: 'acme.example',
          rp_name: 'Acme',
          origins: ['https://app.acme.example'],
          related_origins: ['https://acme-shop.example'],
          user_verification: 'required',
          require_recent_sign_in_seconds: 0,
        },
        relying_party: { id: 'acme.example', name: 'Acme', origins: ['https://app.acme.example'] },
      },
      sources: { rp_id: 'directory', rp_name: 'default', origins: 'directory' },
    },
    read: readSettings,
    change: changeSettings,
  }),
  defineRoute({
    method: 'GET',
    path: '/.well-known/webauthn',
    operation: 'passkeys.relatedOrigins',
    auth: 'public',
    tag,
    summary: 'List related origins',
    description:
      'The origins of other sites that may use the passkeys of this host. Browsers ask the host of the rp_id for them (WebAuthn Level 3).',
    reply: Type.Object({ origins: Type.Array(Type.String({ examples: ['https://acme-shop.example'] })) }),
    handle: async ({ platform, host, headers }) => {
      headers['cache-control'] = 'public, max-age=300'
      return { origins: await relatedOriginsOf(platform, host()) }
    },
  }),
]

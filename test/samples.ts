import { randomUUID } from 'node:crypto'
import { stepAt, totpCode } from '../src/features/factors/totp.ts'
import type { Route } from '../src/platform/http/route.ts'
import type { Caller, Reply } from './harness.ts'
import type { World } from './world.ts'

/** A request that succeeds in its world with a key of the world's organization. */
export interface SampleRequest {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
}

const fresh = () => randomUUID().slice(0, 8)

/** The code of the step after this one, which passes as well and has never passed before. */
function nextCode(secret: string): string {
  return totpCode(secret, stepAt(Date.now() / 1000) + 1)
}

/** One for every keyed route, by method and path. Ids are taken from `world.ids`, so that tests can put others there. */
export const samples: Record<string, (world: World) => SampleRequest> = {
  'GET /v1/organizations': () => ({}),
  'POST /v1/organizations': () => ({ body: { name: 'Acme', slug: `acme-${fresh()}` } }),
  'GET /v1/organizations/{subOrgId}': ({ ids }) => ({ params: { subOrgId: ids.organization } }),
  'PATCH /v1/organizations/{subOrgId}': ({ ids }) => ({
    params: { subOrgId: ids.organization },
    body: { name: 'Acme' },
  }),
  'DELETE /v1/organizations/{subOrgId}': ({ ids }) => ({ params: { subOrgId: ids.organization } }),
  'GET /v1/environments': () => ({}),
  'POST /v1/environments': () => ({ body: { name: 'Preview', slug: `preview-${fresh()}` } }),
  'GET /v1/api-keys': () => ({}),
  'POST /v1/api-keys': () => ({ body: { name: 'Reader', scopes: ['users.read'] } }),
  'DELETE /v1/api-keys/{id}': ({ ids }) => ({ params: { id: ids.apiKey } }),
  'POST /v1/api-keys/{id}/rotate': ({ ids }) => ({ params: { id: ids.apiKey }, body: { overlap_seconds: 60 } }),
  'GET /v1/organization-apps': () => ({}),
  'PUT /v1/organization-apps': () => ({ body: { sidebarGroupsCollapsible: false } }),
  'GET /v1/users': () => ({}),
  'POST /v1/users': () => ({ body: { email: `new-${fresh()}@example.com` } }),
  'PUT /v1/users': () => ({ body: { users: [{ email: `bulk-${fresh()}@example.com` }] } }),
  'GET /v1/users/{userId}': ({ ids }) => ({ params: { userId: ids.user } }),
  'PATCH /v1/users/{userId}': ({ ids }) => ({ params: { userId: ids.user }, body: { firstName: 'Ada' } }),
  'DELETE /v1/users/{userId}': ({ ids }) => ({ params: { userId: ids.user } }),
  'POST /v1/users/{userId}': ({ ids }) => ({
    params: { userId: ids.user },
    body: { targetSubOrgId: ids.organization },
  }),
  'GET /v1/users/invites': () => ({}),
  'POST /v1/users/invites': () => ({ body: { email: `new-${fresh()}@example.com` } }),
  'DELETE /v1/users/invites/{inviteId}': ({ ids }) => ({ params: { inviteId: ids.invite } }),
  'POST /v1/users/{userId}/invite': ({ ids }) => ({ params: { userId: ids.user } }),
  'POST /v1/auth/invite/accept': ({ ids }) => ({
    body: { token: ids.inviteToken, password: `plum-${fresh()}-${fresh()}` },
  }),
  'POST /v1/users/{userId}/unlock': ({ ids }) => ({ params: { userId: ids.user } }),
  'POST /v1/auth/unlock': ({ ids, email }) => ({ body: { email, token_hash: ids.unlockLink } }),
  'DELETE /v1/users/{userId}/sessions': ({ ids }) => ({ params: { userId: ids.authAccount } }),
  'POST /v1/otp/generate': () => ({ body: { session_id: 'checkout-1' } }),
  'POST /v1/otp/validate': ({ ids, generatedCode }) => ({ body: { otp_id: ids.generatedOtp, code: generatedCode } }),
  'GET /v1/otp/settings': () => ({}),
  'PATCH /v1/otp/settings': () => ({ body: { ttl_seconds: 120 } }),
  'GET /v1/auth/methods': () => ({}),
  'GET /v1/auth/settings': () => ({}),
  'PATCH /v1/auth/settings': () => ({ body: { access_token_ttl_seconds: 600 } }),
  'PATCH /v1/otp/settings/defaults': () => ({ body: { ttl_seconds: 240 } }),
  'PATCH /v1/auth/settings/defaults': () => ({ body: { access_token_ttl_seconds: 600 } }),
  'GET /v1/mail/settings': () => ({}),
  'PATCH /v1/mail/settings': () => ({ body: { brand_name: 'Acme', subjects: { otp: 'Your code for {brand}' } } }),
  'PATCH /v1/mail/settings/defaults': () => ({ body: { support_email: 'help@example.com' } }),
  'POST /v1/auth/login/otp/send': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/login/otp/verify': ({ ids, loginEmail, loginCode }) => ({
    body: { email: loginEmail, otp_id: ids.loginOtp, code: loginCode },
  }),
  'POST /v1/auth/signup/otp/send': () => ({ body: { email: `new-${fresh()}@example.com`, openSignup: true } }),
  'POST /v1/auth/signup/otp/verify': ({ ids, signupEmail, signupCode }) => ({
    body: { email: signupEmail, otp_id: ids.signupOtp, code: signupCode },
  }),
  'POST /v1/auth/login/password': ({ passwordEmail, password }) => ({ body: { email: passwordEmail, password } }),
  'POST /v1/auth/password/reset/send': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/password/reset/confirm': ({ ids, passwordEmail }) => ({
    body: { email: passwordEmail, token_hash: ids.resetLink, password: `plum-${fresh()}-${fresh()}` },
  }),
  'POST /v1/users/{userId}/password/reset': ({ ids }) => ({ params: { userId: ids.passwordUser } }),
  'PUT /v1/users/{userId}/password': ({ ids }) => ({
    params: { userId: ids.passwordUser },
    body: { password: `plum-${fresh()}-${fresh()}` },
  }),
  'POST /v1/auth/login/magic-link/send': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/login/magic-link/verify': ({ ids, linkEmail }) => ({
    body: { email: linkEmail, token_hash: ids.magicLink },
  }),
  'POST /v1/users/{userId}/verify/resend': ({ ids }) => ({ params: { userId: ids.linkUser } }),
  'POST /v1/auth/email/verify': ({ ids, linkEmail }) => ({
    body: { email: linkEmail, token_hash: ids.verificationLink },
  }),
  'POST /v1/auth/signup': () => ({ body: { email: `new-${fresh()}@example.com`, openSignup: true } }),
  'POST /v1/auth/signup/password': () => ({
    body: { email: `new-${fresh()}@example.com`, password: `plum-${fresh()}-${fresh()}`, openSignup: true },
  }),
  'POST /v1/auth/signup/authenticate-email/send': () => ({
    body: { email: `new-${fresh()}@example.com`, openSignup: true },
  }),
  'POST /v1/auth/signup/authenticate-email/verify': ({ ids, newcomerEmail }) => ({
    body: { email: newcomerEmail, token_hash: ids.signupLink },
  }),
  'GET /v1/mfa/policy': () => ({}),
  'PATCH /v1/mfa/policy': () => ({ body: { require_mfa: true, enforce_for_roles: ['admin'] } }),
  'GET /v1/mfa/policy/preview': () => ({ query: { require_mfa: 'true', enforce_for_roles: 'admin,member' } }),
  'GET /v1/mfa/totp': ({ ids }) => ({ query: { userId: ids.factorUser } }),
  'POST /v1/mfa/totp': ({ ids }) => ({ body: { userId: ids.user } }),
  'PUT /v1/mfa/totp': ({ ids, pendingSecret }) => ({
    body: { userId: ids.pendingUser, pendingId: ids.pendingTotp, code: nextCode(pendingSecret) },
  }),
  'DELETE /v1/mfa/totp': ({ ids }) => ({ query: { userId: ids.factorUser }, body: { userId: ids.factorUser } }),
  'POST /v1/mfa/totp/backup-codes': ({ ids }) => ({ body: { userId: ids.factorUser } }),
  'POST /v1/mfa/sms': ({ ids }) => ({ body: { userId: ids.user, phone: '+14155550124' } }),
  'PUT /v1/mfa/sms': ({ ids, smsCode }) => ({ body: { userId: ids.pendingUser, code: smsCode } }),
  'DELETE /v1/mfa/sms': ({ ids }) => ({ query: { userId: ids.factorUser } }),
  'GET /v1/mfa/trusted-devices': ({ ids }) => ({ query: { userId: ids.factorUser } }),
  'DELETE /v1/mfa/trusted-devices/{id}': ({ ids }) => ({ params: { id: ids.trustedDevice } }),
  'POST /v1/mfa/challenge/verify': ({ ids, factorSecret }) => ({
    body: { challenge_token: ids.challengeToken, code: nextCode(factorSecret), trust_device: true },
  }),
  'POST /v1/auth/mfa/challenge/send': ({ ids }) => ({ body: { challenge_token: ids.challengeToken, method: 'sms' } }),
  'POST /v1/auth/passkey/register': ({ ids, madePasskey }) => ({
    body: {
      action: 'verify',
      userId: ids.passkeyUser,
      challengeId: ids.registrationChallenge,
      credential: madePasskey,
    },
  }),
  'POST /v1/auth/login/passkey/options': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/login/passkey/verify': ({ ids, passkeyEmail, passkeyAnswer }) => ({
    body: { email: passkeyEmail, challengeId: ids.passkeyChallenge, credential: passkeyAnswer },
  }),
  'GET /v1/webauthn/credentials': ({ ids }) => ({ query: { userId: ids.passkeyUser } }),
  'DELETE /v1/webauthn/credentials/{credentialId}': ({ ids }) => ({ params: { credentialId: ids.passkey } }),
  'GET /v1/auth/passkey/settings': () => ({}),
  'PATCH /v1/auth/passkey/settings': () => ({ body: { rp_name: 'Acme' } }),
  'PATCH /v1/auth/passkey/settings/defaults': () => ({ body: { user_verification: 'required' } }),
  'POST /v1/auth/token/refresh': ({ ids }) => ({ body: { refresh_token: ids.refreshToken } }),
  'POST /v1/auth/token/introspect': ({ ids }) => ({ body: { token: ids.accessToken } }),
  'POST /v1/auth/token/revoke': ({ ids }) => ({ body: { session_id: ids.session } }),
  'GET /v1/sessions': ({ ids }) => ({ query: { userId: ids.authAccount } }),
  'DELETE /v1/sessions': ({ ids }) => ({ query: { userId: ids.user } }),
  'DELETE /v1/sessions/{sessionId}': ({ ids }) => ({ params: { sessionId: ids.session } }),
  'GET /v1/sessions/revocations': () => ({}),
}

/** Routes that a key of one organization may not use: their samples go with an org-wide key, without an organization. */
export const orgWideOnly: readonly string[] = [
  'POST /v1/organizations',
  'PATCH /v1/auth/passkey/settings/defaults',
  'PATCH /v1/auth/settings/defaults',
  'PATCH /v1/mail/settings/defaults',
  'PATCH /v1/otp/settings/defaults',
]

/** Fields that look like ids of records and are none: of every route, or of the one that is named. */
export const notIds: Record<string, string> = {
  externalId: 'what the caller’s own system calls the record',
  enabledAppIds: 'names of services',
  'PUT /v1/organization-apps id': 'a name that the caller gives a group',
  'PUT /v1/organization-apps appIds': 'names of services',
  'POST /v1/auth/passkey/register id': 'made by the authenticator',
  'POST /v1/auth/passkey/register rawId': 'made by the authenticator',
  'POST /v1/auth/login/passkey/verify id': 'made by the authenticator',
  'POST /v1/auth/login/passkey/verify rawId': 'made by the authenticator',
  'PATCH /v1/auth/passkey/settings rp_id': 'the name of a host',
  'PATCH /v1/auth/passkey/settings/defaults rp_id': 'the name of a host',
  'POST /v1/otp/generate session_id': 'a name that the caller makes up',
  'POST /v1/otp/validate session_id': 'a name that the caller makes up',
}

export function nameOf(route: Route): string {
  return `${route.method} ${route.path}`
}

/** The sample request of a route. Throws when it has none, with what to do about it. */
export function sampleOf(route: Route, world: World): SampleRequest {
  const make = samples[nameOf(route)]
  if (!make)
    throw new Error(
      `${nameOf(route)} has no sample: add a row to \`samples\` in test/samples.ts with a request that succeeds`,
    )
  return make(world)
}

export interface SendOptions {
  /** Instead of the route's own path, such as an alias. */
  path?: string
  /** Instead of the JSON of the sample's body. */
  text?: string
  headers?: Record<string, string>
}

/** Sends a sample, or what a test has made of it. */
export function sendSample(
  caller: Caller,
  route: Route,
  sample: SampleRequest,
  options: SendOptions = {},
): Promise<Reply> {
  const template = options.path ?? route.path
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(sample.params?.[name] ?? 'missing'),
  )
  const query = new URLSearchParams(sample.query).toString()
  const url = query ? `${path}?${query}` : path
  const body = options.text ?? (route.body ? (sample.body ?? {}) : undefined)
  switch (route.method) {
    case 'GET':
      return caller.get(url, options.headers)
    case 'DELETE':
      return caller.delete(url, options.headers, body)
    case 'POST':
      return caller.post(url, body, options.headers)
    case 'PUT':
      return caller.put(url, body, options.headers)
    case 'PATCH':
      return caller.patch(url, body, options.headers)
  }
}

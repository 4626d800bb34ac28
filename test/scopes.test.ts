import { expect, test } from 'vitest'
import type { Route } from '../src/platform/http/route.ts'
import { routes } from '../src/routes.ts'
import { nameOf } from './samples.ts'

/**
 * Who may call each route, by hand: the tests over all routes, and the document, take the scope from the route itself,
 * and would follow one that was weakened by mistake.
 */
const CALLERS: Record<string, string[]> = {
  'admin_portal.read': ['GET /v1/admin-portal'],
  'admin_portal.write': ['PATCH /v1/admin-portal', 'POST /v1/admin-portal'],
  'an access token': ['GET /v1/auth/userinfo'],
  'any key': ['POST /v1/otp/generate', 'POST /v1/otp/validate'],
  'api_keys.manage': ['DELETE /v1/api-keys/{id}', 'POST /v1/api-keys', 'POST /v1/api-keys/{id}/rotate'],
  'api_keys.read': ['GET /v1/api-keys'],
  'apps_config.read': ['GET /v1/organization-apps'],
  'apps_config.write': ['PUT /v1/organization-apps', 'PUT /v1/organization-apps/defaults'],
  'auth.login': [
    'GET /v1/auth/methods',
    'POST /v1/auth/email/verify',
    'POST /v1/auth/invite/accept',
    'POST /v1/auth/login/magic-link/send',
    'POST /v1/auth/login/magic-link/verify',
    'POST /v1/auth/login/otp/send',
    'POST /v1/auth/login/otp/verify',
    'POST /v1/auth/login/passkey/options',
    'POST /v1/auth/login/passkey/verify',
    'POST /v1/auth/login/password',
    'POST /v1/auth/login/social/start',
    'POST /v1/auth/login/sso/discover',
    'POST /v1/auth/login/sso/start',
    'POST /v1/auth/mfa/challenge/send',
    'POST /v1/auth/password/reset/confirm',
    'POST /v1/auth/password/reset/send',
    'POST /v1/auth/token/exchange',
    'POST /v1/auth/token/introspect',
    'POST /v1/auth/token/refresh',
    'POST /v1/auth/token/revoke',
    'POST /v1/auth/unlock',
    'POST /v1/mfa/challenge/verify',
  ],
  'auth.settings.read': ['GET /v1/auth/settings', 'GET /v1/mail/settings'],
  'auth.settings.write': [
    'PATCH /v1/auth/settings',
    'PATCH /v1/auth/settings/defaults',
    'PATCH /v1/mail/settings',
    'PATCH /v1/mail/settings/defaults',
  ],
  'auth.signup': [
    'POST /v1/auth/signup',
    'POST /v1/auth/signup/authenticate-email/send',
    'POST /v1/auth/signup/authenticate-email/verify',
    'POST /v1/auth/signup/otp/send',
    'POST /v1/auth/signup/otp/verify',
    'POST /v1/auth/signup/password',
  ],
  'environments.read': ['GET /v1/environments'],
  'environments.write': ['POST /v1/environments'],
  'events.read': ['GET /v1/events'],
  'mfa.read': ['GET /v1/mfa/policy', 'GET /v1/mfa/policy/preview', 'GET /v1/mfa/totp', 'GET /v1/mfa/trusted-devices'],
  'mfa.write': [
    'DELETE /v1/mfa/sms',
    'DELETE /v1/mfa/totp',
    'DELETE /v1/mfa/trusted-devices/{id}',
    'PATCH /v1/mfa/policy',
    'PATCH /v1/mfa/policy/defaults',
    'POST /v1/mfa/sms',
    'POST /v1/mfa/totp',
    'POST /v1/mfa/totp/backup-codes',
    'PUT /v1/mfa/sms',
    'PUT /v1/mfa/totp',
  ],
  'otp.settings.read': ['GET /v1/otp/settings'],
  'otp.settings.write': ['PATCH /v1/otp/settings', 'PATCH /v1/otp/settings/defaults'],
  page: [
    'GET /auth/link',
    'GET /dev/mail',
    'GET /dev/mail/{id}',
    'GET /docs',
    'GET /docs/errors',
    'GET /docs/events',
    'GET /docs/reference.js',
    'GET /v1/auth/login/sso/saml/metadata/{connectionId}',
    'GET /v1/auth/login/sso/saml/request/{connectionId}',
    'POST /auth/link',
  ],
  'passkeys.read': ['GET /v1/auth/passkey/settings', 'GET /v1/webauthn/credentials'],
  'passkeys.write': [
    'DELETE /v1/webauthn/credentials/{credentialId}',
    'PATCH /v1/auth/passkey/settings',
    'PATCH /v1/auth/passkey/settings/defaults',
    'POST /v1/auth/passkey/register',
  ],
  public: [
    'GET /.well-known/jwks.json',
    'GET /.well-known/oauth-authorization-server',
    'GET /.well-known/webauthn',
    'GET /accounts/{accountId}/{environment}/.well-known/jwks.json',
    'GET /accounts/{accountId}/{environment}/.well-known/oauth-authorization-server',
    'GET /healthz',
    'GET /v1/auth/login/social/callback',
    'GET /v1/auth/login/sso/oidc/callback',
    'GET /v1/auth/login/sso/oidc/jwks/{connectionId}',
    'GET /v1/auth/login/sso/saml/slo/{connectionId}',
    'GET /v1/openapi.json',
    'GET /version',
    'POST /v1/auth/login/social/callback',
    'POST /v1/auth/login/sso/oidc/logout/{connectionId}',
    'POST /v1/auth/login/sso/saml/acs',
    'POST /v1/auth/login/sso/saml/acs/{connectionId}',
    'POST /v1/auth/login/sso/saml/slo/{connectionId}',
  ],
  'sessions.read': ['GET /v1/sessions', 'GET /v1/sessions/revocations'],
  'sessions.revoke': ['DELETE /v1/sessions', 'DELETE /v1/sessions/{sessionId}', 'DELETE /v1/users/{userId}/sessions'],
  'social.read': ['GET /v1/social/providers'],
  'social.write': ['PUT /v1/social/providers'],
  'sso.read': [
    'GET /v1/sso/connections',
    'GET /v1/sso/connections/{connectionId}',
    'GET /v1/sso/connections/{connectionId}/traces',
    'GET /v1/sso/keys',
  ],
  'sso.write': [
    'DELETE /v1/sso/connections/{connectionId}',
    'PATCH /v1/sso/connections/{connectionId}',
    'POST /v1/sso/connections',
    'POST /v1/sso/connections/{connectionId}/test',
    'POST /v1/sso/keys',
  ],
  'sub_orgs.read': ['GET /v1/organizations', 'GET /v1/organizations/{subOrgId}'],
  'sub_orgs.write': [
    'DELETE /v1/organizations/{subOrgId}',
    'PATCH /v1/organizations/{subOrgId}',
    'POST /v1/organizations',
  ],
  'users.read': ['GET /v1/users', 'GET /v1/users/invites', 'GET /v1/users/{userId}'],
  'users.write': [
    'DELETE /v1/users/invites/{inviteId}',
    'DELETE /v1/users/{userId}',
    'PATCH /v1/users/{userId}',
    'POST /v1/users',
    'POST /v1/users/invites',
    'POST /v1/users/{userId}',
    'POST /v1/users/{userId}/invite',
    'POST /v1/users/{userId}/password/reset',
    'POST /v1/users/{userId}/unlock',
    'POST /v1/users/{userId}/verify/resend',
    'PUT /v1/users',
    'PUT /v1/users/{userId}/password',
  ],
}

function callerOf({ auth, scope }: Route): string {
  if (auth === 'key') return scope ?? 'any key'
  return auth === 'user' ? 'an access token' : auth
}

test('every route asks for the scope that is written down here', () => {
  const written = Object.entries(CALLERS).flatMap(([caller, names]) => names.map((name) => [name, caller] as const))
  expect(new Set(written.map(([name]) => name)).size).toBe(written.length)
  expect(Object.fromEntries(routes.map((route) => [nameOf(route), callerOf(route)]))).toEqual(
    Object.fromEntries(written),
  )
})

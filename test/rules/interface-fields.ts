/**
 * What the interface says of the fields of its rows, written down by hand and not taken from the code: a change of a
 * route that breaks its callers fails test/rules/contract.test.ts. Rows are those of test/rules/interface-rows.tsv that are served.
 *
 * `subOrgId` stands here as optional wherever the interface takes it in a body: a key of one organization may leave it
 * out, and what a key of the whole environment must name is no matter of the schema. Every keyed row takes it in the
 * query besides, unsaid.
 */
export interface InterfaceFields {
  body?: Fields
  query?: Fields
  /** Paths: `a.b` of an object, `a[].b` of each item. One that ends in `?` may be absent. */
  answer: readonly string[]
  /** At least these values, by `body`, `query` or `answer` and the path. */
  enums?: Readonly<Record<string, readonly string[]>>
}

interface Fields {
  required?: readonly string[]
  optional?: readonly string[]
}

const within = (path: string, fields: readonly string[]): string[] => [path, ...fields.map((name) => `${path}.${name}`)]

/** Where the first factor suffices; else `session` is null, and the challenge is told beside it. */
const session = within('session', ['access_token', 'refresh_token', 'expires_in'])
const namedSession = [...session, 'session.user_id', 'session.directory_user_id']

const profile = ['displayName', 'firstName', 'lastName', 'phone', 'jobTitle', 'department', 'externalId']

const userFields = [
  ...['id', 'userId', 'subOrgId', 'email', 'emailVerified', ...profile, 'active', 'status', 'role', 'roleIds'],
  ...['source', 'scimManaged', 'mfaEnrolled', 'passkeyCount', 'lastLoginAt', 'metadata', 'createdAt', 'updatedAt'],
]
const user = within('user', userFields)
const userEnums = (at: string) => ({
  [`answer ${at}.status`]: ['active', 'invited', 'inactive', 'locked'],
  [`answer ${at}.source`]: ['api', 'bulk', 'signup', 'invite', 'sso', 'scim', 'social'],
})

const accountRoles = ['owner', 'admin', 'member', 'developer']
const memberFields = [
  ...['membershipId', 'id', 'userId', 'directoryUserId', 'subOrgId', 'email', 'displayName', 'role', 'status'],
  ...['joinedAt', 'createdAt', 'updatedAt'],
]
const members = within('members[]', memberFields)
const memberEnums = (at: string) => ({
  [`answer ${at}.role`]: accountRoles,
  [`answer ${at}.status`]: ['active', 'invited'],
})
const roleFields = [
  ...['id', 'slug', 'name', 'description', 'permissions', 'system', 'scope', 'subOrgId', 'assignmentCount'],
  ...['createdAt', 'updatedAt'],
]
const assignments = within('assignments[]', [
  ...['id', 'userId', 'directoryUserId', 'membershipId', 'roleId', 'source', 'createdAt'],
])
const directoryRoles = ['admin', 'member']
const effect = ['preview', 'affectedUsers', 'affectedMembers', 'permissionsAdded', 'permissionsRemoved']
const role = within('role', roleFields)
const roleEnums = { 'answer role.scope': ['account', 'organization'] }
const assignmentEnums = { 'answer assignments[].source': ['manual', 'scim', 'sso'] }

const organizationFields = [
  ...['id', 'accountId', 'parentId', 'name', 'slug', 'description', 'status', 'externalId', 'memberCount'],
  ...['userCount', 'domains', 'metadata', 'createdAt', 'updatedAt', 'archivedAt'],
]
const organization = within('subOrganization', organizationFields)
const organizationStatus = ['active', 'suspended', 'archived']

const branding = ['brand_name', 'logo_url', 'support_email']
const domainFields = [
  ...['id', 'domain', 'status', 'verification', 'verification.type', 'verification.name', 'verification.value'],
  ...['verified_at', 'last_checked_at', 'last_error'],
]
const overview = [
  ...['overview', ...within('overview.branding', branding)],
  ...within('overview.domains[]', domainFields),
  ...within('overview.setup_checklist[]', ['id', 'label', 'done']),
]
const overviewEnums = {
  'answer overview.domains[].status': ['pending', 'verified', 'failed'],
  'answer overview.domains[].verification.type': ['dns_txt'],
  'answer overview.setup_checklist[].id': ['branding', 'domain', 'sso', 'scim', 'mfa', 'webhook'],
}

const webhookFields = [
  ...['id', 'subOrgId', 'name', 'url', 'events', 'enabled', 'status', 'disabledReason', 'secretHint'],
  ...['lastDeliveryAt', 'consecutiveFailures', 'createdAt', 'updatedAt'],
]
const deliveryFields = [
  ...['id', 'eventId', 'eventType', 'attempt', 'status', 'responseStatus', 'responseBody', 'error', 'durationMs'],
  ...['url', 'createdAt', 'nextAttemptAt', 'request', 'request.headers', 'request.body'],
]

const webhookStatus = (at: string) => ({ [`answer ${at}.status`]: ['active', 'failing', 'disabled'] })

const scimConfig = within('config', [
  ...['enabled', 'endpointUrl', 'sso_connection_id', 'subOrgId', 'tokenSet', 'tokenHint', 'tokenRotatedAt'],
  ...['tokenExpiresAt', 'lastRequestAt', 'userCount', 'groupCount', 'onDeprovision'],
])
const onDeprovision = { 'answer config.onDeprovision': ['deactivate', 'delete'] }

const environmentFields = ['id', 'name', 'slug', 'type', 'subOrgId', 'createdAt', 'keyCount']

const passkeyFields = [
  ...['id', 'credentialId', 'userId', 'directoryUserId', 'deviceName', 'aaguid', 'authenticatorName', 'transports'],
  ...['deviceType', 'backedUp', 'createdAt', 'lastUsedAt'],
]

const deviceType = (at: string) => ({ [`answer ${at}.deviceType`]: ['singleDevice', 'multiDevice'] })

const sessionFields = [
  ...['id', 'user_id', 'directory_user_id', 'sub_org_id', 'auth_method', 'amr', 'aal', 'ip_address', 'user_agent'],
  ...['status', 'impersonator', 'created_at', 'last_active_at', 'expires_at'],
]

const sessionEnums = {
  'answer users[].sessions[].auth_method': [
    ...['password', 'otp', 'magic_link', 'passkey', 'social', 'sso', 'signup', 'invite', 'impersonation'],
  ],
  'answer users[].sessions[].status': ['active'],
  'answer users[].sessions[].aal': ['aal1', 'aal2'],
}

const policyFields = ['require_mfa', 'grace_period_days', 'allowed_methods', 'enforce_for_roles']
const policy = [...within('policy', policyFields), 'policy.updated_at']
const factors = ['totp', 'backup', 'sms']
const enforcedRoles = ['owner', 'admin', 'member']
const policyEnums = {
  'answer policy.allowed_methods[]': factors,
  'answer policy.enforce_for_roles[]': enforcedRoles,
}

const otpMode = ['phrase', 'digit', 'both']
const otpSettingsFields = [
  ...['mode', 'ttl_seconds', 'channel_sms', 'channel_email', 'max_attempts', 'resend_interval_seconds'],
  ...['rate_limit_per_minute', 'rate_limit_per_hour'],
]
const otpSettings = within('settings', otpSettingsFields)

const authSettingsFields = [
  ...['allow_sign_up', 'open_signup_default', 'require_email_verification', 'email_password_enabled'],
  ...['password_reset_enabled', 'password_min_length', 'password_max_length', 'password_breach_check'],
  ...['password_history', 'lockout_enabled', 'lockout_max_attempts', 'lockout_window_seconds'],
  ...['lockout_duration_seconds', 'magic_link_ttl_seconds', 'magic_link_rate_limit_per_minute'],
  ...['magic_link_rate_limit_per_hour', 'password_reset_ttl_seconds', 'email_verification_ttl_seconds'],
  ...['invite_ttl_seconds', 'access_token_ttl_seconds', 'session_idle_timeout_seconds'],
  ...['session_max_lifetime_seconds', 'max_concurrent_sessions', 'concurrent_session_policy'],
  ...['refresh_reuse_interval_seconds', 'allowed_redirect_uris', 'enforce_sso', 'sso_exempt_user_ids'],
  'notify_new_device',
]
const authSettings = within('settings', authSettingsFields)
const limitPolicy = ['revoke_oldest', 'deny_new']

const checkFields = ['id', 'ok', 'message', 'fix']
const connectionStatus = ['draft', 'testing', 'active', 'error']
const connectionFields = [
  ...['id', 'sub_org_id', 'name', 'protocol', 'status', 'idp_entity_id', 'idp_sso_url', 'idp_slo_url'],
  ...['idp_metadata_url', 'oidc_issuer', 'oidc_client_id', 'oidc_client_secret_set', 'group_role_mapping'],
  ...['attribute_mapping', 'domains', 'sign_requests', 'want_assertions_signed', 'want_assertions_encrypted'],
  ...['allow_idp_initiated', 'jit_provisioning', 'default_role', 'trust_idp_mfa', 'sp', 'oidc_redirect_uri'],
  ...within('idp_certificates[]', ['fingerprint_sha256', 'subject', 'not_before', 'not_after', 'status']),
  ...within('sp', ['entity_id', 'acs_url', 'slo_url', 'metadata_url', 'certificates']),
  ...within('last_test', ['success', 'checks', 'at']),
  ...within('last_test.checks[]', checkFields),
  ...['last_login_at', 'created_at', 'updated_at'],
]
const connection = within('connection', connectionFields)
const connectionEnums = (at: string) => ({
  [`${at}.protocol`]: ['saml', 'oidc'],
  [`${at}.status`]: connectionStatus,
  [`${at}.idp_certificates[].status`]: ['current', 'next', 'expired'],
})
/** What the interface forgot, and no sign-in works without. */
const connectionInputs = ['idp_certificate', 'idp_metadata_xml', 'idp_metadata_url', 'oidc_client_secret', 'domains']

const socialNames = ['google', 'github', 'apple', 'microsoft']
const socialProvider = within('providers[]', [
  ...['provider', 'enabled', 'configured', 'client_id', 'scopes', 'callback_url'],
])

const page = ['has_more', 'next_cursor']
const paging = ['limit', 'cursor', 'order', 'include_total']
const inOrder = { 'query order': ['asc', 'desc'] }

const sentCode = ['otp_id', 'expires_at', 'delivery_hint', 'delivery_method']
const services = ['enabledAppIds', 'appGroups', 'sidebarGroupsCollapsible']
const onlyOrganization = { optional: ['subOrgId'] }

const otpGenerate: InterfaceFields = {
  body: { optional: ['session_id', 'ttl_seconds', 'email', 'phone'] },
  answer: ['otp_id', 'code', 'session_id', 'expires_at', 'delivery.status', 'delivery.reason'],
  enums: { 'answer delivery.status': ['queued', 'withheld'] },
}
const otpValidate: InterfaceFields = {
  body: { required: ['code'], optional: ['otp_id', 'session_id'] },
  answer: ['valid', 'message?'],
}

export const interfaceFields: Readonly<Record<string, InterfaceFields>> = {
  'GET /api/v1/auth/methods': {
    answer: ['methods[].id', 'methods[].label', 'methods[].providers?'],
    enums: { 'answer methods[].id': ['password', 'otp', 'otp_sms', 'magic_link', 'passkey', 'social', 'sso'] },
  },
  'POST /api/v1/auth/login/otp/send': { body: { required: ['email'], ...onlyOrganization }, answer: sentCode },
  'POST /api/v1/auth/login/otp/verify': {
    body: { required: ['email', 'otp_id', 'code'], ...onlyOrganization },
    answer: namedSession,
  },
  'POST /api/v1/auth/login/password': {
    body: { required: ['email', 'password'], ...onlyOrganization },
    answer: session,
  },
  'POST /api/v1/auth/password/reset/send': {
    body: { required: ['email'], optional: ['redirectTo', 'subOrgId'] },
    answer: ['delivery_hint'],
  },
  'POST /api/v1/auth/password/reset/confirm': {
    body: { required: ['email', 'token_hash', 'password'], ...onlyOrganization },
    answer: session,
  },
  'POST /api/v1/auth/invite/accept': {
    body: { required: ['token', 'password'], ...onlyOrganization },
    answer: session,
  },
  'POST /api/v1/auth/login/magic-link/send': {
    body: { required: ['email'], optional: ['redirectTo', 'subOrgId'] },
    answer: ['delivery_hint'],
  },
  'POST /api/v1/auth/login/magic-link/verify': {
    body: { required: ['email', 'token_hash'], ...onlyOrganization },
    answer: session,
  },
  'POST /api/v1/auth/login/passkey/options': {
    body: { required: ['email'], ...onlyOrganization },
    answer: ['options', 'challengeId'],
  },
  'POST /api/v1/auth/login/passkey/verify': {
    body: { required: ['email', 'challengeId', 'credential'], ...onlyOrganization },
    answer: session,
  },
  'POST /api/v1/auth/signup': {
    body: { required: ['email'], optional: ['openSignup', 'firstName', 'lastName', 'phone', 'subOrgId'] },
    answer: namedSession,
  },
  'POST /api/v1/auth/signup/password': {
    body: { required: ['email', 'password'], optional: ['openSignup', 'subOrgId'] },
    answer: session,
  },
  'POST /api/v1/auth/signup/otp/send': {
    body: { required: ['email'], optional: ['openSignup', 'subOrgId'] },
    answer: sentCode,
  },
  'POST /api/v1/auth/signup/otp/verify': {
    body: { required: ['email', 'otp_id', 'code'], ...onlyOrganization },
    answer: namedSession,
  },
  'POST /api/v1/auth/signup/authenticate-email/send': {
    body: { required: ['email'], optional: ['redirectTo', 'firstName', 'lastName', 'phone', 'subOrgId'] },
    answer: ['delivery_hint', 'expires_at'],
  },
  'POST /api/v1/auth/signup/authenticate-email/verify': {
    body: { required: ['email', 'token_hash'], ...onlyOrganization },
    answer: namedSession,
  },
  'GET /api/v1/auth/settings': {
    query: { optional: ['effective'] },
    answer: authSettings,
    enums: { 'answer settings.concurrent_session_policy': limitPolicy },
  },
  'PATCH /api/v1/auth/settings': {
    body: { optional: [...authSettingsFields, 'subOrgId'] },
    answer: authSettings,
    enums: { 'body concurrent_session_policy': limitPolicy, 'answer settings.concurrent_session_policy': limitPolicy },
  },

  'GET /api/v1/mfa/policy': { answer: policy, enums: policyEnums },
  'PATCH /api/v1/mfa/policy': {
    body: { optional: [...policyFields, 'subOrgId'] },
    answer: policy,
    enums: { ...policyEnums, 'body allowed_methods[]': factors, 'body enforce_for_roles[]': enforcedRoles },
  },
  'GET /api/v1/mfa/totp': {
    query: { required: ['userId'] },
    answer: within('enrollment', [
      ...['userId', 'directoryUserId', 'enrolled', 'method', 'enrolledAt', 'pending', 'backupCodesRemaining'],
    ]),
  },
  'POST /api/v1/mfa/totp': {
    body: { required: ['userId'], ...onlyOrganization },
    answer: ['pendingId', 'qrDataUrl', 'secret', 'otpauthUrl'],
  },
  'PUT /api/v1/mfa/totp': {
    body: { required: ['userId', 'pendingId', 'code'], optional: ['challenge_token', 'subOrgId'] },
    answer: ['success', 'backupCodes', 'session?'],
  },
  'DELETE /api/v1/mfa/totp': { body: { required: ['userId'], ...onlyOrganization }, answer: ['success'] },
  'POST /api/v1/mfa/challenge/verify': {
    body: { required: ['challenge_token', 'code'], ...onlyOrganization },
    answer: session,
  },

  'GET /api/v1/users': {
    query: { optional: ['email', 'externalId', 'active', 'q', 'updatedSince', 'role', ...paging] },
    answer: [...within('users[]', userFields), ...page],
    enums: { ...inOrder, ...userEnums('users[]') },
  },
  'POST /api/v1/users': {
    body: { required: ['email'], optional: [...profile, 'subOrgId'] },
    answer: user,
    enums: userEnums('user'),
  },
  'PUT /api/v1/users': {
    body: { optional: ['users', 'bulkText', 'subOrgId'] },
    answer: [
      ...within('created[]', userFields),
      ...within('skipped[]', ['email', 'reason']),
      ...within('failed[]', ['email', 'error']),
    ],
    enums: { ...userEnums('created[]'), 'answer skipped[].reason': ['already_exists', 'duplicate_in_request'] },
  },
  'PATCH /api/v1/users/{userId}': {
    body: { optional: ['email', ...profile, 'active', 'subOrgId'] },
    answer: user,
    enums: userEnums('user'),
  },
  'DELETE /api/v1/users/{userId}': { answer: ['ok'] },
  'POST /api/v1/users/{userId}': {
    body: { required: ['targetSubOrgId'] },
    answer: user,
    enums: userEnums('user'),
  },
  'POST /api/v1/users/invites': {
    body: { required: ['email'], optional: ['displayName', 'firstName', 'lastName', 'subOrgId'] },
    answer: [
      ...user,
      ...within('invite', ['id', 'email', 'status', 'user_id', 'directory_user_id', 'expires_at', 'invite_url?']),
      'delivery_hint',
    ],
    enums: { ...userEnums('user'), 'answer invite.status': ['pending'] },
  },
  'POST /api/v1/users/{userId}/invite': { answer: ['success', 'delivery_hint'] },
  'POST /api/v1/users/{userId}/password/reset': { answer: ['success', 'delivery_hint'] },
  'PUT /api/v1/users/{userId}/password': {
    body: { required: ['password'], optional: ['revokeSessions'] },
    answer: ['success', 'sessions_revoked'],
  },
  'POST /api/v1/users/{userId}/verify/resend': { answer: ['success', 'delivery_hint?', 'already_verified?'] },
  'DELETE /api/v1/users/{userId}/sessions': { answer: ['success', 'revoked'] },

  'POST /api/v1/otp/generate': otpGenerate,
  'POST /api/v1/otp/validate': otpValidate,
  'POST /v1/generate': otpGenerate,
  'POST /v1/validate': otpValidate,
  'GET /healthz': { answer: ['status'], enums: { 'answer status': ['ok'] } },
  'GET /api/v1/otp/settings': {
    query: { optional: ['effective'] },
    answer: otpSettings,
    enums: { 'answer settings.mode': otpMode },
  },
  'PATCH /api/v1/otp/settings': {
    body: { optional: [...otpSettingsFields, 'subOrgId'] },
    answer: otpSettings,
    enums: { 'body mode': otpMode, 'answer settings.mode': otpMode },
  },

  'GET /api/v1/admin-portal': { answer: overview, enums: overviewEnums },
  'PATCH /api/v1/admin-portal': {
    body: { optional: [...branding, 'subOrgId'] },
    answer: overview,
    enums: overviewEnums,
  },
  'POST /api/v1/admin-portal': {
    body: { required: ['action'], optional: ['domain', 'domainId', 'subOrgId'] },
    answer: ['success', 'error', ...within('domain', domainFields), ...overview],
    enums: {
      ...overviewEnums,
      'body action': ['add_domain', 'verify_domain', 'remove_domain'],
      'answer error': ['txt_not_found'],
    },
  },

  'POST /api/v1/auth/login/sso/start': {
    body: { required: ['connectionId', 'redirectUri'], optional: ['subOrgId'] },
    answer: ['authorization_url', 'state'],
  },
  'GET /api/v1/scim/config': { answer: scimConfig, enums: onDeprovision },
  'PATCH /api/v1/scim/config': {
    body: { optional: ['enabled', 'sso_connection_id', 'subOrgId'] },
    answer: scimConfig,
    enums: onDeprovision,
  },
  'POST /api/v1/scim/config': {
    body: { required: ['action'], optional: ['subOrgId'] },
    answer: ['token', ...scimConfig],
    enums: { 'body action': ['rotate-token'], ...onDeprovision },
  },
  'GET /api/os/scim/v2/Users': { query: { optional: ['filter'] }, answer: [] },
  'GET /api/os/scim/v2/Groups': { answer: [] },
  'POST /api/os/scim/v2/Groups': { answer: [] },
  'POST /api/os/scim/v2/Users': { body: { required: ['userName'], optional: ['displayName', 'active'] }, answer: [] },
  'GET /api/v1/sso/connections': {
    answer: [...within('connections[]', connectionFields), ...page],
    enums: connectionEnums('answer connections[]'),
  },
  'POST /api/v1/sso/connections': {
    body: {
      required: ['name', 'protocol'],
      optional: ['idp_entity_id', 'idp_sso_url', 'oidc_issuer', 'oidc_client_id', ...connectionInputs, 'subOrgId'],
    },
    answer: connection,
    enums: { 'body protocol': ['saml', 'oidc'], ...connectionEnums('answer connection') },
  },
  'GET /api/v1/sso/connections/{connectionId}': { answer: connection, enums: connectionEnums('answer connection') },
  'PATCH /api/v1/sso/connections/{connectionId}': {
    body: { optional: ['status', 'name', 'group_role_mapping', ...connectionInputs, 'subOrgId'] },
    answer: connection,
    enums: { 'body status': connectionStatus, ...connectionEnums('answer connection') },
  },
  'DELETE /api/v1/sso/connections/{connectionId}': { answer: ['success'] },
  'POST /api/v1/sso/connections/{connectionId}/test': {
    answer: ['success', 'status', ...within('checks[]', checkFields)],
    enums: { 'answer status': ['testing'] },
  },

  'POST /api/v1/auth/login/social/start': {
    body: { required: ['provider', 'redirectUri'], optional: ['subOrgId'] },
    answer: ['authorization_url', 'state'],
    enums: { 'body provider': socialNames },
  },
  'GET /api/v1/auth/login/social/callback': { query: { optional: ['state', 'code'] }, answer: [] },
  'GET /api/v1/auth/login/sso/oidc/callback': { query: { optional: ['state', 'code'] }, answer: [] },
  'POST /api/v1/auth/login/sso/saml/acs': { answer: [] },
  'GET /api/v1/social/providers': { answer: socialProvider, enums: { 'answer providers[].provider': socialNames } },
  'PUT /api/v1/social/providers': {
    body: {
      required: ['provider', 'enabled'],
      optional: ['client_id', 'client_secret', 'team_id', 'key_id', 'private_key', 'subOrgId'],
    },
    answer: socialProvider,
    enums: { 'body provider': socialNames, 'answer providers[].provider': socialNames },
  },

  'GET /api/v1/organizations': {
    query: { optional: ['status', 'slug', 'externalId', ...paging] },
    answer: [...within('subOrganizations[]', organizationFields), ...page],
    enums: {
      ...inOrder,
      'query status': organizationStatus,
      'answer subOrganizations[].status': organizationStatus,
    },
  },
  'POST /api/v1/organizations': {
    body: { required: ['name', 'slug'], optional: ['description'] },
    answer: organization,
    enums: { 'answer subOrganization.status': organizationStatus },
  },
  'GET /api/v1/organizations/{subOrgId}': {
    answer: organization,
    enums: { 'answer subOrganization.status': organizationStatus },
  },
  'PATCH /api/v1/organizations/{subOrgId}': {
    body: { optional: ['name', 'description', 'status'] },
    answer: organization,
    enums: { 'body status': organizationStatus, 'answer subOrganization.status': organizationStatus },
  },
  'DELETE /api/v1/organizations/{subOrgId}': { answer: ['success'] },

  'GET /api/v1/organizations/{subOrgId}/members': { answer: members, enums: memberEnums('members[]') },
  'PUT /api/v1/organizations/{subOrgId}/members': {
    body: { required: ['members'], optional: ['members[].membershipId', 'members[].role'] },
    answer: members,
    enums: { 'body members[].role': accountRoles, ...memberEnums('members[]') },
  },

  'GET /api/v1/members': {
    query: { optional: paging },
    answer: [...members, ...page],
    enums: { ...inOrder, ...memberEnums('members[]') },
  },
  'PATCH /api/v1/members/{membershipId}': {
    body: { required: ['newRole'] },
    answer: within('member', memberFields),
    enums: { 'body newRole': accountRoles, ...memberEnums('member') },
  },
  'DELETE /api/v1/members/{membershipId}': { answer: ['success'] },

  'GET /api/v1/organization-apps': { answer: services },
  'PUT /api/v1/organization-apps': { body: { optional: [...services, 'subOrgId'] }, answer: services },

  'GET /api/v1/rbac/roles': {
    query: { optional: paging },
    answer: [
      ...within('systemRoles[]', roleFields),
      ...within('directorySystemRoles[]', roleFields),
      ...within('customRoles[]', roleFields),
      ...assignments,
      ...within('permissions[]', ['id', 'known', 'scope']),
      ...page,
    ],
    enums: {
      ...inOrder,
      ...assignmentEnums,
      'answer systemRoles[].scope': ['account', 'organization'],
      'answer directorySystemRoles[].scope': ['account', 'organization'],
      'answer customRoles[].scope': ['account', 'organization'],
    },
  },
  'POST /api/v1/rbac/roles': {
    body: { required: ['name', 'permissions'], optional: ['description', 'slug', 'subOrgId'] },
    answer: role,
    enums: roleEnums,
  },
  'GET /api/v1/rbac/roles/{roleId}': { answer: role, enums: roleEnums },
  'PATCH /api/v1/rbac/roles/{roleId}': {
    query: { optional: ['preview'] },
    body: { optional: ['name', 'description', 'permissions', 'subOrgId'] },
    answer: [...role, ...effect],
    enums: roleEnums,
  },
  'DELETE /api/v1/rbac/roles/{roleId}': { query: { optional: ['preview'] }, answer: ['success', ...effect] },
  'GET /api/v1/rbac/users/{userId}/roles': {
    answer: ['roleIds', 'role', ...assignments],
    enums: { ...assignmentEnums, 'answer role': directoryRoles },
  },
  'PUT /api/v1/rbac/users/{userId}/roles': {
    body: { optional: ['roleIds', 'role', 'subOrgId'] },
    answer: ['success', 'roleIds', 'role', ...assignments],
    enums: { ...assignmentEnums, 'body role': directoryRoles, 'answer role': directoryRoles },
  },
  'GET /api/v1/rbac/members/{membershipId}/roles': { answer: ['roleIds', ...assignments], enums: assignmentEnums },
  'PUT /api/v1/rbac/members/{membershipId}/roles': {
    body: { required: ['roleIds'], optional: ['subOrgId'] },
    answer: ['success', 'roleIds', ...assignments],
    enums: assignmentEnums,
  },

  'GET /api/v1/environments': {
    query: { optional: paging },
    answer: [...within('environments[]', environmentFields), ...page],
    enums: inOrder,
  },
  'POST /api/v1/environments': {
    body: { required: ['name', 'slug'], ...onlyOrganization },
    answer: within('environment', environmentFields),
  },

  'POST /api/v1/auth/passkey/register': {
    body: { required: ['action', 'userId'], optional: ['challengeId', 'credential', 'deviceName', 'subOrgId'] },
    // What one step answers is absent from the other's answer.
    answer: [
      ...['options?', 'challengeId?', 'success?', 'credential?'],
      ...passkeyFields.map((name) => `credential?.${name}`),
    ],
    enums: { 'body action': ['options', 'verify'], ...deviceType('credential') },
  },
  'GET /api/v1/webauthn/credentials': {
    query: { required: ['userId'] },
    answer: [...within('credentials[]', passkeyFields), ...page],
    enums: deviceType('credentials[]'),
  },
  'DELETE /api/v1/webauthn/credentials/{credentialId}': { answer: ['success'] },

  'GET /api/v1/webhooks': {
    query: { optional: paging },
    answer: [...within('webhooks[]', webhookFields), ...page],
    enums: { ...inOrder, ...webhookStatus('webhooks[]') },
  },
  'POST /api/v1/webhooks': {
    body: { required: ['name', 'url', 'events'], optional: ['subOrgId'] },
    answer: [...within('webhook', webhookFields), 'signingSecret'],
    enums: webhookStatus('webhook'),
  },
  'GET /api/v1/webhooks/{webhookId}': {
    query: { optional: ['deliveries', 'limit'] },
    answer: [...within('webhook', webhookFields), ...within('deliveries[]', deliveryFields)],
    enums: { ...webhookStatus('webhook'), 'answer deliveries[].status': ['pending', 'succeeded', 'failed'] },
  },
  'PATCH /api/v1/webhooks/{webhookId}': {
    body: { optional: ['name', 'url', 'enabled', 'events', 'subOrgId'] },
    answer: within('webhook', webhookFields),
    enums: webhookStatus('webhook'),
  },
  'DELETE /api/v1/webhooks/{webhookId}': { answer: ['success'] },

  'GET /api/v1/sessions': {
    query: { optional: paging },
    answer: [...within('users[]', ['user_id', 'sessions']), ...within('users[].sessions[]', sessionFields), ...page],
    enums: { ...inOrder, ...sessionEnums },
  },
  'DELETE /api/v1/sessions': { query: { required: ['userId'] }, answer: ['success', 'revoked'] },
  'DELETE /api/v1/sessions/{sessionId}': { answer: ['success'] },
}

// Generated from openapi.json by `npm run gen`. Do not edit.

import type { LoginResult } from '../login-result.ts'
import type { UnlistedEvent } from '../unlisted.ts'

export type { LoginResult }

/** The set-up of an organization. */
export interface AdminPortalOverview {
  branding: Branding
  /** Domains of the organization in this environment. */
  domains: Domain[]
  /** Completed and open steps, in a recommended order. */
  setup_checklist: SetupStep[]
}

export interface AdminPortalReply {
  overview: AdminPortalOverview
}

/** IP addresses and CIDR ranges that the key may be used from. Null allows all addresses. */
export type AllowedIps = string[] | null

/** An event of any type. [The catalogue](/docs/events) describes each type. More types may be added. */
export type AnyEvent = ApiKeyEvent | AuditSettingsUpdatedEvent | MailedLinkEvent | AuthLoginDisownedEvent | AuthLoginFailedEvent | AuthLoginSucceededEvent | AuthOtpSentEvent | AuthPasswordChangedEvent | AuthPasswordResetCompletedEvent | AuthSettingsUpdatedEvent | AuthSignupSucceededEvent | AuthStepUpSucceededEvent | DeploymentRecoveredEvent | DomainEvent | EnvironmentEvent | IdentityEvent | ImpersonationEndedEvent | InviteEvent | MailBouncedEvent | MailSettingsUpdatedEvent | MailSuppressionEvent | MailTemplateEvent | MemberEvent | MemberFactorsResetEvent | MemberLinkPrintedEvent | MfaBackupCodesRegeneratedEvent | MfaChallengeCreatedEvent | MfaChallengeFailedEvent | MfaChallengeSucceededEvent | FactorChangeEvent | MfaPolicyEvent | DeviceTrustEvent | OrganizationEvent | OrganizationErasureEvent | OtpSettingsUpdatedEvent | PasskeyEvent | PasskeySettingsUpdatedEvent | RoleAssignmentEvent | RoleEvent | ScimConfigEvent | ProvisionedGroupEvent | ScimGroupMemberAddedEvent | ScimTokenExpiringEvent | ProvisionedUserEvent | ServiceConfigEvent | SessionCreatedEvent | SessionRefreshReuseDetectedEvent | SessionRevokedEvent | SocialProviderEvent | SsoConnectionEvent | SsoConnectionCertificateExpiringEvent | SsoKeysChangedEvent | UserEvent | UserEmailRestoredEvent | UserExportedEvent | WebhookEvent | WebhookTestEvent | UnlistedEvent

/** An API key, without its secret. */
export interface ApiKey {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** Name that administrators see. */
  name: string
  /**
   * The first characters of the key, which are not secret and help to tell keys apart. The start contains the
   * environment and at least four characters of the secret.
   */
  start: string
  /** Scopes and wildcards that the key has. */
  scopes: string[]
  /**
   * The only organization that the key reaches. Null: the key is org-wide and reaches every organization of the
   * environment.
   */
  subOrgId: string | null
  /** Slug of the environment that the key belongs to. */
  environment: string
  /** Requests per second that this key may send. Null: the limit of the deployment. */
  requestsPerSecond: number | null
  /** IP addresses and CIDR ranges that the key may be used from. Null: all addresses. */
  allowedIps: string[] | null
  /** When the key expires. Null: never. */
  expiresAt: string | null
  /** When the key was last used, to within a minute. Null: never. */
  lastUsedAt: string | null
  /** Address that last used the key. Null: never used. */
  lastUsedIp: string | null
  /**
   * Who created the key: `api_key:<id>`, `user:<directoryUserId>` for a team member, `cli`, `bootstrap` or
   * `development`. For the previous secret of a rotated key: `rotation:<id>`.
   */
  createdBy: string
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the key was revoked. Null: not revoked. */
  revokedAt: string | null
}

export type ApiKeyEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `api_key.created`: An API key was created, through the API or on the command line. `api_key.revoked`: An API key was
   * revoked, together with any previous secrets that still worked. `api_key.rotated`: An API key got a new secret. The
   * rights of the key are unchanged. `api_key.updated`: The name, scopes or allowed addresses of an API key were
   * changed.
   */
  type: "api_key.created" | "api_key.revoked" | "api_key.rotated" | "api_key.updated"
  /** What happened, with the fields of this type of event. */
  data: ApiKey
}

export interface ApiKeyReply {
  apiKey: ApiKey
}

export interface ApiKeySecret {
  apiKey: ApiKey
  /** The key itself, shown only once. */
  key: string
}

export interface ApiKeysCreateRequest {
  /** Name that administrators see. */
  name: Name
  /** Scopes or wildcards (`users.*`, `*`), each covered by the calling key. */
  scopes: string[]
  allowedIps?: AllowedIps | undefined
  /** Default: the same as for the calling key. */
  expiresAt?: string | null | undefined
  /** Slug of the environment. Must be the environment of the calling key. */
  environment?: string | undefined
  /** Rate limit of this key. Null: the limit of the deployment. Default: the same as for the calling key. */
  requestsPerSecond?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface ApiKeysGetCurrentReply {
  /** `key`: an API key. `member`: the access token of a team member. */
  kind: "key" | "member"
  /** Id of the key or of the membership. */
  id: string
  /** The account that the environment belongs to. */
  accountId: string
  /** The environment: `id` in `/v1/environments`. */
  environmentId: string
  /** Slug of the environment that the key belongs to. */
  environment: string
  /**
   * The only organization that the key reaches. Null: the key is org-wide and reaches every organization of the
   * environment.
   */
  subOrgId: string | null
  /** Scopes and wildcards that the key has. */
  scopes: string[]
  /** Rate limit of the key, or of the deployment. */
  requestsPerSecond: number | null
  /** When the credential expires. Null: never. */
  expiresAt: string | null
}

export interface ApiKeysListReply {
  /** API keys that the caller may see, without secrets. */
  apiKeys: ApiKey[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface ApiKeysRotateRequest {
  /**
   * Seconds for which the previous secret keeps working. If 0, the previous secret and all earlier secrets stop working
   * immediately.
   */
  overlap_seconds?: number | undefined
  subOrgId?: SubOrgId | undefined
}

export interface ApiKeysUpdateRequest {
  /** Name that administrators see. */
  name?: Name | undefined
  /** Scopes or wildcards (`users.*`, `*`), each covered by the calling key. */
  scopes?: string[] | undefined
  allowedIps?: AllowedIps | undefined
  subOrgId?: SubOrgId | undefined
}

/** How your dashboard groups services. Any object is allowed, and only these fields are validated. */
export type AppGroup = {
  /** Your own id for the group. */
  id?: string | undefined
  /** Heading of the group. */
  name?: string | undefined
  /** Services in the group, in their order. */
  appIds?: string[] | undefined
} & Record<string, unknown>

/**
 * Where the provider sends the fields of a person: names of SAML attributes, or paths of claims such as
 * `realm_access.roles`. For an absent field, the usual names are tried.
 */
export interface AttributeMapping {
  /** SAML: attribute with the permanent id of the person. Default: the NameID. */
  subject?: string | undefined
  /** Attribute or claim with the email address. */
  email?: string | undefined
  /** Attribute or claim with the first name. */
  first_name?: string | undefined
  /** Attribute or claim with the last name. */
  last_name?: string | undefined
  /** Attribute or claim with the full name. */
  display_name?: string | undefined
  /** Attribute or claim with the groups that `group_role_mapping` names. */
  groups?: string | undefined
}

export interface AuditGetSettingsReply {
  settings: AuditSettings
  sources?: SettingsSources | undefined
}

export interface AuditListReply {
  /** Matching events, newest first. */
  events: AnyEvent[]
  /**
   * The current names of users, team members and API keys that are actors or targets of these events, by id. For a
   * person, this is the display name, else first and last name, else the email address. Deleted users and keys have no
   * entry. A key of one organization gets only the names of that organization’s users and keys. Names of users require
   * the scope `users.read`, names of team members `members.read`, and names of API keys `api_keys.read`.
   */
  names: Record<string, string>
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
}

/** How long the audit log is kept. */
export interface AuditSettings {
  /** How many days events are kept. Null: as set by the operator (WATCHWORD_EVENT_RETENTION_DAYS). */
  retention_days: number | null
}

export interface AuditSettingsReply {
  settings: AuditSettings
}

export type AuditSettingsUpdatedEvent = Omit<Event, 'type' | 'data'> & {
  /** The retention time of the audit log was changed, for an organization or in the defaults of its environment. */
  type: "audit.settings.updated"
  /** The values that were set. Null: the value is inherited again. */
  data: Record<string, unknown>
}

export interface AuditUpdateDefaultsRequest {
  /** How many days events are kept. Null: as set by the operator (WATCHWORD_EVENT_RETENTION_DAYS). */
  retention_days?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface AuditUpdateSettingsRequest {
  /** How many days events are kept. Null: as set by the operator (WATCHWORD_EVENT_RETENTION_DAYS). */
  retention_days?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface AuthGetSettingsReply {
  settings: AuthSettings
  sources?: SettingsSources | undefined
}

export interface AuthListMethodsReply {
  /** Methods in the order of a sign-in page. Empty while the service `auth` is off. */
  methods: LoginMethod[]
  /**
   * Whether single sign-on is enforced (`enforce_sso`). If true, show only single sign-on, and show other methods to
   * exempt users on request.
   */
  enforced: boolean
}

export type AuthLoginDisownedEvent = Omit<Event, 'type' | 'data'> & {
  /** A user followed the link in a new-device email and reported that the sign-in was not theirs. */
  type: "auth.login.disowned"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The reported session, which the user did not start. The session was ended. */
    session_id: string
    /** The link in the mail that was used. */
    link_id: string
  }
}

export type AuthLoginFailedEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * A sign-in was refused, or a code or link was requested for an address that cannot sign in. When similar failures are
   * frequent, one event with a `count` stands for several of them.
   */
  type: "auth.login.failed"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Sign-in method that was tried, such as `otp` or `password`. */
    method: string
    /** Why the sign-in was refused, such as the error code. */
    reason: string
    /** The passkey, if it is known. */
    passkey_id?: string | undefined
    /** The connection, for single sign-on. */
    connection_id?: string | undefined
    /** The trace of the sign-in (`GET /v1/sso/connections/{connectionId}/traces`). Absent with `count`. */
    trace_id?: string | undefined
    /** Number of similar failures that the event stands for. Absent for a single failure. */
    count?: number | undefined
    /** With `count`: time of the first failure. */
    first_at?: string | undefined
    /** With `count`: time of the last failure. */
    last_at?: string | undefined
  }
}

export type AuthLoginSucceededEvent = Omit<Event, 'type' | 'data'> & {
  /** A user signed in. Every required factor was correct, and a session was created. */
  type: "auth.login.succeeded"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Sign-in method that was tried, such as `otp` or `password`. */
    method: string
  }
}

export type AuthOtpSentEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * A one-time code was created and its message was queued. The code is for a user who signs in, signs up or confirms a
   * change, or your backend created it with `POST /v1/otp/generate`.
   */
  type: "auth.otp.sent"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The code: `otp_id` of the response. */
    otp_id: string
    /** What the code is for. Absent if your backend created the code. */
    purpose?: "login" | "signup" | "step_up" | "email_change" | "discovery" | undefined
    /** `email` or `sms`. */
    channel?: string | undefined
    /** Only for `POST /v1/otp/generate`: the value in the request. */
    session_id?: string | null | undefined
    /** Only for `POST /v1/otp/generate`: the value in the request. */
    email?: string | undefined
    /** Only for `POST /v1/otp/generate`: the value in the request. */
    phone?: string | undefined
    /** Only for `POST /v1/otp/generate`: the value in the request. */
    delivery_method?: "email" | "sms" | undefined
  }
}

export type AuthPasswordChangedEvent = Omit<Event, 'type' | 'data'> & {
  /** A password was set by the user or by an administrator. */
  type: "auth.password.changed"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Whether the user chose the new password, or your backend set it. */
    by: "user" | "administrator"
    /** Whether the user must choose another password at the next sign-in. Only if an administrator set the password. */
    must_change?: boolean | undefined
  }
}

export type AuthPasswordResetCompletedEvent = Omit<Event, 'type' | 'data'> & {
  /** A user chose a new password with a mailed link. */
  type: "auth.password_reset.completed"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The reset link that was redeemed. */
    link_id: string
  }
}

/** How users sign in and up, and how long sessions last. */
export interface AuthSettings {
  /** Whether users may sign up. */
  allow_sign_up: boolean
  /** Whether the mailbox must be proved before a password or a sign-up creates a session. */
  require_email_verification: boolean
  /** Maximum number of sign-ins of a user per minute, for all methods together. */
  sign_in_rate_limit_per_minute: number
  /**
   * Origins of web pages that may call the end-user routes, such as https://app.example.com. Must be https. In
   * development, also http on the same machine.
   */
  allowed_origins: string[]
  /** Whether a sign-up without `openSignup` creates a user for an unknown address. */
  open_signup_default: boolean
  /** Whether users may sign in and up with a password. */
  email_password_enabled: boolean
  /** Whether forgotten passwords may be reset by email. */
  password_reset_enabled: boolean
  /** Lifetime of a reset link, in seconds. */
  password_reset_ttl_seconds: number
  /** Minimum length of a new password, in characters. */
  password_min_length: number
  /** Maximum length of a new password, in characters. */
  password_max_length: number
  /** Whether common and breached passwords are refused. The service contains the list. */
  password_breach_check: boolean
  /** How many of the user’s last passwords, including the current password, may not be used again. */
  password_history: number
  /**
   * Memory of argon2id, in KiB. A stored password is hashed again at the user’s next sign-in. Memory multiplied by
   * passes must not exceed the limit of the deployment.
   */
  password_hash_memory_kib: number
  /** Passes of argon2id. */
  password_hash_iterations: number
  /** Lanes of argon2id. */
  password_hash_parallelism: number
  /** Whether wrong passwords lock an address. */
  lockout_enabled: boolean
  /**
   * Wrong passwords from one network (X-End-User-IP) that lock the address for that network. Five times as many from all
   * networks together lock it for all networks.
   */
  lockout_max_attempts: number
  /** Seconds for which a wrong password counts towards a lock. */
  lockout_window_seconds: number
  /** Seconds that the first lock lasts. Each further lock lasts twice as long, up to an hour. */
  lockout_duration_seconds: number
  /** What a lock refuses. `password`: passwords. `all`: also codes, links, passkeys and refresh. */
  lockout_scope: "password" | "all"
  /** Lifetime of a sign-in link, in seconds. The words in the same email are valid for at most ten minutes. */
  magic_link_ttl_seconds: number
  /** Maximum number of links sent to one address per minute. */
  magic_link_rate_limit_per_minute: number
  /** Maximum number of links sent to one address per hour. */
  magic_link_rate_limit_per_hour: number
  /**
   * URLs that links and redirects may lead to, compared exactly. Must be https. In development, http on the same machine
   * is also allowed, and needs no entry while the list is empty.
   */
  allowed_redirect_uris: string[]
  /** The entry of allowed_redirect_uris that hosted pages lead to. Null: the only entry, if there is just one. */
  default_redirect_uri: string | null
  /** Whether users may sign in with a code sent to their enrolled phone. The MFA policy must allow sms. */
  sms_sign_in_enabled: boolean
  /** Lifetime of a link that verifies an address or completes a sign-up, in seconds. */
  email_verification_ttl_seconds: number
  /** Lifetime of an invitation, in seconds. */
  invite_ttl_seconds: number
  /**
   * Lifetime of an access token, in seconds. Services that verify tokens offline can accept a token of an ended session
   * for this long.
   */
  access_token_ttl_seconds: number
  /** A session ends if it is not refreshed for this many seconds. */
  session_idle_timeout_seconds: number
  /** A session ends after this many seconds, even if it is in use. */
  session_max_lifetime_seconds: number
  /** Maximum number of concurrent sessions per user. 0: no limit. */
  max_concurrent_sessions: number
  /** What happens when a sign-in exceeds max_concurrent_sessions. */
  concurrent_session_policy: "revoke_oldest" | "deny_new"
  /**
   * Seconds for which a used refresh token can be sent again, for example after a lost response. The response then has
   * the same new token.
   */
  refresh_reuse_interval_seconds: number
  /** `aud` of access tokens. Null: the id of the account. */
  audience: string | string[] | null
  /**
   * Additional claims of access tokens: the name of each claim and its source, which is `user.externalId`,
   * `user.metadata.{key}`, `organization.externalId` or `organization.metadata.{key}`. Claims without a value are
   * omitted.
   */
  token_claims: Record<string, string>
  /** Days for which a device can skip the second factor after it completed a challenge. 0: no device is trusted. */
  trusted_device_days: number
  /**
   * Whether devices may also be trusted for users whose role the MFA policy names in enforce_for_roles, and for owners
   * and admins if the policy requires their second factor.
   */
  trusted_devices_for_enforced_roles: boolean
  /**
   * Whether users are notified by email of a sign-in from a device not seen for 90 days. Uses X-End-User-IP and
   * X-End-User-Agent.
   */
  notify_new_device: boolean
  /**
   * Whether users must sign in with single sign-on. Sessions of other methods can then no longer be refreshed. Requires
   * an active, complete connection and a verified domain.
   */
  enforce_sso: boolean
  /** Users who may sign in with other methods, for example if the provider fails. Values of directory_user_id. */
  sso_exempt_user_ids: string[]
  /**
   * Whether callers with the scope `impersonate` may impersonate users. Each organization sets this itself, because it
   * is not inherited.
   */
  impersonation_enabled: boolean
  /** Only in the defaults: whether a person with a proved mailbox may create an organization and become its admin. */
  discovery_create_organizations: boolean
  /** Only in the defaults: maximum number of organizations that people create in this way per day. */
  discovery_create_limit_per_day: number
  /** Requests that the SCIM client may send per second. A short burst may have 4 times this number of requests. */
  scim_requests_per_second: number
}

export interface AuthSettingsPatch {
  /** Whether users may sign up. */
  allow_sign_up?: boolean | null | undefined
  /** Whether the mailbox must be proved before a password or a sign-up creates a session. */
  require_email_verification?: boolean | null | undefined
  /** Maximum number of sign-ins of a user per minute, for all methods together. */
  sign_in_rate_limit_per_minute?: number | null | undefined
  allowed_origins?: string[] | null | undefined
  /** Whether a sign-up without `openSignup` creates a user for an unknown address. */
  open_signup_default?: boolean | null | undefined
  /** Whether users may sign in and up with a password. */
  email_password_enabled?: boolean | null | undefined
  /** Whether forgotten passwords may be reset by email. */
  password_reset_enabled?: boolean | null | undefined
  /** Lifetime of a reset link, in seconds. */
  password_reset_ttl_seconds?: number | null | undefined
  /** Minimum length of a new password, in characters. */
  password_min_length?: number | null | undefined
  /** Maximum length of a new password, in characters. */
  password_max_length?: number | null | undefined
  /** Whether common and breached passwords are refused. The service contains the list. */
  password_breach_check?: boolean | null | undefined
  /** How many of the user’s last passwords, including the current password, may not be used again. */
  password_history?: number | null | undefined
  /**
   * Memory of argon2id, in KiB. A stored password is hashed again at the user’s next sign-in. Memory multiplied by
   * passes must not exceed the limit of the deployment.
   */
  password_hash_memory_kib?: number | null | undefined
  /** Passes of argon2id. */
  password_hash_iterations?: number | null | undefined
  /** Lanes of argon2id. */
  password_hash_parallelism?: number | null | undefined
  /** Whether wrong passwords lock an address. */
  lockout_enabled?: boolean | null | undefined
  /**
   * Wrong passwords from one network (X-End-User-IP) that lock the address for that network. Five times as many from all
   * networks together lock it for all networks.
   */
  lockout_max_attempts?: number | null | undefined
  /** Seconds for which a wrong password counts towards a lock. */
  lockout_window_seconds?: number | null | undefined
  /** Seconds that the first lock lasts. Each further lock lasts twice as long, up to an hour. */
  lockout_duration_seconds?: number | null | undefined
  lockout_scope?: "password" | "all" | null | undefined
  /** Lifetime of a sign-in link, in seconds. The words in the same email are valid for at most ten minutes. */
  magic_link_ttl_seconds?: number | null | undefined
  /** Maximum number of links sent to one address per minute. */
  magic_link_rate_limit_per_minute?: number | null | undefined
  /** Maximum number of links sent to one address per hour. */
  magic_link_rate_limit_per_hour?: number | null | undefined
  allowed_redirect_uris?: string[] | null | undefined
  /** The entry of allowed_redirect_uris that hosted pages lead to. Null: the only entry, if there is just one. */
  default_redirect_uri?: string | null | undefined
  /** Whether users may sign in with a code sent to their enrolled phone. The MFA policy must allow sms. */
  sms_sign_in_enabled?: boolean | null | undefined
  /** Lifetime of a link that verifies an address or completes a sign-up, in seconds. */
  email_verification_ttl_seconds?: number | null | undefined
  /** Lifetime of an invitation, in seconds. */
  invite_ttl_seconds?: number | null | undefined
  /**
   * Lifetime of an access token, in seconds. Services that verify tokens offline can accept a token of an ended session
   * for this long.
   */
  access_token_ttl_seconds?: number | null | undefined
  /** A session ends if it is not refreshed for this many seconds. */
  session_idle_timeout_seconds?: number | null | undefined
  /** A session ends after this many seconds, even if it is in use. */
  session_max_lifetime_seconds?: number | null | undefined
  /** Maximum number of concurrent sessions per user. 0: no limit. */
  max_concurrent_sessions?: number | null | undefined
  concurrent_session_policy?: "revoke_oldest" | "deny_new" | null | undefined
  /**
   * Seconds for which a used refresh token can be sent again, for example after a lost response. The response then has
   * the same new token.
   */
  refresh_reuse_interval_seconds?: number | null | undefined
  /** `aud` of access tokens. Null: the id of the account. */
  audience?: string | string[] | null | undefined
  token_claims?: Record<string, string> | null | undefined
  /** Days for which a device can skip the second factor after it completed a challenge. 0: no device is trusted. */
  trusted_device_days?: number | null | undefined
  /**
   * Whether devices may also be trusted for users whose role the MFA policy names in enforce_for_roles, and for owners
   * and admins if the policy requires their second factor.
   */
  trusted_devices_for_enforced_roles?: boolean | null | undefined
  /**
   * Whether users are notified by email of a sign-in from a device not seen for 90 days. Uses X-End-User-IP and
   * X-End-User-Agent.
   */
  notify_new_device?: boolean | null | undefined
  /**
   * Whether users must sign in with single sign-on. Sessions of other methods can then no longer be refreshed. Requires
   * an active, complete connection and a verified domain.
   */
  enforce_sso?: boolean | null | undefined
  sso_exempt_user_ids?: string[] | null | undefined
  /**
   * Whether callers with the scope `impersonate` may impersonate users. Each organization sets this itself, because it
   * is not inherited.
   */
  impersonation_enabled?: boolean | null | undefined
  /** Only in the defaults: whether a person with a proved mailbox may create an organization and become its admin. */
  discovery_create_organizations?: boolean | null | undefined
  /** Only in the defaults: maximum number of organizations that people create in this way per day. */
  discovery_create_limit_per_day?: number | null | undefined
  /** Requests that the SCIM client may send per second. A short burst may have 4 times this number of requests. */
  scim_requests_per_second?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface AuthSettingsReply {
  settings: AuthSettings
}

export type AuthSettingsUpdatedEvent = Omit<Event, 'type' | 'data'> & {
  /** The sign-in, sign-up and session settings of an organization, or the defaults of its environment, were changed. */
  type: "auth.settings.updated"
  /** The values that were set. Null: the value is inherited again. */
  data: Record<string, unknown>
}

export type AuthSignupSucceededEvent = Omit<Event, 'type' | 'data'> & {
  /** A user completed sign-up. The user proved the mailbox, unless the organization requires no proof. */
  type: "auth.signup.succeeded"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Sign-in method that was tried, such as `otp` or `password`. */
    method: string
  }
}

export type AuthStepUpSucceededEvent = Omit<Event, 'type' | 'data'> & {
  /** A user completed a step-up in a session. */
  type: "auth.step_up.succeeded"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Method of the step-up. */
    method: string
    /** The session that was stepped up. */
    session_id: string
    /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
    amr: string[]
    /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
    aal: string
  }
}

export interface AuthVerifyEmailReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
}

export interface AuthVerifyEmailRequest {
  email: EmailAddress
  token_hash: TokenHash
  /** The password that the user chose at sign-up. Send it to keep the password. If absent, the password is removed. */
  password?: string | undefined
  subOrgId?: SubOrgId | undefined
}

/** The backup codes, which are shown only once. */
export interface BackupCodes {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Ten backup codes, each for one sign-in. The codes are shown only once. */
  backupCodes: string[]
}

/** Branding of emails and hosted pages. Null: the branding of the deployment. */
export interface Branding {
  /** The name of your brand, shown at the top of emails and pages and as the name of the sender. */
  brand_name: string | null
  /** The https URL of an image that is shown instead of the brand name. */
  logo_url: string | null
  /** The email address for help, shown at the end of emails and pages. */
  support_email: string | null
}

export interface BrandingPatch {
  /** The name of your brand, shown at the top of emails and pages and as the name of the sender. */
  brand_name?: string | null | undefined
  /** The https URL of an image, shown 40 pixels high instead of the brand name. */
  logo_url?: string | null | undefined
  /** The email address for help, shown at the end of emails and pages. */
  support_email?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

/** A certificate of the identity provider or of this service. */
export interface Certificate {
  /** SHA-256 of the certificate, in hexadecimal with colons, to compare with the provider’s display. */
  fingerprint_sha256: string
  /** Distinguished name of the certificate. */
  subject: string
  /** Valid from this time on. */
  not_before: string
  /** Valid until this time. */
  not_after: string
  /** `draft`: no sign-ins. `testing`: only with `test=true`. `active`: all. `error`: none. */
  status: "current" | "next" | "former" | "expired"
  /** The certificate in PEM. */
  pem: string
}

/** Public keys for `private_key_jwt` (RFC 7517). */
export interface ClientKeySet {
  /** The current signing key, and the next one once it is published. */
  keys: {
    /** Key type: always `RSA`. */
    kty: string
    /** Key id: the `kid` of the client assertions. */
    kid: string
    /** Always `sig`. */
    use: string
    /** Algorithm of the assertions: always `RS256`. */
    alg: string
    /** Modulus, in base64url. */
    n: string
    /** Exponent, in base64url. */
    e: string
    /** The certificate, DER in base64. */
    x5c: string[]
    /** SHA-256 of the certificate, in base64url. */
    "x5t#S256": string
  }[]
}

/** One check of a connection test. */
export interface ConnectionCheck {
  /** Stable name of the check, such as `certificates`. */
  id: string
  /** Whether the check passed. */
  ok: boolean
  /** The result, in English, for an administrator. */
  message: string
  /** How to fix it. Null if the check passed. */
  fix: string | null
}

export interface ConnectionOfDomain {
  /** The connectionId of POST /v1/auth/login/sso/start. */
  id: string
  /** The organization of the connection. */
  subOrgId: string | null
  /** The connection’s name, for the label of a button. */
  name: string
  /** The protocol of the connection. A sign-in page can ignore it. */
  protocol: "saml" | "oidc"
}

export interface ConnectionsListTracesReply {
  /** The latest sign-ins, newest first. */
  traces: SsoSignInTrace[]
}

export interface ConnectionsTestReply {
  /** Whether every check passed. */
  success: boolean
  /** Always `testing`, even if an active connection stays active. */
  status: "testing"
  /** The checks, in the order in which they ran. */
  checks: ConnectionCheck[]
}

export interface ConnectionsTestRequest {
  subOrgId?: SubOrgId | undefined
}

export type Country = string

/** false: no email is sent, and the response contains the link. Requires the scope links.issue. */
export type Deliver = boolean

/** Whether the message is sent: `queued` if at least one message is sent. */
export interface DeliveryState {
  /** `queued`: the message will be sent. `withheld`: it will not be sent, and `reason` says why. */
  status: "queued" | "withheld"
  /**
   * Why the message is withheld: channel_off, no_provider, number_not_mobile, country_not_allowed, daily_limit,
   * recipient_limit, organization_limit, key_limit, user_limit or network_limit. Null if the message is queued.
   */
  reason: string | null
  /** Each requested message. */
  messages: ({
    /** Channel of the message. */
    channel: "email" | "sms"
    /** `queued`: the message will be sent. `withheld`: it will not be sent, and `reason` says why. */
    status: "queued" | "withheld"
    /**
     * Why the message is withheld: channel_off, no_provider, number_not_mobile, country_not_allowed, daily_limit,
     * recipient_limit, organization_limit, key_limit, user_limit or network_limit. Null if the message is queued.
     */
    reason: string | null
  })[]
}

export type DeploymentRecoveredEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * The operator ran `watchword recover` after a restore or a failover that lost transactions. All sessions ended, and
   * earlier codes, links and other one-time secrets are refused.
   */
  type: "deployment.recovered"
  /** What happened, with the fields of this type of event. */
  data: {
    /** When the recovery started. */
    recoveredAt: string
  }
}

/** A trusted device of a user. */
export interface DeviceTrust {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** User agent of the device when it was trusted. */
  user_agent: string | null
}

export type DeviceTrustEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `mfa.trusted_device.added`: A user passed a challenge and trusted the device. `mfa.trusted_device.removed`: One
   * trusted device was removed. The event is not recorded when all trusted devices are removed because a factor was
   * removed, the password changed or the user was deleted. `mfa.trusted_device.used`: A trusted device replaced the
   * second factor of a sign-in.
   */
  type: "mfa.trusted_device.added" | "mfa.trusted_device.removed" | "mfa.trusted_device.used"
  /** What happened, with the fields of this type of event. */
  data: DeviceTrust
}

/** An organization that the person can enter. */
export interface DiscoveredOrganization {
  /** The organization. Send it as `subOrgId` to sign in there. */
  subOrgId: string
  /** The organization’s name, for a list to choose from. */
  name: string
  /** Identifies the organization in your URLs. */
  slug: string
  /** `joinable`: a verified domain of the organization lets the person sign up. */
  state: "active" | "invited" | "joinable"
  /**
   * What else the organization requires. `sso`: single sign-on. `mfa`: a second factor, which the person may have to
   * enroll first.
   */
  requires: "sso" | "mfa" | null
  /**
   * Only if `requires` contains `sso`: the connection for POST /v1/auth/login/sso/start. Absent if no connection serves
   * the address.
   */
  connection_id: string | null
}

export interface Discovery {
  /** Token for POST /v1/auth/discovery/exchange. Works once for each of the listed organizations. */
  discovery_token: string
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at: string
  /** Organizations that the person can enter. May be empty. */
  organizations: DiscoveredOrganization[]
}

export interface DiscoveryCreateOrganizationRequest {
  /** `discovery_token` of the proof: a code, a link, a passkey or a social sign-in. */
  discovery_token: string
  /** Name that administrators and emails show. */
  name: Name
  /** URL-safe name, unique within the parent organization over all environments. Archived organizations keep their slugs. */
  slug?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface DiscoveryExchangeRequest {
  /** `discovery_token` of the proof: a code, a link, a passkey or a social sign-in. */
  discovery_token: string
  subOrgId?: SubOrgId | undefined
}

export interface DiscoveryMagicLinkSendRequest {
  email: EmailAddress
  redirectTo?: RedirectTo | undefined
  deliver?: Deliver | undefined
  subOrgId?: SubOrgId | undefined
}

export interface DiscoveryOtpSendRequest {
  email: EmailAddress
  subOrgId?: SubOrgId | undefined
}

export type DocsGetOpenapiReply = unknown

export type DocsGetScimOpenapiReply = unknown

/** A domain of an organization, and whether it is verified. */
export interface Domain {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The domain name, in ASCII (IDNA). */
  domain: string
  /** The Unicode form, if it differs and is not easily confused with another name. */
  unicode: string | null
  /** `failed`: the last check did not find the TXT record, or the record of a verified domain is gone. */
  status: "pending" | "verified" | "failed"
  /** The TXT record to set. */
  verification: {
    /** How the domain is verified: always by a TXT record in the DNS. */
    type: "dns_txt"
    /** Name of the TXT record. */
    name: string
    /** Text of the TXT record. */
    value: string
  }
  /** When the TXT record was first found. Null: not verified yet. */
  verified_at: string | null
  /** When the service last looked for the TXT record. Null: never. */
  last_checked_at: string | null
  last_error: DomainError | null
}

export interface DomainAction {
  /** The action. `add_domain` takes `domain`, the others take `domainId`. */
  action: "add_domain" | "verify_domain" | "remove_domain"
  /** Domain name to add, such as acme.com. May be internationalized. */
  domain?: string | undefined
  /** Domain to verify or remove: `id` in the overview. */
  domainId?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface DomainActionReply {
  /** `false` if the check did not find the TXT record. `error` says why. */
  success: boolean
  error: DomainError | null
  /** The domain after the action. Null: the domain was removed. */
  domain: Domain | null
  overview: AdminPortalOverview
}

export interface DomainCheckReply {
  /** `false` if the check did not find the TXT record. `error` says why. */
  success: boolean
  error: DomainError | null
  domain: Domain
}

export interface DomainCreate {
  /** Domain name, such as acme.com. May be internationalized. */
  domain: string
  subOrgId?: SubOrgId | undefined
}

/** `txt_not_found`: no TXT record. `txt_mismatch`: only other TXT records. `dns_unavailable`: the DNS did not answer. */
export type DomainError = "txt_not_found" | "txt_mismatch" | "dns_unavailable"

export type DomainEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `domain.added`: A domain was added to an organization and is not verified yet. `domain.removed`: A domain was
   * removed from its organization. `domain.verification_failed`: A requested check did not find the TXT record of a
   * domain, or a periodic check no longer found it. `domain.verification_lost`: The TXT record of a verified domain was
   * missing for days. The organization lost the domain. `domain.verified`: The TXT record of a domain was found. The
   * organization owns the domain.
   */
  type: "domain.added" | "domain.removed" | "domain.verification_failed" | "domain.verification_lost" | "domain.verified"
  /** What happened, with the fields of this type of event. */
  data: Domain
}

export interface DomainListReply {
  /** The domains, the oldest first. */
  domains: Domain[]
}

export interface DomainReply {
  domain: Domain
}

export interface DomainsVerifyRequest {
  subOrgId?: SubOrgId | undefined
}

/** Email address of the user. Case does not matter. */
export type EmailAddress = string

/** An environment of the account, with its own users, keys and token issuer. */
export interface Environment {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** Name that administrators see. */
  name: string
  /** Identifies the environment in API keys and issuers. The slug never changes. */
  slug: string
  /** `production`, `staging`, or `custom` for environments that you create. */
  type: "production" | "staging" | "custom"
  /** The organization that a custom environment belongs to. Only keys of this organization are accepted. */
  subOrgId: string | null
  /** Default language of the environment’s users (BCP 47). Null: `en`. */
  locale: string | null
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** Number of active keys that the caller may see. */
  keyCount: number
}

export type EnvironmentEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `environment.created`: A custom environment was created. `environment.updated`: The name or the locale of an
   * environment was changed.
   */
  type: "environment.created" | "environment.updated"
  /** What happened, with the fields of this type of event. */
  data: Environment
}

export interface EnvironmentsCreateReply {
  environment: Environment
}

export interface EnvironmentsCreateRequest {
  /** Name that administrators see. */
  name: Name
  /**
   * Up to 63 characters: a-z, 0-9 and single hyphens between them. Must not be production or staging. Unique within the
   * organization.
   */
  slug: string
  locale?: Locale | undefined
  subOrgId?: SubOrgId | undefined
}

export interface EnvironmentsGetReply {
  environment: Environment
}

export interface EnvironmentsListReply {
  /** The environments that the caller reaches. */
  environments: Environment[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface EnvironmentsUpdateReply {
  environment: Environment
}

export interface EnvironmentsUpdateRequest {
  /** Name that administrators see. */
  name?: Name | undefined
  locale?: Locale | undefined
  subOrgId?: SubOrgId | undefined
}

export interface Event {
  /** Id of the event. The same in the feed and in every delivery. */
  id: string
  /** Type of the event, such as `user.created`. */
  type: string
  /** When the event happened (RFC 3339, in UTC). */
  timestamp: string
  /** Version of the event format. The version changes only if the format changes incompatibly. */
  api_version: string
  /** Slug of the environment, such as `production`. */
  environment: string
  /**
   * The organization in which the event happened. Null: no organization, for example for a change of the whole
   * environment.
   */
  sub_org_id: string | null
  /** Who caused the event. */
  actor: {
    /** `api_key`, `user`, `scim` (provisioning), `system` (jobs) or `cli`. */
    type: string
    /** The id of the API key or the user. Null: this kind of actor has no id. */
    id: string | null
    /** The person that your backend acted for (`X-Actor-Id` and `X-Actor-Name`). Null without these headers. */
    on_behalf_of: {
      /** Your id of the person: `X-Actor-Id` of the request. */
      id: string
      /** Name of the person: `X-Actor-Name` of the request. Null: not sent. */
      name: string | null
    } | null
    /**
     * For sign-ins and sign-outs, the actor is the user, and this is the API key or team member that sent the request. For
     * a user’s request that your backend sends with its API key, this is the API key. Otherwise null.
     */
    via: {
      /** `api_key`, or `user` for a member of the team. */
      type: string
      /** The API key, or the `directoryUserId` of the member. */
      id: string
    } | null
  }
  /** The resource that the event is about. Null: none. */
  target: {
    /** Type of the resource, such as `user` or `session`. */
    type: string
    /** Id of the resource. */
    id: string
  } | null
  /** `X-Request-Id` of the request. Null: no request caused the event, but for example a job. */
  request_id: string | null
  /** IP address of the end user, if the request contained it. */
  ip_address: string | null
  /** User agent of the end user, if the request contained it. */
  user_agent: string | null
  /** The resource in the same form as in API responses. */
  data: Record<string, unknown>
  previous: Record<string, unknown> | null
}

export interface EventsListReply {
  /** Events after the cursor, oldest first. */
  events: AnyEvent[]
  /** Whether more events exist. If true, read the next page immediately. */
  has_more: boolean
  /** Cursor for the next call. Always present. */
  next_cursor: string
}

export interface FactorChange {
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** The factor: `totp` (authenticator app), `sms` (phone) or `backup` (backup codes). */
  method: "totp" | "backup" | "sms"
}

export type FactorChangeEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `mfa.enrolled`: A user confirmed a second factor. `mfa.removed`: A second factor of a user was removed, together
   * with every trusted device. Removing an authenticator app also removes the backup codes.
   */
  type: "mfa.enrolled" | "mfa.removed"
  /** What happened, with the fields of this type of event. */
  data: FactorChange
}

/** The factor was removed. */
export interface FactorRemoval {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Whether the MFA policy requires the user to have a factor. */
  required: boolean
}

/** Where to send the browser, and the state to keep. */
export interface FederatedStart {
  /** The URL to send the browser to. */
  authorization_url: string
  /**
   * Random value that redirectUri receives after the sign-in. Store it in the browser’s session, and compare the two
   * values.
   */
  state: string
}

export interface HealthGetLivenessReply {
  /** Always `ok`. */
  status: "ok"
}

export interface HealthGetVersionReply {
  /** Version of the service that answers (semantic versioning). */
  version: string
}

/** The link between a user and their account at an identity provider or social provider. */
export interface Identity {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  userId: string | null
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directoryUserId: string
  /** `sso`: a connection of the organization. `social`: a social provider. */
  method: "sso" | "social"
  /** The connection’s id (`sso`) or the provider’s name (`social`). */
  source: string
  /** The issuer of the provider: its URL, or its SAML entity ID. */
  issuer: string
  /** Id of the person at the provider. */
  subject: string
  /** The email address that the provider sent at the last sign-in. Null: none. */
  email: string | null
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the user last signed in with this identity. */
  lastUsedAt: string
}

export type IdentityEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `identity.linked`: An identity at a provider was linked to a user. The user can sign in with it.
   * `identity.unlinked`: An identity was unlinked from a user, either by a request or because the user proved the
   * mailbox for the first time.
   */
  type: "identity.linked" | "identity.unlinked"
  /** What happened, with the fields of this type of event. */
  data: Identity
}

export type ImpersonationEndedEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `impersonation.ended`: An impersonation session ended. The event is recorded within two minutes of the end.
   * `impersonation.started`: A support agent started a read-only session as a user.
   */
  type: "impersonation.ended" | "impersonation.started"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The impersonation session. */
    id: string
    /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
    user_id: string
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
    impersonator: Impersonator
    /** Why the session ended. Null in the event of its start. */
    ended: "expired" | "revoked" | null
  }
}

/** The support person who acts for the user: `act` of the token (RFC 8693 §4.1). */
export interface Impersonator {
  /** Your name or id of the support person, as sent at the start of the impersonation. */
  sub: string
  /** The reason, as sent at the start of the impersonation. Shown in the audit log. */
  reason: string
}

/** The content of the token (RFC 7662). If the token is not valid, the response contains only `active: false`. */
export interface Introspection {
  /** Whether the token is valid: this service issued it, it has not expired, and its session has not ended. */
  active: boolean
  /** `access_token` or `refresh_token`. */
  token_type?: string | undefined
  /** Issuer: the URL of the environment. */
  iss?: string | undefined
  /** The auth account of the user. */
  sub?: string | undefined
  /** Audience: the setting `audience`, or the account’s id. */
  aud?: string | string[] | undefined
  /** When the token expires, in seconds since 1970. */
  exp?: number | undefined
  /** When the token was issued, in seconds since 1970. Absent for a refresh token. */
  iat?: number | undefined
  /** The session: `id` in `/v1/sessions`. */
  sid?: string | undefined
  /** The organization of the user. Null: the account level. */
  org_id?: string | null | undefined
  /** The email address of the user. */
  username?: string | undefined
  /** The same as `sub`. */
  user_id?: string | undefined
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id?: string | undefined
  /** The current built-in role of the user. For a team member, the role in the team. */
  role?: string | undefined
  /** Slugs of the organization’s own roles that the user currently has. */
  roles?: string[] | undefined
  /** Current permissions of the user. */
  permissions?: string[] | undefined
  /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
  amr?: string[] | undefined
  /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
  aal?: string | undefined
  /** The SAML or OIDC connection of the session. */
  connection_id?: string | null | undefined
  /** When the user signed in or last completed a step-up, in seconds since 1970. */
  auth_time?: number | undefined
  /** Slug of the environment. */
  env?: string | undefined
  act?: Impersonator | undefined
}

/** An invitation of a user into an organization. */
export interface Invite {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The email address that the invitation was mailed to. */
  email: string
  /** `pending`: not accepted yet. `accepted`, `expired` or `revoked`: the link no longer works. */
  status: "pending" | "accepted" | "expired" | "revoked"
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  user_id: string | null
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** The name of the inviting person, as shown in the email. */
  invited_by: string | null
  /** The organization of the user. Null: the account level of the environment. */
  sub_org_id: string | null
  /** When the record was created (RFC 3339, in UTC). */
  created_at: string
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at: string
  /** When the person accepted. Null: not accepted. */
  accepted_at: string | null
  /**
   * How the person joined: `invite` for the link in the invitation, or else the sign-in method or `email_verification`.
   * Null: not accepted.
   */
  accepted_by: string | null
  /** When the invitation was withdrawn. Null: not withdrawn. */
  revoked_at: string | null
}

export type InviteEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `invite.accepted`: An invitation was accepted by its link, or because the person joined in another way
   * (`data.accepted_by`). `invite.created`: A user was invited for the first time, or again after the previous
   * invitation was accepted or withdrawn or had expired. `invite.expired`: An invitation was not accepted in time.
   * `invite.resent`: An invited user was sent a new link, which replaces the previous one. `invite.revoked`: An
   * invitation was withdrawn, or it ended because its user got another address, was deactivated, deleted or moved, or is
   * now managed by provisioning.
   */
  type: "invite.accepted" | "invite.created" | "invite.expired" | "invite.resent" | "invite.revoked"
  /** What happened, with the fields of this type of event. */
  data: Invite
}

export interface InvitesAcceptRequest {
  token: TokenHash
  password?: NewPassword | undefined
  subOrgId?: SubOrgId | undefined
}

export interface InvitesCreateReply {
  user: User
  invite: MadeInvite
  /** The masked email address that the email is sent to. */
  delivery_hint: string
  /**
   * Whether the roles in the request were given. False: the user has signed in before and keeps the current roles. Null:
   * the request has neither `role` nor `roleIds`.
   */
  roles_applied: boolean | null
  /**
   * Whether the user will be able to sign in. False: the organization enforces single sign-on, the user is not exempt,
   * and no connection serves the address. The email then asks the person to get access first. To let the user in, add
   * the user to `sso_exempt_user_ids`.
   */
  can_sign_in: boolean
}

export interface InvitesCreateRequest {
  email: EmailAddress
  /** Full name, used in emails and in the token claim `name`. Null: none. */
  displayName?: OneLine | undefined
  /** First name. Null: none. */
  firstName?: OneLine | undefined
  /** Last name. Null: none. */
  lastName?: OneLine | undefined
  locale?: Locale | undefined
  /** Default `member`. `role` and `roleIds` also require the scope `roles.write`. */
  role?: "admin" | "member" | undefined
  /** Ids or slugs of roles of the organization. */
  roleIds?: string[] | undefined
  /**
   * The name of the inviting person, shown in the email. If absent, a renewed invitation keeps the previous name. Null:
   * no name.
   */
  invitedBy?: Name | null | undefined
  redirectTo?: RedirectTo | undefined
  deliver?: Deliver | undefined
  subOrgId?: SubOrgId | undefined
}

export interface InvitesGetReply {
  invite: Invite
}

export interface InvitesListReply {
  /** Invitations of the organization. */
  invites: Invite[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface InvitesRevokeReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  invite: Invite
}

/** Metadata of the issuer (RFC 8414). */
export interface IssuerMetadata {
  /** The `iss` of the tokens. */
  issuer: string
  /** URL of the public keys. */
  jwks_uri: string
  /** Token introspection endpoint (RFC 7662). Requires an API key. */
  introspection_endpoint: string
  /** Token revocation endpoint. Requires an API key. */
  revocation_endpoint: string
  /** Always empty, because there is no authorization endpoint. */
  response_types_supported: string[]
}

/** A public key. Elliptic-curve keys also have `crv`, `x` and `y`. */
export type Jwk = {
  /** Key type, such as `EC`. */
  kty: string
  /** Key id: the `kid` in the header of the tokens that it signs. */
  kid: string
  /** Always `sig`: the key verifies signatures. */
  use: string
  /** Algorithm of the signatures, such as `ES256`. */
  alg: string
} & Record<string, unknown>

/** Public keys (RFC 7517). */
export interface JwkSet {
  /** The current signing keys, the next one, and previous keys whose tokens are still valid. */
  keys: Jwk[]
}

/**
 * Language tag (BCP 47) for emails, text messages and pages. Null: the language of the organization, else of the
 * environment, else `en`.
 */
export type Locale = string | null

export interface LoginMagicLinkSendRequest {
  email: EmailAddress
  redirectTo?: RedirectTo | undefined
  deliver?: Deliver | undefined
  subOrgId?: SubOrgId | undefined
}

/** A sign-in method that currently works in the organization. */
export interface LoginMethod {
  /** The method. `otp`: a mailed code, `otp_sms`: a code by text message. */
  id: "password" | "otp" | "otp_sms" | "magic_link" | "passkey" | "social" | "sso"
  /** A short English name for a button. */
  label: string
  /** Only for `social`: the providers that are turned on, such as `google`. Otherwise null. */
  providers: string[] | null
  /** For `sso`: connections for POST /v1/auth/login/sso/start. */
  connections: ({
    /** Send it as `connectionId` to `POST /v1/auth/login/sso/start`. */
    id: string
    /** The connection’s name, for the label of a button. */
    name: string
    /** The protocol of the connection. A sign-in page can ignore it. */
    protocol: "saml" | "oidc"
  })[] | null
}

export interface LoginOtpSendRequest {
  email: EmailAddress
  /** `sms` sends the code to the enrolled phone of the user, if sms_sign_in_enabled is on. */
  channel?: "email" | "sms" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface LoginPasskeyStartReply {
  /** For `navigator.credentials.get()` in the browser. */
  options: PasskeyRequestOptions
  /** The challenge. Send it with the credential within 300 seconds. */
  challengeId: string
}

export interface LoginPasskeyStartRequest {
  /**
   * Email address of the user. Case does not matter. If absent or empty, any user with a passkey on the device may sign
   * in. With subOrgId, a request without an email requires `conditional`.
   */
  email?: string | undefined
  /** `true` for autofill, or for a sign-in button without an email address. The options then list no passkeys. */
  conditional?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface LoginPasskeyVerifyRequest {
  /**
   * The email address that was sent to request the options. Absent or empty if the options were requested without an
   * email address.
   */
  email?: string | undefined
  /** `challengeId` in the response of the route options. */
  challengeId: string
  credential: PasskeySignInCredential
  subOrgId?: SubOrgId | undefined
}

export interface LoginPasswordRequest {
  email: EmailAddress
  /** The password as the user typed it. */
  password: string
  subOrgId?: SubOrgId | undefined
}

/** The session, or a challenge if a second factor is required. */
export interface LoginFields {
  /**
   * The new session. Null if a second factor is required: continue with challenge_token. Also null if the response has
   * sign_in_required or discovery_token.
   */
  session: SessionTokens | null
  /** Only for POST /v1/auth/invite/accept: a team member has joined and must sign in as usual. */
  sign_in_required?: boolean | undefined
  /**
   * Only if the request has no subOrgId: returned by POST /v1/auth/token/exchange after a social sign-in, and by POST
   * /v1/auth/login/passkey/verify if the passkey belongs to users in several organizations. Send it to POST
   * /v1/auth/discovery/exchange to sign in to one of `organizations`.
   */
  discovery_token?: string | undefined
  /** When `discovery_token` expires. */
  expires_at?: string | undefined
  /** Organizations to choose from. Only with `discovery_token`. */
  organizations?: DiscoveredOrganization[] | undefined
  /** The first factor was correct, and a second factor is required. */
  mfa_required?: boolean | undefined
  /** Send it to POST /v1/mfa/challenge/verify or, if enrollment_required is true, to PUT /v1/mfa/totp. */
  challenge_token?: string | undefined
  /** When the challenge expires. After that the user must sign in again. */
  challenge_expires_at?: string | undefined
  /** The user of the challenge. Send it as userId of an enrollment. */
  directory_user_id?: string | undefined
  /**
   * The organization of the challenge. Send it as subOrgId in the requests that complete the challenge. Null for the
   * team.
   */
  sub_org_id?: string | null | undefined
  /** Methods that complete the challenge. `passkey`: the user signs in with a passkey instead. */
  methods?: string[] | undefined
  /** The user has no factor and must enroll one to sign in. */
  enrollment_required?: boolean | undefined
  /**
   * The MFA policy requires a second factor that the user has not enrolled. Until grace_ends_at, the user can sign in
   * without a second factor.
   */
  mfa?: {
    /** Whether the policy requires a second factor of the user. */
    required: boolean
    /** Whether the user has a second factor. */
    enrolled: boolean
    /** From this time on, the user must enroll a factor to sign in. */
    grace_ends_at: string
  } | undefined
  /** The organization of the challenge, or the organization that POST /v1/auth/discovery/create created. */
  organization?: {
    /** The organization: `id` in `/v1/organizations`. */
    subOrgId: string
    /** The organization’s name. */
    name: string
    /** The organization’s slug. */
    slug: string
  } | undefined
}

export interface LoginSsoDiscoverReply {
  /** The default connection, or null. */
  connection: ConnectionOfDomain | null
  /** All active connections that serve the domain, the default one first. */
  connections: ConnectionOfDomain[]
  /** The id of `connection`. */
  connectionId: string | null
  /**
   * Whether the organization that verified the domain refuses all other sign-in methods, except for exempt users. The
   * person may also belong to other organizations that accept codes. A login page for all organizations should therefore
   * also offer a code.
   */
  enforced: boolean
}

export interface LoginSsoDiscoverRequest {
  email: EmailAddress
  subOrgId?: SubOrgId | undefined
}

export interface LoginSsoLogoutReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /**
   * URL to sign out at the provider. Null if the session did not come from single sign-on, or the provider has no such
   * URL.
   */
  logoutUrl: string | null
}

export interface LoginSsoLogoutRequest {
  /** The latest refresh token of the session. */
  refresh_token?: string | undefined
  /** An unexpired access token of the session. */
  access_token?: string | undefined
  /**
   * The session: `id` in `GET /v1/sessions`. An org-wide key (not limited to one organization) must also send
   * `subOrgId`.
   */
  session_id?: string | undefined
  /** URL that the browser returns to: an entry of allowed_redirect_uris. */
  redirectUri: string
  /** Value that is returned to redirectUri. The value must not contain secrets. */
  state?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface LoginSsoStartRequest {
  /** Id of the connection, from `POST /v1/auth/login/sso/discover` or from the method `sso` in `GET /v1/auth/methods`. */
  connectionId: string
  /** URL that the browser returns to: an entry of allowed_redirect_uris. */
  redirectUri: string
  /**
   * What redirectUri receives. `code` (recommended): a code for POST /v1/auth/token/exchange, so that URLs contain no
   * tokens. `query` (default): the tokens.
   */
  response_mode?: "query" | "code" | undefined
  /** Whether the provider must authenticate the person again. Default: the connection’s `force_authn`. */
  force_authn?: boolean | undefined
  /** The email address that the provider should suggest to the person. */
  login_hint?: string | undefined
  subOrgId?: SubOrgId | undefined
}

/** The invitation, with its link if it was not mailed. */
export interface MadeInvite {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The email address that the invitation was mailed to. */
  email: string
  /** `pending`: not accepted yet. `accepted`, `expired` or `revoked`: the link no longer works. */
  status: "pending" | "accepted" | "expired" | "revoked"
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  user_id: string | null
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** The name of the inviting person, as shown in the email. */
  invited_by: string | null
  /** The organization of the user. Null: the account level of the environment. */
  sub_org_id: string | null
  /** When the record was created (RFC 3339, in UTC). */
  created_at: string
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at: string
  /** When the person accepted. Null: not accepted. */
  accepted_at: string | null
  /**
   * How the person joined: `invite` for the link in the invitation, or else the sign-in method or `email_verification`.
   * Null: not accepted.
   */
  accepted_by: string | null
  /** When the invitation was withdrawn. Null: not withdrawn. */
  revoked_at: string | null
  /** The link itself. Only with `deliver: false`. */
  invite_url?: string | undefined
}

export type MailBouncedEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * The mail server refused an address, or a bounce or complaint was reported, and the service counted it. The same
   * bounce or complaint is recorded only once.
   */
  type: "mail.bounced"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The organization that the bounce counts for. Null: every organization of the environment. */
    sub_org_id: string | null
    /** The address, in lower case. */
    email: string
    /**
     * `hard`: the address does not accept mail. `soft`: the address does not accept mail for now, for example because the
     * mailbox is full. `complaint`: the owner of the address reported an email as spam.
     */
    kind: "hard" | "soft" | "complaint"
    /** Status code of the bounce (RFC 3463). Null: the report has none. */
    status: string | null
    /** `smtp`: the mail server refused the address. `report`: `POST /v1/mail/bounces` reported it. */
    source: "smtp" | "report"
    /** The id in the report. Null: the report has none. */
    provider_id: string | null
  }
}

export interface MailGetSettingsReply {
  settings: MailSettings
  sources?: SettingsSources | undefined
}

export interface MailListSuppressionsReply {
  /** Suppressed addresses, by their first bounce. */
  suppressions: MailSuppression[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

/** A placeholder of a kind of email. */
export interface MailPlaceholder {
  /** Name of the placeholder, written in braces in a text. */
  name: string
  /** Meaning of the placeholder. */
  description: string
  /** Example value, used in previews. Null only for `standard`, which stands for paragraphs. */
  example: string | null
  /** Whether the body must contain the placeholder. */
  required: boolean
  /** Whether the heading must contain the placeholder. */
  required_in_heading: boolean
  /** Whether every part that is set must begin with the placeholder. */
  required_first: boolean
  /**
   * Whether the placeholder is refused outside the body. For example, a code in the subject would be visible on lock
   * screens.
   */
  only_in_body: boolean
}

/** An email as it would be sent, with example values. */
export interface MailPreview {
  /** The subject line. */
  subject: string
  /** The plain text part. */
  text: string
  /** The HTML part of the email, which has no scripts and loads only the logo. */
  html: string
}

export interface MailReportBounceReply {
  /** One result for each recipient of the report. */
  bounces: ReportedBounce[]
}

export interface MailReportBounceRequest {
  /** The address that the email was for. Required without `message`. */
  email?: EmailAddress | undefined
  /** What happened. Required without `message`. */
  kind?: "hard" | "soft" | "complaint" | undefined
  /** The id of the report at your email provider. Reports with the same id, address and kind count only once. */
  provider_id?: string | undefined
  /**
   * `Message-ID` of the email, if the provider returns it unchanged. The report then counts only once, and for the
   * organization that sent the email.
   */
  message_id?: string | undefined
  /**
   * The report as it was received: a delivery status notification (RFC 3464) or a feedback report (RFC 5965). At most
   * 4,000 lines. Alternatively, send the report as the whole body with the type `message/rfc822`, and `subOrgId` in the
   * query.
   */
  message?: string | undefined
  subOrgId?: SubOrgId | undefined
}

/** How emails and hosted pages look, and who sends the emails. */
export interface MailSettings {
  /** The name of your brand, shown at the top of emails and pages and as the name of the sender. */
  brand_name: string | null
  /** The https URL of an image, shown 40 pixels high instead of the brand name. */
  logo_url: string | null
  /** The email address for help, shown at the end of emails and pages. */
  support_email: string | null
  /** The color of buttons and links on hosted pages. Where it is hard to see, they keep the color of text. */
  accent_color: string | null
  /** Name of the sender, if different from the brand. */
  from_name: string | null
  /** Address of the sender, in the domain of WATCHWORD_MAIL_FROM. */
  from_address: string | null
  /** Address that replies go to. */
  reply_to: string | null
  subjects: MailSubjects
}

export interface MailSettingsPatch {
  /** The name of your brand, shown at the top of emails and pages and as the name of the sender. */
  brand_name?: string | null | undefined
  /** The https URL of an image, shown 40 pixels high instead of the brand name. */
  logo_url?: string | null | undefined
  /** The email address for help, shown at the end of emails and pages. */
  support_email?: string | null | undefined
  /** The color of buttons and links on hosted pages. Where it is hard to see, they keep the color of text. */
  accent_color?: string | null | undefined
  /** Name of the sender, if different from the brand. */
  from_name?: string | null | undefined
  /** Address of the sender, in the domain of WATCHWORD_MAIL_FROM. */
  from_address?: string | null | undefined
  /** Address that replies go to. */
  reply_to?: string | null | undefined
  /**
   * Subjects by kind of email. Null: the standard subject. {brand} stands for the name of the brand. The subject of a
   * notice of a change to the account must begin with {standard}, which stands for the standard subject.
   */
  subjects?: {
    account_locked?: MailSubject | undefined
    backup_code_used?: MailSubject | undefined
    discovery_link?: MailSubject | undefined
    discovery_otp?: MailSubject | undefined
    email_change_otp?: MailSubject | undefined
    email_changed?: MailSubject | undefined
    email_verification?: MailSubject | undefined
    identity_linked?: MailSubject | undefined
    impersonation_started?: MailSubject | undefined
    invite?: MailSubject | undefined
    login_otp?: MailSubject | undefined
    magic_link?: MailSubject | undefined
    mfa_enrolled?: MailSubject | undefined
    mfa_locked?: MailSubject | undefined
    mfa_removed?: MailSubject | undefined
    new_device?: MailSubject | undefined
    otp?: MailSubject | undefined
    own_email_changed?: MailSubject | undefined
    passkey_deleted?: MailSubject | undefined
    passkey_registered?: MailSubject | undefined
    password_changed?: MailSubject | undefined
    password_reset?: MailSubject | undefined
    signup_link?: MailSubject | undefined
    signup_otp?: MailSubject | undefined
    single_sign_on?: MailSubject | undefined
    single_sign_on_no_access?: MailSubject | undefined
    single_sign_on_unavailable?: MailSubject | undefined
    step_up_otp?: MailSubject | undefined
    webhook_disabled?: MailSubject | undefined
  } | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MailSettingsReply {
  settings: MailSettings
}

export type MailSettingsUpdatedEvent = Omit<Event, 'type' | 'data'> & {
  /** The brand and mail settings of an organization, or the defaults of its environment, were changed. */
  type: "mail.settings.updated"
  /** The values that were set. Null: the value is inherited again. */
  data: Record<string, unknown>
}

/** The subject line. Null: the standard subject in the language of the reader. */
export type MailSubject = string | null

/**
 * Subjects by kind of email. Null: the standard subject. {brand} stands for the name of the brand. The subject of a
 * notice of a change to the account must begin with {standard}, which stands for the standard subject.
 */
export interface MailSubjects {
  account_locked: MailSubject
  backup_code_used: MailSubject
  discovery_link: MailSubject
  discovery_otp: MailSubject
  email_change_otp: MailSubject
  email_changed: MailSubject
  email_verification: MailSubject
  identity_linked: MailSubject
  impersonation_started: MailSubject
  invite: MailSubject
  login_otp: MailSubject
  magic_link: MailSubject
  mfa_enrolled: MailSubject
  mfa_locked: MailSubject
  mfa_removed: MailSubject
  new_device: MailSubject
  otp: MailSubject
  own_email_changed: MailSubject
  passkey_deleted: MailSubject
  passkey_registered: MailSubject
  password_changed: MailSubject
  password_reset: MailSubject
  signup_link: MailSubject
  signup_otp: MailSubject
  single_sign_on: MailSubject
  single_sign_on_no_access: MailSubject
  single_sign_on_unavailable: MailSubject
  step_up_otp: MailSubject
  webhook_disabled: MailSubject
}

/**
 * An address that receives no emails, and why. Notices of a change to the account are withheld only if `source` is
 * `smtp` and `reason` is not `soft_bounces`. The notice `account_locked`, which strangers can cause, is withheld for
 * either `source` if `reason` is not `soft_bounces`.
 */
export interface MailSuppression {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The organization whose emails are withheld. Null: every organization of the environment. */
  sub_org_id: string | null
  /** The address, in lower case. */
  email: string
  /**
   * `hard_bounce`: the address does not accept mail. `complaint`: the owner of the address reported an email as spam,
   * which stays the reason even after a hard bounce. `soft_bounces`: three soft bounces in 7 days, where soft bounces
   * within one hour count as one.
   */
  reason: "hard_bounce" | "complaint" | "soft_bounces"
  /** Status code of the bounce (RFC 3463). Null: the report has none. */
  status: string | null
  /**
   * `smtp`: the mail server has refused the address, even if `reason` is an earlier complaint. `report`: the address was
   * only reported, by `POST /v1/mail/bounces`.
   */
  source: "smtp" | "report"
  /** When the suppression began (RFC 3339, in UTC). */
  suppressed_at: string
  /** When the suppression ends (RFC 3339, in UTC). Null: only when the suppression is cleared. */
  suppressed_until: string | null
  /** Number of emails that were not sent because of the suppression. */
  withheld: number
  /** When the last email was withheld. Null: none was withheld. */
  last_withheld_at: string | null
}

export type MailSuppressionEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `mail.suppressed`: An address was suppressed: it receives no emails for a day, or until the suppression is cleared.
   * The event is recorded again when the mail server refuses an address that had only been reported, and when a
   * complaint follows a bounce. `mail.suppression_cleared`: A suppressed address was cleared, so it receives emails
   * again.
   */
  type: "mail.suppressed" | "mail.suppression_cleared"
  /** What happened, with the fields of this type of event. */
  data: MailSuppression
}

/** The texts of a kind of email in one language, as they were set. Null: inherited. */
export interface MailTemplate {
  /** The kind of email. */
  kind: string
  /** The language of the texts. */
  language: "en" | "de" | "fr" | "es" | "pt-BR" | "ja"
  /** The subject line. */
  subject: string | null
  /** The heading, which is the first line of the email. */
  heading: string | null
  /**
   * The paragraphs below the heading. `{link}` and `{code}` must be at the end of a paragraph. The button or the code is
   * shown below that paragraph. A paragraph `{standard}` stands for the standard paragraphs. In notices of a change to
   * the account, every part that is set must begin with `{standard}`. A paragraph with a placeholder that has no value
   * is omitted.
   */
  body: string[] | null
  /** The label of the button that opens the link. Null in emails without a link. */
  button: string | null
  /** The last paragraph, in small print. */
  footer: string | null
}

export type MailTemplateEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `mail.template.reset`: The texts of a kind of email were reset, for an organization or the defaults of its
   * environment. `mail.template.updated`: The texts of a kind of email were changed, for an organization or the defaults
   * of its environment.
   */
  type: "mail.template.reset" | "mail.template.updated"
  /** What happened, with the fields of this type of event. */
  data: MailTemplate
}

/** The texts that are used for parts that are null: the texts of the environment’s defaults, or the standard texts. */
export interface MailTemplateInherited {
  /** The subject line. */
  subject: string | null
  /** The heading, which is the first line of the email. */
  heading: string | null
  /**
   * The paragraphs below the heading. `{link}` and `{code}` must be at the end of a paragraph. The button or the code is
   * shown below that paragraph. A paragraph `{standard}` stands for the standard paragraphs. In notices of a change to
   * the account, every part that is set must begin with `{standard}`. A paragraph with a placeholder that has no value
   * is omitted.
   */
  body: string[] | null
  /** The label of the button that opens the link. Null in emails without a link. */
  button: string | null
  /** The last paragraph, in small print. */
  footer: string | null
}

/** Why stored texts are not used. */
export interface MailTemplateProblem {
  /** The part, such as `body.2`. */
  field: string
  /** The problem as a code. */
  code: string
  /** The problem as a sentence. */
  message: string
}

/** All texts of a kind of email in one language. Null or absent: inherited. */
export interface MailTemplatePut {
  /** The subject line. */
  subject?: string | null | undefined
  /** The heading, which is the first line of the email. */
  heading?: string | null | undefined
  /**
   * The paragraphs below the heading. `{link}` and `{code}` must be at the end of a paragraph. The button or the code is
   * shown below that paragraph. A paragraph `{standard}` stands for the standard paragraphs. In notices of a change to
   * the account, every part that is set must begin with `{standard}`. A paragraph with a placeholder that has no value
   * is omitted.
   */
  body?: string[] | null | undefined
  /** The label of the button that opens the link. Null in emails without a link. */
  button?: string | null | undefined
  /** The last paragraph, in small print. */
  footer?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MailTemplateReply {
  template: MailTemplate
  inherited: MailTemplateInherited
  /**
   * Problems of the stored texts. Not empty only if another release of the service stored texts that break a rule of
   * this release. Emails then use the inherited texts.
   */
  problems: MailTemplateProblem[]
}

export interface MailTemplatesReply {
  /** The languages of emails. */
  languages: ("en" | "de" | "fr" | "es" | "pt-BR" | "ja")[]
  /** Every kind of email whose texts can be changed. */
  kinds: ({
    /** The kind of email. */
    kind: string
    /** Placeholders that its texts may contain. */
    placeholders: MailPlaceholder[]
    /** The languages whose texts were changed, by the organization, its environment, or both. */
    changed: ({
      /** The language of the texts. */
      language: "en" | "de" | "fr" | "es" | "pt-BR" | "ja"
      /** Who set the texts: the organization (`directory`) or the environment’s defaults (`account`). */
      source: "directory" | "account"
      /**
       * Problems of the stored texts. Not empty only if another release of the service stored texts that break a rule of
       * this release. Emails then use the inherited texts.
       */
      problems: MailTemplateProblem[]
    })[]
  })[]
}

/** A link that was mailed, or returned to your backend. */
export interface MailedLink {
  /** Id of the link. Later events about the link have the same id. */
  link_id: string
  /** How the link is sent: always `email`. */
  channel: string
}

export type MailedLinkEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `auth.email_verification.sent`: A link that verifies the email address of a user was created. The service mails the
   * link, or returns it to the caller. `auth.magic_link.sent`: A sign-in link was created, for a user or for discovery.
   * The service mails the link, or returns it to the caller. `auth.password_reset.requested`: A password reset link was
   * created for a user. `auth.signup_link.sent`: A link was created that completes a sign-up or signs an existing user
   * in. The service mails the link, or returns it to the caller.
   */
  type: "auth.email_verification.sent" | "auth.magic_link.sent" | "auth.password_reset.requested" | "auth.signup_link.sent"
  /** What happened, with the fields of this type of event. */
  data: MailedLink
}

/** The signed-in user, without the fields that are only for your backend. */
export interface Me {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The user’s auth account: `sub` of tokens. */
  userId: string
  /** The organization of the user. Null: the account level of the environment. */
  subOrgId: string | null
  /** The email address, unique within the organization regardless of case. The domain of the address is in ASCII. */
  email: string
  /** Whether the email address is verified: by the user, by your backend or by an identity provider. */
  emailVerified: boolean
  /** Full name, used in emails and in the token claim `name`. Null: none. */
  displayName: string | null
  /** First name. Null: none. */
  firstName: string | null
  /** Last name. Null: none. */
  lastName: string | null
  /** Phone number as it was entered. Null: none. */
  phone: string | null
  /** Language of emails and pages for the user (BCP 47). Null: the language of the organization. */
  locale: string | null
  /** The built-in role: `admin` or `member`. */
  role: string
  /** Whether provisioning (SCIM) manages the user. If true, most changes require `force`. */
  scimManaged: boolean
  /** Whether the user has a second factor: an app or a phone. */
  mfaEnrolled: boolean
  /** Number of passkeys that the user has. */
  passkeyCount: number
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the record last changed (RFC 3339, in UTC). */
  updatedAt: string
}

export interface MeEmailStartRequest {
  email: EmailAddress
  /** URL that the link opens: an entry of allowed_redirect_uris. Default: no link, only the code. */
  redirectTo?: string | undefined
}

export interface MeEmailVerifyReply {
  user: Me
  /** Number of sessions that ended, counted up to 10 000. */
  sessions_revoked: number
}

export interface MeEmailVerifyRequest {
  email: EmailAddress
  /** `otp_id` of the response of the send route. */
  otp_id?: string | undefined
  /** The two words of the code, joined by a space, hyphen or underscore. Case does not matter. */
  code?: string | undefined
  token_hash?: TokenHash | undefined
}

export interface MePasskeysDeleteReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
}

export interface MePasskeysListReply {
  /** Passkeys of the signed-in user, oldest first. */
  credentials: Passkey[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
}

export interface MePasskeysStartReply {
  /** For `navigator.credentials.create()` in the browser. */
  options: PasskeyCreationOptions
  /** The challenge. Send it with the credential within 300 seconds. */
  challengeId: string
}

export interface MePasskeysUpdateReply {
  /** The passkey with its new name. */
  credential: Passkey
}

export interface MePasskeysUpdateRequest {
  deviceName: PasskeyName | null
}

export interface MePasskeysVerifyReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** The passkey that was registered. */
  credential: Passkey
}

export interface MePasskeysVerifyRequest {
  /** `challengeId` of the response with the options. */
  challengeId: string
  credential: PasskeyRegistrationCredential
  deviceName?: PasskeyName | undefined
}

export interface MePasswordUpdateReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Number of sessions that ended, counted up to 10 000. */
  sessions_revoked: number
}

export interface MePasswordUpdateRequest {
  /** The current password of the user. Required if the user has one. */
  current_password?: string | undefined
  new_password: NewPassword
}

export interface MePhoneDeleteReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
}

export interface MePhoneStartRequest {
  /** Phone number in E.164 format, such as +14155550123. */
  phone: string
}

export interface MePhoneVerifyReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
}

export interface MePhoneVerifyRequest {
  /** Six digits that the app shows, or that were sent to the phone. */
  code: string
}

export interface MeReply {
  user: Me
  /** The organization that the user is signed in to. Null for members of the team. */
  organization: {
    /** Id of the organization, for `subOrgId` in requests. */
    id: string
    /** The organization’s name, which you can show to the user. */
    name: string
    /** Identifies the organization in your URLs. */
    slug: string
  } | null
}

export interface MeSessionsListReply {
  /** Live sessions of the signed-in user. `current` marks the session of the request. */
  sessions: OwnSession[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface MeSessionsRevokeOthersReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Number of sessions that ended, counted up to 10 000. */
  revoked: number
}

export interface MeSessionsRevokeReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
}

export interface MeStepUpStartRequest {
  /** The method to start. If absent, the response only lists the available methods. */
  method?: "password" | "otp" | "totp" | "backup" | "sms" | "passkey" | "sso" | undefined
}

export interface MeStepUpVerifyRequest {
  /** The password as the user typed it. */
  password?: string | undefined
  /** `otp_id` in the response that started the step-up. Send it with `code`. */
  otp_id?: string | undefined
  /** `challenge_token` in the response that started the step-up. Send it with `code`. */
  challenge_token?: string | undefined
  /** The code. Send it with otp_id or challenge_token. */
  code?: string | undefined
  /** `challengeId` in the response that started the step-up. Send it with `credential`. */
  challengeId?: string | undefined
  credential?: PasskeySignInCredential | undefined
}

export interface MeTotpDeleteReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
}

export interface MeTotpGetReply {
  enrollment: MfaEnrollment
}

export interface MeTotpVerifyRequest {
  /** `pendingId` of the response that started the enrollment. */
  pendingId: string
  /** Six digits that the app shows, or that were sent to the phone. */
  code: string
}

export interface MeTrustedDevicesDeleteReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
}

export interface MeUpdateRequest {
  /** Full name, used in emails and in the token claim `name`. Null: none. */
  displayName?: OneLine | undefined
  /** First name. Null: none. */
  firstName?: OneLine | undefined
  /** Last name. Null: none. */
  lastName?: OneLine | undefined
  phone?: PhoneNumber | undefined
  locale?: Locale | undefined
}

/** A person of your own company, in the account or on the roster of an organization. */
export interface Member {
  /** Identifies the membership in routes. The id never changes. */
  membershipId: string
  /** The same as `membershipId`. */
  id: string
  /** The auth account of the member’s user: `sub` of tokens. Null: none yet. */
  userId: string | null
  /** The user (`id`) that the member signs in as. Null: none yet. */
  directoryUserId: string | null
  /** The organization whose roster the membership is on. Null: the membership is in the account. */
  subOrgId: string | null
  /** The address that the member signs in with. */
  email: string
  /** Full name. Null: not known yet. */
  displayName: string | null
  /** The role in the account or on the roster, which decides what the member may do. */
  role: "owner" | "admin" | "developer" | "member"
  /** `active`, or `invited` until the person accepts. */
  status: "active" | "invited"
  /**
   * The API key or team member (`directoryUserId`) that sent the latest invitation. Null if the person joined without an
   * invitation.
   */
  invitedBy: {
    /** Kind of caller that sent the invitation. */
    type: "api_key" | "user"
    /** The API key, or the `directoryUserId` of the member. */
    id: string
  } | null
  /** When the person accepted. Null: not yet. */
  joinedAt: string | null
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the record last changed (RFC 3339, in UTC). */
  updatedAt: string
}

export type MemberEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `member.added`: A person joined the team or the roster of an organization. `member.invitation_withdrawn`: An
   * invitation to the team or to the roster of an organization was withdrawn. `member.invited`: A person was invited to
   * the team or to the roster of an organization, or the person’s invitation was renewed. `member.removed`: A member was
   * removed from the team, or from the roster of an organization. `member.role_updated`: The role of a member was
   * changed, in the account or on a roster.
   */
  type: "member.added" | "member.invitation_withdrawn" | "member.invited" | "member.removed" | "member.role_updated"
  /** What happened, with the fields of this type of event. */
  data: Member
}

/** The member whose second factors and passkeys were removed. */
export interface MemberFactorsReset {
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directoryUserId: string
  /** The address that the member signs in with. */
  email: string
  /** Factors that were removed. */
  methods: ("totp" | "sms" | "passkey")[]
}

export type MemberFactorsResetEvent = Omit<Event, 'type' | 'data'> & {
  /** The second factors and passkeys of a member were removed on the command line. */
  type: "member.factors_reset"
  /** What happened, with the fields of this type of event. */
  data: MemberFactorsReset
}

export type MemberLinkPrintedEvent = Omit<Event, 'type' | 'data'> & {
  /** The command line on the server printed a link that sets the password of a member, or accepts an invitation. */
  type: "member.link_printed"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Identifies the membership in routes. The id never changes. */
    membershipId: string
    /** The address that the member signs in with. */
    email: string
    /** What the printed link does. */
    purpose: "password_reset" | "invite"
  }
}

export interface MemberListReply {
  /** Memberships of the account and of rosters. */
  members: Member[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface MemberReply {
  member: Member
}

export interface MembersDeleteReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
}

export interface MembersInviteReply {
  member: Member
  /** The invitation. Null: an existing team member was added immediately. */
  invite: TeamInvite | null
  /** The masked email address that the email is sent to. */
  delivery_hint: string | null
}

export interface MembersInviteRequest {
  email: EmailAddress
  /** The role in the account or on the roster, which decides what the member may do. */
  role: "owner" | "admin" | "developer" | "member"
  /** Full name, used in emails and in the token claim `name`. Null: none. */
  displayName?: OneLine | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MembersListInvitesReply {
  /** Invitations that are open or have expired. */
  invites: TeamInvite[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface MembersRevokeInviteReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
}

export interface MembersUpdateRequest {
  /** The new role in the account, or with `subOrgId` on the roster. */
  newRole: "owner" | "admin" | "developer" | "member"
  subOrgId?: SubOrgId | undefined
}

export type MfaBackupCodesRegeneratedEvent = Omit<Event, 'type' | 'data'> & {
  /** The backup codes of a user were replaced. */
  type: "mfa.backup_codes.regenerated"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
    /** Number of new codes. */
    codes: number
  }
}

export type MfaChallengeCreatedEvent = Omit<Event, 'type' | 'data'> & {
  /** The first factor was correct and a second factor is required. No session exists yet. */
  type: "mfa.challenge.created"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Id of the challenge. Later events about the challenge have the same id. */
    id: string
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
    /** Sign-in method of the first factor. */
    auth_method: string
    /** The user has no factor and must enroll one to sign in. */
    enrollment_required: boolean
  }
}

export type MfaChallengeFailedEvent = Omit<Event, 'type' | 'data'> & {
  /** A wrong code was sent for a challenge. */
  type: "mfa.challenge.failed"
  /** What happened, with the fields of this type of event. */
  data: {
    /** A UUID that the service assigns. The id never changes. */
    id: string
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
    /** Always `wrong_code`. */
    reason: "wrong_code"
    /** Whether this attempt locked the second step for a while. */
    locked: boolean
  }
}

export interface MfaChallengeSendReply {
  /** The phone number, masked. */
  delivery_hint: string
}

export interface MfaChallengeSendRequest {
  /** `challenge_token` of the response of the sign-in. */
  challenge_token: string
  /** Always `sms`. */
  method: "sms"
  subOrgId?: SubOrgId | undefined
}

export type MfaChallengeSucceededEvent = Omit<Event, 'type' | 'data'> & {
  /** A correct code passed a challenge. */
  type: "mfa.challenge.succeeded"
  /** What happened, with the fields of this type of event. */
  data: {
    /** A UUID that the service assigns. The id never changes. */
    id: string
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
    /** The factor that the user proved. */
    method: "totp" | "backup" | "sms"
  }
}

export interface MfaChallengeVerifyReply {
  /** The session of the sign-in. */
  session: SessionTokens
  /** Store it on the device, and send it as X-Trusted-Device at later sign-ins. */
  trusted_device_token?: string | undefined
  /** When the device is no longer trusted. */
  trusted_device_expires_at?: string | undefined
}

export interface MfaChallengeVerifyRequest {
  /** `challenge_token` of the response of the sign-in. */
  challenge_token: string
  /** The six digits of the app or the text message, or a backup code. */
  code: string
  /** Trust the device for trusted_device_days, if the settings allow it. */
  trust_device?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

/** The second factors of a user, without passkeys. */
export interface MfaEnrollment {
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  userId: string | null
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directoryUserId: string
  /** Whether an authenticator app is confirmed. */
  enrolled: boolean
  /** Always `totp`: the authenticator app. */
  method: string
  /** When the app was confirmed. Null: no app. */
  enrolledAt: string | null
  /** Whether the enrollment of an app has started and its first code is missing. */
  pending: boolean
  /** Number of unused backup codes, 0–10. */
  backupCodesRemaining: number
  /** The phone for codes by text message. */
  sms: {
    /** Whether a phone is confirmed. */
    enrolled: boolean
    /** When the phone was confirmed. Null: no phone. */
    enrolledAt: string | null
    /** The phone number, masked. Null: none. */
    phone: string | null
  }
}

/** The MFA policy that currently applies. */
export interface MfaPolicy {
  /** Whether users need a second factor to sign in. */
  require_mfa: boolean
  /**
   * Days for which users may still sign in without a second factor, counted from the time when the policy first required
   * a factor or, for newer users, from their creation.
   */
  grace_period_days: number
  /** `totp` (authenticator app), `backup` (backup codes), `sms`. */
  allowed_methods: ("totp" | "backup" | "sms")[]
  /** The roles that require_mfa applies to. Empty: all roles. Only team members can have the role `developer`. */
  enforce_for_roles: ("owner" | "admin" | "member" | "developer")[]
  /**
   * When the policy first required a second factor. Grace periods start at this time or later. Null for the team, where
   * a grace period starts when the member gets the role.
   */
  required_since: string | null
  /** When the policy last changed. Null: never, so every value is inherited. */
  updated_at: string | null
}

export type MfaPolicyEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `mfa.policy.updated`: The MFA policy of an organization, or the default of its environment, was changed.
   * `mfa.team_policy.updated`: An owner changed the MFA policy of the account’s own team.
   */
  type: "mfa.policy.updated" | "mfa.team_policy.updated"
  /** What happened, with the fields of this type of event. */
  data: MfaPolicy
}

/** When users need a second factor, and which ones they may use. */
export interface MfaPolicyFields {
  /** Whether users need a second factor to sign in. */
  require_mfa: boolean
  /**
   * Days for which users may still sign in without a second factor, counted from the time when the policy first required
   * a factor or, for newer users, from their creation.
   */
  grace_period_days: number
  /** `totp` (authenticator app), `backup` (backup codes), `sms`. */
  allowed_methods: ("totp" | "backup" | "sms")[]
  /** The roles that require_mfa applies to. Empty: all roles. Only team members can have the role `developer`. */
  enforce_for_roles: ("owner" | "admin" | "member" | "developer")[]
}

/** The fields to change. Null restores the inherited value. Omitted fields are not changed. */
export interface MfaPolicyPatch {
  /** Whether users need a second factor to sign in. */
  require_mfa?: boolean | null | undefined
  /**
   * Days for which users may still sign in without a second factor, counted from the time when the policy first required
   * a factor or, for newer users, from their creation.
   */
  grace_period_days?: number | null | undefined
  allowed_methods?: ("totp" | "backup" | "sms")[] | null | undefined
  enforce_for_roles?: ("owner" | "admin" | "member" | "developer")[] | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaPolicyReply {
  policy: MfaPolicy
}

/** A user that the policy would apply to. */
export interface MfaPolicySubject {
  /** The user: `id` in `/v1/users`. */
  id: string
  /** The email address of the user. */
  email: string
  /** The built-in role of the user. */
  role: string
}

/** How many users the policy would affect, and the first users of each group. */
export interface MfaPreviewPolicyReply {
  /** The previewed policy: the current policy with the values of the query. */
  policy: MfaPolicyFields
  /** Number of users that the policy applies to. */
  users: number
  /** Number of users who have a second factor, so that every sign-in requires it. */
  asked: number
  /** Number of users without a factor who may sign in until their grace period ends. */
  in_grace: number
  /** Number of users without a factor who must enroll one at the next sign-in. */
  locked_out: number
  /** The same counts for each role. */
  roles: {
    /** The built-in role of the user. */
    role: string
    /** Number of users that the policy applies to. */
    users: number
    /** Number of users who have a second factor, so that every sign-in requires it. */
    asked: number
    /** Number of users without a factor who may sign in until their grace period ends. */
    in_grace: number
    /** Number of users without a factor who must enroll one at the next sign-in. */
    locked_out: number
  }[]
  /** The first 20 users of each group, by address. */
  first: {
    /** Users with a factor. */
    asked: MfaPolicySubject[]
    /** Users without a factor whose grace period still runs. */
    in_grace: MfaPolicySubject[]
    /** Users who must enroll a factor at their next sign-in. */
    locked_out: MfaPolicySubject[]
  }
}

export interface MfaSmsDeleteRequest {
  /** Ends the other sessions of the user. Default true. */
  revokeSessions?: boolean | undefined
  /** Access token of the session in which the user made the request. This session does not end. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaSmsStartRequest {
  /** The user: `id` or `userId` of the user. */
  userId: string
  /** Phone number in E.164 format, such as +14155550123. */
  phone: string
  subOrgId?: SubOrgId | undefined
}

export interface MfaSmsVerifyRequest {
  /** The user: `id` or `userId` of the user. */
  userId: string
  /** The six digits of the text message. */
  code: string
  /** Ends the other sessions of the user. Default true. */
  revokeSessions?: boolean | undefined
  /** Access token of the session in which the user made the request. This session does not end. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaTotpCreateBackupCodesRequest {
  /** The user: `id` or `userId` of the user. */
  userId: string
  /** Ends the other sessions of the user. Default true. */
  revokeSessions?: boolean | undefined
  /** Access token of the session in which the user made the request. This session does not end. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaTotpDeleteRequest {
  /** The user: `id` or `userId` of the user. */
  userId?: string | undefined
  /** Ends the other sessions of the user. Default true. */
  revokeSessions?: boolean | undefined
  /** Access token of the session in which the user made the request. This session does not end. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaTotpGetReply {
  enrollment: MfaEnrollment
}

export interface MfaTotpStartRequest {
  /** The user: `id` or `userId` of the user. */
  userId: string
  /** `challenge_token` of the response of the sign-in. */
  challenge_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaTotpVerifyReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Ten backup codes, each for one sign-in. The codes are shown only once. */
  backupCodes: string[]
  /** The session of the sign-in. Only with `challenge_token`. */
  session?: SessionTokens | undefined
}

export interface MfaTotpVerifyRequest {
  /** The user: `id` or `userId` of the user. */
  userId: string
  /** `pendingId` of the response that started the enrollment. */
  pendingId: string
  /** Six digits that the app shows, or that were sent to the phone. */
  code: string
  /** `challenge_token` of the response of the sign-in. */
  challenge_token?: string | undefined
  /** Ends the other sessions of the user. Default true. */
  revokeSessions?: boolean | undefined
  /** Access token of the session in which the user made the request. This session does not end. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export type Name = string

/**
 * The new password, with at least password_min_length characters. Spaces are allowed and counted. No kinds of
 * characters are required.
 */
export type NewPassword = string

export type OneLine = string | null

/** A customer of your application, with its own users, settings and connections. */
export interface Organization {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The account that owns the organization. */
  accountId: string
  /** The parent organization. Null: none. */
  parentId: string | null
  /** Name that administrators and emails show. */
  name: string
  /** Identifies the organization in your URLs. The slug never changes. */
  slug: string
  /** Description for administrators. Null: none. */
  description: string | null
  /**
   * `active`, `suspended` or `archived`. Users of a suspended or archived organization cannot sign in, but its data can
   * still be read.
   */
  status: "active" | "suspended" | "archived"
  /**
   * Slug of the organization’s home environment. An organization whose home environment is production exists in every
   * environment. Any other organization exists only in its home environment.
   */
  environment: string
  /** Default language of the organization’s users (BCP 47). Null: the language of the environment. */
  locale: string | null
  /** Id of the organization in your own system. Null: none. */
  externalId: string | null
  /** Number of team members of this organization. */
  memberCount: number
  /** Number of users of this organization in the environment of the calling key. */
  userCount: number
  /** When the users were counted. With more than 200 users, `userCount` is usually less than a minute old. */
  userCountedAt: string
  /** Verified domains in the environment of the calling key. */
  domains: string[]
  /** Your own JSON values, as you stored them. */
  metadata: Record<string, unknown>
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the record last changed (RFC 3339, in UTC). */
  updatedAt: string
  /** When the organization was archived. Null: not archived. */
  archivedAt: string | null
  /**
   * When the organization’s users, credentials and personal data will be erased. Null: no erasure is scheduled. Changing
   * `status` cancels the erasure.
   */
  eraseAt: string | null
}

/** The erasure of an organization. */
export interface OrganizationErasure {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The account that owns the organization. */
  accountId: string
  /**
   * Slug of the organization’s home environment. An organization whose home environment is production exists in every
   * environment. Any other organization exists only in its home environment.
   */
  environment: string
  /** When the organization’s users, credentials and personal data are erased. */
  eraseAt: string
}

export type OrganizationErasureEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `organization.erased`: The users, credentials and personal data of an organization were erased. The organization no
   * longer exists. `organization.erasure_cancelled`: An organization was restored before its erasure began.
   * `organization.erasure_scheduled`: The erasure of an organization was scheduled. Changing the status of the
   * organization before `eraseAt` cancels the erasure.
   */
  type: "organization.erased" | "organization.erasure_cancelled" | "organization.erasure_scheduled"
  /** What happened, with the fields of this type of event. */
  data: OrganizationErasure
}

export type OrganizationEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `organization.activated`: A suspended or archived organization was reactivated. `organization.archived`: An
   * organization was archived, and all its sessions ended. `organization.created`: An organization was created.
   * `organization.suspended`: An organization was suspended, and all its sessions ended. `organization.updated`: Fields
   * of an organization other than its status were changed.
   */
  type: "organization.activated" | "organization.archived" | "organization.created" | "organization.suspended" | "organization.updated"
  /** What happened, with the fields of this type of event. */
  data: Organization
}

export interface OrganizationReply {
  subOrganization: Organization
}

export interface OrganizationsCreateRequest {
  /** Name that administrators and emails show. */
  name: Name
  /** URL-safe name, unique within the parent organization over all environments. Archived organizations keep their slugs. */
  slug: string
  /** Description for administrators. Null: none. */
  description?: string | null | undefined
  locale?: Locale | undefined
  /** The id of the organization in your own system. */
  externalId?: string | null | undefined
  metadata?: Record<string, unknown> | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface OrganizationsEraseRequest {
  /** The exact name of the organization, as a confirmation. */
  name: Name
  subOrgId?: SubOrgId | undefined
}

export interface OrganizationsListReply {
  /** Organizations that the caller reaches. */
  subOrganizations: Organization[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface OrganizationsReplaceMembersRequest {
  /** The complete new roster. */
  members: ({
    /** Member: `membershipId` of the account or of this roster. */
    membershipId: string
    /**
     * The role on the roster. Default: the current role on the roster or, for a member who is new to the roster, the role
     * in the account.
     */
    role?: "owner" | "admin" | "developer" | "member" | undefined
  })[]
  subOrgId?: SubOrgId | undefined
}

export interface OrganizationsUpdateRequest {
  /** Name that administrators and emails show. */
  name?: Name | undefined
  /** Description for administrators. Null: none. */
  description?: string | null | undefined
  /** No user of a suspended or archived organization can sign in; its data can still be read. */
  status?: "active" | "suspended" | "archived" | undefined
  locale?: Locale | undefined
  /** The id of the organization in your own system. */
  externalId?: string | null | undefined
  metadata?: Record<string, unknown> | null | undefined
  subOrgId?: SubOrgId | undefined
}

/** The code, which is shown only in this response. */
export interface Otp {
  /** Id of the code. Send it when you validate the code. */
  otp_id: string
  /** The code: two words, or six digits if the mode is `digit`. */
  code: string
  /** Your reference for the code, as sent. Null: none. */
  session_id: string | null
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at: string
  /** Delivery of the message. Null: no message was requested. */
  delivery: DeliveryState | null
  /** Six digits that are accepted instead of the words. Only if the mode is `both`. */
  digit_code?: string | undefined
}

export interface OtpGenerateRequest {
  /**
   * Your own reference for what the code is for. A newer code with the same session_id voids the older code, unless the
   * message of the newer code is withheld.
   */
  session_id?: string | null | undefined
  /** Lifetime of the code, in seconds. Default: the setting `ttl_seconds`. */
  ttl_seconds?: number | undefined
  /** Email address that the code is sent to. A newer code to the same address voids the older code. */
  email?: string | null | undefined
  /**
   * Phone number (E.164) that the code is sent to by SMS, if SMS is on and the country is allowed. A newer code to the
   * same number voids the older code.
   */
  phone?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

/** How one-time codes look, how long they are valid and how many may be sent. */
export interface OtpSettings {
  /** The form of codes: two words, six digits, or both. With `both`, either form is accepted. */
  mode: "phrase" | "digit" | "both"
  /** Lifetime of a code in seconds, unless the request sets another lifetime. */
  ttl_seconds: number
  /** Whether codes may be sent by SMS. */
  channel_sms: boolean
  /** Whether codes may be sent by email. */
  channel_email: boolean
  /** Number of wrong attempts after which a code becomes invalid. */
  max_attempts: number
  /** Seconds in which sign-in sends no second email if the first code is still unused. */
  resend_interval_seconds: number
  /** Maximum number of codes sent to one address or phone number per minute. */
  rate_limit_per_minute: number
  /** Maximum number of codes sent to one address or phone number per hour. */
  rate_limit_per_hour: number
  /** Countries that codes may be sent to by SMS. Empty: none. */
  sms_allowed_countries: Country[]
  /**
   * Maximum number of codes sent by SMS per day, to all numbers together. Above the limit, codes are created but not
   * sent.
   */
  sms_daily_limit: number
  /** Maximum number of messages per hour, to all addresses together. */
  send_limit_per_hour_organization: number
  /** Maximum number of messages per hour that one API key or team member can cause, in all organizations together. */
  send_limit_per_hour_key: number
  /** Maximum number of codes and links per hour for one network, if X-End-User-IP is sent. */
  send_limit_per_hour_network: number
}

export interface OtpSettingsPatch {
  mode?: "phrase" | "digit" | "both" | null | undefined
  /** Lifetime of a code in seconds, unless the request sets another lifetime. */
  ttl_seconds?: number | null | undefined
  /** Whether codes may be sent by SMS. */
  channel_sms?: boolean | null | undefined
  /** Whether codes may be sent by email. */
  channel_email?: boolean | null | undefined
  /** Number of wrong attempts after which a code becomes invalid. */
  max_attempts?: number | null | undefined
  /** Seconds in which sign-in sends no second email if the first code is still unused. */
  resend_interval_seconds?: number | null | undefined
  /** Maximum number of codes sent to one address or phone number per minute. */
  rate_limit_per_minute?: number | null | undefined
  /** Maximum number of codes sent to one address or phone number per hour. */
  rate_limit_per_hour?: number | null | undefined
  sms_allowed_countries?: Country[] | null | undefined
  /**
   * Maximum number of codes sent by SMS per day, to all numbers together. Above the limit, codes are created but not
   * sent.
   */
  sms_daily_limit?: number | null | undefined
  /** Maximum number of messages per hour, to all addresses together. */
  send_limit_per_hour_organization?: number | null | undefined
  /** Maximum number of messages per hour that one API key or team member can cause, in all organizations together. */
  send_limit_per_hour_key?: number | null | undefined
  /** Maximum number of codes and links per hour for one network, if X-End-User-IP is sent. */
  send_limit_per_hour_network?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface OtpSettingsReply {
  settings: OtpSettings
  sources?: SettingsSources | undefined
}

export type OtpSettingsUpdatedEvent = Omit<Event, 'type' | 'data'> & {
  /** The code settings of an organization, or the defaults of its environment, were changed. */
  type: "otp.settings.updated"
  /** The values that were set. Null: the value is inherited again. */
  data: Record<string, unknown>
}

export interface OtpValidateRequest {
  /** The code. Words may be joined by a space, hyphen or underscore. Case does not matter. */
  code: string
  /** `otp_id` in the response that created the code. Alternatively, send `session_id`. */
  otp_id?: string | null | undefined
  /**
   * Your own reference for what the code is for. A newer code with the same session_id voids the older code, unless the
   * message of the newer code is withheld.
   */
  session_id?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

/** Whether the code was correct. */
export interface OtpValidation {
  /** Whether the code was correct and unused. A valid code is consumed. */
  valid: boolean
  /** Why the code is not valid, in English. Only if `valid` is false. */
  message?: string | undefined
}

/** A live session of the signed-in user. */
export interface OwnSession {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** The organization of the user. Null: the account level of the environment. */
  sub_org_id: string | null
  /** How the user signed in. `otp`: a code by email or text message. */
  auth_method: "password" | "otp" | "magic_link" | "passkey" | "social" | "sso" | "signup" | "invite" | "impersonation"
  /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
  amr: string[]
  /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
  aal: "aal1" | "aal2"
  /**
   * The SAML or OIDC connection that the user signed in with. The value stays if the connection is deleted. Null: the
   * user signed in with another method.
   */
  connection_id: string | null
  /** Address of the end user at the sign-in, from `X-End-User-IP`. Null if it was not sent. */
  ip_address: string | null
  /** User agent of the end user at the sign-in, from `X-End-User-Agent`. Null if it was not sent. */
  user_agent: string | null
  /** Always `active`: lists show live sessions only. */
  status: "active"
  /** The support person who acts for the user. Null for the user’s own session. */
  impersonator: Impersonator | null
  /** When the record was created (RFC 3339, in UTC). */
  created_at: string
  /** Time of the last refresh, or of the sign-in. */
  last_active_at: string
  /** When the session ends unless it is refreshed before. */
  expires_at: string
  /** Whether the access token of this request belongs to the session. */
  current: boolean
}

/** A passkey of a user, without its key. */
export interface Passkey {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The credential’s own id, in base64url, as browsers know it. */
  credentialId: string
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  userId: string | null
  /** The user: `id` in `/v1/users`. */
  directoryUserId: string
  /** The name that the user gave the passkey, or the name of the authenticator. Null: unknown. */
  deviceName: string | null
  /** Model of the authenticator (AAGUID). All zeros if the authenticator does not disclose its model. */
  aaguid: string
  /** Name of the authenticator, such as a password manager, from its AAGUID. Null: unknown. */
  authenticatorName: string | null
  /** How the authenticator can be reached, as reported by the browser. */
  transports: string[]
  /** `multiDevice`: may be synced. `singleDevice`: stays on its device. */
  deviceType: "singleDevice" | "multiDevice"
  /** Whether the passkey was synced to other devices when it was last used. */
  backedUp: boolean
  /** The relying party that the passkey works for. */
  rpId: string
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the user last signed in with this passkey. Null: never. */
  lastUsedAt: string | null
}

/** Options of a registration (WebAuthn Level 3): pass them on as they are. */
export interface PasskeyCreationOptions {
  /** The relying party that the passkey will work for. */
  rp: {
    /** Domain of the relying party (RP ID). */
    id: string
    /** Name that devices show. */
    name: string
  }
  /** The user that the passkey will sign in. */
  user: {
    /** User handle, in base64url. The handle is random and contains no personal data. */
    id: string
    /** Name in the list of the device, usually the address. */
    name: string
    /** Label in the list of the device: the name or address, and the organization in parentheses. */
    displayName: string
  }
  /** Random bytes that the authenticator signs, in base64url. */
  challenge: string
  /** Accepted algorithms, the preferred one first. */
  pubKeyCredParams: {
    /** Always `public-key`. */
    type: string
    /** COSE number of the algorithm: -8 EdDSA, -7 ES256, -257 RS256. */
    alg: number
  }[]
  /** How long the browser waits for the user, in milliseconds. */
  timeout: number
  /** Passkeys that the user already has. An authenticator with one of these refuses to create another. */
  excludeCredentials: PasskeyDescriptor[]
  /** Requirements for the authenticator. */
  authenticatorSelection: {
    /** Whether the passkey should be discoverable without an address. */
    residentKey: string
    /** The same as `residentKey`, for older browsers. */
    requireResidentKey: boolean
    /** Whether the device must verify the person, by PIN or biometrics. */
    userVerification: string
  }
  /** Always `none`: the device does not have to prove its make. */
  attestation: string
  /** Requested WebAuthn extensions. */
  extensions: {
    /** Asks the browser whether the passkey is discoverable. */
    credProps: boolean
  }
}

/** A credential that the browser should offer or refuse. */
export interface PasskeyDescriptor {
  /** Always `public-key`. */
  type: string
  /** The credential’s own id, in base64url. */
  id: string
  /** How the authenticator can be reached, such as `internal` or `usb`. */
  transports?: string[] | undefined
}

export type PasskeyEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `passkey.deleted`: A passkey was deleted, for example by a request or because its user proved the mailbox for the
   * first time. The event is not recorded when the user is deleted. `passkey.registered`: A user registered a passkey.
   * `passkey.updated`: A passkey was renamed, or a sign-in showed that it became backup eligible.
   */
  type: "passkey.deleted" | "passkey.registered" | "passkey.updated"
  /** What happened, with the fields of this type of event. */
  data: Passkey
}

/** The user’s name for the device. Default: the name of the authenticator, if known. */
export type PasskeyName = string

/** toJSON() of the result of navigator.credentials.create(). */
export interface PasskeyRegistrationCredential {
  /** The credential’s own id, in base64url. */
  id: string
  /** The same as `id`. */
  rawId: string
  /** Always `public-key`. */
  type: "public-key"
  /** Response of the authenticator (WebAuthn Level 3 §5.2.1). */
  response: {
    /** What the browser signed: the challenge and the origin. Base64url. */
    clientDataJSON: string
    /** The new public key and the authenticator’s data, in base64url. */
    attestationObject: string
    /** How the authenticator can be reached, as `getTransports()` says. */
    transports?: string[] | undefined
  }
}

/** Options of a sign-in (WebAuthn Level 3): pass them on as they are. */
export interface PasskeyRequestOptions {
  /** Random bytes that the authenticator signs, in base64url. */
  challenge: string
  /** How long the browser waits for the user, in milliseconds. */
  timeout: number
  /** The domain that the passkeys work for. */
  rpId: string
  /** Passkeys that may be used. Empty: any passkey on the device. */
  allowCredentials: PasskeyDescriptor[]
  /** Whether the device must verify the person, by PIN or biometrics. */
  userVerification: string
}

/** Where passkeys work and what a sign-in with one requires. */
export interface PasskeySettings {
  /**
   * Relying party ID: the host name that passkeys are created for. Browsers accept the passkeys on pages of this host
   * and its subdomains. Null: the host of WATCHWORD_BASE_URL. A sign-in without subOrgId accepts only passkeys for the
   * rp_id and origins of the environment’s defaults.
   */
  rp_id: string | null
  /** Name shown when a passkey is created. Null: the brand’s name. */
  rp_name: string | null
  /**
   * Origins that passkeys are accepted from, such as https://app.acme.com, compared exactly. The origins must be on
   * rp_id or its subdomains. Empty: `https://` followed by rp_id. If rp_id is localhost, http://localhost with any port
   * is also accepted in development or if WATCHWORD_BASE_URL is on localhost.
   */
  origins: string[]
  /** Origins of other sites that may use the same passkeys. The list is also published at /.well-known/webauthn of rp_id. */
  related_origins: string[]
  /**
   * Whether a passkey sign-in requires fingerprint, face or PIN, which makes it count as two factors. `preferred`: a
   * sign-in without these is accepted but counts as one factor.
   */
  user_verification: "required" | "preferred"
  /**
   * If set, registering a passkey requires an access_token of the user from a sign-in at most this many seconds ago. 0:
   * not required.
   */
  require_recent_sign_in_seconds: number
  /**
   * Maximum number of sign-ins without an email address that one network (X-End-User-IP) may start per minute. Each
   * display of a login page with autofill starts such a sign-in.
   */
  start_limit_per_minute_network: number
}

export interface PasskeySettingsPatch {
  /**
   * Relying party ID: the host name that passkeys are created for. Browsers accept the passkeys on pages of this host
   * and its subdomains. Null: the host of WATCHWORD_BASE_URL. A sign-in without subOrgId accepts only passkeys for the
   * rp_id and origins of the environment’s defaults.
   */
  rp_id?: string | null | undefined
  /** Name shown when a passkey is created. Null: the brand’s name. */
  rp_name?: string | null | undefined
  origins?: string[] | null | undefined
  related_origins?: string[] | null | undefined
  user_verification?: "required" | "preferred" | null | undefined
  /**
   * If set, registering a passkey requires an access_token of the user from a sign-in at most this many seconds ago. 0:
   * not required.
   */
  require_recent_sign_in_seconds?: number | null | undefined
  /**
   * Maximum number of sign-ins without an email address that one network (X-End-User-IP) may start per minute. Each
   * display of a login page with autofill starts such a sign-in.
   */
  start_limit_per_minute_network?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface PasskeySettingsReply {
  settings: PasskeySettings
  relying_party: RelyingParty
}

export type PasskeySettingsUpdatedEvent = Omit<Event, 'type' | 'data'> & {
  /** The passkey settings of an organization, or the defaults of its environment, were changed. */
  type: "passkey.settings.updated"
  /** The values that were set. Null: the value is inherited again. */
  data: Record<string, unknown>
}

/** toJSON() of the result of navigator.credentials.get(). */
export interface PasskeySignInCredential {
  /** The credential’s own id, in base64url. */
  id: string
  /** The same as `id`. */
  rawId: string
  /** Always `public-key`. */
  type: "public-key"
  /** Response of the authenticator (WebAuthn Level 3 §5.2.2). */
  response: {
    /** What the browser signed: the challenge and the origin. Base64url. */
    clientDataJSON: string
    /** Flags and counter of the authenticator, in base64url. */
    authenticatorData: string
    /** Signature over the authenticator data and the client data, in base64url. */
    signature: string
    /** User handle of the credential, in base64url. Null: the authenticator does not store a user handle. */
    userHandle?: string | null | undefined
  }
}

export interface PasskeysDeleteReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Whether the user now has no second factor. */
  last_factor?: boolean | undefined
  /** Whether the policy requires a second factor of this user. */
  mfa_required?: boolean | undefined
}

export interface PasskeysGetSettingsReply {
  settings: PasskeySettings
  relying_party: RelyingParty
  sources?: SettingsSources | undefined
}

export interface PasskeysListRelatedOriginsReply {
  /** Web origins that may use the passkeys of this domain (WebAuthn Level 3 §5.11). */
  origins: string[]
}

/** Every passkey of the user, oldest first. */
export interface PasskeysListReply {
  /** Every passkey of the user, oldest first. */
  credentials: Passkey[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
}

export interface PasskeysRegisterReply {
  /** With the action `options`: options for `navigator.credentials.create()`. */
  options?: PasskeyCreationOptions | undefined
  /** With the action `options`: the challenge. Send it with `verify`. */
  challengeId?: string | undefined
  /** With the action `verify`: always `true`. */
  success?: boolean | undefined
  /** With the action `verify`: the new passkey. */
  credential?: Passkey | undefined
}

export interface PasskeysRegisterRequest {
  /** `options` starts the registration, `verify` completes it. */
  action: "options" | "verify"
  /** The user: `id` or `userId` of the user. */
  userId: string
  /** `challengeId` in the response of the action options. */
  challengeId?: string | undefined
  credential?: PasskeyRegistrationCredential | undefined
  deviceName?: PasskeyName | undefined
  /** With the action `options`: access token of a session of this user, if require_recent_sign_in_seconds is set. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface PasskeysUpdateReply {
  /** The passkey with its new name. */
  credential: Passkey
}

export interface PasskeysUpdateRequest {
  deviceName: PasskeyName | null
  subOrgId?: SubOrgId | undefined
}

export interface PasswordResetCompleteRequest {
  email: EmailAddress
  token_hash: TokenHash
  password: NewPassword
  subOrgId?: SubOrgId | undefined
}

export interface PasswordResetSendRequest {
  email: EmailAddress
  redirectTo?: RedirectTo | undefined
  deliver?: Deliver | undefined
  subOrgId?: SubOrgId | undefined
}

/** A phone whose code has not been confirmed yet. */
export interface PendingPhone {
  /** The phone number, masked. */
  delivery_hint: string
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at: string
}

/** An enrollment that waits for the first code of the app. */
export interface PendingTotp {
  /** The enrollment. Send it with the first code. */
  pendingId: string
  /** A QR code of otpauthUrl: a PNG image as a data URL. */
  qrDataUrl: string
  /** The secret in Base32, for typing it into an app. Never shown again. */
  secret: string
  /** The URL that an authenticator app opens, or that your own QR code shows. The URL contains the secret. */
  otpauthUrl: string
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at: string
}

/** What a role can allow. */
export interface Permission {
  /** Name of the permission: resource and action, joined by a colon. */
  id: string
  /** Whether the permission is in the catalogue. `false`: your own permission, which only your application uses. */
  known: boolean
  /** The scope that gives an API key the same right. Null: only `*` gives it, or the permission is your own. */
  scope: string | null
}

/** Phone number, stored as sent. Use the E.164 format, such as +14155550123, if the number is to receive messages. */
export type PhoneNumber = string | null

export interface PresentedCode {
  email: EmailAddress
  /** `otp_id` of the response of the send route. */
  otp_id: string
  /** The two words of the code, joined by a space, hyphen or underscore. Case does not matter. */
  code: string
  subOrgId?: SubOrgId | undefined
}

export interface PresentedLink {
  email: EmailAddress
  token_hash: TokenHash
  subOrgId?: SubOrgId | undefined
}

/** A group of a provisioning client. */
export interface ProvisionedGroup {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The organization of the user. Null: the account level of the environment. */
  subOrgId: string | null
  /** The group’s name at the provisioning client, which is the key in `group_role_mapping`. */
  displayName: string
  /** Id of the resource at the provisioning client. Null if none was sent. */
  externalId: string | null
}

export type ProvisionedGroupEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `scim.group.created`: A provisioning client added a group. `scim.group.deleted`: A provisioning client deleted a
   * group. `scim.group.updated`: A provisioning client changed the data of a group.
   */
  type: "scim.group.created" | "scim.group.deleted" | "scim.group.updated"
  /** What happened, with the fields of this type of event. */
  data: ProvisionedGroup
}

/** A user, with the data of the provisioning client. */
export interface ProvisionedUser {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  userId: string | null
  /** The organization of the user. Null: the account level of the environment. */
  subOrgId: string | null
  /** The user’s name at the provisioning client, unique within the organization. */
  userName: string
  /** Id of the resource at the provisioning client. Null if none was sent. */
  externalId: string | null
  /** The email address of the user in this service. */
  email: string
  /** Whether the client lets the user sign in. */
  active: boolean
}

export type ProvisionedUserEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `scim.user.deprovisioned`: A provisioning client deactivated or deleted a user. Every session ended.
   * `scim.user.provisioned`: A provisioning client created or restored a user, or took over an existing user whose
   * address is in a verified domain. `scim.user.updated`: A provisioning client changed the data that it provides for a
   * user.
   */
  type: "scim.user.deprovisioned" | "scim.user.provisioned" | "scim.user.updated"
  /** What happened, with the fields of this type of event. */
  data: ProvisionedUser
}

/** URL that the link opens: an entry of allowed_redirect_uris. Default: the hosted page. */
export type RedirectTo = string

/** The relying party that results from the settings. */
export interface RelyingParty {
  /** Domain that passkeys are bound to (RP ID). */
  id: string
  /** Name that devices show when a passkey is created. */
  name: string
  /** Web origins on which the passkeys work. */
  origins: string[]
}

/** The result of reporting a bounce or complaint. */
export interface ReportedBounce {
  /** The address, in lower case. */
  email: string
  /** The kind of bounce. Null: the report is not a bounce or complaint, but for example a delay. */
  kind: "hard" | "soft" | "complaint" | null
  /** Status code of the report (RFC 3463). Null: it has none. */
  status: string | null
  /**
   * `counted`: the report was counted. `repeated`: the report was already counted before. `unknown_mail`: in the last 30
   * days, no email that the caller can see was sent to the address with this `Message-ID`. `not_counted`: the report is
   * not a bounce or complaint.
   */
  outcome: "counted" | "repeated" | "unknown_mail" | "not_counted"
  /**
   * Number of soft bounces of the address in the last 7 days, where soft bounces within one hour count as one. The third
   * suppresses the address. Null: `outcome` is `unknown_mail` or `not_counted`.
   */
  soft_bounces: number | null
  /** Why the address receives no emails. Null: the address receives emails. */
  suppression: MailSuppression | null
}

/** A session that ended before it expired. */
export interface Revocation {
  /** Id of the session: `sid` of its access tokens. */
  session_id: string
  /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** When the session ended. Refuse its access tokens that were issued earlier. */
  revoked_at: string
  /** Why the session ended, such as `revoked`, `logout`, `password_changed`, `refresh_token_reused`. */
  reason: string
}

/** A list of permissions that users and team members can have. */
export interface Role {
  /** A UUID, or for a system role its slug. */
  id: string
  /** Identifies the role in tokens and in `group_role_mapping`. The slug never changes. */
  slug: string
  name: RoleName
  description: RoleDescription
  /** Permissions of the catalogue and your own permissions. */
  permissions: string[]
  /** `true`: the role is built in and cannot be changed or deleted. */
  system: boolean
  /** `account`: a role of the team. `organization`: a role of directory users and custom roles. */
  scope: "account" | "organization"
  /** The organization that the role belongs to. Null for system roles. */
  subOrgId: string | null
  /** Number of users and members with the role. For users and for members, the count stops at 10,000. */
  assignmentCount: number
  /** When the record was created (RFC 3339, in UTC). Null for system roles. */
  createdAt: string | null
  /** When the record last changed (RFC 3339, in UTC). Null for system roles. */
  updatedAt: string | null
}

/** A role that a user or a team member has. */
export interface RoleAssignment {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** Auth account of the user. Null: none yet. */
  userId: string | null
  /** The user: `id` in `/v1/users`. Null for a member. */
  directoryUserId: string | null
  /** The team member. Null for a user. */
  membershipId: string | null
  /** The role: `id` in `/v1/rbac/roles`. */
  roleId: string
  /** `manual`: assigned through the API. `scim` or `sso`: assigned by groups of the identity provider. */
  source: "manual" | "scim" | "sso"
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
}

export type RoleAssignmentEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `role.assigned`: A user or member got a role. `role.unassigned`: A user or member lost a role. The event is not
   * recorded when the role itself is deleted.
   */
  type: "role.assigned" | "role.unassigned"
  /** What happened, with the fields of this type of event. */
  data: RoleAssignment
}

/** What the role is for, for administrators. Null: none. */
export type RoleDescription = string | null

export type RoleEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `role.created`: A role was created. `role.deleted`: A role was deleted. `assignmentCount` counts at most 10 000
   * users and 10 000 members. `role.updated`: A role was changed. `assignmentCount` counts at most 10 000 users and 10
   * 000 members.
   */
  type: "role.created" | "role.deleted" | "role.updated"
  /** What happened, with the fields of this type of event. */
  data: Role
}

/** Name that administrators see. Unique within the organization. */
export type RoleName = string

export interface RoleReply {
  role: Role
}

export interface RolesCheckReply {
  /** Whether the user has the permission and may use it now. */
  allowed: boolean
  /**
   * Why. `role:<slug>`: the role that gives the permission. Otherwise `no_role`, `unknown_permission`, `inactive` (the
   * user may not sign in) or `service_disabled`.
   */
  reason: string
}

export interface RolesCheckRequest {
  /** The user: `id` or `userId` of the user. */
  userId: string
  /** A resource and an action, joined by colons, such as `invoice:approve`. */
  permission: string
  subOrgId?: SubOrgId | undefined
}

export interface RolesCreateRequest {
  name: RoleName
  /** Identifies the role in tokens and mappings. Default: derived from the name. The slug never changes. */
  slug?: string | undefined
  description?: RoleDescription | undefined
  /** Permissions of the catalogue and your own permissions. */
  permissions: string[]
  subOrgId?: SubOrgId | undefined
}

export interface RolesDeleteReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Whether this was only a preview, so that nothing has changed. */
  preview: boolean
  /** Number of users and members with the role, counted up to 10,000. */
  affectedUsers: number
  /** Number of users and members with the role, counted up to 10,000. */
  affectedMembers: number
  /** Permissions that the role gains. */
  permissionsAdded: string[]
  /** Permissions that the role loses. */
  permissionsRemoved: string[]
}

export interface RolesGetForMemberReply {
  /** Roles of the user or member, from all sources. */
  roleIds: string[]
  /** Each role with its source. */
  assignments: RoleAssignment[]
}

export interface RolesGetForUserReply {
  /** Roles of the user or member, from all sources. */
  roleIds: string[]
  /** Each role with its source. */
  assignments: RoleAssignment[]
  /** The built-in role of the user. The user has the permissions of this role and of the roles in `roleIds`. */
  role: "admin" | "member"
}

export interface RolesListPermissionsReply {
  /** The catalogue, and other permissions that roles contain. */
  permissions: Permission[]
}

export interface RolesListReply {
  /** System roles of the account’s team. */
  systemRoles: Role[]
  /** Built-in roles of directory users. */
  directorySystemRoles: Role[]
  /** Roles that organizations created, at most 1 000. */
  customRoles: Role[]
  /** One page of the assignments of custom roles. `has_more` and `next_cursor` refer to this list. */
  assignments: RoleAssignment[]
  /** The catalogue, and other permissions that roles contain. */
  permissions: Permission[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface RolesSetForMemberReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Roles of the user or member, from all sources. */
  roleIds: string[]
  /** Each role with its source. */
  assignments: RoleAssignment[]
}

export interface RolesSetForMemberRequest {
  /** Ids or slugs of roles of the organization. */
  roleIds: string[]
  subOrgId?: SubOrgId | undefined
}

export interface RolesSetForUserReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Roles of the user or member, from all sources. */
  roleIds: string[]
  /** Each role with its source. */
  assignments: RoleAssignment[]
  /** The built-in role of the user. The user has the permissions of this role and of the roles in `roleIds`. */
  role: "admin" | "member"
}

export interface RolesSetForUserRequest {
  /** Ids or slugs of roles of the organization. */
  roleIds?: string[] | undefined
  /** The built-in role. Null: `member`. */
  role?: "admin" | "member" | null | undefined
  /**
   * Also removes roles that the user has through groups. The user gets these roles again at the next sign-in through the
   * connection or at the next sync.
   */
  force?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface RolesUpdateReply {
  role: Role
  /** Whether this was only a preview, so that nothing has changed. */
  preview: boolean
  /** Number of users and members with the role, counted up to 10,000. */
  affectedUsers: number
  /** Number of users and members with the role, counted up to 10,000. */
  affectedMembers: number
  /** Permissions that the role gains. */
  permissionsAdded: string[]
  /** Permissions that the role loses. */
  permissionsRemoved: string[]
}

export interface RolesUpdateRequest {
  name?: RoleName | undefined
  description?: RoleDescription | undefined
  /** Permissions of the catalogue and your own permissions. */
  permissions?: string[] | undefined
  subOrgId?: SubOrgId | undefined
}

export interface RosterReply {
  /** Everyone on the roster. */
  members: Member[]
}

/** How the directory of the organization provisions users. */
export interface ScimConfig {
  /** Whether the endpoint accepts requests for this organization. */
  enabled: boolean
  /**
   * The base URL for the provisioning client. The URL is the same for all organizations, because the token identifies
   * the organization.
   */
  endpointUrl: string
  /** The connection whose group_role_mapping maps provisioned groups to roles. Null: none. */
  sso_connection_id: string | null
  /** The organization of the user. Null: the account level of the environment. */
  subOrgId: string | null
  /** Whether a token exists. */
  tokenSet: boolean
  /** The last characters of the token. */
  tokenHint: string | null
  /** When the current token was created. Null: never. */
  tokenRotatedAt: string | null
  /** When the previous token stops working. Null: no previous token works. */
  tokenExpiresAt: string | null
  /** When the current token expires or expired. Null: never. */
  currentTokenExpiresAt: string | null
  /** When the client last sent a request, to the minute. Null: never. */
  lastRequestAt: string | null
  /** Number of users that provisioning manages. */
  userCount: number
  /** Number of groups that the client provisioned. */
  groupCount: number
  /**
   * What happens to a user that the provisioning client deletes. A user that the client sets to `active: false` is
   * always deactivated.
   */
  onDeprovision: "deactivate" | "delete"
}

export type ScimConfigEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `scim.config_updated`: The provisioning settings were changed: the connection whose mapping gives roles, or the
   * handling of deprovisioned users. `scim.disabled`: Provisioning was turned off. Requests of the provisioning client
   * are refused. `scim.enabled`: Provisioning was turned on. `scim.token_rotated`: The SCIM token was replaced.
   */
  type: "scim.config_updated" | "scim.disabled" | "scim.enabled" | "scim.token_rotated"
  /** What happened, with the fields of this type of event. */
  data: ScimConfig
}

export interface ScimGetConfigReply {
  config: ScimConfig
}

export type ScimGroupMemberAddedEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `scim.group.member_added`: A provisioning client added a member to a group. `scim.group.member_removed`: A member
   * left a group, because a provisioning client removed the member or because the member was deleted or moved.
   */
  type: "scim.group.member_added" | "scim.group.member_removed"
  /** A user, or another group. */
  data: {
    /** The group whose members changed. */
    group: ProvisionedGroup
    /** `id` of a provisioned user or of another group. */
    memberId: string
  }
}

export interface ScimListLogsReply {
  /** Requests of the provisioning client in the last 14 days. */
  logs: ScimLog[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

/** A request of the provisioning client. */
export interface ScimLog {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** HTTP method of the request. */
  method: string
  /** Path of the request, without the base URL of the endpoint. */
  path: string
  /** HTTP status of the response. */
  status: number
  /** Whether the request was accepted or refused. */
  outcome: "accepted" | "refused"
  /** Why the request was refused, as a code. Null: the request was accepted. */
  code: string | null
  /** Why the request was refused, as a sentence. Null: the request was accepted. */
  reason: string | null
  /** What to change at the provisioning client. Null: nothing. */
  fix: string | null
  /** What an accepted write changed. `Nothing changed`: the data was already the same. */
  effect: string | null
  /** Warnings about an accepted write, for example that another user has the same `externalId`. */
  warnings: string[]
  /** The JSON body of the request, without secrets. Null: no body was kept. */
  body: unknown
  /** Id of the request that this request repeats. Null: this request is not a repetition. */
  replayOf: string | null
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
}

export interface ScimReplayLogReply {
  log: ScimLog
}

export interface ScimReplayLogRequest {
  subOrgId?: SubOrgId | undefined
}

export interface ScimRotateTokenReply {
  /** The token for the provisioning client. The token is shown only in this response. */
  token: string
  config: ScimConfig
}

export interface ScimRotateTokenRequest {
  /** Always `rotate-token`. */
  action: "rotate-token"
  /** Seconds for which the previous token keeps working. 0: the previous token stops working at once. */
  overlap_seconds?: number | undefined
  /** Days after which the new token expires. Absent or null: the token works until the next rotation. */
  token_expires_in_days?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

/** A provisioning token that expires soon or has expired. */
export interface ScimTokenExpiring {
  /** The organization of the user. Null: the account level of the environment. */
  subOrgId: string | null
  /** The last characters of the token. */
  tokenHint: string
  /** Time of expiry (RFC 3339, in UTC). */
  expiresAt: string
  /** Days until the token expires. */
  days: number
}

export type ScimTokenExpiringEvent = Omit<Event, 'type' | 'data'> & {
  /** The SCIM token expires in 30, 7 or 1 days, or has expired. After it expires, requests of the client are refused. */
  type: "scim.token_expiring"
  /** What happened, with the fields of this type of event. */
  data: ScimTokenExpiring
}

export interface ScimUpdateConfigReply {
  config: ScimConfig
}

export interface ScimUpdateConfigRequest {
  /** `false`: every request of the provisioning client is refused. Existing users are kept. */
  enabled?: boolean | undefined
  /** The connection whose group_role_mapping maps provisioned groups to roles. Null: none. */
  sso_connection_id?: string | null | undefined
  /**
   * What happens to a user that the provisioning client deletes. A user that the client sets to `active: false` is
   * always deactivated.
   */
  onDeprovision?: "deactivate" | "delete" | undefined
  subOrgId?: SubOrgId | undefined
}

/** The id of the requested code and where it was sent. The response is the same whether or not a code was sent. */
export interface SentCode {
  /** Id of the code. Send it together with the code that the user enters. */
  otp_id: string
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at: string
  /** The email address in the request, masked. For SMS, this is the same value for all users. */
  delivery_hint: string
  /** `email` or `sms`. */
  delivery_method: string
}

/** The address that the link was mailed to, or the link itself. The same for unknown addresses. */
export interface SentLink {
  /** The masked email address that the email is sent to. */
  delivery_hint: string
  /** The link itself. Only with `deliver: false`. */
  url?: string | undefined
}

export interface SentMagicLink {
  /** The masked email address that the email is sent to. */
  delivery_hint: string
  /** The link itself. Only with `deliver: false`. */
  url?: string | undefined
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at: string
  /** Id of the code in the email. Null if the email contains no code. */
  otp_id: string | null
}

/** Which services are on, and how your dashboard shows them. */
export interface ServiceConfig {
  /** The services that are on. Removing auth also removes the services that depend on it. */
  enabledAppIds: ("auth" | "otp" | "password" | "magic_link" | "social" | "passkeys" | "sso" | "mfa" | "rbac" | "scim" | "webhooks" | "sessions" | "admin_portal")[]
  /** Groups of services in your dashboard, at most 16 KiB in total. */
  appGroups: AppGroup[]
  /** Whether your dashboard lets people collapse the groups. */
  sidebarGroupsCollapsible: boolean
}

/** The fields to change. Omitted fields are not changed. */
export interface ServiceConfigChange {
  /** The services that are on. Removing auth also removes the services that depend on it. */
  enabledAppIds?: ("auth" | "otp" | "password" | "magic_link" | "social" | "passkeys" | "sso" | "mfa" | "rbac" | "scim" | "webhooks" | "sessions" | "admin_portal")[] | undefined
  /** Groups of services in your dashboard, at most 16 KiB in total. */
  appGroups?: AppGroup[] | undefined
  /** Whether your dashboard lets people collapse the groups. */
  sidebarGroupsCollapsible?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export type ServiceConfigEvent = Omit<Event, 'type' | 'data'> & {
  /** Services of an organization, or the defaults of its environment, were turned on or off, or regrouped. */
  type: "service_config.updated"
  /** What happened, with the fields of this type of event. */
  data: ServiceConfig
}

/** A live session of a user. */
export interface Session {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** The organization of the user. Null: the account level of the environment. */
  sub_org_id: string | null
  /** How the user signed in. `otp`: a code by email or text message. */
  auth_method: "password" | "otp" | "magic_link" | "passkey" | "social" | "sso" | "signup" | "invite" | "impersonation"
  /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
  amr: string[]
  /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
  aal: "aal1" | "aal2"
  /**
   * The SAML or OIDC connection that the user signed in with. The value stays if the connection is deleted. Null: the
   * user signed in with another method.
   */
  connection_id: string | null
  /** Address of the end user at the sign-in, from `X-End-User-IP`. Null if it was not sent. */
  ip_address: string | null
  /** User agent of the end user at the sign-in, from `X-End-User-Agent`. Null if it was not sent. */
  user_agent: string | null
  /** Always `active`: lists show live sessions only. */
  status: "active"
  /** The support person who acts for the user. Null for the user’s own session. */
  impersonator: Impersonator | null
  /** When the record was created (RFC 3339, in UTC). */
  created_at: string
  /** Time of the last refresh, or of the sign-in. */
  last_active_at: string
  /** When the session ends unless it is refreshed before. */
  expires_at: string
}

export type SessionCreatedEvent = Omit<Event, 'type' | 'data'> & {
  /** A session was created, because the user passed every required factor. */
  type: "session.created"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Id of the session: `sid` of its access tokens. */
    id: string
    /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
    user_id: string
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
    /** How the user signed in. `otp`: a code by email or text message. */
    auth_method: "password" | "otp" | "magic_link" | "passkey" | "social" | "sso" | "signup" | "invite" | "impersonation"
    /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
    amr: string[]
    /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
    aal: "aal1" | "aal2"
    /**
     * The SAML or OIDC connection that the user signed in with. The value stays if the connection is deleted. Null: the
     * user signed in with another method.
     */
    connection_id: string | null
  }
}

export type SessionRefreshReuseDetectedEvent = Omit<Event, 'type' | 'data'> & {
  /** A refresh token was used a second time, so it or its successor may be stolen. The session was ended. */
  type: "session.refresh_reuse_detected"
  /** What happened, with the fields of this type of event. */
  data: {
    /** A UUID that the service assigns. The id never changes. */
    id: string
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
  }
}

export type SessionRevokedEvent = Omit<Event, 'type' | 'data'> & {
  /** A session was ended before it expired. `reason` says why. */
  type: "session.revoked"
  /** What happened, with the fields of this type of event. */
  data: {
    /** A UUID that the service assigns. The id never changes. */
    id: string
    /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
    user_id: string
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
    /** Why the session ended, such as `revoked`, `logout`, `password_changed`, `refresh_token_reused`. */
    reason: string
  }
}

export interface SessionTokens {
  /** JWT (RFC 9068). Send it to your own API as a Bearer token. */
  access_token: string
  /** Token for POST /v1/auth/token/refresh, which returns a new refresh token. Each refresh token works once. */
  refresh_token: string
  /** Seconds until the access token expires. */
  expires_in: number
  /** Seconds until the refresh token and its session expire. */
  refresh_expires_in: number
  /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
}

/** A page of live sessions, by user. */
export interface SessionsListReply {
  /** Users with live sessions, in the order of their first session on the page. */
  users: UserSessions[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface SessionsListRevocationsReply {
  /** Sessions that ended, oldest first. */
  revocations: Revocation[]
  /** Whether more revocations exist. If true, read the next page immediately. */
  has_more: boolean
  /** Cursor for the next call. Always present. */
  next_cursor: string
}

/**
 * Where each value comes from: the organization (`directory`), the environment’s defaults (`account`) or the service
 * (`default`).
 */
export type SettingsSources = Record<string, "default" | "account" | "directory">

/** A step of the checklist. */
export interface SetupStep {
  /** The step. */
  id: "branding" | "domain" | "sso" | "scim" | "mfa" | "webhook"
  /** What to do, in English. */
  label: string
  /** Whether the step is completed. */
  done: boolean
}

export interface SignupCreateRequest {
  email: EmailAddress
  /** Whether a user is created if no user has the address. Default: the setting open_signup_default. */
  openSignup?: boolean | undefined
  /** First name. Null: none. */
  firstName?: OneLine | undefined
  /** Last name. Null: none. */
  lastName?: OneLine | undefined
  phone?: PhoneNumber | undefined
  locale?: Locale | undefined
  subOrgId?: SubOrgId | undefined
}

export interface SignupMagicLinkSendReply {
  /** The masked email address that the email is sent to. */
  delivery_hint: string
  /** The link itself. Only with `deliver: false`. */
  url?: string | undefined
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at: string
}

export interface SignupMagicLinkSendRequest {
  email: EmailAddress
  /** Whether a user is created if no user has the address. Default: the setting open_signup_default. */
  openSignup?: boolean | undefined
  /** First name. Null: none. */
  firstName?: OneLine | undefined
  /** Last name. Null: none. */
  lastName?: OneLine | undefined
  phone?: PhoneNumber | undefined
  locale?: Locale | undefined
  redirectTo?: RedirectTo | undefined
  deliver?: Deliver | undefined
  subOrgId?: SubOrgId | undefined
}

export interface SignupOtpSendRequest {
  email: EmailAddress
  /** Whether a user is created if no user has the address. Default: the setting open_signup_default. */
  openSignup?: boolean | undefined
  locale?: Locale | undefined
  subOrgId?: SubOrgId | undefined
}

export interface SignupPasswordRequest {
  email: EmailAddress
  password: NewPassword
  /** Whether a user is created if no user has the address. Default: the setting open_signup_default. */
  openSignup?: boolean | undefined
  /** First name. Null: none. */
  firstName?: OneLine | undefined
  /** Last name. Null: none. */
  lastName?: OneLine | undefined
  phone?: PhoneNumber | undefined
  locale?: Locale | undefined
  subOrgId?: SubOrgId | undefined
}

/** A social provider as the organization has set it. */
export interface SocialProvider {
  /** The social provider. */
  provider: "google" | "github" | "apple" | "microsoft"
  /** Whether users may sign in with the provider. */
  enabled: boolean
  /** Whether the organization, its environment or the deployment has credentials for it. */
  configured: boolean
  /**
   * Client ID of your application at the provider. Null: the client ID of the environment’s defaults, or else of the
   * deployment.
   */
  client_id: string | null
  /** Apple only: the value from your Apple developer account. Null: none. */
  team_id: string | null
  /** Apple only: the value from your Apple developer account. Null: none. */
  key_id: string | null
  /** Microsoft: common, organizations, consumers, or the ID of one tenant. */
  tenant: string | null
  /** Requested OAuth scopes. Default: the scopes for id, name and email address. */
  scopes: string[]
  /**
   * Kind of callback URL. `provider`: callback_url is used only for this provider. `shared`: one URL for all providers,
   * kept for applications that were set up in earlier releases, until you set `provider`.
   */
  callback: "provider" | "shared"
  /** The redirect URI to register at the provider. */
  callback_url: string
}

export type SocialProviderEvent = Omit<Event, 'type' | 'data'> & {
  /** A social provider of an organization was turned on or off, or its credentials changed. */
  type: "social_provider.updated"
  /** What happened, with the fields of this type of event. */
  data: SocialProvider
}

export interface SocialProviderPut {
  /** The social provider. */
  provider: "google" | "github" | "apple" | "microsoft"
  /** Whether users may sign in with the provider. */
  enabled: boolean
  /**
   * Client ID of your application at the provider. Null: the client ID of the environment’s defaults, or else of the
   * deployment.
   */
  client_id?: string | null | undefined
  /** Client secret. The secret is stored encrypted and never shown. Null removes it. */
  client_secret?: string | null | undefined
  /** Apple only: the value from your Apple developer account. Null: none. */
  team_id?: string | null | undefined
  /** Apple only: the value from your Apple developer account. Null: none. */
  key_id?: string | null | undefined
  /** Apple only: the text of the .p8 file. It is never shown again. */
  private_key?: string | null | undefined
  /** Microsoft: common, organizations, consumers, or the ID of one tenant. */
  tenant?: string | null | undefined
  /** Scopes to request. Null: the default scopes. */
  scopes?: string[] | null | undefined
  /**
   * Kind of callback URL. `provider`: callback_url is used only for this provider. `shared`: one URL for all providers,
   * kept for applications that were set up in earlier releases, until you set `provider`.
   */
  callback?: "provider" | "shared" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface SocialProvidersReply {
  /** Every provider that the service knows. */
  providers: SocialProvider[]
}

export interface SocialStartRequest {
  /** The social provider. */
  provider: "google" | "github" | "apple" | "microsoft"
  /** URL that the browser returns to: an entry of allowed_redirect_uris. */
  redirectUri: string
  /**
   * What redirectUri receives. `code` (recommended): a code for POST /v1/auth/token/exchange, so that URLs contain no
   * tokens. `query` (default): the tokens.
   */
  response_mode?: "query" | "code" | undefined
  /** Whether a user is created if the person has none yet. Default: the setting open_signup_default of the organization. */
  openSignup?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface SpKeysReply {
  /** Certificates of the environment. All its SAML connections use them. */
  keys: ({
    /** `signing`: to verify requests. `encryption`: to encrypt assertions for this service. */
    use: "signing" | "encryption"
    /** The certificate with its dates and status. */
    certificate: Certificate
  })[]
}

/** A connection to the identity provider of an organization. */
export interface SsoConnection {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The organization of the user. Null: the account level of the environment. */
  sub_org_id: string | null
  /** Name that administrators and sign-in pages show. */
  name: string
  /** The protocol. Fields of the other protocol do not apply. */
  protocol: "saml" | "oidc"
  /** `draft`: no sign-ins. `testing`: only with `test=true`. `active`: all. `error`: none. */
  status: "draft" | "testing" | "active" | "error"
  /** SAML: entity ID of the identity provider, compared exactly. */
  idp_entity_id: string | null
  /** SAML: URL that sign-in requests are sent to. */
  idp_sso_url: string | null
  /** SAML: URL that logout requests are sent to. Null: a sign-out ends only the session of this service. */
  idp_slo_url: string | null
  /** SAML: URL that responses to the provider’s logout requests are sent to. Null: `idp_slo_url`. */
  idp_slo_response_url: string | null
  /** SAML: URL of the provider’s metadata, which is refreshed periodically. Null: none. */
  idp_metadata_url: string | null
  /** SAML: whether requests are signed (RSA-SHA256). Default `true`. */
  sign_requests: boolean
  /** SAML: how the browser sends a sign-in request. `redirect`: in the URL. `post`: in a form. Default `redirect`. */
  request_binding: "redirect" | "post"
  /** SAML: how the browser sends logout messages: `redirect` or `post`. Default `redirect`. */
  slo_binding: "redirect" | "post"
  /** Whether the provider must authenticate the user again at every sign-in. Default `false`. */
  force_authn: boolean
  /** SAML: NameID format to request. Null: the provider chooses the format. */
  name_id_format: string | null
  /** SAML: whether the metadata asks for signed assertions. A signed response is accepted too. Default `true`. */
  want_assertions_signed: boolean
  /** SAML: whether to publish an encryption certificate and refuse unencrypted assertions. Default `false`. */
  want_assertions_encrypted: boolean
  /** SAML: whether sign-ins that start at the provider are accepted. Default `false`. */
  allow_idp_initiated: boolean
  /** SAML: whether signatures with SHA-1, which are weak, are accepted. Default `false`. */
  allow_sha1: boolean
  /** OpenID Connect: the issuer, exactly as in its discovery document. */
  oidc_issuer: string | null
  /** OpenID Connect: client ID of your application at the provider. */
  oidc_client_id: string | null
  /** OpenID Connect: how the service authenticates at the token endpoint. Default `client_secret_basic`. */
  oidc_client_auth: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none"
  /** OpenID Connect: scopes to request. Default `openid email profile`. */
  oidc_scopes: string[]
  /**
   * OpenID Connect: kind of redirect URI. `connection`: oidc_redirect_uri is used only for this connection. `shared`:
   * one URI for all connections, kept for connections that were set up in earlier releases, until you set `connection`.
   */
  oidc_callback: "connection" | "shared"
  /** Maps groups of the provider to `admin`, `member` or slugs of roles. The mapping is applied at every sign-in. */
  group_role_mapping: Record<string, string | string[]>
  attribute_mapping: AttributeMapping
  /** Verified domains that the connection serves. Empty: all verified domains of the organization. */
  domains: string[]
  /** Whether a user is created when an unknown person signs in. */
  jit_provisioning: boolean
  /** The claim or attribute that contains the SCIM externalId of the person. Default: the subject, the NameID or `oid`. */
  scim_match: string | null
  /**
   * Whether a user who is already linked may be linked to a new subject of the connection. Turn this on while you
   * migrate the identity provider.
   */
  relink: boolean
  /** Role of users that the connection creates, and of users whose groups are not mapped to a role. Default `member`. */
  default_role: "admin" | "member"
  /** Whether a second factor that the provider reports counts as the user’s second factor. Default `false`. */
  trust_idp_mfa: boolean
  /** SAML: certificates that the provider signs with. */
  idp_certificates: Certificate[]
  /** OpenID Connect: whether a client secret is stored. It is never shown. */
  oidc_client_secret_set: boolean
  /** What to enter at the identity provider. */
  sp: {
    /** Entity ID of this service. Providers call it Audience or SP Entity ID. */
    entity_id: string
    /** URL that browsers post the provider’s responses to. Providers call it Reply URL or ACS URL. */
    acs_url: string
    /** URL for logout messages of the provider. Providers call it Single Logout URL. */
    slo_url: string
    /** URL of the SAML metadata, which contains all these values, for providers that can import or fetch metadata. */
    metadata_url: string
    /** Certificates that requests are signed with, for providers that do not read the metadata. */
    certificates: Certificate[]
  }
  /** OpenID Connect: the redirect URI to register at the provider. */
  oidc_redirect_uri: string
  /** OpenID Connect: the post-logout redirect URI to register at the provider. */
  oidc_post_logout_redirect_uri: string
  /** The result of the latest test. Null: never tested. */
  last_test: {
    /** Always `true`. A refused request has an error status instead. */
    success: boolean
    /** The checks, in the order in which they ran. */
    checks: ConnectionCheck[]
    /** When the test ran. */
    at: string
  } | null
  /** When a user last signed in through the connection. Null: never. */
  last_login_at: string | null
  /** When the record was created (RFC 3339, in UTC). */
  created_at: string
  /** When the record last changed (RFC 3339, in UTC). */
  updated_at: string
}

export type SsoConnectionCertificateExpiringEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * The last certificate of a connection’s provider expires in 60, 30, 7 or 1 days, or has expired. Sign-ins through the
   * connection still work.
   */
  type: "sso.connection.certificate_expiring"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The connection. */
    id: string
    /** The connection’s name. */
    name: string
    /** When the certificate expires. */
    not_after: string
    /** Days until the token expires. */
    days: number
  }
}

export interface SsoConnectionCreate {
  /** Name that administrators and sign-in pages show. */
  name: Name
  /** The protocol. The protocol of a connection never changes. */
  protocol: "saml" | "oidc"
  /** SAML: entity ID of the identity provider, compared exactly. */
  idp_entity_id?: string | null | undefined
  /** SAML: URL that sign-in requests are sent to. */
  idp_sso_url?: string | null | undefined
  /** SAML: URL that logout requests are sent to. Null: a sign-out ends only the session of this service. */
  idp_slo_url?: string | null | undefined
  /** SAML: URL that responses to the provider’s logout requests are sent to. Null: `idp_slo_url`. */
  idp_slo_response_url?: string | null | undefined
  /** SAML: URL of the provider’s metadata, which is refreshed periodically. Null: none. */
  idp_metadata_url?: string | null | undefined
  /** SAML: whether requests are signed (RSA-SHA256). Default `true`. */
  sign_requests?: boolean | undefined
  /** SAML: how the browser sends a sign-in request. `redirect`: in the URL. `post`: in a form. Default `redirect`. */
  request_binding?: "redirect" | "post" | undefined
  /** SAML: how the browser sends logout messages: `redirect` or `post`. Default `redirect`. */
  slo_binding?: "redirect" | "post" | undefined
  /** Whether the provider must authenticate the user again at every sign-in. Default `false`. */
  force_authn?: boolean | undefined
  /** SAML: NameID format to request. Null: the provider chooses the format. */
  name_id_format?: string | null | undefined
  /** SAML: whether the metadata asks for signed assertions. A signed response is accepted too. Default `true`. */
  want_assertions_signed?: boolean | undefined
  /** SAML: whether to publish an encryption certificate and refuse unencrypted assertions. Default `false`. */
  want_assertions_encrypted?: boolean | undefined
  /** SAML: whether sign-ins that start at the provider are accepted. Default `false`. */
  allow_idp_initiated?: boolean | undefined
  /** SAML: whether signatures with SHA-1, which are weak, are accepted. Default `false`. */
  allow_sha1?: boolean | undefined
  /** OpenID Connect: the issuer, exactly as in its discovery document. */
  oidc_issuer?: string | null | undefined
  /** OpenID Connect: client ID of your application at the provider. */
  oidc_client_id?: string | null | undefined
  /** OpenID Connect: how the service authenticates at the token endpoint. Default `client_secret_basic`. */
  oidc_client_auth?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | undefined
  /** OpenID Connect: scopes to request. Default `openid email profile`. */
  oidc_scopes?: string[] | undefined
  /**
   * OpenID Connect: kind of redirect URI. `connection`: oidc_redirect_uri is used only for this connection. `shared`:
   * one URI for all connections, kept for connections that were set up in earlier releases, until you set `connection`.
   */
  oidc_callback?: "connection" | "shared" | undefined
  /** Maps groups of the provider to `admin`, `member` or slugs of roles. The mapping is applied at every sign-in. */
  group_role_mapping?: Record<string, string | string[]> | undefined
  attribute_mapping?: AttributeMapping | undefined
  /** Verified domains that the connection serves. Empty: all verified domains of the organization. */
  domains?: string[] | undefined
  /** Whether a user is created when an unknown person signs in. Default: true, or false if SCIM provisioning is enabled. */
  jit_provisioning?: boolean | null | undefined
  /** The claim or attribute that contains the SCIM externalId of the person. Default: the subject, the NameID or `oid`. */
  scim_match?: string | null | undefined
  /**
   * Whether a user who is already linked may be linked to a new subject of the connection. Turn this on while you
   * migrate the identity provider.
   */
  relink?: boolean | undefined
  /** Role of users that the connection creates, and of users whose groups are not mapped to a role. Default `member`. */
  default_role?: "admin" | "member" | undefined
  /** Whether a second factor that the provider reports counts as the user’s second factor. Default `false`. */
  trust_idp_mfa?: boolean | undefined
  /**
   * SAML: certificates that the provider signs with, in PEM. Send several while the provider changes its certificate.
   * Replaces the current certificates.
   */
  idp_certificate?: string | string[] | undefined
  /** SAML: the metadata of the provider, as XML. Sets all fields of the provider that it contains. */
  idp_metadata_xml?: string | undefined
  /**
   * OpenID Connect: the client secret of your application at the provider. It is never shown again. If oidc_issuer
   * changes to another server, the secret is removed unless the same request contains it.
   */
  oidc_client_secret?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

export type SsoConnectionEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `sso.connection.activated`: A connection was activated. Users can sign in through it.
   * `sso.connection.certificate_renewed`: The metadata of a connection’s provider contained new certificates, which are
   * used from now on. `sso.connection.created`: A connection to an identity provider was created.
   * `sso.connection.deactivated`: A connection was deactivated. Users cannot sign in through it.
   * `sso.connection.deleted`: A connection was deleted, together with its links to users. `sso.connection.test_failed`:
   * A test of a connection found a problem. `last_test` has the details. `sso.connection.updated`: Fields of a
   * connection other than its status were changed.
   */
  type: "sso.connection.activated" | "sso.connection.certificate_renewed" | "sso.connection.created" | "sso.connection.deactivated" | "sso.connection.deleted" | "sso.connection.test_failed" | "sso.connection.updated"
  /** What happened, with the fields of this type of event. */
  data: SsoConnection
}

export interface SsoConnectionList {
  /** Connections of the organization or of the whole environment. */
  connections: SsoConnection[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface SsoConnectionPatch {
  /** Name that administrators and sign-in pages show. */
  name?: Name | undefined
  /** `draft`: no sign-ins. `testing`: only with `test=true`. `active`: all. `error`: none. */
  status?: "draft" | "testing" | "active" | "error" | undefined
  /** SAML: entity ID of the identity provider, compared exactly. */
  idp_entity_id?: string | null | undefined
  /** SAML: URL that sign-in requests are sent to. */
  idp_sso_url?: string | null | undefined
  /** SAML: URL that logout requests are sent to. Null: a sign-out ends only the session of this service. */
  idp_slo_url?: string | null | undefined
  /** SAML: URL that responses to the provider’s logout requests are sent to. Null: `idp_slo_url`. */
  idp_slo_response_url?: string | null | undefined
  /** SAML: URL of the provider’s metadata, which is refreshed periodically. Null: none. */
  idp_metadata_url?: string | null | undefined
  /** SAML: whether requests are signed (RSA-SHA256). Default `true`. */
  sign_requests?: boolean | undefined
  /** SAML: how the browser sends a sign-in request. `redirect`: in the URL. `post`: in a form. Default `redirect`. */
  request_binding?: "redirect" | "post" | undefined
  /** SAML: how the browser sends logout messages: `redirect` or `post`. Default `redirect`. */
  slo_binding?: "redirect" | "post" | undefined
  /** Whether the provider must authenticate the user again at every sign-in. Default `false`. */
  force_authn?: boolean | undefined
  /** SAML: NameID format to request. Null: the provider chooses the format. */
  name_id_format?: string | null | undefined
  /** SAML: whether the metadata asks for signed assertions. A signed response is accepted too. Default `true`. */
  want_assertions_signed?: boolean | undefined
  /** SAML: whether to publish an encryption certificate and refuse unencrypted assertions. Default `false`. */
  want_assertions_encrypted?: boolean | undefined
  /** SAML: whether sign-ins that start at the provider are accepted. Default `false`. */
  allow_idp_initiated?: boolean | undefined
  /** SAML: whether signatures with SHA-1, which are weak, are accepted. Default `false`. */
  allow_sha1?: boolean | undefined
  /** OpenID Connect: the issuer, exactly as in its discovery document. */
  oidc_issuer?: string | null | undefined
  /** OpenID Connect: client ID of your application at the provider. */
  oidc_client_id?: string | null | undefined
  /** OpenID Connect: how the service authenticates at the token endpoint. Default `client_secret_basic`. */
  oidc_client_auth?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | undefined
  /** OpenID Connect: scopes to request. Default `openid email profile`. */
  oidc_scopes?: string[] | undefined
  /**
   * OpenID Connect: kind of redirect URI. `connection`: oidc_redirect_uri is used only for this connection. `shared`:
   * one URI for all connections, kept for connections that were set up in earlier releases, until you set `connection`.
   */
  oidc_callback?: "connection" | "shared" | undefined
  /** Maps groups of the provider to `admin`, `member` or slugs of roles. The mapping is applied at every sign-in. */
  group_role_mapping?: Record<string, string | string[]> | undefined
  attribute_mapping?: AttributeMapping | undefined
  /** Verified domains that the connection serves. Empty: all verified domains of the organization. */
  domains?: string[] | undefined
  /** Whether a user is created when an unknown person signs in. Default: true, or false if SCIM provisioning is enabled. */
  jit_provisioning?: boolean | null | undefined
  /** The claim or attribute that contains the SCIM externalId of the person. Default: the subject, the NameID or `oid`. */
  scim_match?: string | null | undefined
  /**
   * Whether a user who is already linked may be linked to a new subject of the connection. Turn this on while you
   * migrate the identity provider.
   */
  relink?: boolean | undefined
  /** Role of users that the connection creates, and of users whose groups are not mapped to a role. Default `member`. */
  default_role?: "admin" | "member" | undefined
  /** Whether a second factor that the provider reports counts as the user’s second factor. Default `false`. */
  trust_idp_mfa?: boolean | undefined
  /**
   * SAML: certificates that the provider signs with, in PEM. Send several while the provider changes its certificate.
   * Replaces the current certificates.
   */
  idp_certificate?: string | string[] | undefined
  /** SAML: the metadata of the provider, as XML. Sets all fields of the provider that it contains. */
  idp_metadata_xml?: string | undefined
  /**
   * OpenID Connect: the client secret of your application at the provider. It is never shown again. If oidc_issuer
   * changes to another server, the secret is removed unless the same request contains it.
   */
  oidc_client_secret?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface SsoConnectionReply {
  connection: SsoConnection
}

export type SsoKeysChangedEvent = Omit<Event, 'type' | 'data'> & {
  /** The keys that sign and decrypt SAML for an environment were prepared, activated or retired. */
  type: "sso.keys.changed"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The step that was taken, as in `POST /v1/sso/keys`. */
    action: "prepare" | "activate" | "retire"
  }
}

/** What a provider sent at a sign-in, and the outcome. */
export interface SsoSignInTrace {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** Whether the sign-in succeeded. */
  outcome: "accepted" | "refused"
  /** Why the sign-in was refused: the `error` of the redirect. */
  code: string | null
  /** Whether the sign-in was a test (`test=true`), so that no session was created. */
  is_test: boolean
  /** What the provider sent, without secrets. */
  said: Record<string, unknown>
  /** When the record was created (RFC 3339, in UTC). */
  created_at: string
}

export interface SsoUpdateKeysRequest {
  /** The step to take: `prepare`, then `activate`, then `retire`. */
  action: "prepare" | "activate" | "retire"
  subOrgId?: SubOrgId | undefined
}

/** The methods for a step-up, and the step-up that was started. */
export interface StepUp {
  /** Methods for the step-up. `sso`: the user signs in again instead. `password` does not have to be started. */
  methods: ("password" | "otp" | "totp" | "backup" | "sms" | "passkey" | "sso")[]
  /** Identifies the code that was sent. Send it with `code`. */
  otp_id?: string | undefined
  /** The challenge. Send it with a code of a second factor. */
  challenge_token?: string | undefined
  /** The challenge of the passkey `options`. Send it with the credential. */
  challengeId?: string | undefined
  /** For `navigator.credentials.get()` in the browser. */
  options?: PasskeyRequestOptions | undefined
  /** The address or phone number that a code was sent to, masked. */
  delivery_hint?: string | undefined
  /** Time of expiry (RFC 3339, in UTC). */
  expires_at?: string | undefined
}

/** A fresh access token of the same session. */
export interface SteppedUp {
  /** The new access token of the same session. */
  access_token: string
  /** Lifetime of the access token, in seconds. */
  expires_in: number
  /** When the user stepped up, in seconds since 1970. */
  auth_time: number
  /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
  amr: string[]
  /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
  aal: string
}

/** Organization, if the query does not name it. */
export type SubOrgId = string

/** The request succeeded. */
export interface Success {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
}

/** An invitation to the team that is not accepted yet. */
export interface TeamInvite {
  /** The invitation. The membership will have the same id. */
  id: string
  /** The address that the member signs in with. */
  email: string
  /** Full name in the invitation. Null: none. */
  displayName: string | null
  /** The role in the account or on the roster, which decides what the member may do. */
  role: "owner" | "admin" | "developer" | "member"
  /** The organization whose roster the membership is on. Null: the membership is in the account. */
  subOrgId: string | null
  /**
   * The API key or team member (`directoryUserId`) that sent the latest invitation. Null if the person joined without an
   * invitation.
   */
  invitedBy: {
    /** Kind of caller that sent the invitation. */
    type: "api_key" | "user"
    /** The API key, or the `directoryUserId` of the member. */
    id: string
  } | null
  /** `pending`, or `expired`: invite the person again. */
  status: "pending" | "expired"
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the link of the invitation expires. */
  expiresAt: string
}

/** `token_hash` of the mailed link. */
export type TokenHash = string

export interface TokensExchangeRequest {
  /** `code` of the redirect to your redirectUri. Works once, within 60 seconds. */
  code: string
  subOrgId?: SubOrgId | undefined
}

export interface TokensIntrospectRequest {
  /** An access token or a refresh token. */
  token: string
  subOrgId?: SubOrgId | undefined
}

export interface TokensRefreshRequest {
  /** The latest refresh token of the session. Each refresh token works once. */
  refresh_token: string
  subOrgId?: SubOrgId | undefined
}

export interface TokensRevokeRequest {
  /** The latest refresh token of the session. */
  refresh_token?: string | undefined
  /** An unexpired access token of the session. */
  access_token?: string | undefined
  /**
   * The session: `id` in `GET /v1/sessions`. An org-wide key (not limited to one organization) must also send
   * `subOrgId`.
   */
  session_id?: string | undefined
  /** Ends every session of the user. Default `false`. */
  everywhere?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

/** A browser or app that skips the second factor of its user. */
export interface TrustedDevice {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  user_id: string | null
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** User agent of the device when it was trusted. Null if it was not sent. */
  user_agent: string | null
  /** When the record was created (RFC 3339, in UTC). */
  created_at: string
  /** When the device last replaced a second factor or, if it never has, when it was trusted. */
  last_used_at: string
  /** When the device is no longer trusted, and a second factor is required again (RFC 3339, in UTC). */
  expires_at: string
}

export interface TrustedDevices {
  /** All trusted devices of the user. */
  devices: TrustedDevice[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
}

/** A person in one organization and environment, or at the account level of an environment, outside any organization. */
export interface User {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  userId: string | null
  /** The organization of the user. Null: the account level of the environment. */
  subOrgId: string | null
  /** The email address, unique within the organization regardless of case. The domain of the address is in ASCII. */
  email: string
  /** Whether the email address is verified: by the user, by your backend or by an identity provider. */
  emailVerified: boolean
  /** Full name, used in emails and in the token claim `name`. Null: none. */
  displayName: string | null
  /** First name. Null: none. */
  firstName: string | null
  /** Last name. Null: none. */
  lastName: string | null
  /** Phone number as it was entered. Null: none. */
  phone: string | null
  /** Job title, for your own use. Null: none. */
  jobTitle: string | null
  /** Department, for your own use. Null: none. */
  department: string | null
  /** Language of emails and pages for the user (BCP 47). Null: the language of the organization. */
  locale: string | null
  /** Id of the user in your own system, unique within the organization. Null: none. */
  externalId: string | null
  /** Whether the user may sign in. `false` refuses every sign-in method. */
  active: boolean
  /**
   * `inactive`: `active` is false. `locked`: the user is locked. `invited`: the user has never signed in and has an open
   * invitation or sign-up. `active`: all other users.
   */
  status: "active" | "invited" | "inactive" | "locked"
  /** Why the user is locked, and until when. Null: not locked. */
  lock: UserLock | null
  /** The built-in role: `admin` or `member`. */
  role: string
  /** Roles of the organization that the user has, from all sources. */
  roleIds: string[]
  /** What created the user: a single or bulk request, a sign-up, an invitation, or a provider. */
  source: "api" | "bulk" | "signup" | "invite" | "sso" | "scim" | "social"
  /** Whether provisioning (SCIM) manages the user. If true, most changes require `force`. */
  scimManaged: boolean
  /** Whether the user has a second factor: an app or a phone. */
  mfaEnrolled: boolean
  /** Number of passkeys that the user has. */
  passkeyCount: number
  /** When the user last signed in. Null: never. */
  lastLoginAt: string | null
  /** Your own JSON values, as you stored them. */
  metadata: Record<string, unknown>
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the record last changed (RFC 3339, in UTC). */
  updatedAt: string
  /** When the user was deleted. The user can be restored for 30 days. Null: not deleted. */
  deletedAt: string | null
}

export type UserEmailRestoredEvent = Omit<Event, 'type' | 'data'> & {
  /** A change of a user’s email address was undone with the link in the email to the old address. */
  type: "user.email_restored"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The link in the mail that undid the change. */
    link_id: string
  }
}

export type UserEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `user.activated`: A deactivated user was reactivated and may sign in again. `user.created`: A user was created: by
   * the API, an import, an invitation or a sign-up. `user.deactivated`: A user was deactivated and may no longer sign
   * in. Every session ended. `user.deleted`: A user was deleted, or a sign-up expired without proof of the mailbox. The
   * address is free again. `user.email_verified`: A user proved the mailbox for the first time. `data` shows the user at
   * that moment. Fields that the same sign-in sets later, such as `userId`, are in the event `session.created`.
   * `user.locked`: A user was locked by an administrator or by failed attempts. `data.lock` has the cause, the reason
   * and the end. `user.moved`: A user was moved to another organization. The event is recorded in both organizations.
   * `user.restored`: A deleted user was restored. `user.unlocked`: The lock of a user was ended early. `previous.lock`
   * is the lock that ended. The event is not recorded when a lock expires. `user.updated`: Fields of a user were
   * changed.
   */
  type: "user.activated" | "user.created" | "user.deactivated" | "user.deleted" | "user.email_verified" | "user.locked" | "user.moved" | "user.restored" | "user.unlocked" | "user.updated"
  /** What happened, with the fields of this type of event. */
  data: User
}

export type UserExportedEvent = Omit<Event, 'type' | 'data'> & {
  /** A user’s data was exported. */
  type: "user.exported"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
    user_id: string | null
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
    /** Kinds of records that were not exported completely, because only 1 000 records of each kind are exported. */
    truncated: string[]
  }
}

/** The user and the session of the access token. */
export interface UserInfo {
  /** The auth account, the same as `sub` of the token. */
  sub: string
  /** The email address of the user. */
  email: string
  /** Whether the user has proved the mailbox. */
  email_verified: boolean
  /** Full name. Absent if the user has none. */
  name?: string | undefined
  /** First name. Absent if the user has none. */
  given_name?: string | undefined
  /** Last name. Absent if the user has none. */
  family_name?: string | undefined
  /** Phone number as it was entered. Absent if the user has none. */
  phone_number?: string | undefined
  /** Language tag (BCP 47). Absent if the user has none. */
  locale?: string | undefined
  /** When the profile last changed, in seconds since 1970. */
  updated_at: number
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** The organization of the user. Absent: the account level. */
  org_id?: string | undefined
  /** The built-in role of the user. */
  role: string
  /** The session: `sid` of the token. */
  sid: string
  /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
  amr: string[]
  /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
  aal: string
  /** The SAML or OIDC connection of the session. */
  connection_id?: string | undefined
  /** When the user signed in or stepped up, in seconds since 1970. */
  auth_time: number
}

/** The lock of a user: its reason and its end. */
export interface UserLock {
  /**
   * Who locked the user. `administrator`: every sign-in method is refused. `failed_attempts`: the methods in the setting
   * lockout_scope are refused.
   */
  cause: "administrator" | "failed_attempts"
  /** The reason that the administrator gave. The user never sees it. Null for `failed_attempts`. */
  reason: string | null
  /** When the administrator locked the user. Null for `failed_attempts`. */
  lockedAt: string | null
  /** When the lock ends by itself. Null: the lock ends only when the user is unlocked. */
  until: string | null
}

export interface UserReply {
  user: User
}

/** A user and the sessions on this page. */
export interface UserSessions {
  /** The auth account of the user, `userId` in `/v1/users`. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts this id. */
  directory_user_id: string
  /** Live sessions of the user on this page. More sessions of the user may follow on the next page. */
  sessions: Session[]
}

export interface UserView {
  user: User
  /**
   * Why the address receives no emails. Null: the address receives emails. A key of one organization sees only
   * suppressions of that organization.
   */
  email_suppression: MailSuppression | null
}

/** The outcome of each entry. */
export interface UsersCreateManyReply {
  /** The users who were created, in the order of the request. */
  created: User[]
  /** Rows that were skipped. */
  skipped: ({
    /** The email address of the row as it was sent. */
    email: string
    /** `already_exists`: a user has the address. `duplicate_in_request`: an earlier row of the request has the address. */
    reason: "already_exists" | "duplicate_in_request"
  })[]
  /** Rows that were refused. The others are not affected. */
  failed: ({
    /** The email address of the row as it was sent. Null: the row has no address. */
    email: string | null
    /**
     * `invalid_email`, `invalid_field:<name>`, `external_id_taken`, or, if the caller may not give the roles,
     * `insufficient_scope`, `service_disabled` or `privilege_escalation`.
     */
    error: string
  })[]
}

export interface UsersCreateManyRequest {
  /**
   * The fields of a single user, and `passwordHash` with its `passwordHashType` (bcrypt, argon2, argon2id, scrypt,
   * firebase-scrypt, pbkdf2, ssha) to import passwords.
   */
  users?: Record<string, unknown>[] | undefined
  /**
   * One user per line: `email`, `email,First,Last` or `Name <email>`. Blank lines and lines that begin with # are
   * ignored.
   */
  bulkText?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersCreateRequest {
  /** One email address without a name. Unique within the organization regardless of case. */
  email: string
  /** Full name, used in emails and in the token claim `name`. Null: none. */
  displayName?: OneLine | undefined
  /** First name. Null: none. */
  firstName?: OneLine | undefined
  /** Last name. Null: none. */
  lastName?: OneLine | undefined
  phone?: PhoneNumber | undefined
  /** Job title, for your own use. Null: none. */
  jobTitle?: OneLine | undefined
  /** Department, for your own use. Null: none. */
  department?: OneLine | undefined
  locale?: Locale | undefined
  /** The id of the user in your own system. */
  externalId?: string | null | undefined
  /** Values for your own use: up to 50 keys with any JSON values, 16 KiB in total. A change replaces all keys. */
  metadata?: Record<string, unknown> | null | undefined
  /** `true` if you have verified the address yourself. */
  emailVerified?: boolean | undefined
  /** Default `member`. `role` and `roleIds` also require the scope `roles.write`. */
  role?: "admin" | "member" | undefined
  /** Ids or slugs of roles of the organization. */
  roleIds?: string[] | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersDeleteIdentityReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Number of sessions that ended, counted up to 10 000. */
  revoked: number
}

export interface UsersDeleteReply {
  /** Always `true`. A refused request has an error status instead. */
  ok: boolean
}

export interface UsersExportReply {
  /** When the export was made. */
  exported_at: string
  user: User
  /** Why the address receives no emails. Null: the address receives emails. */
  email_suppression: MailSuppression | null
  /** Records by kind, newest first, at most 1000 of each kind. More kinds and fields may be added. */
  records: Record<string, Record<string, unknown>[]>
  /**
   * The newest 1000 audit log events about the user or about bounces of the user’s current email address. Bounces that
   * count for the whole environment are included only for org-wide keys, which are not limited to one organization.
   */
  events: AnyEvent[]
  /** Kinds of records, or `events`, that are not complete. */
  truncated: string[]
}

export interface UsersImpersonateReply {
  /** The session of the support person, which cannot be refreshed. */
  session: {
    /** The session, `sid` of the token. */
    id: string
    /** Access token whose `act` names the support person. */
    access_token: string
    /** Lifetime of the token, in seconds. */
    expires_in: number
    /** When the session and its token end. */
    expires_at: string
    /** Id of the user’s auth account: `userId` of the user, and `sub` of tokens. */
    user_id: string
    /** The user: `id` in `/v1/users`. Every route accepts this id. */
    directory_user_id: string
    impersonator: Impersonator
  }
}

export interface UsersImpersonateRequest {
  /** The reason. Shown in the audit log, in `act` of the token and in the session list of the user. */
  reason: string
  /**
   * The person in your system who impersonates the user. Required with an API key. For a team member, the service uses
   * the member.
   */
  actor?: string | undefined
  /** Default 900, at most access_token_ttl_seconds. */
  duration_seconds?: number | undefined
  subOrgId?: SubOrgId | undefined
}

/** The address that the invitation was mailed to, or its link. */
export interface UsersInviteReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** The masked email address that the email is sent to. */
  delivery_hint: string
  /**
   * Whether the roles in the request were given. False: the user has signed in before and keeps the current roles. Null:
   * the request has neither `role` nor `roleIds`.
   */
  roles_applied: boolean | null
  /**
   * Whether the user will be able to sign in. False: the organization enforces single sign-on, the user is not exempt,
   * and no connection serves the address. The email then asks the person to get access first. To let the user in, add
   * the user to `sso_exempt_user_ids`.
   */
  can_sign_in: boolean
  /** The link itself. Only with `deliver: false`. */
  invite_url?: string | undefined
}

export interface UsersInviteRequest {
  /** Default `member`. `role` and `roleIds` also require the scope `roles.write`. */
  role?: "admin" | "member" | undefined
  /** Ids or slugs of roles of the organization. */
  roleIds?: string[] | undefined
  /**
   * The name of the inviting person, shown in the email. If absent, a renewed invitation keeps the previous name. Null:
   * no name.
   */
  invitedBy?: Name | null | undefined
  redirectTo?: RedirectTo | undefined
  deliver?: Deliver | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersListIdentitiesReply {
  /** The links of the user to providers. */
  identities: Identity[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface UsersListReply {
  /** Matching users, in the requested order. */
  users: User[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface UsersLockReply {
  user: User
  /** Number of sessions that ended. */
  revoked: number
}

export interface UsersLockRequest {
  /** The reason for administrators and the audit log. The user never sees it. */
  reason: string
  /** When the lock ends. Absent or null: the lock ends only when the user is unlocked. */
  until?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersMoveRequest {
  /** The organization that the user moves to, in the same environment. */
  targetSubOrgId: string
  /**
   * Moves the user even if provisioning (SCIM) manages the user. The provisioning client is not notified and may create
   * the user in the old organization again.
   */
  force?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersRestoreRequest {
  /** Restores the user even if provisioning (SCIM) manages the user. */
  force?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersRevokeSessionsReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Number of sessions that ended, counted up to 10 000. */
  revoked: number
}

export interface UsersSendPasswordResetReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** The masked email address that the email is sent to. */
  delivery_hint: string
  /** The link itself. Only with `deliver: false`. */
  url?: string | undefined
}

export interface UsersSendPasswordResetRequest {
  redirectTo?: RedirectTo | undefined
  deliver?: Deliver | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersSendVerificationReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** The masked email address that the email is sent to. */
  delivery_hint?: string | undefined
  /** `true` if the address is already verified and no email was sent. */
  already_verified?: boolean | undefined
  /** The link itself. Only with `deliver: false`. */
  url?: string | undefined
}

export interface UsersSendVerificationRequest {
  redirectTo?: RedirectTo | undefined
  deliver?: Deliver | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersSetPasswordReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** Number of sessions that ended, counted up to 10 000. */
  sessions_revoked: number
}

export interface UsersSetPasswordRequest {
  password: NewPassword
  /** Ends every session of the user. Default `true`. */
  revokeSessions?: boolean | undefined
  /** Whether the user must choose another password at the next sign-in. Default false. */
  mustChange?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersUnlockReply {
  /** Always `true`. A refused request has an error status instead. */
  success: boolean
  /** `false` if there was no lock and no failed attempt. */
  unlocked: boolean
}

export interface UsersUnlockRequest {
  subOrgId?: SubOrgId | undefined
}

export interface UsersUpdateRequest {
  /** One email address without a name. Unique within the organization regardless of case. */
  email?: string | undefined
  /** Full name, used in emails and in the token claim `name`. Null: none. */
  displayName?: OneLine | undefined
  /** First name. Null: none. */
  firstName?: OneLine | undefined
  /** Last name. Null: none. */
  lastName?: OneLine | undefined
  phone?: PhoneNumber | undefined
  /** Job title, for your own use. Null: none. */
  jobTitle?: OneLine | undefined
  /** Department, for your own use. Null: none. */
  department?: OneLine | undefined
  locale?: Locale | undefined
  /** The id of the user in your own system. */
  externalId?: string | null | undefined
  /** Values for your own use: up to 50 keys with any JSON values, 16 KiB in total. A change replaces all keys. */
  metadata?: Record<string, unknown> | null | undefined
  /** `false` ends every session at once and refuses every sign-in. */
  active?: boolean | undefined
  /** Also changes fields that provisioning (SCIM) manages. */
  force?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

/** One of your endpoints, which receives events. */
export interface Webhook {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The organization whose events it receives. Null: the whole environment. */
  subOrgId: string | null
  /** Name that administrators see. The name does not have to be unique. */
  name: Name
  /** The https URL that receives the events. The host must be public. */
  url: string
  /** Event types that the webhook receives. `user.*` stands for all types with this prefix, and `*` for all types. */
  events: string[]
  /** Whether events are sent. `false` stops new and pending deliveries. */
  enabled: boolean
  /**
   * `active`: the latest attempt succeeded, or none was made yet. `failing`: the latest attempt failed. `disabled`:
   * nothing is sent.
   */
  status: "active" | "failing" | "disabled"
  /**
   * Why the webhook is disabled. `failing`: no delivery succeeded for 120 hours. `gone`: the receiver answered 410.
   * `request`: a request disabled the webhook. Null: the webhook is enabled.
   */
  disabledReason: "failing" | "gone" | "request" | null
  /** The last characters of the signing secret. */
  secretHint: string
  /** When a delivery was last attempted. Null: never. */
  lastDeliveryAt: string | null
  /** Number of failed attempts since the last successful one. */
  consecutiveFailures: number
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the record last changed (RFC 3339, in UTC). */
  updatedAt: string
}

/** The delivery of an event to a webhook. */
export interface WebhookDelivery {
  /** A UUID that the service assigns. The id never changes. */
  id: string
  /** The event: `id` in the feed, and the header `webhook-id`. */
  eventId: string
  /** The type of the event, such as `user.created`. */
  eventType: string
  /** Number of attempts so far. */
  attempt: number
  /** `pending`: another attempt follows. `succeeded`: a 2xx response. `failed`: no further attempt. */
  status: "pending" | "succeeded" | "failed"
  /** HTTP status of the latest response. Null: no response yet. */
  responseStatus: number | null
  /** The first KiB of the response body. Null: no response. */
  responseBody: string | null
  /** Why the latest attempt failed: a code such as `timeout`. Null: the latest attempt did not fail. */
  error: string | null
  /** Time until the latest response or failure, in milliseconds. Null: not sent yet. */
  durationMs: number | null
  /** URL of the latest attempt. Null: not sent yet. */
  url: string | null
  /** When the record was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the next attempt is made. Null: no further attempt. */
  nextAttemptAt: string | null
  /** The latest request. */
  request: {
    /** Headers of the request. Signatures are shortened. */
    headers: Record<string, string>
    /** JSON text of the request. Null: the event is no longer kept. */
    body: string | null
  }
  /** The latest 20 attempts, the newest one last. */
  attempts: ({
    /** When the request was sent. */
    at: string
    /** HTTP status of the response. Null: no response. */
    responseStatus: number | null
    /** Why the attempt failed, such as `timeout`. Null if the attempt succeeded or `responseStatus` shows the reason. */
    error: string | null
    /** Time until the response or the failure, in milliseconds. */
    durationMs: number
  })[]
}

export interface WebhookDeliveryReply {
  /** Whether the receiver answered with a 2xx status. */
  success: boolean
  delivery: WebhookDelivery
}

export type WebhookEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `webhook.created`: A webhook was created. `webhook.deleted`: A webhook was deleted. `webhook.disabled`: A webhook
   * was disabled, because every delivery failed for 120 hours or its server answered 410. `webhook.secret_rotated`: A
   * webhook got a new signing secret. `webhook.updated`: A webhook was changed, enabled or disabled by a request.
   */
  type: "webhook.created" | "webhook.deleted" | "webhook.disabled" | "webhook.secret_rotated" | "webhook.updated"
  /** What happened, with the fields of this type of event. */
  data: Webhook
}

export interface WebhookReply {
  webhook: Webhook
}

export interface WebhookSecretReply {
  webhook: Webhook
  /** Secret that verifies the signatures of deliveries. The secret is shown only in this response. */
  signingSecret: string
}

export type WebhookTestEvent = Omit<Event, 'type' | 'data'> & {
  /** A webhook is being tested. Only the tested webhook receives this event. */
  type: "webhook.test"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The webhook that was tested. */
    webhookId: string
  }
}

export interface WebhooksCreateRequest {
  /** Name that administrators see. The name does not have to be unique. */
  name: Name
  /** The https URL that receives the events. The host must be public. */
  url: string
  /** Event types that the webhook receives. `user.*` stands for all types with this prefix, and `*` for all types. */
  events: string[]
  /** The whole environment, instead of subOrgId. Requires an org-wide key (not limited to one organization). */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface WebhooksGetReply {
  webhook: Webhook
  /** The latest deliveries, newest first. Empty without `deliveries=true`. */
  deliveries: WebhookDelivery[]
}

export interface WebhooksListEventTypesReply {
  /** Every type that a webhook can subscribe to, sorted. */
  eventTypes: {
    /** The type, for `events` of a webhook. */
    type: string
    /** When the event happens. */
    description: string
  }[]
}

export interface WebhooksListReply {
  /** Webhooks that the caller may see. */
  webhooks: Webhook[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Cursor of the next page: send it as `cursor`. Null on the last page. */
  next_cursor: string | null
  /** Number of rows on all pages together. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more rows than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface WebhooksReplayEventsRequest {
  /** Events from this time on are sent again. At most 30 days ago. */
  from: string
  /** Events up to this time. Default: now. */
  to?: string | undefined
  /** The whole environment, instead of subOrgId. Requires an org-wide key (not limited to one organization). */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface WebhooksResendDeliveryRequest {
  /** The whole environment, instead of subOrgId. Requires an org-wide key (not limited to one organization). */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface WebhooksRotateSecretRequest {
  /** Seconds for which deliveries are also signed with the old secret. */
  overlapSeconds?: number | undefined
  /** The whole environment, instead of subOrgId. Requires an org-wide key (not limited to one organization). */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface WebhooksTestRequest {
  /** The whole environment, instead of subOrgId. Requires an org-wide key (not limited to one organization). */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface WebhooksUpdateRequest {
  /** Name that administrators see. The name does not have to be unique. */
  name?: Name | undefined
  /** The https URL that receives the events. The host must be public. */
  url?: string | undefined
  /** Event types that the webhook receives. `user.*` stands for all types with this prefix, and `*` for all types. */
  events?: string[] | undefined
  /** `true`: pending deliveries are sent and deliveries resume. `false`: all deliveries stop. */
  enabled?: boolean | undefined
  /** The whole environment, instead of subOrgId. Requires an org-wide key (not limited to one organization). */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

/** Parameters of "List organizations". */
export interface OrganizationsListParams {
  /** No user of a suspended or archived organization can sign in; its data can still be read. */
  status?: "active" | "suspended" | "archived" | undefined
  /** Only the organization with this slug. */
  slug?: string | undefined
  /** Only the organization with this id in your own system. */
  externalId?: string | undefined
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read an organization". */
export interface OrganizationsGetParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Archive an organization". */
export interface OrganizationsArchiveParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List members of the team". */
export interface MembersListParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List open invitations to the team". */
export interface MembersListInvitesParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Withdraw an invitation to the team". */
export interface MembersRevokeInviteParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Remove a member". */
export interface MembersDeleteParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List the roster of an organization". */
export interface OrganizationsListMembersParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List environments". */
export interface EnvironmentsListParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read an environment". */
export interface EnvironmentsGetParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List API keys". */
export interface ApiKeysListParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read the calling credential". */
export interface ApiKeysGetCurrentParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read an API key". */
export interface ApiKeysGetParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Revoke an API key". */
export interface ApiKeysRevokeParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read which services are on". */
export interface ServicesGetParams {
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List users". */
export interface UsersListParams {
  /** Only entries with exactly this address. Case does not matter. */
  email?: string | undefined
  /** Only the user with this id in your own system. */
  externalId?: string | undefined
  /** `true`: only users who may sign in. `false`: only deactivated users. */
  active?: boolean | undefined
  /** Only users whose email address, name or phone number begins with this text. Case does not matter. */
  q?: string | undefined
  /** Only users that changed at this time or later. To poll for changes, send `order=asc`. */
  updatedSince?: string | undefined
  /** Only users with this built-in role. */
  role?: "admin" | "member" | undefined
  /** `true`: lists only deleted users that can still be restored. Default `false`. */
  deleted?: boolean | undefined
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read a user". */
export interface UsersGetParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Delete a user". */
export interface UsersDeleteParams {
  /** Deletes the user even if provisioning (SCIM) manages the user. */
  force?: boolean | undefined
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Export all data of a user". */
export interface UsersExportParams {
  /**
   * `true`: exports a deleted user that can still be restored. The path has the user’s `id` in `GET
   * /v1/users?deleted=true`.
   */
  deleted?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List roles and who has them". */
export interface RolesListParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read a role". */
export interface RolesGetParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Change a role". */
export interface RolesUpdateParams extends RolesUpdateRequest {
  /** Changes nothing and returns what would change. */
  preview?: boolean | undefined
}

/** Parameters of "Delete a role". */
export interface RolesDeleteParams {
  /** Changes nothing and returns what would change. */
  preview?: boolean | undefined
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "List permissions". */
export interface RolesListPermissionsParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read the roles of a user". */
export interface RolesGetForUserParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read the roles of a member". */
export interface RolesGetForMemberParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List your live sessions". */
export interface MeSessionsListParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
}

/** Parameters of "List invitations". */
export interface InvitesListParams {
  /** Only invitations in this state. */
  status?: "pending" | "accepted" | "expired" | "revoked" | undefined
  /** Only entries with exactly this address. Case does not matter. */
  email?: string | undefined
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read an invitation". */
export interface InvitesGetParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Withdraw an invitation". */
export interface InvitesRevokeParams {
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Read one-time code settings". */
export interface OtpGetSettingsParams {
  /** Adds `sources`: where each value comes from. */
  effective?: boolean | undefined
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List sign-in methods". */
export interface AuthListMethodsParams {
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Read auth settings". */
export interface AuthGetSettingsParams {
  /** Adds `sources`: where each value comes from. Default `false`. */
  effective?: boolean | undefined
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Read the MFA policy". */
export interface MfaGetPolicyParams {
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Preview an MFA policy". */
export interface MfaPreviewPolicyParams {
  /** The value to preview. Default: the current value. */
  require_mfa?: boolean | undefined
  /** The number of days to preview. Default: the current value. */
  grace_period_days?: number | undefined
  /** The values to preview, separated by commas. Default: the current values. */
  allowed_methods?: string | undefined
  /** The values to preview, separated by commas. Default: the current values. */
  enforce_for_roles?: string | undefined
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List trusted devices of a user". */
export interface MfaTrustedDevicesListParams {
  /** The user: `id` or `userId` of the user. */
  userId: string
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Remove a trusted device". */
export interface MfaTrustedDevicesDeleteParams {
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Read second factors of a user". */
export interface MfaTotpGetParams {
  /** The user: `id` or `userId` of the user. */
  userId: string
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Remove the phone". */
export interface MfaSmsDeleteParams extends MfaSmsDeleteRequest {
  /** The user: `id` or `userId` of the user. */
  userId: string
}

/** Parameters of "List the passkeys of a user". */
export interface PasskeysListParams {
  /** The user: `id` or `userId` of the user. */
  userId: string
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Delete a passkey". */
export interface PasskeysDeleteParams {
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Read passkey settings". */
export interface PasskeysGetSettingsParams {
  /** Adds `sources`: where each value comes from. Default `false`. */
  effective?: boolean | undefined
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List the identities of a user". */
export interface UsersListIdentitiesParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Unlink an identity of a user". */
export interface UsersDeleteIdentityParams {
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Start a single sign-on". */
export interface LoginSsoStartParams extends LoginSsoStartRequest {
  /** `true` tests a connection: the sign-in creates a trace and no session. */
  test?: boolean | undefined
}

/** Parameters of "List SAML service provider certificates". */
export interface SsoListKeysParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List connections". */
export interface ConnectionsListParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read a connection". */
export interface ConnectionsGetParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Delete a connection". */
export interface ConnectionsDeleteParams {
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "List sign-ins through a connection". */
export interface ConnectionsListTracesParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List webhooks". */
export interface WebhooksListParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List event types". */
export interface WebhooksListEventTypesParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read a webhook". */
export interface WebhooksGetParams {
  /** Adds the latest deliveries, newest first. Default `false`. */
  deliveries?: boolean | undefined
  /** Maximum number of deliveries. Default 50. At most 200, or 1000 as CSV. */
  limit?: number | undefined
  /** Matches only webhooks of the whole environment. Required to change such a webhook. */
  scope?: "environment" | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Delete a webhook". */
export interface WebhooksDeleteParams {
  /** The whole environment, instead of subOrgId. Requires an org-wide key (not limited to one organization). */
  scope?: "environment" | undefined
  /**
   * Organization. An org-wide key (not limited to one organization) must send either this or `scope`, in the query or in
   * the body.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Finish an OpenID sign-in (shared)". */
export interface OidcCompleteSharedParams {
  /** Authorization code of the provider. Absent with `error`. */
  code?: string | undefined
  /** `state` of the sign-in. */
  state?: string | undefined
  /** The issuer of the response (RFC 9207), if the provider sends it. */
  iss?: string | undefined
  /** Error code of the provider (RFC 6749 §4.1.2.1), such as `access_denied`. */
  error?: string | undefined
}

/** Parameters of "Finish an OpenID sign-in". */
export interface OidcCompleteParams {
  /** Authorization code of the provider. Absent with `error`. */
  code?: string | undefined
  /** `state` of the sign-in. */
  state?: string | undefined
  /** The issuer of the response (RFC 9207), if the provider sends it. */
  iss?: string | undefined
  /** Error code of the provider (RFC 6749 §4.1.2.1), such as `access_denied`. */
  error?: string | undefined
}

/** Parameters of "Return from an OpenID sign-out". */
export interface OidcCompleteLogoutParams {
  /** `state` of the sign-in. */
  state?: string | undefined
  /** Error code of the provider (RFC 6749 §4.1.2.1), such as `access_denied`. */
  error?: string | undefined
}

/** Parameters of "Finish a social sign-in (shared)". */
export interface SocialCompleteSharedParams {
  /** Authorization code of the provider. Absent with `error`. */
  code?: string | undefined
  /** `state` of the sign-in. */
  state?: string | undefined
  /** The issuer of the response (RFC 9207), if the provider sends it. */
  iss?: string | undefined
  /** Error code of the provider (RFC 6749 §4.1.2.1), such as `access_denied`. */
  error?: string | undefined
}

/** Parameters of "Finish a social sign-in". */
export interface SocialCompleteParams {
  /** Authorization code of the provider. Absent with `error`. */
  code?: string | undefined
  /** `state` of the sign-in. */
  state?: string | undefined
  /** The issuer of the response (RFC 9207), if the provider sends it. */
  iss?: string | undefined
  /** Error code of the provider (RFC 6749 §4.1.2.1), such as `access_denied`. */
  error?: string | undefined
}

/** Parameters of "List the social providers". */
export interface SocialListProvidersParams {
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List the default social providers". */
export interface SocialListDefaultsParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Receive a SAML logout (redirect)". */
export interface SamlLogoutByRedirectParams {
  /** The request to log out. */
  SAMLRequest?: string | undefined
  /** The provider’s answer to a logout request of this service. */
  SAMLResponse?: string | undefined
  /** The relay state of the logout request, which is returned to the provider. */
  RelayState?: string | undefined
  /** Algorithm of `Signature` (SAML bindings §3.4.4.1). */
  SigAlg?: string | undefined
  /** Signature of the query, in base64. */
  Signature?: string | undefined
}

/** Parameters of "Read the provisioning configuration". */
export interface ScimGetConfigParams {
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List provisioning requests". */
export interface ScimListLogsParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List live sessions, grouped by user". */
export interface SessionsListParams {
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /** Only sessions of this user. Send `id` or `userId` of the user. */
  userId?: string | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "End every session of a user". */
export interface UsersRevokeSessionsParams {
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Read a live session". */
export interface SessionsGetParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "End one session". */
export interface SessionsRevokeParams {
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "List ended sessions". */
export interface SessionsListRevocationsParams {
  /** `next_cursor` of the previous page. Default: start at the oldest revocation that is kept. */
  after?: string | undefined
  /** Maximum rows per page. Default 1000. */
  limit?: number | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read mail settings". */
export interface MailGetSettingsParams {
  /** Adds `sources`: where each value comes from. Default `false`. */
  effective?: boolean | undefined
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List email texts". */
export interface MailListTemplatesParams {
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Read the texts of an email". */
export interface MailGetTemplateParams {
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Reset the texts of an email". */
export interface MailResetTemplateParams {
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Reset default texts of an email". */
export interface MailResetDefaultTemplateParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * account.
   */
  subOrgId?: string | undefined
}

/** Parameters of "List suppressed addresses". */
export interface MailListSuppressionsParams {
  /** Only this address. Case does not matter. */
  email?: string | undefined
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Clear a suppressed address". */
export interface MailDeleteSuppressionParams {
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the account
   * level.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read the set-up of an organization". */
export interface AdminPortalGetParams {
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List the domains of an organization". */
export interface DomainsListParams {
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Remove a domain". */
export interface DomainsDeleteParams {
  /** Organization. Required with an org-wide key (not limited to one organization), in the query or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Follow the event stream". */
export interface EventsListParams {
  /** `next_cursor` of the previous page. */
  after?: string | undefined
  /** Types, separated by commas; `user.*` matches all with that prefix. */
  types?: string | undefined
  /** Default 100. Large events make a page shorter. */
  limit?: number | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read the audit log". */
export interface AuditListParams {
  /** Types, separated by commas; `user.*` matches all with that prefix. */
  types?: string | undefined
  /** Only events with this kind of actor: `api_key`, `user`, `scim` (provisioning), `system` (jobs) or `cli`. */
  actor_type?: "api_key" | "user" | "scim" | "system" | "cli" | undefined
  /**
   * Only events whose actor has this id. For sign-ins and sign-outs, also the id of the API key or team member that sent
   * the request for the user.
   */
  actor_id?: string | undefined
  /** Only events with this `X-Actor-Id`: the person that your backend acted for. */
  on_behalf_of?: string | undefined
  /** Only events about this type of resource, such as `user`. */
  target_type?: string | undefined
  /** Only events about the resource with this id. */
  target_id?: string | undefined
  /** Only events with this user (`id` or `userId`) as actor, as target or in the data. */
  user_id?: string | undefined
  /** Only events with this IP address of the end user. */
  ip_address?: string | undefined
  /** Only events of the request with this `X-Request-Id`. */
  request_id?: string | undefined
  /** Only events that contain this text. Case does not matter. */
  q?: string | undefined
  /** Only events at this time or later. */
  from?: string | undefined
  /** Only events at this time or before. */
  to?: string | undefined
  /** `next_cursor` of the last page. */
  after?: string | undefined
  /** Alias of `after`, as in other lists. Send either `cursor` or `after`. */
  cursor?: string | undefined
  /** Maximum events per page. Default 100. */
  limit?: number | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Export the audit log". */
export interface AuditExportParams {
  /** Types, separated by commas; `user.*` matches all with that prefix. */
  types?: string | undefined
  /** Only events with this kind of actor: `api_key`, `user`, `scim` (provisioning), `system` (jobs) or `cli`. */
  actor_type?: "api_key" | "user" | "scim" | "system" | "cli" | undefined
  /**
   * Only events whose actor has this id. For sign-ins and sign-outs, also the id of the API key or team member that sent
   * the request for the user.
   */
  actor_id?: string | undefined
  /** Only events with this `X-Actor-Id`: the person that your backend acted for. */
  on_behalf_of?: string | undefined
  /** Only events about this type of resource, such as `user`. */
  target_type?: string | undefined
  /** Only events about the resource with this id. */
  target_id?: string | undefined
  /** Only events with this user (`id` or `userId`) as actor, as target or in the data. */
  user_id?: string | undefined
  /** Only events with this IP address of the end user. */
  ip_address?: string | undefined
  /** Only events of the request with this `X-Request-Id`. */
  request_id?: string | undefined
  /** Only events that contain this text. Case does not matter. */
  q?: string | undefined
  /** Only events at this time or later. */
  from?: string | undefined
  /** Only events at this time or before. */
  to?: string | undefined
  /** `next_cursor` of the last page. */
  after?: string | undefined
  /** Default ndjson, or csv by `Accept`. */
  format?: "csv" | "ndjson" | undefined
  /**
   * Organization. If an org-wide key (not limited to one organization) omits it, the request applies to the whole
   * environment.
   */
  subOrgId?: string | undefined
}

/** Parameters of "Read audit settings". */
export interface AuditGetSettingsParams {
  /** Adds `sources`: where each value comes from. Default `false`. */
  effective?: boolean | undefined
  /** Organization. If an org-wide key (not limited to one organization) omits it, the request reads the account level. */
  subOrgId?: string | undefined
}

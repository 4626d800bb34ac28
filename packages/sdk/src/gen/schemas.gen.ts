// Generated from openapi.json by `npm run gen`. Do not edit.

import type { UnlistedEvent } from '../unlisted.ts'

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

/** Addresses and CIDRs that the key may be used from. Null allows all. */
export type AllowedIps = string[] | null

/** An event of any type. [The catalogue](/docs/events) describes each type. More types may be added. */
export type AnyEvent = ApiKeyEvent | AuditSettingsUpdatedEvent | MailedLinkEvent | AuthLoginDisownedEvent | AuthLoginFailedEvent | AuthLoginSucceededEvent | AuthOtpSentEvent | AuthPasswordChangedEvent | AuthPasswordResetCompletedEvent | AuthSettingsUpdatedEvent | AuthSignupSucceededEvent | AuthStepUpSucceededEvent | DeploymentRecoveredEvent | DomainEvent | EnvironmentEvent | IdentityEvent | ImpersonationEndedEvent | InviteEvent | MailBouncedEvent | MailSettingsUpdatedEvent | MailSuppressionEvent | MailTemplateEvent | MemberEvent | MemberFactorsResetEvent | MemberLinkPrintedEvent | MfaBackupCodesRegeneratedEvent | MfaChallengeCreatedEvent | MfaChallengeFailedEvent | MfaChallengeSucceededEvent | FactorChangeEvent | MfaPolicyEvent | DeviceTrustEvent | OrganizationEvent | OrganizationErasureEvent | OtpSettingsUpdatedEvent | PasskeyEvent | PasskeySettingsUpdatedEvent | RoleAssignmentEvent | RoleEvent | ScimConfigEvent | ProvisionedGroupEvent | ScimGroupMemberAddedEvent | ScimTokenExpiringEvent | ProvisionedUserEvent | ServiceConfigEvent | SessionCreatedEvent | SessionRefreshReuseDetectedEvent | SessionRevokedEvent | SocialProviderEvent | SsoConnectionEvent | SsoConnectionCertificateExpiringEvent | SsoKeysChangedEvent | UserEvent | UserEmailRestoredEvent | UserExportedEvent | WebhookEvent | WebhookTestEvent | UnlistedEvent

/** An API key, without its secret. */
export interface ApiKey {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** Name that administrators see. */
  name: string
  /** The public first characters, to tell keys apart: the environment and at least four of the secret. */
  start: string
  /** Scopes and wildcards that the key has. */
  scopes: string[]
  /** The only organization that the key reaches. Null: org-wide, every organization of the environment. */
  subOrgId: string | null
  /** Slug of the environment that it belongs to. */
  environment: string
  /** Own rate limit of the key. Null: the limit of the deployment. */
  requestsPerSecond: number | null
  /** Addresses and CIDRs that the key may be used from. Null: all. */
  allowedIps: string[] | null
  /** When the key expires. Null: never. */
  expiresAt: string | null
  /** When it was last used; may lag by a minute. Null: never. */
  lastUsedAt: string | null
  /** Address that last used the key. Null: never used. */
  lastUsedIp: string | null
  /**
   * Creator of the key: `api_key:<id>`, `user:<directoryUserId>` for a team member, `cli`, `bootstrap` or `development`.
   * `rotation:<id>` marks the previous secret of a rotated key.
   */
  createdBy: string
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the key was revoked. Null: not revoked. */
  revokedAt: string | null
}

export type ApiKeyEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `api_key.created`: An API key was created, through the API or on the command line. `api_key.revoked`: An API key was
   * revoked, with any previous secrets that still worked. `api_key.rotated`: An API key got a new secret. Its rights are
   * unchanged. `api_key.updated`: The name, scopes or allowed addresses of an API key were changed.
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
  /** Default: the value of the calling key. */
  expiresAt?: string | null | undefined
  /** Slug of the environment. Must be that of the calling key. */
  environment?: string | undefined
  /** Rate limit of this key. Null: the limit of the deployment. Default: the value of the calling key. */
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
  /** Slug of the environment that it belongs to. */
  environment: string
  /** The only organization that the key reaches. Null: org-wide, every organization of the environment. */
  subOrgId: string | null
  /** Scopes and wildcards that the key has. */
  scopes: string[]
  /** Rate limit of the key, or of the deployment. */
  requestsPerSecond: number | null
  /** When the credential ends. Null: never. */
  expiresAt: string | null
}

export interface ApiKeysListReply {
  /** API keys that the caller may see, without secrets. */
  apiKeys: ApiKey[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface ApiKeysRotateRequest {
  /** Seconds for which the previous secret keeps working. 0 ends it, and any earlier one, at once. */
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

/** How your dashboard groups services: any object. Only these fields are validated. */
export type AppGroup = {
  /** Your name for the group. */
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
   * Present names of the users, team members and API keys that are actors or targets of these events, by id: of people
   * the display name, else first and last name, else the address. Who was deleted has none. A key of one organization
   * gets the names of its own users and keys. Names of users need the scope `users.read`, those of the team
   * `members.read`, those of keys `api_keys.read`.
   */
  names: Record<string, string>
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
}

/** How long the audit log is kept. */
export interface AuditSettings {
  /** How many days events are kept; null for WATCHWORD_EVENT_RETENTION_DAYS. */
  retention_days: number | null
}

export interface AuditSettingsReply {
  settings: AuditSettings
}

export type AuditSettingsUpdatedEvent = Omit<Event, 'type' | 'data'> & {
  /** How long the audit log of an organization is kept, or the default of its environment, was changed. */
  type: "audit.settings.updated"
  /** The values that were set. Null if inherited again. */
  data: Record<string, unknown>
}

export interface AuditUpdateDefaultsRequest {
  /** How many days events are kept; null for WATCHWORD_EVENT_RETENTION_DAYS. */
  retention_days?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface AuditUpdateSettingsRequest {
  /** How many days events are kept; null for WATCHWORD_EVENT_RETENTION_DAYS. */
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
   * Whether single sign-on is enforced (`enforce_sso`). Then show only single sign-on, and the other methods on request
   * for exempt users.
   */
  enforced: boolean
}

export type AuthLoginDisownedEvent = Omit<Event, 'type' | 'data'> & {
  /** A user used the link in a new-device mail to report the sign-in of a session. */
  type: "auth.login.disowned"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The session that the user did not start. It was ended. */
    session_id: string
    /** The link in the mail that was used. */
    link_id: string
  }
}

export type AuthLoginFailedEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * A sign-in was refused, or a code or link was requested for an address that cannot sign in. Beyond a limit, failures
   * are counted: one event has the `count` of similar ones.
   */
  type: "auth.login.failed"
  /** What happened, with the fields of this type of event. */
  data: {
    /** Sign-in method that was tried, such as `otp` or `password`. */
    method: string
    /** Why it was refused, such as the error code. */
    reason: string
    /** The passkey, if it is known. */
    passkey_id?: string | undefined
    /** The connection, for single sign-on. */
    connection_id?: string | undefined
    /** The trace of the sign-in (`GET /v1/sso/connections/{connectionId}/traces`). Absent with `count`. */
    trace_id?: string | undefined
    /** Number of similar failures that the event stands for. Absent for a single one. */
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
   * A one-time code was created and its message was queued. The code is for a user who signs in or up, or comes from the
   * generator.
   */
  type: "auth.otp.sent"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The code: `otp_id` of the response. */
    otp_id: string
    /** Absent for a code of the generator. */
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
    /** Set by an administrator: whether the user must choose another one at the next sign-in. */
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
  /** Maximum sign-ins of a user per minute, over all methods. */
  sign_in_rate_limit_per_minute: number
  /**
   * Origins of web pages that may call the end-user routes, such as https://app.example.com. https only; in development
   * also http on this machine.
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
  /** Whether common and breached passwords are refused, by a list built into the service. */
  password_breach_check: boolean
  /** How many of the last passwords, including the current one, may not be reused. */
  password_history: number
  /**
   * Memory of argon2id, in KiB. Stored passwords are upgraded at the next sign-in. Memory times passes must not exceed
   * the limit of the deployment.
   */
  password_hash_memory_kib: number
  /** Passes of argon2id. */
  password_hash_iterations: number
  /** Lanes of argon2id. */
  password_hash_parallelism: number
  /** Whether wrong passwords lock an address. */
  lockout_enabled: boolean
  /** Wrong passwords from one network (X-End-User-IP) until a lock. From all networks together, five times as many. */
  lockout_max_attempts: number
  /** How long wrong passwords count. */
  lockout_window_seconds: number
  /** Length of the first lock; each further one lasts twice as long, up to an hour. */
  lockout_duration_seconds: number
  /** What a lock refuses. `password`: passwords. `all`: also codes, links, passkeys and refresh. */
  lockout_scope: "password" | "all"
  /** Lifetime of a sign-in link, in seconds. The words in the same email are valid for at most ten minutes. */
  magic_link_ttl_seconds: number
  /** Maximum links sent to one address per minute. */
  magic_link_rate_limit_per_minute: number
  /** Maximum links sent to one address per hour. */
  magic_link_rate_limit_per_hour: number
  /**
   * Addresses that links and redirects may lead to, compared exactly. https only. In development also http on this
   * machine, without an entry while the list is empty.
   */
  allowed_redirect_uris: string[]
  /** The entry of allowed_redirect_uris that hosted pages lead to. Null: its only entry. */
  default_redirect_uri: string | null
  /** Whether users may sign in with a code to their enrolled phone. The MFA policy must allow sms. */
  sms_sign_in_enabled: boolean
  /** Lifetime of a link that verifies an address or completes a sign-up, in seconds. */
  email_verification_ttl_seconds: number
  /** Lifetime of an invitation, in seconds. */
  invite_ttl_seconds: number
  /** Lifetime of an access token, in seconds. Offline verifiers may accept a revoked session for this long. */
  access_token_ttl_seconds: number
  /** A session ends if it is not refreshed for this long. */
  session_idle_timeout_seconds: number
  /** A session ends after this time, even if it is used. */
  session_max_lifetime_seconds: number
  /** Maximum concurrent sessions per user. 0: no limit. */
  max_concurrent_sessions: number
  /** What happens to a sign-in beyond the limit. */
  concurrent_session_policy: "revoke_oldest" | "deny_new"
  /** A refresh token that is sent again within this time, as after a lost response, returns the same successor. */
  refresh_reuse_interval_seconds: number
  /** `aud` of access tokens. Null: the id of the account. */
  audience: string | string[] | null
  /**
   * Further claims of access tokens, each from `user.externalId`, `user.metadata.{key}`, `organization.externalId` or
   * `organization.metadata.{key}`. Values that are not set are left out.
   */
  token_claims: Record<string, string>
  /** Days for which a device that passed a challenge may be trusted. 0: never. */
  trusted_device_days: number
  /**
   * Whether devices may also be trusted for roles that the MFA policy names, and for owners and admins if it requires a
   * second factor of them.
   */
  trusted_devices_for_enforced_roles: boolean
  /**
   * Whether users are notified by email of a sign-in from a device not seen for 90 days. Uses X-End-User-IP and
   * X-End-User-Agent.
   */
  notify_new_device: boolean
  /**
   * Whether users must sign in by single sign-on; other sessions cannot be refreshed. Requires an active, complete
   * connection and a verified domain.
   */
  enforce_sso: boolean
  /** Users who may sign in with other methods, for example if the provider fails. Values of directory_user_id. */
  sso_exempt_user_ids: string[]
  /** Whether a key with the scope impersonate may act for users. Not inherited: each organization sets it. */
  impersonation_enabled: boolean
  /** Only in the defaults: whether a person with a proved mailbox may create an organization and become its admin. */
  discovery_create_organizations: boolean
  /** Only in the defaults: maximum organizations created this way per day. */
  discovery_create_limit_per_day: number
  /** Requests that the SCIM client may send per second. Bursts may have 4 times as many. */
  scim_requests_per_second: number
}

export interface AuthSettingsPatch {
  /** Whether users may sign up. */
  allow_sign_up?: boolean | null | undefined
  /** Whether the mailbox must be proved before a password or a sign-up creates a session. */
  require_email_verification?: boolean | null | undefined
  /** Maximum sign-ins of a user per minute, over all methods. */
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
  /** Whether common and breached passwords are refused, by a list built into the service. */
  password_breach_check?: boolean | null | undefined
  /** How many of the last passwords, including the current one, may not be reused. */
  password_history?: number | null | undefined
  /**
   * Memory of argon2id, in KiB. Stored passwords are upgraded at the next sign-in. Memory times passes must not exceed
   * the limit of the deployment.
   */
  password_hash_memory_kib?: number | null | undefined
  /** Passes of argon2id. */
  password_hash_iterations?: number | null | undefined
  /** Lanes of argon2id. */
  password_hash_parallelism?: number | null | undefined
  /** Whether wrong passwords lock an address. */
  lockout_enabled?: boolean | null | undefined
  /** Wrong passwords from one network (X-End-User-IP) until a lock. From all networks together, five times as many. */
  lockout_max_attempts?: number | null | undefined
  /** How long wrong passwords count. */
  lockout_window_seconds?: number | null | undefined
  /** Length of the first lock; each further one lasts twice as long, up to an hour. */
  lockout_duration_seconds?: number | null | undefined
  lockout_scope?: "password" | "all" | null | undefined
  /** Lifetime of a sign-in link, in seconds. The words in the same email are valid for at most ten minutes. */
  magic_link_ttl_seconds?: number | null | undefined
  /** Maximum links sent to one address per minute. */
  magic_link_rate_limit_per_minute?: number | null | undefined
  /** Maximum links sent to one address per hour. */
  magic_link_rate_limit_per_hour?: number | null | undefined
  allowed_redirect_uris?: string[] | null | undefined
  /** The entry of allowed_redirect_uris that hosted pages lead to. Null: its only entry. */
  default_redirect_uri?: string | null | undefined
  /** Whether users may sign in with a code to their enrolled phone. The MFA policy must allow sms. */
  sms_sign_in_enabled?: boolean | null | undefined
  /** Lifetime of a link that verifies an address or completes a sign-up, in seconds. */
  email_verification_ttl_seconds?: number | null | undefined
  /** Lifetime of an invitation, in seconds. */
  invite_ttl_seconds?: number | null | undefined
  /** Lifetime of an access token, in seconds. Offline verifiers may accept a revoked session for this long. */
  access_token_ttl_seconds?: number | null | undefined
  /** A session ends if it is not refreshed for this long. */
  session_idle_timeout_seconds?: number | null | undefined
  /** A session ends after this time, even if it is used. */
  session_max_lifetime_seconds?: number | null | undefined
  /** Maximum concurrent sessions per user. 0: no limit. */
  max_concurrent_sessions?: number | null | undefined
  concurrent_session_policy?: "revoke_oldest" | "deny_new" | null | undefined
  /** A refresh token that is sent again within this time, as after a lost response, returns the same successor. */
  refresh_reuse_interval_seconds?: number | null | undefined
  /** `aud` of access tokens. Null: the id of the account. */
  audience?: string | string[] | null | undefined
  token_claims?: Record<string, string> | null | undefined
  /** Days for which a device that passed a challenge may be trusted. 0: never. */
  trusted_device_days?: number | null | undefined
  /**
   * Whether devices may also be trusted for roles that the MFA policy names, and for owners and admins if it requires a
   * second factor of them.
   */
  trusted_devices_for_enforced_roles?: boolean | null | undefined
  /**
   * Whether users are notified by email of a sign-in from a device not seen for 90 days. Uses X-End-User-IP and
   * X-End-User-Agent.
   */
  notify_new_device?: boolean | null | undefined
  /**
   * Whether users must sign in by single sign-on; other sessions cannot be refreshed. Requires an active, complete
   * connection and a verified domain.
   */
  enforce_sso?: boolean | null | undefined
  sso_exempt_user_ids?: string[] | null | undefined
  /** Whether a key with the scope impersonate may act for users. Not inherited: each organization sets it. */
  impersonation_enabled?: boolean | null | undefined
  /** Only in the defaults: whether a person with a proved mailbox may create an organization and become its admin. */
  discovery_create_organizations?: boolean | null | undefined
  /** Only in the defaults: maximum organizations created this way per day. */
  discovery_create_limit_per_day?: number | null | undefined
  /** Requests that the SCIM client may send per second. Bursts may have 4 times as many. */
  scim_requests_per_second?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface AuthSettingsReply {
  settings: AuthSettings
}

export type AuthSettingsUpdatedEvent = Omit<Event, 'type' | 'data'> & {
  /** The sign-in, sign-up and session settings of an organization, or the defaults of its environment, were changed. */
  type: "auth.settings.updated"
  /** The values that were set. Null if inherited again. */
  data: Record<string, unknown>
}

export type AuthSignupSucceededEvent = Omit<Event, 'type' | 'data'> & {
  /** A user completed sign-up, by proving the mailbox or, if no proof is required, without one. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** The user’s auth account: `userId` of the user, `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
}

export interface AuthVerifyEmailRequest {
  email: EmailAddress
  token_hash: TokenHash
  /** The password that the user chose at sign-up, to keep it. Absent: the password is removed. */
  password?: string | undefined
  subOrgId?: SubOrgId | undefined
}

/** The codes, shown only once. */
export interface BackupCodes {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Ten backup codes, each for one sign-in. Shown only once. */
  backupCodes: string[]
}

/** Branding of emails and hosted pages. Null: the branding of the deployment. */
export interface Branding {
  /** Shown at the top of emails and pages, and as the sender’s name. */
  brand_name: string | null
  /** Image shown in place of the name. */
  logo_url: string | null
  /** Address for help, at the end of emails and pages. */
  support_email: string | null
}

export interface BrandingPatch {
  /** Shown at the top of emails and pages, and as the name of the sender. */
  brand_name?: string | null | undefined
  /** The https URL of an image, shown 40 pixels high in place of the name. */
  logo_url?: string | null | undefined
  /** The address for help, given at the end of emails and pages. */
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
  /** The connection’s name, for a button. */
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
  /** Always `testing`, also when an active connection stays active. */
  status: "testing"
  /** Each check in its order. */
  checks: ConnectionCheck[]
}

export interface ConnectionsTestRequest {
  subOrgId?: SubOrgId | undefined
}

export type Country = string

/** false: no email; the response has the link. Needs the scope links.issue. */
export type Deliver = boolean

/** `queued` if at least one message is sent. */
export interface DeliveryState {
  /** `queued`: will be sent. `withheld`: not sent; see `reason`. */
  status: "queued" | "withheld"
  /**
   * Why the message is withheld: channel_off, no_provider, number_not_mobile, country_not_allowed, daily_limit,
   * recipient_limit, organization_limit, key_limit, user_limit, network_limit. Null if it is queued.
   */
  reason: string | null
  /** Each requested message. */
  messages: ({
    /** Channel of the message. */
    channel: "email" | "sms"
    /** `queued`: will be sent. `withheld`: not sent; see `reason`. */
    status: "queued" | "withheld"
    /**
     * Why the message is withheld: channel_off, no_provider, number_not_mobile, country_not_allowed, daily_limit,
     * recipient_limit, organization_limit, key_limit, user_limit, network_limit. Null if it is queued.
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
    /** When the run started. */
    recoveredAt: string
  }
}

/** A trusted device of a user. */
export interface DeviceTrust {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
  /** User agent of the device when it was trusted. */
  user_agent: string | null
}

export type DeviceTrustEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `mfa.trusted_device.added`: A user passed a challenge and trusted the device. `mfa.trusted_device.removed`: One
   * trusted device was removed. Not recorded for devices that end with a factor, a password or the user.
   * `mfa.trusted_device.used`: A trusted device replaced the second factor of a sign-in.
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
  /** Further requirements of the organization. `mfa`: a second factor, which the person may have to enroll. */
  requires: "sso" | "mfa" | null
  /** With `sso`: the connection for POST /v1/auth/login/sso/start, if one serves the address. */
  connection_id: string | null
}

export interface Discovery {
  /** Works once for each of the organizations. */
  discovery_token: string
  /** When it expires (RFC 3339, in UTC). */
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
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The domain name, in ASCII (IDNA). */
  domain: string
  /** The Unicode form, if it differs and is not easily confused with another name. */
  unicode: string | null
  /** `failed`: the last check did not find the record, or a verified domain lost it. */
  status: "pending" | "verified" | "failed"
  /** The TXT record to set. */
  verification: {
    /** How the domain is proved: by a TXT record in the DNS. */
    type: "dns_txt"
    /** Name of the TXT record. */
    name: string
    /** Text of the TXT record. */
    value: string
  }
  /** When the record was first found. Null: not verified yet. */
  verified_at: string | null
  /** When the record was last looked for. Null: never. */
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
  /** `false` if the check did not find the record; `error` says why. */
  success: boolean
  error: DomainError | null
  /** The domain after the action. Null if it was removed. */
  domain: Domain | null
  overview: AdminPortalOverview
}

export interface DomainCheckReply {
  /** `false` if the check did not find the record; `error` says why. */
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
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** Name that administrators see. */
  name: string
  /** Identifies the environment in API keys and issuers. It never changes. */
  slug: string
  /** `production`, `staging`, or `custom` for those that you create. */
  type: "production" | "staging" | "custom"
  /** The only organization whose keys it accepts. */
  subOrgId: string | null
  /** Default language of its users (BCP 47). Null: `en`. */
  locale: string | null
  /** When it was created (RFC 3339, in UTC). */
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
   * Up to 63 characters: a-z, 0-9 and single hyphens between them; not production or staging. Unique within the
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
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
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
  /** `resource.past_tense` */
  type: string
  /** When it happened (RFC 3339, in UTC). */
  timestamp: string
  /** Version of the event format. It changes only with incompatible changes. */
  api_version: string
  /** Slug of the environment, such as `production`. */
  environment: string
  /** The organization in which it happened. Null: none, such as a change of the whole environment. */
  sub_org_id: string | null
  /** Who did it. */
  actor: {
    /** `api_key`, `user`, `scim` (provisioning), `system` (jobs) or `cli`. */
    type: string
    /** The API key or the user. Null: the kind has no id. */
    id: string | null
    /** The person that your backend acted for (`X-Actor-Id` and `X-Actor-Name`). Null without these headers. */
    on_behalf_of: {
      /** Your id of the person: `X-Actor-Id` of the request. */
      id: string
      /** Their name: `X-Actor-Name` of the request. Null: not sent. */
      name: string | null
    } | null
    /**
     * For a sign-in or sign-out, where the actor is the user: the API key or team member that made the request. Otherwise
     * null.
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
  /** `X-Request-Id` of the request. Null: no request, such as a job. */
  request_id: string | null
  /** IP address of the end user, if the request had it. */
  ip_address: string | null
  /** IP address of the end user, if the request had it. */
  user_agent: string | null
  /** The resource as the API shows it. */
  data: Record<string, unknown>
  previous: Record<string, unknown> | null
}

export interface EventsListReply {
  /** Events after the cursor, oldest first. */
  events: AnyEvent[]
  /** Whether more events exist. If true, read on immediately. */
  has_more: boolean
  /** Cursor of the next call. Always present. */
  next_cursor: string
}

export interface FactorChange {
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
  /** The factor: `totp` (authenticator app), `sms` (phone) or `backup` (backup codes). */
  method: "totp" | "backup" | "sms"
}

export type FactorChangeEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `mfa.enrolled`: A user confirmed a second factor. `mfa.removed`: A second factor of a user was removed, together
   * with every trusted device. An authenticator app loses its backup codes too.
   */
  type: "mfa.enrolled" | "mfa.removed"
  /** What happened, with the fields of this type of event. */
  data: FactorChange
}

/** The factor was removed. */
export interface FactorRemoval {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Whether the policy requires a factor of the user. */
  required: boolean
}

/** Where to send the browser, and the state to keep. */
export interface FederatedStart {
  /** Send the browser there. */
  authorization_url: string
  /** Returned to redirectUri. Store it in the browser’s session and compare the two. */
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

/** The link of a user to a person at an identity or social provider. */
export interface Identity {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  userId: string | null
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directoryUserId: string
  /** `sso`: a connection of the organization. `social`: a social provider. */
  method: "sso" | "social"
  /** The connection’s id (`sso`) or the provider’s name (`social`). */
  source: string
  /** The issuer of the provider: its URL, or the SAML entity ID. */
  issuer: string
  /** Id of the person at the provider. */
  subject: string
  /** The address that the provider stated last. Null: none. */
  email: string | null
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the user last signed in with it. */
  lastUsedAt: string
}

export type IdentityEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `identity.linked`: An identity at a provider was linked to a user. The user can sign in with it.
   * `identity.unlinked`: An identity was unlinked from a user. It was removed on its own, or by the first proof of the
   * mailbox.
   */
  type: "identity.linked" | "identity.unlinked"
  /** What happened, with the fields of this type of event. */
  data: Identity
}

export type ImpersonationEndedEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `impersonation.ended`: An impersonation session ended. Recorded within two minutes. `impersonation.started`: A
   * support agent started a read-only session as a user.
   */
  type: "impersonation.ended" | "impersonation.started"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The impersonation session. */
    id: string
    /** The user’s auth account: `userId` of the user, `sub` of tokens. */
    user_id: string
    /** The user: `id` in `/v1/users`. Every route accepts it. */
    directory_user_id: string
    impersonator: Impersonator
    /** Why the session ended. Null when it started. */
    ended: "expired" | "revoked" | null
  }
}

/** The support person who acts for the user: `act` of the token (RFC 8693 §4.1). */
export interface Impersonator {
  /** Your name or id of that person, as sent at the start of the impersonation. */
  sub: string
  /** The reason, as sent at the start of the impersonation. Shown in the audit log. */
  reason: string
}

/** The content of the token (RFC 7662). Only `active: false` if the token is not valid. */
export interface Introspection {
  /** Whether the token is valid: issued by this service, not expired, and its session has not ended. */
  active: boolean
  /** `access_token` or `refresh_token`. */
  token_type?: string | undefined
  /** Issuer: the URL of the environment. */
  iss?: string | undefined
  /** The auth account of the user. */
  sub?: string | undefined
  /** Audience: the setting `audience`, or the account’s id. */
  aud?: string | string[] | undefined
  /** When the token ends, in seconds since 1970. */
  exp?: number | undefined
  /** When the token was issued, in seconds since 1970. Absent for a refresh token. */
  iat?: number | undefined
  /** The session: `id` in `/v1/sessions`. */
  sid?: string | undefined
  /** The organization of the user. Null: the account level. */
  org_id?: string | null | undefined
  /** The address of the user. */
  username?: string | undefined
  /** The same as `sub`. */
  user_id?: string | undefined
  /** The user: `id` in `/v1/users`. Every route accepts it. */
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
  /** When the user signed in, in seconds since 1970. A step-up moves it. */
  auth_time?: number | undefined
  /** Slug of the environment. */
  env?: string | undefined
  act?: Impersonator | undefined
}

/** An invitation of a user into an organization. */
export interface Invite {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The address it was mailed to. */
  email: string
  /** `pending`: not accepted yet. `accepted`, `expired` or `revoked`: the link no longer works. */
  status: "pending" | "accepted" | "expired" | "revoked"
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  user_id: string | null
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
  /** The name of the person who invited, as shown in the email. */
  invited_by: string | null
  /** The organization it belongs to. Null: the account level of the environment. */
  sub_org_id: string | null
  /** When it was created (RFC 3339, in UTC). */
  created_at: string
  /** When it expires (RFC 3339, in UTC). */
  expires_at: string
  /** When the person accepted. Null: not accepted. */
  accepted_at: string | null
  /**
   * How the person joined: `invite` for the link, otherwise the sign-in method or `email_verification`. Null: not
   * accepted.
   */
  accepted_by: string | null
  /** When it was withdrawn. Null: not withdrawn. */
  revoked_at: string | null
}

export type InviteEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `invite.accepted`: An invitation was accepted by its link, or because the person joined in another way
   * (`data.accepted_by`). `invite.created`: A user was invited for the first time, or again after the previous
   * invitation was accepted, was withdrawn or expired. `invite.expired`: An invitation was not accepted in time.
   * `invite.resent`: An invited user was sent a new link. It replaces the previous one. `invite.revoked`: An invitation
   * was withdrawn or ended. It ends when its user gets another address, is deactivated, deleted or moved, or is taken
   * over by provisioning.
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
  /** The address that the mail goes to, masked. */
  delivery_hint: string
  /**
   * False: the user has signed in before and keeps the current roles. Null: the request has neither `role` nor
   * `roleIds`.
   */
  roles_applied: boolean | null
  /**
   * False: the organization enforces single sign-on, the user is not exempt, and no connection serves the address. The
   * email asks the person to get access first. Add the user to `sso_exempt_user_ids`.
   */
  can_sign_in: boolean
}

export interface InvitesCreateRequest {
  email: EmailAddress
  /** Full name, in mails and in the token claim `name`. Null: none. */
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
   * The name of the person who invites, for the email. Absent: the name in the invitation that this one renews. Null:
   * none.
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
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface InvitesRevokeReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
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
  /** Empty: there is no authorization endpoint. */
  response_types_supported: string[]
}

/** A public key. Elliptic-curve keys also have `crv`, `x` and `y`. */
export type Jwk = {
  /** Key type, such as `EC`. */
  kty: string
  /** Key id: the `kid` in the header of the tokens that it signs. */
  kid: string
  /** Always `sig`: it verifies signatures. */
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
 * A language tag (BCP 47) for emails, text messages and pages. Null: that of the organization, of the environment, or
 * `en`.
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
    /** The connection’s name, for a button. */
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
   * Address of the user, in any case. If absent or empty, any user with a passkey on the device may sign in. With
   * subOrgId, this requires `conditional`.
   */
  email?: string | undefined
  /** For autofill, or a button without an address. The options list no passkeys. */
  conditional?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface LoginPasskeyVerifyRequest {
  /** The address as sent for the options. Absent or empty if it was absent there. */
  email?: string | undefined
  /** From the response of the route options. */
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

/** The session, or the challenge of a second factor that is missing. */
export interface LoginResult {
  /**
   * Null if a second factor is missing: continue with challenge_token. Also null with sign_in_required and with
   * discovery_token.
   */
  session: SessionTokens | null
  /** Only for POST /v1/auth/invite/accept: a team member has joined and must sign in as usual. */
  sign_in_required?: boolean | undefined
  /**
   * Only without subOrgId: for POST /v1/auth/token/exchange after a social sign-in, and for POST
   * /v1/auth/login/passkey/verify if several organizations hold the passkey. Enter one of `organizations` with POST
   * /v1/auth/discovery/exchange.
   */
  discovery_token?: string | undefined
  /** When `discovery_token` expires. */
  expires_at?: string | undefined
  /** Organizations to choose from. Only with `discovery_token`. */
  organizations?: DiscoveredOrganization[] | undefined
  /** The first factor was correct, and a second is required. */
  mfa_required?: boolean | undefined
  /** For POST /v1/mfa/challenge/verify, or PUT /v1/mfa/totp if enrollment_required. */
  challenge_token?: string | undefined
  /** When the challenge expires. After that the user must sign in again. */
  challenge_expires_at?: string | undefined
  /** The user of the challenge. Send it as userId of an enrollment. */
  directory_user_id?: string | undefined
  /** The organization of the challenge. Send it as subOrgId of the requests that continue it. Null for the team. */
  sub_org_id?: string | null | undefined
  /** Methods that pass the challenge. `passkey`: sign in with a passkey instead. */
  methods?: string[] | undefined
  /** The user has no factor and must enroll one to sign in. */
  enrollment_required?: boolean | undefined
  /** The policy requires a factor that the user has not enrolled. Until grace_ends_at the user can sign in without one. */
  mfa?: {
    /** Whether the policy requires a second factor of the user. */
    required: boolean
    /** Whether the user has one. */
    enrolled: boolean
    /** From this time on the user must enroll a factor to sign in. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
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
  /** An access token of the session that has not expired. */
  access_token?: string | undefined
  /** The session: `id` in the list. An org-wide key also sends `subOrgId`. */
  session_id?: string | undefined
  /** URL that the browser returns to: an entry of allowed_redirect_uris. */
  redirectUri: string
  /** Returned to redirectUri. Do not put secrets in it. */
  state?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface LoginSsoStartRequest {
  /** The connection: from `POST /v1/auth/login/sso/discover`, or `sso` of `GET /v1/auth/methods`. */
  connectionId: string
  /** URL that the browser returns to: an entry of allowed_redirect_uris. */
  redirectUri: string
  /**
   * `code` (recommended): redirectUri gets a code for POST /v1/auth/token/exchange, so URLs contain no tokens. `query`
   * (default): redirectUri gets the tokens.
   */
  response_mode?: "query" | "code" | undefined
  /** Have the provider authenticate the person again. Default: the connection’s `force_authn`. */
  force_authn?: boolean | undefined
  /** The address that the provider should suggest. */
  login_hint?: string | undefined
  subOrgId?: SubOrgId | undefined
}

/** The invitation, with its link if it was not mailed. */
export interface MadeInvite {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The address it was mailed to. */
  email: string
  /** `pending`: not accepted yet. `accepted`, `expired` or `revoked`: the link no longer works. */
  status: "pending" | "accepted" | "expired" | "revoked"
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  user_id: string | null
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
  /** The name of the person who invited, as shown in the email. */
  invited_by: string | null
  /** The organization it belongs to. Null: the account level of the environment. */
  sub_org_id: string | null
  /** When it was created (RFC 3339, in UTC). */
  created_at: string
  /** When it expires (RFC 3339, in UTC). */
  expires_at: string
  /** When the person accepted. Null: not accepted. */
  accepted_at: string | null
  /**
   * How the person joined: `invite` for the link, otherwise the sign-in method or `email_verification`. Null: not
   * accepted.
   */
  accepted_by: string | null
  /** When it was withdrawn. Null: not withdrawn. */
  revoked_at: string | null
  /** The link itself. Only with `deliver: false`. */
  invite_url?: string | undefined
}

export type MailBouncedEvent = Omit<Event, 'type' | 'data'> & {
  /** The mail server refused an address, or a bounce or complaint was reported, and it counts. Each is recorded once. */
  type: "mail.bounced"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The organization it counts for. Null: every organization of the environment. */
    sub_org_id: string | null
    /** The address, in lower case. */
    email: string
    /**
     * `hard`: the address takes no mail. `soft`: it takes none for now, such as a full mailbox. `complaint`: its owner
     * reported a mail as spam.
     */
    kind: "hard" | "soft" | "complaint"
    /** Status code of the bounce (RFC 3463). Null: the report has none. */
    status: string | null
    /** `smtp`: the mail server refused the address. `report`: `POST /v1/mail/bounces` reported it. */
    source: "smtp" | "report"
    /** The id in the report. Null: none. */
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
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

/** A placeholder of a kind of email. */
export interface MailPlaceholder {
  /** Name of the placeholder, written in braces in a text. */
  name: string
  /** Meaning of the placeholder. */
  description: string
  /** Value in a preview. Null only for `standard`, which stands for paragraphs. */
  example: string | null
  /** Whether a body must contain it. */
  required: boolean
  /** Whether a heading must contain it. */
  required_in_heading: boolean
  /** Whether every part that is set must begin with it. */
  required_first: boolean
  /** Whether it is refused outside the body. For example, lock screens would show a code in the subject. */
  only_in_body: boolean
}

/** An email as it would be sent, with example values. */
export interface MailPreview {
  /** The subject line. */
  subject: string
  /** The plain text part. */
  text: string
  /** The HTML part. It has no scripts and loads only the logo. */
  html: string
}

export interface MailReportBounceReply {
  /** One for each recipient of the report. */
  bounces: ReportedBounce[]
}

export interface MailReportBounceRequest {
  /** The address that the email was for. Required without `message`. */
  email?: EmailAddress | undefined
  /** What happened. Required without `message`. */
  kind?: "hard" | "soft" | "complaint" | undefined
  /** The id of the report at your provider. A report with the same id, address and kind counts once. */
  provider_id?: string | undefined
  /**
   * `Message-ID` of the email, if the provider returns it unchanged. The report then counts for the organization that
   * sent the email, once.
   */
  message_id?: string | undefined
  /**
   * The report as it was received: a delivery status notification (RFC 3464) or a feedback report (RFC 5965). At most
   * 4,000 lines. Or send it as the whole body, as `message/rfc822`, and `subOrgId` in the query.
   */
  message?: string | undefined
  subOrgId?: SubOrgId | undefined
}

/** How emails and hosted pages look, and who sends the emails. */
export interface MailSettings {
  /** Shown at the top of emails and pages, and as the name of the sender. */
  brand_name: string | null
  /** The https URL of an image, shown 40 pixels high in place of the name. */
  logo_url: string | null
  /** The address for help, given at the end of emails and pages. */
  support_email: string | null
  /** Name of the sender, if different from the brand. */
  from_name: string | null
  /** Address of the sender, in the domain of WATCHWORD_MAIL_FROM. */
  from_address: string | null
  /** Address that replies go to. */
  reply_to: string | null
  subjects: MailSubjects
}

export interface MailSettingsPatch {
  /** Shown at the top of emails and pages, and as the name of the sender. */
  brand_name?: string | null | undefined
  /** The https URL of an image, shown 40 pixels high in place of the name. */
  logo_url?: string | null | undefined
  /** The address for help, given at the end of emails and pages. */
  support_email?: string | null | undefined
  /** Name of the sender, if different from the brand. */
  from_name?: string | null | undefined
  /** Address of the sender, in the domain of WATCHWORD_MAIL_FROM. */
  from_address?: string | null | undefined
  /** Address that replies go to. */
  reply_to?: string | null | undefined
  /**
   * Subjects by kind of email; null for the standard one. {brand} is the brand’s name. Subjects of notices of a change
   * to the account must begin with {standard}, the standard subject.
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
  /** The values that were set. Null if inherited again. */
  data: Record<string, unknown>
}

/** The subject line. Null: the standard one in the language of the reader. */
export type MailSubject = string | null

/**
 * Subjects by kind of email; null for the standard one. {brand} is the brand’s name. Subjects of notices of a change
 * to the account must begin with {standard}, the standard subject.
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
 * `smtp` and `reason` is not `soft_bounces`; `account_locked`, which strangers can cause, with any `source`.
 */
export interface MailSuppression {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The organization whose emails are withheld. Null: every organization of the environment. */
  sub_org_id: string | null
  /** The address, in lower case. */
  email: string
  /**
   * `hard_bounce`: the address takes no mail. `complaint`: its owner reported a mail as spam, which stays the reason
   * after hard bounces. `soft_bounces`: three soft bounces in 7 days, of which those within an hour count once.
   */
  reason: "hard_bounce" | "complaint" | "soft_bounces"
  /** Status code of the bounce (RFC 3463). Null: the report has none. */
  status: string | null
  /**
   * `smtp`: the mail server has refused the address, also if `reason` is a complaint from before. `report`: it was only
   * reported, by `POST /v1/mail/bounces`.
   */
  source: "smtp" | "report"
  /** When it began (RFC 3339, in UTC). */
  suppressed_at: string
  /** When it ends (RFC 3339, in UTC). Null: when it is cleared. */
  suppressed_until: string | null
  /** Emails that were not sent because of it. */
  withheld: number
  /** When the last of them would have been sent. Null: none was withheld. */
  last_withheld_at: string | null
}

export type MailSuppressionEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `mail.suppressed`: An address receives no more emails, for a day or until it is cleared. Recorded again when the
   * mail server refuses an address that was only reported, and when the owner of an address that bounces complains.
   * `mail.suppression_cleared`: A suppressed address was cleared. It receives emails again.
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
   * The paragraphs below the heading. `{link}` and `{code}` each end a paragraph; the button or the code is shown below
   * it. `{standard}`, as a paragraph, stands for the standard paragraphs. In notices of a change to the account, every
   * part that is set must begin with `{standard}`. A paragraph with a placeholder without a value is left out.
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

/** The texts used for parts that are null: those of the environment’s defaults, or the standard ones. */
export interface MailTemplateInherited {
  /** The subject line. */
  subject: string | null
  /** The heading, which is the first line of the email. */
  heading: string | null
  /**
   * The paragraphs below the heading. `{link}` and `{code}` each end a paragraph; the button or the code is shown below
   * it. `{standard}`, as a paragraph, stands for the standard paragraphs. In notices of a change to the account, every
   * part that is set must begin with `{standard}`. A paragraph with a placeholder without a value is left out.
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
  /** What is wrong, as a code. */
  code: string
  /** The same as a sentence. */
  message: string
}

/** All texts of a kind of email in one language. Null or absent: inherited. */
export interface MailTemplatePut {
  /** The subject line. */
  subject?: string | null | undefined
  /** The heading, which is the first line of the email. */
  heading?: string | null | undefined
  /**
   * The paragraphs below the heading. `{link}` and `{code}` each end a paragraph; the button or the code is shown below
   * it. `{standard}`, as a paragraph, stands for the standard paragraphs. In notices of a change to the account, every
   * part that is set must begin with `{standard}`. A paragraph with a placeholder without a value is left out.
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
   * Not empty if another release stored the texts and they break a rule of this release. Emails then use the inherited
   * texts.
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
       * Not empty if another release stored the texts and they break a rule of this release. Emails then use the inherited
       * texts.
       */
      problems: MailTemplateProblem[]
    })[]
  })[]
}

/** A link that was mailed, or returned to your backend. */
export interface MailedLink {
  /** The link. Later events about it have the same id. */
  link_id: string
  /** How the link was sent: always `email`. */
  channel: string
}

export type MailedLinkEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `auth.email_verification.sent`: A link that verifies the email address of a user was created. It is mailed unless
   * the caller mails it. `auth.magic_link.sent`: A sign-in link was created, for a user or for discovery. It is mailed
   * unless the caller mails it. `auth.password_reset.requested`: A password reset link was created for a user.
   * `auth.signup_link.sent`: A link was created that completes a sign-up or signs an existing user in. It is mailed
   * unless the caller mails it.
   */
  type: "auth.email_verification.sent" | "auth.magic_link.sent" | "auth.password_reset.requested" | "auth.signup_link.sent"
  /** What happened, with the fields of this type of event. */
  data: MailedLink
}

/** The signed-in user, without the fields that are only for your backend. */
export interface Me {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The user’s auth account: `sub` of tokens. */
  userId: string
  /** The organization it belongs to. Null: the account level of the environment. */
  subOrgId: string | null
  /** The address, unique within the organization regardless of case. Its domain is in ASCII. */
  email: string
  /** Whether the mailbox is proved by the user, by your backend or by an identity provider. */
  emailVerified: boolean
  /** Full name, in mails and in the token claim `name`. Null: none. */
  displayName: string | null
  /** First name. Null: none. */
  firstName: string | null
  /** Last name. Null: none. */
  lastName: string | null
  /** Phone number as it was entered. Null: none. */
  phone: string | null
  /** Language of mails and pages for the user (BCP 47). Null: that of the organization. */
  locale: string | null
  /** The built-in role: `admin` or `member`. */
  role: string
  /** Whether provisioning manages the user. If so, most changes require `force`. */
  scimManaged: boolean
  /** Whether the user has a second factor: an app or a phone. */
  mfaEnrolled: boolean
  /** Passkeys that the user has. */
  passkeyCount: number
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
  /** When it last changed (RFC 3339, in UTC). */
  updatedAt: string
}

export interface MeEmailStartRequest {
  email: EmailAddress
  /** URL that the link opens: an entry of allowed_redirect_uris. Default: no link, only the code. */
  redirectTo?: string | undefined
}

export interface MeEmailVerifyReply {
  user: Me
  /** Sessions that ended, counted up to 10 000. */
  sessions_revoked: number
}

export interface MeEmailVerifyRequest {
  email: EmailAddress
  /** `otp_id` of the response of the send route. */
  otp_id?: string | undefined
  /** The two words in any case, joined by a space, hyphen or underscore. */
  code?: string | undefined
  token_hash?: TokenHash | undefined
}

export interface MePasskeysDeleteReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
}

export interface MePasskeysListReply {
  /** Passkeys of the signed-in user, oldest first. */
  credentials: Passkey[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Sessions that ended, counted up to 10 000. */
  sessions_revoked: number
}

export interface MePasswordUpdateRequest {
  /** The current password of the user. Required if the user has one. */
  current_password?: string | undefined
  new_password: NewPassword
}

export interface MePhoneDeleteReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
}

export interface MePhoneStartRequest {
  /** E.164, such as +14155550123. */
  phone: string
}

export interface MePhoneVerifyReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
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
    /** The organization: `subOrgId` of requests. */
    id: string
    /** The organization’s name, to greet the user with. */
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
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface MeSessionsRevokeOthersReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Sessions that ended, counted up to 10 000. */
  revoked: number
}

export interface MeSessionsRevokeReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
}

export interface MeStepUpStartRequest {
  /** The method to start. Absent: the response only lists the methods. */
  method?: "password" | "otp" | "totp" | "backup" | "sms" | "passkey" | "sso" | undefined
}

export interface MeStepUpVerifyRequest {
  /** The password as the user typed it. */
  password?: string | undefined
  /** `otp_id` of the response that started the step-up, with `code`. */
  otp_id?: string | undefined
  /** `challenge_token` of the response that started the step-up, with `code`. */
  challenge_token?: string | undefined
  /** The code. Send it with otp_id or challenge_token. */
  code?: string | undefined
  /** `challengeId` of the response that started the step-up, with `credential`. */
  challengeId?: string | undefined
  credential?: PasskeySignInCredential | undefined
}

export interface MeTotpDeleteReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
}

export interface MeUpdateRequest {
  /** Full name, in mails and in the token claim `name`. Null: none. */
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
  /** Identifies the membership in routes. It never changes. */
  membershipId: string
  /** The same as `membershipId`. */
  id: string
  /** The auth account of that user: `sub` of tokens. Null: none yet. */
  userId: string | null
  /** The user that the member signs in as. Null: none yet. */
  directoryUserId: string | null
  /** The organization whose roster this is on. Null: the account. */
  subOrgId: string | null
  /** The address that the member signs in with. */
  email: string
  /** Full name. Null: not known yet. */
  displayName: string | null
  /** Rights in the account, or on the roster. */
  role: "owner" | "admin" | "developer" | "member"
  /** `active`, or `invited` until the person accepts. */
  status: "active" | "invited"
  /**
   * The API key or team member (`directoryUserId`) that sent the latest invitation. Null if the person joined without
   * one.
   */
  invitedBy: {
    /** Kind of caller that sent the invitation. */
    type: "api_key" | "user"
    /** The API key, or the `directoryUserId` of the member. */
    id: string
  } | null
  /** When the person accepted. Null: not yet. */
  joinedAt: string | null
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
  /** When it last changed (RFC 3339, in UTC). */
  updatedAt: string
}

export type MemberEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `member.added`: A person joined the team or the roster of an organization. `member.invitation_withdrawn`: An
   * invitation to the team or to the roster of an organization was withdrawn. `member.invited`: A person was invited to
   * the team or to the roster of an organization, or their invitation was renewed. `member.removed`: A member was
   * removed from the team, or from the roster of an organization. `member.role_updated`: The role of a member was
   * changed, in the account or on a roster.
   */
  type: "member.added" | "member.invitation_withdrawn" | "member.invited" | "member.removed" | "member.role_updated"
  /** What happened, with the fields of this type of event. */
  data: Member
}

/** The member whose second factors were removed. */
export interface MemberFactorsReset {
  /** The user: `id` in `/v1/users`. Every route accepts it. */
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
    /** Identifies the membership in routes. It never changes. */
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
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface MemberReply {
  member: Member
}

export interface MembersDeleteReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
}

export interface MembersInviteReply {
  member: Member
  /** The invitation. Null: an existing team member was added at once. */
  invite: TeamInvite | null
  /** The address that the mail goes to, masked. */
  delivery_hint: string | null
}

export interface MembersInviteRequest {
  email: EmailAddress
  /** Rights in the account, or on the roster. */
  role: "owner" | "admin" | "developer" | "member"
  /** Full name, in mails and in the token claim `name`. Null: none. */
  displayName?: OneLine | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MembersListInvitesReply {
  /** Invitations that are not accepted yet or have expired. */
  invites: TeamInvite[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface MembersRevokeInviteReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
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
    /** The user: `id` in `/v1/users`. Every route accepts it. */
    directory_user_id: string
    /** Number of new codes. */
    codes: number
  }
}

export type MfaChallengeCreatedEvent = Omit<Event, 'type' | 'data'> & {
  /** The first factor was correct and a second is required. No session exists yet. */
  type: "mfa.challenge.created"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The challenge. Later events about it have the same id. */
    id: string
    /** The user: `id` in `/v1/users`. Every route accepts it. */
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
    /** A UUID that the service assigns. It never changes. */
    id: string
    /** The user: `id` in `/v1/users`. Every route accepts it. */
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
    /** A UUID that the service assigns. It never changes. */
    id: string
    /** The user: `id` in `/v1/users`. Every route accepts it. */
    directory_user_id: string
    /** The factor that passed. */
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
  /** The user: `id` in `/v1/users`. Every route accepts it. */
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

/** The policy in force. */
export interface MfaPolicy {
  /** Whether users need a second factor to sign in. */
  require_mfa: boolean
  /** Days for which users may sign in without a factor, from the requirement or from their creation. */
  grace_period_days: number
  /** `totp` (authenticator app), `backup` (backup codes), `sms`. */
  allowed_methods: ("totp" | "backup" | "sms")[]
  /** The roles that require_mfa applies to. Empty: all. `developer` is a role only of the team. */
  enforce_for_roles: ("owner" | "admin" | "member" | "developer")[]
  /**
   * When the policy first required a second factor. No grace period starts earlier. Null for the team, where grace
   * periods start with the role.
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
  /** Days for which users may sign in without a factor, from the requirement or from their creation. */
  grace_period_days: number
  /** `totp` (authenticator app), `backup` (backup codes), `sms`. */
  allowed_methods: ("totp" | "backup" | "sms")[]
  /** The roles that require_mfa applies to. Empty: all. `developer` is a role only of the team. */
  enforce_for_roles: ("owner" | "admin" | "member" | "developer")[]
}

/** The fields to change. Null restores the inherited value. Absent fields are kept. */
export interface MfaPolicyPatch {
  /** Whether users need a second factor to sign in. */
  require_mfa?: boolean | null | undefined
  /** Days for which users may sign in without a factor, from the requirement or from their creation. */
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
  /** The address of the user. */
  email: string
  /** The built-in role of the user. */
  role: string
}

/** How many users the policy would affect, and the first of them. */
export interface MfaPreviewPolicyReply {
  /** The policy of the preview: the current one with the values of the query. */
  policy: MfaPolicyFields
  /** How many users the policy applies to. */
  users: number
  /** Number of users with a factor, which every sign-in requires. */
  asked: number
  /** Number of users without a factor who may sign in until their grace period ends. */
  in_grace: number
  /** Number of users without a factor who must enroll one at the next sign-in. */
  locked_out: number
  /** The same counts for each role. */
  roles: {
    /** The built-in role of the user. */
    role: string
    /** How many users the policy applies to. */
    users: number
    /** Number of users with a factor, which every sign-in requires. */
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
  /** Access token of the session that the user made the request in. That session is kept. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaSmsStartRequest {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** E.164, such as +14155550123. */
  phone: string
  subOrgId?: SubOrgId | undefined
}

export interface MfaSmsVerifyRequest {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** The six digits of the text message. */
  code: string
  /** Ends the other sessions of the user. Default true. */
  revokeSessions?: boolean | undefined
  /** Access token of the session that the user made the request in. That session is kept. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaTotpCreateBackupCodesRequest {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** Ends the other sessions of the user. Default true. */
  revokeSessions?: boolean | undefined
  /** Access token of the session that the user made the request in. That session is kept. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaTotpDeleteRequest {
  /** Directory user (`id`) or auth account (`userId`). */
  userId?: string | undefined
  /** Ends the other sessions of the user. Default true. */
  revokeSessions?: boolean | undefined
  /** Access token of the session that the user made the request in. That session is kept. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaTotpGetReply {
  enrollment: MfaEnrollment
}

export interface MfaTotpStartRequest {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** `challenge_token` of the response of the sign-in. */
  challenge_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface MfaTotpVerifyReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Ten backup codes, each for one sign-in. Shown only once. */
  backupCodes: string[]
  /** The session of the sign-in. Only with `challenge_token`. */
  session?: SessionTokens | undefined
}

export interface MfaTotpVerifyRequest {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** `pendingId` of the response that started the enrollment. */
  pendingId: string
  /** Six digits that the app shows, or that were sent to the phone. */
  code: string
  /** `challenge_token` of the response of the sign-in. */
  challenge_token?: string | undefined
  /** Ends the other sessions of the user. Default true. */
  revokeSessions?: boolean | undefined
  /** Access token of the session that the user made the request in. That session is kept. */
  access_token?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export type Name = string

/** At least password_min_length characters. Spaces count, and there are no composition rules. */
export type NewPassword = string

export type OneLine = string | null

/** A customer of your application, with its own users, settings and connections. */
export interface Organization {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The account that owns the organization. */
  accountId: string
  /** The organization above it. Null: none. */
  parentId: string | null
  /** Name that administrators and emails show. */
  name: string
  /** Identifies the organization in your URLs. It never changes. */
  slug: string
  /** For administrators. Null: none. */
  description: string | null
  /** `suspended` and `archived`: users cannot sign in, data can still be read. */
  status: "active" | "suspended" | "archived"
  /**
   * Its home environment. Every environment uses organizations of production. Any other organization exists only in its
   * home environment.
   */
  environment: string
  /** Default language of its users (BCP 47). Null: that of the environment. */
  locale: string | null
  /** Its id in your own system. Null: none. */
  externalId: string | null
  /** Team members of this organization. */
  memberCount: number
  /** Directory users in the environment of the calling key. */
  userCount: number
  /** When the users were counted. With more than 200 users, usually within the last minute. */
  userCountedAt: string
  /** Verified domains in the environment of the calling key. */
  domains: string[]
  /** Your own JSON values, as you stored them. */
  metadata: Record<string, unknown>
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
  /** When it last changed (RFC 3339, in UTC). */
  updatedAt: string
  /** When it was archived. Null: not archived. */
  archivedAt: string | null
  /**
   * When its users, credentials and personal data are erased, as requested. Null: no erasure is scheduled. A change of
   * `status` cancels it.
   */
  eraseAt: string | null
}

/** The erasure of an organization. */
export interface OrganizationErasure {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The account that owns the organization. */
  accountId: string
  /**
   * Its home environment. Every environment uses organizations of production. Any other organization exists only in its
   * home environment.
   */
  environment: string
  /** When its users, credentials and personal data are erased. */
  eraseAt: string
}

export type OrganizationErasureEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `organization.erased`: The users, credentials and personal data of an organization were erased. It no longer exists.
   * `organization.erasure_cancelled`: An organization was restored before its erasure began.
   * `organization.erasure_scheduled`: The erasure of an organization was scheduled. Until `eraseAt`, a change of its
   * status cancels it.
   */
  type: "organization.erased" | "organization.erasure_cancelled" | "organization.erasure_scheduled"
  /** What happened, with the fields of this type of event. */
  data: OrganizationErasure
}

export type OrganizationEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `organization.activated`: A suspended or archived organization was reactivated. `organization.archived`: An
   * organization was archived; its sessions ended. `organization.created`: An organization was created.
   * `organization.suspended`: An organization was suspended; its sessions ended. `organization.updated`: Fields of an
   * organization other than its status were changed.
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
  /** For administrators. Null: none. */
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
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface OrganizationsReplaceMembersRequest {
  /** The complete new roster. */
  members: ({
    /** Member: `membershipId` of the account or of this roster. */
    membershipId: string
    /** The role on the roster. Default: the current role, or for a new entry the role in the account. */
    role?: "owner" | "admin" | "developer" | "member" | undefined
  })[]
  subOrgId?: SubOrgId | undefined
}

export interface OrganizationsUpdateRequest {
  /** Name that administrators and emails show. */
  name?: Name | undefined
  /** For administrators. Null: none. */
  description?: string | null | undefined
  /** No user of a suspended or archived organization can sign in; its data can still be read. */
  status?: "active" | "suspended" | "archived" | undefined
  locale?: Locale | undefined
  /** The id of the organization in your own system. */
  externalId?: string | null | undefined
  metadata?: Record<string, unknown> | null | undefined
  subOrgId?: SubOrgId | undefined
}

/** The code, shown only here. */
export interface Otp {
  /** Identifies the code. Send it when you validate. */
  otp_id: string
  /** Two words, or six digits in the mode `digit`. */
  code: string
  /** Your reference for the code, as sent. Null: none. */
  session_id: string | null
  /** When it expires (RFC 3339, in UTC). */
  expires_at: string
  /** Delivery of the message. Null if none was requested. */
  delivery: DeliveryState | null
  /** Six digits that also pass, in the mode `both`. */
  digit_code?: string | undefined
}

export interface OtpGenerateRequest {
  /**
   * Your reference for what the code belongs to. A newer code with the same session_id voids the older one, unless the
   * newer one is withheld.
   */
  session_id?: string | null | undefined
  /** Lifetime of the code, in seconds. Default: the setting `ttl_seconds`. */
  ttl_seconds?: number | undefined
  /** Address that the code is sent to. A newer code sent there voids the older one. */
  email?: string | null | undefined
  /**
   * Phone number (E.164) that the code is sent to by SMS, if SMS is on and the country is allowed. A newer code sent
   * there voids the older one.
   */
  phone?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

/** How one-time codes look, how long they are valid and how many may be sent. */
export interface OtpSettings {
  /** Two words, six digits, or both. With both, either passes. */
  mode: "phrase" | "digit" | "both"
  /** Lifetime of a code in seconds, unless the caller sets one. */
  ttl_seconds: number
  /** Codes may be sent by SMS. */
  channel_sms: boolean
  /** Codes may be sent by email. */
  channel_email: boolean
  /** Wrong attempts that end a code. */
  max_attempts: number
  /** Sign-in sends no second email within this time if the first code is unused. */
  resend_interval_seconds: number
  /** Maximum codes sent to one address or number per minute. */
  rate_limit_per_minute: number
  /** Maximum codes sent to one address or number per hour. */
  rate_limit_per_hour: number
  /** Countries that codes may be sent to by SMS. Empty: none. */
  sms_allowed_countries: Country[]
  /** Maximum codes sent by SMS per day, to all numbers. Over the limit, codes are created but not sent. */
  sms_daily_limit: number
  /** Maximum messages per hour to all addresses. */
  send_limit_per_hour_organization: number
  /** Maximum messages per hour for one API key or team member, over all organizations. */
  send_limit_per_hour_key: number
  /** Maximum codes and links per hour for one network, if X-End-User-IP is sent. */
  send_limit_per_hour_network: number
}

export interface OtpSettingsPatch {
  mode?: "phrase" | "digit" | "both" | null | undefined
  /** Lifetime of a code in seconds, unless the caller sets one. */
  ttl_seconds?: number | null | undefined
  /** Codes may be sent by SMS. */
  channel_sms?: boolean | null | undefined
  /** Codes may be sent by email. */
  channel_email?: boolean | null | undefined
  /** Wrong attempts that end a code. */
  max_attempts?: number | null | undefined
  /** Sign-in sends no second email within this time if the first code is unused. */
  resend_interval_seconds?: number | null | undefined
  /** Maximum codes sent to one address or number per minute. */
  rate_limit_per_minute?: number | null | undefined
  /** Maximum codes sent to one address or number per hour. */
  rate_limit_per_hour?: number | null | undefined
  sms_allowed_countries?: Country[] | null | undefined
  /** Maximum codes sent by SMS per day, to all numbers. Over the limit, codes are created but not sent. */
  sms_daily_limit?: number | null | undefined
  /** Maximum messages per hour to all addresses. */
  send_limit_per_hour_organization?: number | null | undefined
  /** Maximum messages per hour for one API key or team member, over all organizations. */
  send_limit_per_hour_key?: number | null | undefined
  /** Maximum codes and links per hour for one network, if X-End-User-IP is sent. */
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
  /** The values that were set. Null if inherited again. */
  data: Record<string, unknown>
}

export interface OtpValidateRequest {
  /** The code. Words may be in any case, joined by a space, hyphen or underscore. */
  code: string
  /** `otp_id` of the response that created the code. Or send `session_id`. */
  otp_id?: string | null | undefined
  /**
   * Your reference for what the code belongs to. A newer code with the same session_id voids the older one, unless the
   * newer one is withheld.
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
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The user’s auth account: `userId` of the user, `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
  /** The organization it belongs to. Null: the account level of the environment. */
  sub_org_id: string | null
  /** How the user signed in. `otp` is a code by mail or text message. */
  auth_method: "password" | "otp" | "magic_link" | "passkey" | "social" | "sso" | "signup" | "invite" | "impersonation"
  /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
  amr: string[]
  /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
  aal: "aal1" | "aal2"
  /**
   * The SAML or OIDC connection that the user signed in with; it stays when the connection is deleted. Null: another
   * method.
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
  /** When it was created (RFC 3339, in UTC). */
  created_at: string
  /** Time of the last refresh, or of the sign-in. */
  last_active_at: string
  /** When it ends unless it is refreshed earlier. */
  expires_at: string
  /** Whether it is the session of the request’s access token. */
  current: boolean
}

/** A passkey of a user, without its key. */
export interface Passkey {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The credential’s own id, in base64url, as browsers know it. */
  credentialId: string
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  userId: string | null
  /** The user: `id` in `/v1/users`. */
  directoryUserId: string
  /** The user’s name for it, or that of the authenticator. Null: unknown. */
  deviceName: string | null
  /** Model of the authenticator (AAGUID). Zeros if it is not disclosed. */
  aaguid: string
  /** Name for the AAGUID, such as a password manager. Null: unknown. */
  authenticatorName: string | null
  /** How the authenticator can be reached, as the browser said. */
  transports: string[]
  /** `multiDevice`: may be synced. `singleDevice`: stays on its device. */
  deviceType: "singleDevice" | "multiDevice"
  /** Whether it was synced to other devices at its last use. */
  backedUp: boolean
  /** The relying party that the passkey works for. */
  rpId: string
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
  /** When the user last signed in with it. Null: never. */
  lastUsedAt: string | null
}

/** Options of a registration (WebAuthn Level 3): pass them on as they are. */
export interface PasskeyCreationOptions {
  /** The relying party that the passkey will work for. */
  rp: {
    /** Its domain (RP ID). */
    id: string
    /** Name that devices show. */
    name: string
  }
  /** The user that the passkey will sign in. */
  user: {
    /** User handle, in base64url: random, without personal data. */
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
  /** Passkeys that the user has. Their authenticators refuse a second one. */
  excludeCredentials: PasskeyDescriptor[]
  /** Requirements for the authenticator. */
  authenticatorSelection: {
    /** Whether the passkey should be discoverable without an address. */
    residentKey: string
    /** The same for older browsers. */
    requireResidentKey: boolean
    /** Whether the device must verify the person, by PIN or biometrics. */
    userVerification: string
  }
  /** Always `none`: the make of the device is not proved. */
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
   * `passkey.deleted`: A passkey was deleted on its own, or by the first proof of the mailbox. Not recorded when its
   * user is deleted. `passkey.registered`: A user registered a passkey. `passkey.updated`: A passkey was renamed, or a
   * sign-in showed that it became backup eligible.
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
  /** Passkeys that may answer. Empty: any passkey on the device. */
  allowCredentials: PasskeyDescriptor[]
  /** Whether the device must verify the person, by PIN or biometrics. */
  userVerification: string
}

/** Where passkeys work and what a sign-in with one requires. */
export interface PasskeySettings {
  /**
   * Relying party: the one host name that passkeys are created for. Browsers accept it on pages of this host and its
   * subdomains. Null: the host of WATCHWORD_BASE_URL. A sign-in without subOrgId accepts only passkeys for the rp_id and
   * origins of the environment’s defaults.
   */
  rp_id: string | null
  /** Name shown when a passkey is created. Null: the brand’s name. */
  rp_name: string | null
  /**
   * Origins that passkeys are accepted from, such as https://app.acme.com: on rp_id or its subdomains, compared exactly.
   * Empty: https:// and rp_id. For localhost, in development or if WATCHWORD_BASE_URL is on localhost, also
   * http://localhost with any port.
   */
  origins: string[]
  /** Origins of other sites that may use the same passkeys; also listed at /.well-known/webauthn of rp_id. */
  related_origins: string[]
  /**
   * Whether a sign-in requires fingerprint, face or PIN, which makes it two factors. `preferred`: a sign-in without them
   * counts as one factor.
   */
  user_verification: "required" | "preferred"
  /** Registration requires an access_token of the user whose sign-in is at most this old. 0: not required. */
  require_recent_sign_in_seconds: number
  /**
   * Maximum sign-ins without an address that one network (X-End-User-IP) may start per minute. Each login page with
   * autofill starts one.
   */
  start_limit_per_minute_network: number
}

export interface PasskeySettingsPatch {
  /**
   * Relying party: the one host name that passkeys are created for. Browsers accept it on pages of this host and its
   * subdomains. Null: the host of WATCHWORD_BASE_URL. A sign-in without subOrgId accepts only passkeys for the rp_id and
   * origins of the environment’s defaults.
   */
  rp_id?: string | null | undefined
  /** Name shown when a passkey is created. Null: the brand’s name. */
  rp_name?: string | null | undefined
  origins?: string[] | null | undefined
  related_origins?: string[] | null | undefined
  user_verification?: "required" | "preferred" | null | undefined
  /** Registration requires an access_token of the user whose sign-in is at most this old. 0: not required. */
  require_recent_sign_in_seconds?: number | null | undefined
  /**
   * Maximum sign-ins without an address that one network (X-End-User-IP) may start per minute. Each login page with
   * autofill starts one.
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
  /** The values that were set. Null if inherited again. */
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
    /** Signature over both, in base64url. */
    signature: string
    /** User handle of the credential, in base64url. Null if the authenticator stores none. */
    userHandle?: string | null | undefined
  }
}

export interface PasskeysDeleteReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Whether the user has no second factor left. */
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
  /** Send it as `cursor` to read the next page. Null on the last page. */
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
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** From the response of the action options. */
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
  /** When it expires (RFC 3339, in UTC). */
  expires_at: string
}

/** An enrollment without the first code of the app. */
export interface PendingTotp {
  /** The enrollment. Send it with the first code. */
  pendingId: string
  /** A PNG of otpauthUrl, as a data URL. */
  qrDataUrl: string
  /** The secret in Base32, for typing it into an app. Never shown again. */
  secret: string
  /** The URL that an app opens, or that your own QR code shows. It contains the secret. */
  otpauthUrl: string
  /** When it expires (RFC 3339, in UTC). */
  expires_at: string
}

/** What a role can allow. */
export interface Permission {
  /** Name of the permission: resource and action, joined by a colon. */
  id: string
  /** Whether it is in the catalogue. `false`: your own permission, which only your application uses. */
  known: boolean
  /** The scope that gives an API key the same right. Null: only `*`, or your own permission. */
  scope: string | null
}

/** Stored as sent. Use E.164, such as +14155550123, if the number receives messages. */
export type PhoneNumber = string | null

export interface PresentedCode {
  email: EmailAddress
  /** `otp_id` of the response of the send route. */
  otp_id: string
  /** The two words in any case, joined by a space, hyphen or underscore. */
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
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The organization it belongs to. Null: the account level of the environment. */
  subOrgId: string | null
  /** The group’s name at the client: the key in `group_role_mapping`. */
  displayName: string
  /** Its id at the client. Null if none was sent. */
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
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  userId: string | null
  /** The organization it belongs to. Null: the account level of the environment. */
  subOrgId: string | null
  /** The name at the client, unique within the organization. */
  userName: string
  /** Its id at the client. Null if none was sent. */
  externalId: string | null
  /** The address of the user here. */
  email: string
  /** Whether the client lets the user sign in. */
  active: boolean
}

export type ProvisionedUserEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `scim.user.deprovisioned`: A provisioning client deactivated or deleted a user. Every session ended.
   * `scim.user.provisioned`: A provisioning client created a user, took over a user of a verified domain, or restored
   * one. `scim.user.updated`: A provisioning client changed its data of a user.
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

/** What became of a reported bounce or complaint. */
export interface ReportedBounce {
  /** The address, in lower case. */
  email: string
  /** Null: the report says nothing against the address, such as a delay. */
  kind: "hard" | "soft" | "complaint" | null
  /** Status code of the report (RFC 3463). Null: it has none. */
  status: string | null
  /**
   * `counted`; `repeated`: it was counted before; `unknown_mail`: within reach of the caller, no email was sent to the
   * address under this `Message-ID` in the last 30 days; `not_counted`: see `kind`.
   */
  outcome: "counted" | "repeated" | "unknown_mail" | "not_counted"
  /**
   * Soft bounces of the address in the last 7 days, of which those within an hour count once. The third suppresses the
   * address. Null: `outcome` is `unknown_mail` or `not_counted`.
   */
  soft_bounces: number | null
  /** Why the address receives no emails. Null: it receives them. */
  suppression: MailSuppression | null
}

/** A session that has ended before it expired. */
export interface Revocation {
  /** The session, `sid` of its access tokens. */
  session_id: string
  /** The user’s auth account: `userId` of the user, `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts it. */
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
  /** Identifies the role in tokens and in `group_role_mapping`. It never changes. */
  slug: string
  name: RoleName
  description: RoleDescription
  /** Permissions of the catalogue and your own permissions. */
  permissions: string[]
  /** `true`: built in. It cannot be changed or deleted. */
  system: boolean
  /** `account`: a role of the team. `organization`: a role of directory users and custom roles. */
  scope: "account" | "organization"
  /** The organization that made the role. Null for system roles. */
  subOrgId: string | null
  /** Number of users and members with the role. Each count stops at 10,000. */
  assignmentCount: number
  /** When it was created (RFC 3339, in UTC). Null for system roles. */
  createdAt: string | null
  /** When it last changed (RFC 3339, in UTC). Null for system roles. */
  updatedAt: string | null
}

/** A role that a user or a team member has. */
export interface RoleAssignment {
  /** A UUID that the service assigns. It never changes. */
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
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
}

export type RoleAssignmentEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `role.assigned`: A user or member got a role. `role.unassigned`: A user or member lost a role. Not recorded when the
   * role is deleted.
   */
  type: "role.assigned" | "role.unassigned"
  /** What happened, with the fields of this type of event. */
  data: RoleAssignment
}

/** What the role is for, for administrators. Null: none. */
export type RoleDescription = string | null

export type RoleEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `role.created`: A role was created. `role.deleted`: A role was deleted. `assignmentCount` stops at 10 000 users and
   * 10 000 members. `role.updated`: A role was changed. `assignmentCount` stops at 10 000 users and 10 000 members.
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
  /** `role:<slug>`; or `no_role`, `unknown_permission`, `inactive` (the user may not sign in), `service_disabled`. */
  reason: string
}

export interface RolesCheckRequest {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** A resource and an action, joined by colons, such as `invoice:approve`. */
  permission: string
  subOrgId?: SubOrgId | undefined
}

export interface RolesCreateRequest {
  name: RoleName
  /** Identifies the role in tokens and mappings. Default: derived from the name. It never changes. */
  slug?: string | undefined
  description?: RoleDescription | undefined
  /** Permissions of the catalogue and your own permissions. */
  permissions: string[]
  subOrgId?: SubOrgId | undefined
}

export interface RolesDeleteReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Whether this was only a preview and nothing has changed. */
  preview: boolean
  /** Number of users and members with the role. Stops at 10,000. */
  affectedUsers: number
  /** Number of users and members with the role. Stops at 10,000. */
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
  /** The built-in role of the user. Its permissions are added to those of `roleIds`. */
  role: "admin" | "member"
}

export interface RolesListPermissionsReply {
  /** The catalogue, and other permissions that roles contain. */
  permissions: Permission[]
}

export interface RolesListReply {
  /** Roles of the account’s team. */
  systemRoles: Role[]
  /** Built-in roles of directory users. */
  directorySystemRoles: Role[]
  /** Roles that organizations created, at most 1 000. */
  customRoles: Role[]
  /** Assignments of the custom roles, one page. `has_more` and `next_cursor` belong to this list. */
  assignments: RoleAssignment[]
  /** The catalogue, and other permissions that roles contain. */
  permissions: Permission[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface RolesSetForMemberReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Roles of the user or member, from all sources. */
  roleIds: string[]
  /** Each role with its source. */
  assignments: RoleAssignment[]
  /** The built-in role of the user. Its permissions are added to those of `roleIds`. */
  role: "admin" | "member"
}

export interface RolesSetForUserRequest {
  /** Ids or slugs of roles of the organization. */
  roleIds?: string[] | undefined
  /** The built-in role. Null: `member`. */
  role?: "admin" | "member" | null | undefined
  /** Also removes roles that groups give, until the next sign-in through the connection or the next sync. */
  force?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface RolesUpdateReply {
  role: Role
  /** Whether this was only a preview and nothing has changed. */
  preview: boolean
  /** Number of users and members with the role. Stops at 10,000. */
  affectedUsers: number
  /** Number of users and members with the role. Stops at 10,000. */
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
   * The base URL for the provisioning client. It is the same for all organizations, because the token identifies the
   * organization.
   */
  endpointUrl: string
  /** The connection whose group_role_mapping gives roles to provisioned groups. */
  sso_connection_id: string | null
  /** The organization it belongs to. Null: the account level of the environment. */
  subOrgId: string | null
  /** Whether a token exists. */
  tokenSet: boolean
  /** The last characters of the token. */
  tokenHint: string | null
  /** When the current token was created. Null: never. */
  tokenRotatedAt: string | null
  /** When the previous token, which still works, expires. */
  tokenExpiresAt: string | null
  /** When the current token expires or expired. Null: never. */
  currentTokenExpiresAt: string | null
  /** When the client last sent a request, to the minute. Null: never. */
  lastRequestAt: string | null
  /** Users that provisioning manages. */
  userCount: number
  /** Groups that the client provisioned. */
  groupCount: number
  /** How a user that the client deletes is handled. `active: false` always deactivates. */
  onDeprovision: "deactivate" | "delete"
}

export type ScimConfigEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `scim.config_updated`: The connection that gives roles, or the handling of deprovisioned users, was changed.
   * `scim.disabled`: Provisioning was turned off. Its requests are refused. `scim.enabled`: Provisioning was turned on.
   * `scim.token_rotated`: The SCIM token was replaced.
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
   * left a group: a provisioning client removed it, or it was deleted or moved.
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
  /** Requests of the last 14 days. */
  logs: ScimLog[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

/** A request of the provisioning client. */
export interface ScimLog {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** HTTP method of the request. */
  method: string
  /** Path below the endpoint. */
  path: string
  /** HTTP status of the response. */
  status: number
  /** Whether the request was carried out. */
  outcome: "accepted" | "refused"
  /** Why it was refused. Null: it was accepted. */
  code: string | null
  /** The same as a sentence. Null: it was accepted. */
  reason: string | null
  /** What to change at the client. Null: nothing. */
  fix: string | null
  /** What an accepted write changed. `Nothing changed` if the data was already the same. */
  effect: string | null
  /** Warnings about an accepted write, such as an `externalId` that another user has. */
  warnings: string[]
  /** The JSON that was sent, without secrets. Null: none. */
  body: unknown
  /** The request that this one repeats. */
  replayOf: string | null
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
}

export interface ScimReplayLogReply {
  log: ScimLog
}

export interface ScimReplayLogRequest {
  subOrgId?: SubOrgId | undefined
}

export interface ScimRotateTokenReply {
  /** The token for the provisioning client. Shown only in this response. */
  token: string
  config: ScimConfig
}

export interface ScimRotateTokenRequest {
  /** Always `rotate-token`. */
  action: "rotate-token"
  /** Seconds for which the previous token keeps working. 0 ends it at once. */
  overlap_seconds?: number | undefined
  /** Days for which the new token works. Absent or null: until the next rotation. */
  token_expires_in_days?: number | null | undefined
  subOrgId?: SubOrgId | undefined
}

/** A provisioning token that expires soon or has expired. */
export interface ScimTokenExpiring {
  /** The organization it belongs to. Null: the account level of the environment. */
  subOrgId: string | null
  /** The last characters of the token. */
  tokenHint: string
  /** When it expires (RFC 3339, in UTC). */
  expiresAt: string
  /** Days until it expires. */
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
  /** `false` refuses every request of the client. Users are kept. */
  enabled?: boolean | undefined
  /** The linked connection. Null: none. */
  sso_connection_id?: string | null | undefined
  /** How a user that the client deletes is handled. `active: false` always deactivates. */
  onDeprovision?: "deactivate" | "delete" | undefined
  subOrgId?: SubOrgId | undefined
}

/** The code that was requested. The same response whether or not a code was sent. */
export interface SentCode {
  /** Identifies the code. Send it with the code that the user enters. */
  otp_id: string
  /** When it expires (RFC 3339, in UTC). */
  expires_at: string
  /** The address in the request, masked. With SMS, the same value for all users. */
  delivery_hint: string
  /** `email` or `sms`. */
  delivery_method: string
}

/** The address that the link was mailed to, or the link itself. The same for unknown addresses. */
export interface SentLink {
  /** The address that the mail goes to, masked. */
  delivery_hint: string
  /** The link itself. Only with `deliver: false`. */
  url?: string | undefined
}

export interface SentMagicLink {
  /** The address that the mail goes to, masked. */
  delivery_hint: string
  /** The link itself. Only with `deliver: false`. */
  url?: string | undefined
  /** When it expires (RFC 3339, in UTC). */
  expires_at: string
  /** Id of the code in the email. Null if the email has none. */
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

/** The fields to change. Absent fields are kept. */
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
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The user’s auth account: `userId` of the user, `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
  /** The organization it belongs to. Null: the account level of the environment. */
  sub_org_id: string | null
  /** How the user signed in. `otp` is a code by mail or text message. */
  auth_method: "password" | "otp" | "magic_link" | "passkey" | "social" | "sso" | "signup" | "invite" | "impersonation"
  /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
  amr: string[]
  /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
  aal: "aal1" | "aal2"
  /**
   * The SAML or OIDC connection that the user signed in with; it stays when the connection is deleted. Null: another
   * method.
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
  /** When it was created (RFC 3339, in UTC). */
  created_at: string
  /** Time of the last refresh, or of the sign-in. */
  last_active_at: string
  /** When it ends unless it is refreshed earlier. */
  expires_at: string
}

export type SessionCreatedEvent = Omit<Event, 'type' | 'data'> & {
  /** A session was created, because the user passed every required factor. */
  type: "session.created"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The session, `sid` of its access tokens. */
    id: string
    /** The user’s auth account: `userId` of the user, `sub` of tokens. */
    user_id: string
    /** The user: `id` in `/v1/users`. Every route accepts it. */
    directory_user_id: string
    /** How the user signed in. `otp` is a code by mail or text message. */
    auth_method: "password" | "otp" | "magic_link" | "passkey" | "social" | "sso" | "signup" | "invite" | "impersonation"
    /** Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty. */
    amr: string[]
    /** `aal1`: one factor. `aal2`: two factors, or a passkey. */
    aal: "aal1" | "aal2"
    /**
     * The SAML or OIDC connection that the user signed in with; it stays when the connection is deleted. Null: another
     * method.
     */
    connection_id: string | null
  }
}

export type SessionRefreshReuseDetectedEvent = Omit<Event, 'type' | 'data'> & {
  /** A refresh token was used a second time, so it or its successor may be stolen. The session was ended. */
  type: "session.refresh_reuse_detected"
  /** What happened, with the fields of this type of event. */
  data: {
    /** A UUID that the service assigns. It never changes. */
    id: string
    /** The user: `id` in `/v1/users`. Every route accepts it. */
    directory_user_id: string
  }
}

export type SessionRevokedEvent = Omit<Event, 'type' | 'data'> & {
  /** A session was ended early; `reason` says why. */
  type: "session.revoked"
  /** What happened, with the fields of this type of event. */
  data: {
    /** A UUID that the service assigns. It never changes. */
    id: string
    /** The user’s auth account: `userId` of the user, `sub` of tokens. */
    user_id: string
    /** The user: `id` in `/v1/users`. Every route accepts it. */
    directory_user_id: string
    /** Why the session ended, such as `revoked`, `logout`, `password_changed`, `refresh_token_reused`. */
    reason: string
  }
}

export interface SessionTokens {
  /** JWT (RFC 9068) to send to your API as a Bearer token. */
  access_token: string
  /** Works once. POST /v1/auth/token/refresh returns its successor. */
  refresh_token: string
  /** Seconds until the access token expires. */
  expires_in: number
  /** Seconds until the refresh token expires, and the session with it. */
  refresh_expires_in: number
  /** The user’s auth account: `userId` of the user, `sub` of tokens. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
}

/** A page of live sessions, by user. */
export interface SessionsListReply {
  /** Users with live sessions, in the order of their first session on the page. */
  users: UserSessions[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface SessionsListRevocationsReply {
  /** Sessions that ended, oldest first. */
  revocations: Revocation[]
  /** Whether more revocations exist. If true, read on immediately. */
  has_more: boolean
  /** Cursor of the next call. Always present. */
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
  /** Whether an unknown person may sign up. Default: the setting open_signup_default. */
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
  /** The address that the mail goes to, masked. */
  delivery_hint: string
  /** The link itself. Only with `deliver: false`. */
  url?: string | undefined
  /** When it expires (RFC 3339, in UTC). */
  expires_at: string
}

export interface SignupMagicLinkSendRequest {
  email: EmailAddress
  /** Whether an unknown person may sign up. Default: the setting open_signup_default. */
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
  /** Whether an unknown person may sign up. Default: the setting open_signup_default. */
  openSignup?: boolean | undefined
  locale?: Locale | undefined
  subOrgId?: SubOrgId | undefined
}

export interface SignupPasswordRequest {
  email: EmailAddress
  password: NewPassword
  /** Whether an unknown person may sign up. Default: the setting open_signup_default. */
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
  /** Whether users may sign in with it. */
  enabled: boolean
  /** Whether the organization, its environment or the deployment has credentials for it. */
  configured: boolean
  /** Null: the value of the environment’s defaults, or of the deployment. */
  client_id: string | null
  /** Apple: from the developer account. Null: none. */
  team_id: string | null
  /** Apple: from the developer account. Null: none. */
  key_id: string | null
  /** Microsoft: common, organizations, consumers, or the ID of one tenant. */
  tenant: string | null
  /** Requested OAuth scopes. Default: the scopes for id, name and address. */
  scopes: string[]
  /**
   * `provider`: callback_url belongs only to this provider. `shared`: for applications that were set up in earlier
   * releases, until you set `provider`.
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
  /** Whether users may sign in with it. */
  enabled: boolean
  /** Null: the value of the environment’s defaults, or of the deployment. */
  client_id?: string | null | undefined
  /** Client secret. Stored sealed and never shown. Null removes it. */
  client_secret?: string | null | undefined
  /** Apple: from the developer account. Null: none. */
  team_id?: string | null | undefined
  /** Apple: from the developer account. Null: none. */
  key_id?: string | null | undefined
  /** Apple: the text of the .p8 file. Never shown again. */
  private_key?: string | null | undefined
  /** Microsoft: common, organizations, consumers, or the ID of one tenant. */
  tenant?: string | null | undefined
  /** Scopes to request. Null: the default ones. */
  scopes?: string[] | null | undefined
  /**
   * `provider`: callback_url belongs only to this provider. `shared`: for applications that were set up in earlier
   * releases, until you set `provider`.
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
   * `code` (recommended): redirectUri gets a code for POST /v1/auth/token/exchange, so URLs contain no tokens. `query`
   * (default): redirectUri gets the tokens.
   */
  response_mode?: "query" | "code" | undefined
  /** Whether an unknown person may sign up. Default: the setting open_signup_default of the organization. */
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
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The organization it belongs to. Null: the account level of the environment. */
  sub_org_id: string | null
  /** Name that administrators and sign-in pages show. */
  name: string
  /** The protocol. Fields of the other one do not apply. */
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
  /** SAML: sign requests, with RSA-SHA256. Default `true`. */
  sign_requests: boolean
  /** SAML: how the browser carries a sign-in request: in the URL, or in a form (`post`). Default `redirect`. */
  request_binding: "redirect" | "post"
  /** SAML: the same for logout messages. Default `redirect`. */
  slo_binding: "redirect" | "post"
  /** Have the provider authenticate the user again at every sign-in. Default `false`. */
  force_authn: boolean
  /** SAML: NameID format to request. Null leaves it to the provider. */
  name_id_format: string | null
  /** SAML: whether the metadata asks for signed assertions. A signed response is accepted too. Default `true`. */
  want_assertions_signed: boolean
  /** SAML: publish an encryption certificate and refuse unencrypted assertions. Default `false`. */
  want_assertions_encrypted: boolean
  /** SAML: accept sign-ins that start at the provider. Default `false`. */
  allow_idp_initiated: boolean
  /** SAML: accept signatures with SHA-1, which are weak. Default `false`. */
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
   * OpenID Connect: `connection`: oidc_redirect_uri belongs only to this connection. `shared`: for connections of
   * earlier releases, until you set `connection`.
   */
  oidc_callback: "connection" | "shared"
  /** Maps groups of the provider to `admin`, `member` or slugs of roles. Applied at every sign-in. */
  group_role_mapping: Record<string, string | string[]>
  attribute_mapping: AttributeMapping
  /** Verified domains that the connection serves. Empty: all verified domains of the organization. */
  domains: string[]
  /** Whether a user is created for an unknown person, with the default applied. */
  jit_provisioning: boolean
  /** The claim or attribute with the externalId of SCIM. Default: the subject, the NameID or `oid`. */
  scim_match: string | null
  /** Whether a linked user may be linked to a new subject of the connection, for a migration of the identity provider. */
  relink: boolean
  /** Role of users that the connection creates, and of users whose groups map to no role. Default `member`. */
  default_role: "admin" | "member"
  /** Whether a second factor that the provider reports counts. Default `false`. */
  trust_idp_mfa: boolean
  /** SAML: certificates that the provider signs with. */
  idp_certificates: Certificate[]
  /** OpenID Connect: whether a client secret is stored. It is never shown. */
  oidc_client_secret_set: boolean
  /** What to enter at the identity provider. */
  sp: {
    /** Entity ID of this service: Audience, SP Entity ID. */
    entity_id: string
    /** URL that browsers post the provider’s responses to: Reply URL, ACS URL. */
    acs_url: string
    /** URL for logout messages of the provider: Single logout URL. */
    slo_url: string
    /** URL of the SAML metadata with all these values, for providers that import or fetch it. */
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
    /** Always `true`: a refusal has a status of 400 or above and is a problem. */
    success: boolean
    /** Each check in its order. */
    checks: ConnectionCheck[]
    /** When the test ran. */
    at: string
  } | null
  /** When a user last signed in through the connection. Null: never. */
  last_login_at: string | null
  /** When it was created (RFC 3339, in UTC). */
  created_at: string
  /** When it last changed (RFC 3339, in UTC). */
  updated_at: string
}

export type SsoConnectionCertificateExpiringEvent = Omit<Event, 'type' | 'data'> & {
  /** The last certificate of a provider expires in 60, 30, 7 or 1 days, or has expired. Sign-ins continue. */
  type: "sso.connection.certificate_expiring"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The connection. */
    id: string
    /** The connection’s name. */
    name: string
    /** When the certificate expires. */
    not_after: string
    /** Days until it expires. */
    days: number
  }
}

export interface SsoConnectionCreate {
  /** Name that administrators and sign-in pages show. */
  name: Name
  /** The protocol. It never changes. */
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
  /** SAML: sign requests, with RSA-SHA256. Default `true`. */
  sign_requests?: boolean | undefined
  /** SAML: how the browser carries a sign-in request: in the URL, or in a form (`post`). Default `redirect`. */
  request_binding?: "redirect" | "post" | undefined
  /** SAML: the same for logout messages. Default `redirect`. */
  slo_binding?: "redirect" | "post" | undefined
  /** Have the provider authenticate the user again at every sign-in. Default `false`. */
  force_authn?: boolean | undefined
  /** SAML: NameID format to request. Null leaves it to the provider. */
  name_id_format?: string | null | undefined
  /** SAML: whether the metadata asks for signed assertions. A signed response is accepted too. Default `true`. */
  want_assertions_signed?: boolean | undefined
  /** SAML: publish an encryption certificate and refuse unencrypted assertions. Default `false`. */
  want_assertions_encrypted?: boolean | undefined
  /** SAML: accept sign-ins that start at the provider. Default `false`. */
  allow_idp_initiated?: boolean | undefined
  /** SAML: accept signatures with SHA-1, which are weak. Default `false`. */
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
   * OpenID Connect: `connection`: oidc_redirect_uri belongs only to this connection. `shared`: for connections of
   * earlier releases, until you set `connection`.
   */
  oidc_callback?: "connection" | "shared" | undefined
  /** Maps groups of the provider to `admin`, `member` or slugs of roles. Applied at every sign-in. */
  group_role_mapping?: Record<string, string | string[]> | undefined
  attribute_mapping?: AttributeMapping | undefined
  /** Verified domains that the connection serves. Empty: all verified domains of the organization. */
  domains?: string[] | undefined
  /** Whether a user is created for an unknown person. Default: true, or false if SCIM provisioning is enabled. */
  jit_provisioning?: boolean | null | undefined
  /** The claim or attribute with the externalId of SCIM. Default: the subject, the NameID or `oid`. */
  scim_match?: string | null | undefined
  /** Whether a linked user may be linked to a new subject of the connection, for a migration of the identity provider. */
  relink?: boolean | undefined
  /** Role of users that the connection creates, and of users whose groups map to no role. Default `member`. */
  default_role?: "admin" | "member" | undefined
  /** Whether a second factor that the provider reports counts. Default `false`. */
  trust_idp_mfa?: boolean | undefined
  /**
   * SAML: certificates that the provider signs with, in PEM. May be several during a change of certificates. Replaces
   * the current ones.
   */
  idp_certificate?: string | string[] | undefined
  /** SAML: the metadata of the provider. Sets the fields of the provider. */
  idp_metadata_xml?: string | undefined
  /** Never shown again. Removed if oidc_issuer changes to another server, unless the request contains it. */
  oidc_client_secret?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

export type SsoConnectionEvent = Omit<Event, 'type' | 'data'> & {
  /**
   * `sso.connection.activated`: A connection was activated. Users can sign in through it.
   * `sso.connection.certificate_renewed`: The metadata of a provider has new certificates. They are used from now on.
   * `sso.connection.created`: A connection to an identity provider was created. `sso.connection.deactivated`: A
   * connection was deactivated. Users cannot sign in through it. `sso.connection.deleted`: A connection was deleted,
   * with its links to users. `sso.connection.test_failed`: A test of a connection found a problem. `last_test` has the
   * details. `sso.connection.updated`: Fields of a connection other than its status were changed.
   */
  type: "sso.connection.activated" | "sso.connection.certificate_renewed" | "sso.connection.created" | "sso.connection.deactivated" | "sso.connection.deleted" | "sso.connection.test_failed" | "sso.connection.updated"
  /** What happened, with the fields of this type of event. */
  data: SsoConnection
}

export interface SsoConnectionList {
  /** Connections of the organization, or those of the environment. */
  connections: SsoConnection[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
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
  /** SAML: sign requests, with RSA-SHA256. Default `true`. */
  sign_requests?: boolean | undefined
  /** SAML: how the browser carries a sign-in request: in the URL, or in a form (`post`). Default `redirect`. */
  request_binding?: "redirect" | "post" | undefined
  /** SAML: the same for logout messages. Default `redirect`. */
  slo_binding?: "redirect" | "post" | undefined
  /** Have the provider authenticate the user again at every sign-in. Default `false`. */
  force_authn?: boolean | undefined
  /** SAML: NameID format to request. Null leaves it to the provider. */
  name_id_format?: string | null | undefined
  /** SAML: whether the metadata asks for signed assertions. A signed response is accepted too. Default `true`. */
  want_assertions_signed?: boolean | undefined
  /** SAML: publish an encryption certificate and refuse unencrypted assertions. Default `false`. */
  want_assertions_encrypted?: boolean | undefined
  /** SAML: accept sign-ins that start at the provider. Default `false`. */
  allow_idp_initiated?: boolean | undefined
  /** SAML: accept signatures with SHA-1, which are weak. Default `false`. */
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
   * OpenID Connect: `connection`: oidc_redirect_uri belongs only to this connection. `shared`: for connections of
   * earlier releases, until you set `connection`.
   */
  oidc_callback?: "connection" | "shared" | undefined
  /** Maps groups of the provider to `admin`, `member` or slugs of roles. Applied at every sign-in. */
  group_role_mapping?: Record<string, string | string[]> | undefined
  attribute_mapping?: AttributeMapping | undefined
  /** Verified domains that the connection serves. Empty: all verified domains of the organization. */
  domains?: string[] | undefined
  /** Whether a user is created for an unknown person. Default: true, or false if SCIM provisioning is enabled. */
  jit_provisioning?: boolean | null | undefined
  /** The claim or attribute with the externalId of SCIM. Default: the subject, the NameID or `oid`. */
  scim_match?: string | null | undefined
  /** Whether a linked user may be linked to a new subject of the connection, for a migration of the identity provider. */
  relink?: boolean | undefined
  /** Role of users that the connection creates, and of users whose groups map to no role. Default `member`. */
  default_role?: "admin" | "member" | undefined
  /** Whether a second factor that the provider reports counts. Default `false`. */
  trust_idp_mfa?: boolean | undefined
  /**
   * SAML: certificates that the provider signs with, in PEM. May be several during a change of certificates. Replaces
   * the current ones.
   */
  idp_certificate?: string | string[] | undefined
  /** SAML: the metadata of the provider. Sets the fields of the provider. */
  idp_metadata_xml?: string | undefined
  /** Never shown again. Removed if oidc_issuer changes to another server, unless the request contains it. */
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
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** Whether the sign-in succeeded. */
  outcome: "accepted" | "refused"
  /** Why it was refused: the `error` of the redirect. */
  code: string | null
  /** Whether it was started with `test=true`, so that no session was created. */
  is_test: boolean
  /** What the provider sent, without secrets. */
  said: Record<string, unknown>
  /** When it was created (RFC 3339, in UTC). */
  created_at: string
}

export interface SsoUpdateKeysRequest {
  /** The step to take: `prepare`, then `activate`, then `retire`. */
  action: "prepare" | "activate" | "retire"
  subOrgId?: SubOrgId | undefined
}

/** How the user can step up, and what was started. */
export interface StepUp {
  /** Methods for the step-up. `sso`: sign in again. `password` needs no start. */
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
  /** When it expires (RFC 3339, in UTC). */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
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
  /** Rights in the account, or on the roster. */
  role: "owner" | "admin" | "developer" | "member"
  /** The organization whose roster this is on. Null: the account. */
  subOrgId: string | null
  /**
   * The API key or team member (`directoryUserId`) that sent the latest invitation. Null if the person joined without
   * one.
   */
  invitedBy: {
    /** Kind of caller that sent the invitation. */
    type: "api_key" | "user"
    /** The API key, or the `directoryUserId` of the member. */
    id: string
  } | null
  /** `pending`, or `expired`: invite the person again. */
  status: "pending" | "expired"
  /** When it was created (RFC 3339, in UTC). */
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
  /** The latest refresh token of the session. Each one works once. */
  refresh_token: string
  subOrgId?: SubOrgId | undefined
}

export interface TokensRevokeRequest {
  /** The latest refresh token of the session. */
  refresh_token?: string | undefined
  /** An access token of the session that has not expired. */
  access_token?: string | undefined
  /** The session: `id` in the list. An org-wide key also sends `subOrgId`. */
  session_id?: string | undefined
  /** Ends every session of the user. Default `false`. */
  everywhere?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

/** A browser or app that skips the second factor of its user. */
export interface TrustedDevice {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  user_id: string | null
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
  /** User agent of the device when it was trusted. Null if it was not sent. */
  user_agent: string | null
  /** When it was created (RFC 3339, in UTC). */
  created_at: string
  /** When it last replaced a second factor, or was trusted. */
  last_used_at: string
  /** When the trust ends and a second factor is required again (RFC 3339, in UTC). */
  expires_at: string
}

export interface TrustedDevices {
  /** All trusted devices of the user. */
  devices: TrustedDevice[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
}

/** A person in one organization and environment, or at the account level of the environment. */
export interface User {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The auth account: `sub` of tokens. Null until the first sign-in, password or invitation. */
  userId: string | null
  /** The organization it belongs to. Null: the account level of the environment. */
  subOrgId: string | null
  /** The address, unique within the organization regardless of case. Its domain is in ASCII. */
  email: string
  /** Whether the mailbox is proved by the user, by your backend or by an identity provider. */
  emailVerified: boolean
  /** Full name, in mails and in the token claim `name`. Null: none. */
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
  /** Language of mails and pages for the user (BCP 47). Null: that of the organization. */
  locale: string | null
  /** Id of the user in your own system, unique within the organization. Null: none. */
  externalId: string | null
  /** Whether the user may sign in. `false` refuses every sign-in method. */
  active: boolean
  /**
   * `inactive` (`active: false`), `locked`, `invited` (never signed in, with an open invitation or sign-up), else
   * `active`.
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
  /** Whether provisioning manages the user. If so, most changes require `force`. */
  scimManaged: boolean
  /** Whether the user has a second factor: an app or a phone. */
  mfaEnrolled: boolean
  /** Passkeys that the user has. */
  passkeyCount: number
  /** When the user last signed in. Null: never. */
  lastLoginAt: string | null
  /** Your own JSON values, as you stored them. */
  metadata: Record<string, unknown>
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
  /** When it last changed (RFC 3339, in UTC). */
  updatedAt: string
  /** When the user was deleted. Restorable for 30 days. Null: not deleted. */
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
   * address is free again. `user.email_verified`: A user proved the mailbox for the first time. `data` is the user at
   * that moment. Fields that the same sign-in sets later, such as `userId`, are in `session.created`. `user.locked`: A
   * user was locked by an administrator or by failed attempts. `data.lock` has the cause, the reason and the end.
   * `user.moved`: A user was moved to another organization. Both organizations record it. `user.restored`: A deleted
   * user was restored. `user.unlocked`: A lock was ended early. `previous.lock` is the lock that ended. Not recorded
   * when a lock expires. `user.updated`: Fields of a user were changed.
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
    /** The user’s auth account: `userId` of the user, `sub` of tokens. */
    user_id: string | null
    /** The user: `id` in `/v1/users`. Every route accepts it. */
    directory_user_id: string
    /** Kinds of records of which only 1 000 were exported. */
    truncated: string[]
  }
}

/** The user and the session of the access token. */
export interface UserInfo {
  /** The auth account, as in the token. */
  sub: string
  /** The address of the user. */
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
  /** The user: `id` in `/v1/users`. Every route accepts it. */
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
  /** `administrator` refuses every sign-in method. `failed_attempts` refuses the methods in lockout_scope. */
  cause: "administrator" | "failed_attempts"
  /** The text of the administrator. The user never sees it. Null for `failed_attempts`. */
  reason: string | null
  /** When the administrator locked the user. Null for `failed_attempts`. */
  lockedAt: string | null
  /** When the lock ends by itself. Null: only when it is unlocked. */
  until: string | null
}

export interface UserReply {
  user: User
}

/** A user and the sessions on this page. */
export interface UserSessions {
  /** The auth account of the user, `userId` in `/v1/users`. */
  user_id: string
  /** The user: `id` in `/v1/users`. Every route accepts it. */
  directory_user_id: string
  /** Live sessions of the user on this page. More may follow on the next page. */
  sessions: Session[]
}

export interface UserView {
  user: User
  /**
   * Why the address receives no emails. Null: it receives them. A key of one organization sees only suppressions of that
   * organization.
   */
  email_suppression: MailSuppression | null
}

/** The outcome of each entry. */
export interface UsersCreateManyReply {
  /** The users who were created, in the order of the request. */
  created: User[]
  /** Rows that were skipped. */
  skipped: ({
    /** The address of the row as it was sent. */
    email: string
    /** `already_exists`: a user has the address. `duplicate_in_request`: an earlier row has it. */
    reason: "already_exists" | "duplicate_in_request"
  })[]
  /** Rows that were refused. The others are not affected. */
  failed: ({
    /** The address of the row as it was sent. Null if it had none. */
    email: string | null
    /**
     * `invalid_email`, `invalid_field:<name>`, `external_id_taken`, or the code of a refusal to give the roles:
     * `insufficient_scope`, `service_disabled`, `privilege_escalation`
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
  /** One user per line: `email`, `email,First,Last` or `Name <email>`. Blank lines and # lines are ignored. */
  bulkText?: string | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersCreateRequest {
  /** One email address without a name. Unique within the organization regardless of case. */
  email: string
  /** Full name, in mails and in the token claim `name`. Null: none. */
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
  /** For your own use: up to 50 keys with any JSON values, 16 KiB in total. A change replaces all keys. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Sessions that ended, counted up to 10 000. */
  revoked: number
}

export interface UsersDeleteReply {
  /** Always `true`: a refusal is a problem. */
  ok: boolean
}

export interface UsersExportReply {
  /** When the export was made. */
  exported_at: string
  user: User
  /** Why the address receives no emails. Null: it receives them. */
  email_suppression: MailSuppression | null
  /** Records by kind, newest first, at most 1000 of each. More kinds and fields may be added. */
  records: Record<string, Record<string, unknown>[]>
  /**
   * The newest 1000 of the audit log that tell of the user, or of bounces of their present address. Bounces of the whole
   * environment only for org-wide keys.
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
    /** The user’s auth account: `userId` of the user, `sub` of tokens. */
    user_id: string
    /** The user: `id` in `/v1/users`. Every route accepts it. */
    directory_user_id: string
    impersonator: Impersonator
  }
}

export interface UsersImpersonateRequest {
  /** The reason. Shown in the audit log, in `act` of the token and in the session list of the user. */
  reason: string
  /** The acting person in your system. Required with an API key; a team member is known. */
  actor?: string | undefined
  /** Default 900, at most access_token_ttl_seconds. */
  duration_seconds?: number | undefined
  subOrgId?: SubOrgId | undefined
}

/** The address that the invitation was mailed to, or its link. */
export interface UsersInviteReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** The address that the mail goes to, masked. */
  delivery_hint: string
  /**
   * False: the user has signed in before and keeps the current roles. Null: the request has neither `role` nor
   * `roleIds`.
   */
  roles_applied: boolean | null
  /**
   * False: the organization enforces single sign-on, the user is not exempt, and no connection serves the address. The
   * email asks the person to get access first. Add the user to `sso_exempt_user_ids`.
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
   * The name of the person who invites, for the email. Absent: the name in the invitation that this one renews. Null:
   * none.
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
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface UsersListReply {
  /** Matching users, in the requested order. */
  users: User[]
  /** Whether more rows follow this page. */
  has_more: boolean
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface UsersLockReply {
  user: User
  /** Sessions that ended. */
  revoked: number
}

export interface UsersLockRequest {
  /** For managers and the audit log. The user never sees it. */
  reason: string
  /** The end of the lock. Absent or null: no end. */
  until?: string | null | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersMoveRequest {
  /** The organization that the user moves to, in the same environment. */
  targetSubOrgId: string
  /**
   * Also moves a user that provisioning manages. The provisioning client is not notified, and may add the user to the
   * old organization again.
   */
  force?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersRestoreRequest {
  /** Also restores users that provisioning manages. */
  force?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

export interface UsersRevokeSessionsReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Sessions that ended, counted up to 10 000. */
  revoked: number
}

export interface UsersSendPasswordResetReply {
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** The address that the mail goes to, masked. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** The address that the mail goes to, masked. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
  success: boolean
  /** Sessions that ended, counted up to 10 000. */
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
  /** Always `true`: a refusal has a status of 400 or above and is a problem. */
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
  /** Full name, in mails and in the token claim `name`. Null: none. */
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
  /** For your own use: up to 50 keys with any JSON values, 16 KiB in total. A change replaces all keys. */
  metadata?: Record<string, unknown> | null | undefined
  /** `false` ends every session at once and refuses every sign-in. */
  active?: boolean | undefined
  /** Also changes fields that provisioning manages. */
  force?: boolean | undefined
  subOrgId?: SubOrgId | undefined
}

/** One of your endpoints, which receives events. */
export interface Webhook {
  /** A UUID that the service assigns. It never changes. */
  id: string
  /** The organization whose events it receives. Null: the whole environment. */
  subOrgId: string | null
  /** Name that administrators see. Need not be unique. */
  name: Name
  /** An https URL on a public host that receives the events. */
  url: string
  /** Event types that it receives: names, `user.*` for a prefix, `*` for all. */
  events: string[]
  /** Whether events are sent. `false` stops new and pending deliveries. */
  enabled: boolean
  /** `active`, `failing`: the latest attempt failed, or `disabled`: nothing is sent. */
  status: "active" | "failing" | "disabled"
  /** `failing`: 120 hours without success. `gone`: it answered 410. `request`: a request turned it off. Null: enabled. */
  disabledReason: "failing" | "gone" | "request" | null
  /** The last characters of the signing secret. */
  secretHint: string
  /** When a delivery was last attempted. Null: never. */
  lastDeliveryAt: string | null
  /** Failed attempts since the last success. */
  consecutiveFailures: number
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
  /** When it last changed (RFC 3339, in UTC). */
  updatedAt: string
}

/** An event that was sent to a webhook, or will be sent. */
export interface WebhookDelivery {
  /** A UUID that the service assigns. It never changes. */
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
  /** Why the latest attempt failed: a code such as `timeout`. Null: it did not fail. */
  error: string | null
  /** Time until the latest response or failure, in milliseconds. Null: not sent yet. */
  durationMs: number | null
  /** URL of the latest attempt. Null: not sent yet. */
  url: string | null
  /** When it was created (RFC 3339, in UTC). */
  createdAt: string
  /** When it is sent again. Null: no further attempt. */
  nextAttemptAt: string | null
  /** The latest request. */
  request: {
    /** Headers of the request. Signatures are shortened. */
    headers: Record<string, string>
    /** JSON text of the request. Null: the event is no longer kept. */
    body: string | null
  }
  /** The last 20 attempts, newest last. */
  attempts: ({
    /** When the request was sent. */
    at: string
    /** HTTP status of the response. Null: no response. */
    responseStatus: number | null
    /** Why it failed, such as `timeout`. Null if it succeeded or the status has the reason. */
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
   * webhook got a new signing secret. `webhook.updated`: A webhook was changed, or enabled or disabled on request.
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
  /** Verifies the signatures. Shown only in this response. */
  signingSecret: string
}

export type WebhookTestEvent = Omit<Event, 'type' | 'data'> & {
  /** A test of a webhook, sent only to that webhook. */
  type: "webhook.test"
  /** What happened, with the fields of this type of event. */
  data: {
    /** The webhook that was tested. */
    webhookId: string
  }
}

export interface WebhooksCreateRequest {
  /** Name that administrators see. Need not be unique. */
  name: Name
  /** An https URL on a public host that receives the events. */
  url: string
  /** Event types: names, `user.*` for a prefix, `*` for all. */
  events: string[]
  /** The whole environment, instead of subOrgId. Requires an org-wide key. */
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
  /** Send it as `cursor` to read the next page. Null on the last page. */
  next_cursor: string | null
  /** Rows on all pages. Only with `include_total`. */
  total?: number | undefined
  /** True if there are more than `total`, or may be. Absent if `total` is exact. */
  total_is_minimum?: boolean | undefined
}

export interface WebhooksReplayEventsRequest {
  /** Events from this time on are sent again; at most 30 days ago. */
  from: string
  /** Events up to this time. Default: now. */
  to?: string | undefined
  /** The whole environment, instead of subOrgId. Requires an org-wide key. */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface WebhooksResendDeliveryRequest {
  /** The whole environment, instead of subOrgId. Requires an org-wide key. */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface WebhooksRotateSecretRequest {
  /** Seconds for which the old secret also signs. */
  overlapSeconds?: number | undefined
  /** The whole environment, instead of subOrgId. Requires an org-wide key. */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface WebhooksTestRequest {
  /** The whole environment, instead of subOrgId. Requires an org-wide key. */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

export interface WebhooksUpdateRequest {
  /** Name that administrators see. Need not be unique. */
  name?: Name | undefined
  /** An https URL on a public host that receives the events. */
  url?: string | undefined
  /** Event types: names, `user.*` for a prefix, `*` for all. */
  events?: string[] | undefined
  /** `true` sends pending deliveries and resumes. `false` stops all deliveries. */
  enabled?: boolean | undefined
  /** The whole environment, instead of subOrgId. Requires an org-wide key. */
  scope?: "environment" | undefined
  subOrgId?: SubOrgId | undefined
}

/** Parameters of "List organizations". */
export interface OrganizationsListParams {
  /** No user of a suspended or archived organization can sign in; its data can still be read. */
  status?: "active" | "suspended" | "archived" | undefined
  /** Only the organization with this slug. */
  slug?: string | undefined
  /** Only the organization with this id of your own system. */
  externalId?: string | undefined
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Read an organization". */
export interface OrganizationsGetParams {
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Archive an organization". */
export interface OrganizationsArchiveParams {
  /** Organization. Without it an org-wide key means the whole account. */
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
  /** Organization. Without it an org-wide key means the whole account. */
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
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Withdraw an invitation to the team". */
export interface MembersRevokeInviteParams {
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Remove a member". */
export interface MembersDeleteParams {
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "List the roster of an organization". */
export interface OrganizationsListMembersParams {
  /** Organization. Without it an org-wide key means the whole account. */
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
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Read an environment". */
export interface EnvironmentsGetParams {
  /** Organization. Without it an org-wide key means the whole account. */
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
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Read the calling credential". */
export interface ApiKeysGetCurrentParams {
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Read an API key". */
export interface ApiKeysGetParams {
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Revoke an API key". */
export interface ApiKeysRevokeParams {
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Read which services are on". */
export interface ServicesGetParams {
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List users". */
export interface UsersListParams {
  /** Only entries with exactly this address. Case does not matter. */
  email?: string | undefined
  /** Only the user with this id of your own system. */
  externalId?: string | undefined
  /** `true`: only users who may sign in. `false`: only deactivated users. */
  active?: boolean | undefined
  /** Prefix of the address, a name or the phone. Case does not matter. */
  q?: string | undefined
  /** Changed at this time or later. Poll with `order=asc`. */
  updatedSince?: string | undefined
  /** Only users with this built-in role. */
  role?: "admin" | "member" | undefined
  /** `true`: lists deleted users that can still be restored instead. */
  deleted?: boolean | undefined
  /** Maximum rows per page. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** `asc`: oldest first. `desc`: newest first. */
  order?: "asc" | "desc" | undefined
  /** Adds `total`, counted up to 10,000. */
  include_total?: boolean | undefined
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read a user". */
export interface UsersGetParams {
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Delete a user". */
export interface UsersDeleteParams {
  /** Also deletes a user that provisioning manages. */
  force?: boolean | undefined
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Export all data of a user". */
export interface UsersExportParams {
  /** `true`: exports a deleted user that can still be restored, by the `id` in `GET /v1/users?deleted=true`, instead. */
  deleted?: boolean | undefined
  /** Organization. Without it an org-wide key means the whole environment. */
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
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read a role". */
export interface RolesGetParams {
  /** Organization. Without it an org-wide key means the whole environment. */
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
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "List permissions". */
export interface RolesListPermissionsParams {
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read the roles of a user". */
export interface RolesGetForUserParams {
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read the roles of a member". */
export interface RolesGetForMemberParams {
  /** Organization. Without it an org-wide key means the whole environment. */
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
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read an invitation". */
export interface InvitesGetParams {
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Withdraw an invitation". */
export interface InvitesRevokeParams {
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Read one-time code settings". */
export interface OtpGetSettingsParams {
  /** Adds `sources`: where each value comes from. */
  effective?: boolean | undefined
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List sign-in methods". */
export interface AuthListMethodsParams {
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Read auth settings". */
export interface AuthGetSettingsParams {
  /** Adds `sources`: where each value comes from. Default `false`. */
  effective?: boolean | undefined
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Read the MFA policy". */
export interface MfaGetPolicyParams {
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Preview an MFA policy". */
export interface MfaPreviewPolicyParams {
  /** The value to try. Default: the current one. */
  require_mfa?: boolean | undefined
  /** Days to try. Default: the current value. */
  grace_period_days?: number | undefined
  /** Values to try, separated by commas. Default: the current ones. */
  allowed_methods?: string | undefined
  /** Values to try, separated by commas. Default: the current ones. */
  enforce_for_roles?: string | undefined
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List trusted devices of a user". */
export interface MfaTrustedDevicesListParams {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Remove a trusted device". */
export interface MfaTrustedDevicesDeleteParams {
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Read second factors of a user". */
export interface MfaTotpGetParams {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Remove the phone". */
export interface MfaSmsDeleteParams extends MfaSmsDeleteRequest {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
}

/** Parameters of "List the passkeys of a user". */
export interface PasskeysListParams {
  /** Directory user (`id`) or auth account (`userId`). */
  userId: string
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Delete a passkey". */
export interface PasskeysDeleteParams {
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Read passkey settings". */
export interface PasskeysGetSettingsParams {
  /** Adds `sources`: where each value comes from. Default `false`. */
  effective?: boolean | undefined
  /** Organization. Without it an org-wide key reads the account level. */
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
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Unlink an identity of a user". */
export interface UsersDeleteIdentityParams {
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Start a single sign-on". */
export interface LoginSsoStartParams extends LoginSsoStartRequest {
  /** Test a connection. The sign-in ends in a trace, without a session. */
  test?: boolean | undefined
}

/** Parameters of "List SAML service provider certificates". */
export interface SsoListKeysParams {
  /** Organization. Without it an org-wide key means the whole account. */
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
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read a connection". */
export interface ConnectionsGetParams {
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Delete a connection". */
export interface ConnectionsDeleteParams {
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "List sign-ins through a connection". */
export interface ConnectionsListTracesParams {
  /** Organization. Without it an org-wide key means the whole environment. */
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
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "List event types". */
export interface WebhooksListEventTypesParams {
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read a webhook". */
export interface WebhooksGetParams {
  /** Adds the latest deliveries, newest first. Default `false`. */
  deliveries?: boolean | undefined
  /** Maximum deliveries. Default 50, at most 200, or 1000 as CSV. */
  limit?: number | undefined
  /** Matches only webhooks of the whole environment. Changes require it. */
  scope?: "environment" | undefined
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Delete a webhook". */
export interface WebhooksDeleteParams {
  /** The whole environment, instead of subOrgId. Requires an org-wide key. */
  scope?: "environment" | undefined
  /** Organization. An org-wide key sends it or `scope`, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Finish an OpenID sign-in (shared)". */
export interface OidcCompleteSharedParams {
  /** Authorization code of the provider. Absent with `error`. */
  code?: string | undefined
  /** `state` of the sign-in. */
  state?: string | undefined
  /** The issuer that answers (RFC 9207), if the provider sends it. */
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
  /** The issuer that answers (RFC 9207), if the provider sends it. */
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
  /** The issuer that answers (RFC 9207), if the provider sends it. */
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
  /** The issuer that answers (RFC 9207), if the provider sends it. */
  iss?: string | undefined
  /** Error code of the provider (RFC 6749 §4.1.2.1), such as `access_denied`. */
  error?: string | undefined
}

/** Parameters of "List the social providers". */
export interface SocialListProvidersParams {
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List the default social providers". */
export interface SocialListDefaultsParams {
  /** Organization. Without it an org-wide key means the whole account. */
  subOrgId?: string | undefined
}

/** Parameters of "Receive a SAML logout (redirect)". */
export interface SamlLogoutByRedirectParams {
  /** The request to log out. */
  SAMLRequest?: string | undefined
  /** The provider’s answer to a logout request of this service. */
  SAMLResponse?: string | undefined
  /** The relay state of a logout request, which is returned to the provider. */
  RelayState?: string | undefined
  /** Algorithm of `Signature` (SAML bindings §3.4.4.1). */
  SigAlg?: string | undefined
  /** Signature of the query, in base64. */
  Signature?: string | undefined
}

/** Parameters of "Read the provisioning configuration". */
export interface ScimGetConfigParams {
  /** Organization. Without it an org-wide key reads the account level. */
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
  /** Organization. Without it an org-wide key reads the account level. */
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
  /** Only sessions of this user: `id` or `userId` of the user. */
  userId?: string | undefined
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "End every session of a user". */
export interface UsersRevokeSessionsParams {
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Read a live session". */
export interface SessionsGetParams {
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "End one session". */
export interface SessionsRevokeParams {
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "List ended sessions". */
export interface SessionsListRevocationsParams {
  /** `next_cursor` of the previous page. Default: start at the oldest revocation that is kept. */
  after?: string | undefined
  /** Maximum rows per page. Default 1000. */
  limit?: number | undefined
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read mail settings". */
export interface MailGetSettingsParams {
  /** Adds `sources`: where each value comes from. Default `false`. */
  effective?: boolean | undefined
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List email texts". */
export interface MailListTemplatesParams {
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Read the texts of an email". */
export interface MailGetTemplateParams {
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Reset the texts of an email". */
export interface MailResetTemplateParams {
  /** Organization. Required with an org-wide key, here or in the body. */
  subOrgId?: string | undefined
}

/** Parameters of "Reset default texts of an email". */
export interface MailResetDefaultTemplateParams {
  /** Organization. Without it an org-wide key means the whole account. */
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
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Clear a suppressed address". */
export interface MailDeleteSuppressionParams {
  /** Organization. Without it an org-wide key means the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Read the set-up of an organization". */
export interface AdminPortalGetParams {
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "List the domains of an organization". */
export interface DomainsListParams {
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

/** Parameters of "Remove a domain". */
export interface DomainsDeleteParams {
  /** Organization. Required with an org-wide key, here or in the body. */
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
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read the audit log". */
export interface AuditListParams {
  /** Types, separated by commas; `user.*` matches all with that prefix. */
  types?: string | undefined
  /** The kind of actor: `api_key`, `user`, `scim` (provisioning), `system` (jobs) or `cli`. */
  actor_type?: "api_key" | "user" | "scim" | "system" | "cli" | undefined
  /** The actor, or the API key or team member that made the sign-in or sign-out request of a user. */
  actor_id?: string | undefined
  /** Only events with this `X-Actor-Id`: the person that your backend acted for. */
  on_behalf_of?: string | undefined
  /** Only events about this type of resource, such as `user`. */
  target_type?: string | undefined
  /** Only events about the resource with this id. */
  target_id?: string | undefined
  /** Only events about this user (`id` or `userId`): as actor, target or in the data. */
  user_id?: string | undefined
  /** Only events with this address of the end user. */
  ip_address?: string | undefined
  /** Only events of this request: its `X-Request-Id`. */
  request_id?: string | undefined
  /** Only events that contain this text. Case does not matter. */
  q?: string | undefined
  /** Only events at this time or later. */
  from?: string | undefined
  /** Only events at this time or before. */
  to?: string | undefined
  /** `next_cursor` of the last page. */
  after?: string | undefined
  /** Alias of `after`, as in other lists. Send only one of them. */
  cursor?: string | undefined
  /** Maximum events per page. Default 100. */
  limit?: number | undefined
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Export the audit log". */
export interface AuditExportParams {
  /** Types, separated by commas; `user.*` matches all with that prefix. */
  types?: string | undefined
  /** The kind of actor: `api_key`, `user`, `scim` (provisioning), `system` (jobs) or `cli`. */
  actor_type?: "api_key" | "user" | "scim" | "system" | "cli" | undefined
  /** The actor, or the API key or team member that made the sign-in or sign-out request of a user. */
  actor_id?: string | undefined
  /** Only events with this `X-Actor-Id`: the person that your backend acted for. */
  on_behalf_of?: string | undefined
  /** Only events about this type of resource, such as `user`. */
  target_type?: string | undefined
  /** Only events about the resource with this id. */
  target_id?: string | undefined
  /** Only events about this user (`id` or `userId`): as actor, target or in the data. */
  user_id?: string | undefined
  /** Only events with this address of the end user. */
  ip_address?: string | undefined
  /** Only events of this request: its `X-Request-Id`. */
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
  /** Organization. Without it an org-wide key means the whole environment. */
  subOrgId?: string | undefined
}

/** Parameters of "Read audit settings". */
export interface AuditGetSettingsParams {
  /** Adds `sources`: where each value comes from. Default `false`. */
  effective?: boolean | undefined
  /** Organization. Without it an org-wide key reads the account level. */
  subOrgId?: string | undefined
}

// Generated from openapi.json by `npm run gen`. Do not edit.

/** The members that a problem adds to those of every problem, by its `code`. */
export interface ProblemMembers {
  /** Access token invalid. */
  access_token_invalid: unknown
  /** Access token missing. */
  access_token_missing: unknown
  /** Too many wrong passwords. */
  account_locked: {
  /** Seconds to wait before the next attempt. */
  retry_after?: number | undefined
}
  /** The user is already enrolled. */
  already_enrolled: unknown
  /** Conflicting API keys. */
  api_key_conflict: unknown
  /** API key expired. */
  api_key_expired: unknown
  /** The API key is inactive. */
  api_key_inactive: unknown
  /** API key invalid. */
  api_key_invalid: unknown
  /** Address not allowed for this key. */
  api_key_ip_not_allowed: unknown
  /** The key does not reach the user. */
  api_key_mismatch: unknown
  /** API key missing. */
  api_key_missing: unknown
  /** API key not found. */
  api_key_not_found: unknown
  /** The service requires auth. */
  auth_required: unknown
  /** The challenge is no longer valid. */
  challenge_expired: unknown
  /** The code is not valid. */
  code_invalid: unknown
  /** The connection is incomplete. */
  connection_incomplete: unknown
  /** Too many connections. */
  connection_limit_reached: unknown
  /** The connection is not active. */
  connection_not_active: unknown
  /** Connection not found. */
  connection_not_found: unknown
  /** The user can already sign in. */
  credential_exists: unknown
  /** The feed cannot continue from this cursor. */
  cursor_expired: unknown
  /** Delivery not found. */
  delivery_not_found: unknown
  /** The discovery token is not valid. */
  discovery_token_invalid: unknown
  /** Another organization has the domain. */
  domain_claimed: unknown
  /** Too many domains. */
  domain_limit_reached: unknown
  /** No organization can have this domain. */
  domain_not_allowed: unknown
  /** Domain not found. */
  domain_not_found: unknown
  /** The email address is taken. */
  email_exists: unknown
  /** Enrollment not found. */
  enrollment_not_found: unknown
  /** Too many environments. */
  environment_limit_reached: unknown
  /** Environment not found. */
  environment_not_found: unknown
  /** The external id is taken. */
  external_id_taken: unknown
  /** A home-environment key is required. */
  home_key_required: unknown
  /** The first request is still running. */
  idempotency_in_progress: unknown
  /** Idempotency key used for another request. */
  idempotency_key_reused: unknown
  /** Identity not found. */
  identity_not_found: unknown
  /** The identity provider does not answer. */
  idp_unreachable: unknown
  /** The organization does not allow impersonation. */
  impersonation_disabled: unknown
  /** Impersonation sessions are read-only. */
  impersonation_read_only: unknown
  /** The URL is not https. */
  insecure_url: unknown
  /** Permission missing. */
  insufficient_scope: {
  /** The missing scope. */
  scope?: string | undefined
}
  /** Internal error. */
  internal_error: unknown
  /** Email address or password is wrong. */
  invalid_credentials: unknown
  /** The body is not valid JSON. */
  invalid_json: unknown
  /** The redirect address is not allowed. */
  invalid_redirect_uri: unknown
  /** Invalid request. */
  invalid_request: {
  /** The invalid fields. */
  errors?: {
    /** The field, as a path such as `users.0.email`. */
    field: string
    /** What is wrong with it, such as `required` or `unknown_property`. */
    code: string
    /** The problem as a sentence, for developers. */
    message: string
  }[] | undefined
}
  /** The invitation was already accepted. */
  invite_accepted: unknown
  /** Invitation not found. */
  invite_not_found: unknown
  /** The last factor cannot be removed. */
  last_factor: unknown
  /** At least one owner is required. */
  last_owner: unknown
  /** No such email text. */
  mail_template_not_found: unknown
  /** Too many email texts. */
  mail_templates_too_large: unknown
  /** Already a member. */
  member_exists: unknown
  /** Member not found. */
  member_not_found: unknown
  /** The metadata cannot be used. */
  metadata_invalid: unknown
  /** The sign-in method is disabled. */
  method_disabled: unknown
  /** The code is not valid. */
  mfa_code_invalid: unknown
  /** Not acceptable. */
  not_acceptable: unknown
  /** Not found. */
  not_found: unknown
  /** The organization is archived. */
  organization_archived: unknown
  /** The name does not match. */
  organization_name_mismatch: unknown
  /** Organization not found. */
  organization_not_found: unknown
  /** The organization is suspended or archived. */
  organization_suspended: {
  /** `suspended` or `archived`. */
  organization_status?: string | undefined
}
  /** Origin not allowed. */
  origin_not_allowed: {
  /** The origin of the page. */
  origin?: string | undefined
}
  /** The code has expired. */
  otp_expired: unknown
  /** The code is not valid. */
  otp_invalid: unknown
  /** otp_id or session_id is required. */
  otp_reference_required: unknown
  /** Too many wrong codes. */
  otp_too_many_attempts: unknown
  /** The passkey is already registered. */
  passkey_exists: unknown
  /** The passkey was not accepted. */
  passkey_invalid: unknown
  /** Too many passkeys. */
  passkey_limit_reached: unknown
  /** Passkey not found. */
  passkey_not_found: unknown
  /** The password is common or breached. */
  password_breached: unknown
  /** The password must be changed. */
  password_change_required: {
  /** Token for one password change; never mailed. */
  token_hash?: string | undefined
  /** When token_hash expires. */
  expires_at?: string | undefined
}
  /** Password reset is disabled. */
  password_reset_disabled: unknown
  /** Body too large. */
  payload_too_large: unknown
  /** More permissions required. */
  privilege_escalation: unknown
  /** A production key is required. */
  production_key_required: unknown
  /** The provider is disabled. */
  provider_disabled: unknown
  /** The provider is not configured. */
  provider_not_configured: unknown
  /** Too many requests. */
  rate_limited: {
  /** Seconds to wait before the next attempt. */
  retry_after?: number | undefined
}
  /** A recent sign-in is required. */
  recent_sign_in_required: {
  /** Maximum age of the sign-in, in seconds. */
  within_seconds?: number | undefined
}
  /** The refresh token is not valid. */
  refresh_token_invalid: unknown
  /** The refresh token was already used. */
  refresh_token_reused: unknown
  /** A role with this name exists. */
  role_exists: unknown
  /** Too many roles. */
  role_limit_reached: unknown
  /** The role comes from groups. */
  role_managed: {
  /** The roles that groups give. */
  roles?: ({
    /** `admin`, or the slug of a role of the organization. */
    role: string
    /** Where the role comes from: groups of a sign-in (`sso`) or provisioned groups (`scim`). */
    source: "sso" | "scim"
    /** The connection whose `group_role_mapping` gives the role. For `scim`: the connection that provisioning is linked to. */
    connectionId: string | null
  })[] | undefined
}
  /** Membership not found. */
  role_member_not_found: unknown
  /** Role not found. */
  role_not_found: unknown
  /** Connection not found. */
  scim_connection_not_found: unknown
  /** Provisioning is off. */
  scim_disabled: unknown
  /** Request not found. */
  scim_log_not_found: unknown
  /** The user is managed by provisioning. */
  scim_managed: unknown
  /** This request cannot be repeated. */
  scim_not_replayable: unknown
  /** Service disabled. */
  service_disabled: {
  /** The service that is off. */
  service?: string | undefined
}
  /** Too many sessions. */
  session_limit_reached: unknown
  /** Session not found. */
  session_not_found: unknown
  /** Sign-up is disabled. */
  signup_disabled: unknown
  /** The slug is reserved. */
  slug_reserved: unknown
  /** The slug is taken. */
  slug_taken: unknown
  /** Sign-in must start at the organization. */
  social_start_required: unknown
  /** Key rollover step out of order. */
  sp_keys_conflict: unknown
  /** Single sign-on is required. */
  sso_required: {
  /** The connection to start. Absent if no connection is available. */
  connection_id?: string | undefined
}
  /** Step-up required. */
  step_up_required: {
  /** Step-up methods that the user has. */
  methods?: ("password" | "otp" | "totp" | "backup" | "sms" | "passkey" | "sso")[] | undefined
  /** Maximum age of the step-up, in seconds. */
  within_seconds?: number | undefined
}
  /** Conflicting organization. */
  sub_org_conflict: unknown
  /** The organization does not match. */
  sub_org_mismatch: unknown
  /** subOrgId is required. */
  sub_org_required: {
  /** The unknown property that may be a misspelt subOrgId. */
  errors?: {
    /** The field, as a path such as `users.0.email`. */
    field: string
    /** What is wrong with it, such as `required` or `unknown_property`. */
    code: string
    /** The problem as a sentence, for developers. */
    message: string
  }[] | undefined
}
  /** No such suppression. */
  suppression_not_found: unknown
  /** A system role cannot be changed. */
  system_role: unknown
  /** Team members cannot change their address. */
  team_email_fixed: unknown
  /** Team links are only mailed. */
  team_link_withheld: unknown
  /** The link has expired. */
  token_expired: unknown
  /** The link is not valid. */
  token_invalid: {
  /** Whether the link was used or withdrawn. Absent if the link never existed. */
  reason?: "used" | "withdrawn" | undefined
}
  /** Too many users in one request. */
  too_many_users: unknown
  /** Trusted device not found. */
  trusted_device_not_found: unknown
  /** Temporarily unavailable. */
  unavailable: unknown
  /** Unsupported media type. */
  unsupported_media_type: unknown
  /** The user is inactive. */
  user_inactive: unknown
  /** The user is locked. */
  user_locked: unknown
  /** The user has never signed in. */
  user_never_signed_in: unknown
  /** User not found. */
  user_not_found: unknown
  /** The mailbox is not verified. */
  verification_required: unknown
  /** The record has changed. */
  version_conflict: unknown
  /** The password is too easy to guess. */
  weak_password: {
  /** Every rule that the password breaks. */
  reasons?: ("too_short" | "too_long" | "invalid_character" | "context_word" | "common_word" | "reused")[] | undefined
}
  /** The webhook is disabled. */
  webhook_disabled: unknown
  /** Too many webhooks. */
  webhook_limit_reached: unknown
  /** Webhook not found. */
  webhook_not_found: unknown
  /** The URL resolves to a private address. */
  webhook_url_not_allowed: unknown
}

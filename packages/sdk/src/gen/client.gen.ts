// Generated from openapi.json by `npm run gen`. Do not edit.

import type { Call, PageCall } from '../call.ts'
import { type CallOptions, Namespace, path } from '../transport.ts'
import type {
  AdminPortalGetParams,
  AdminPortalReply,
  ApiKeyReply,
  ApiKeySecret,
  ApiKeysCreateRequest,
  ApiKeysGetCurrentParams,
  ApiKeysGetCurrentReply,
  ApiKeysGetParams,
  ApiKeysListParams,
  ApiKeysListReply,
  ApiKeysRevokeParams,
  ApiKeysRotateRequest,
  ApiKeysUpdateRequest,
  AuditExportParams,
  AuditGetSettingsParams,
  AuditGetSettingsReply,
  AuditListParams,
  AuditListReply,
  AuditSettingsReply,
  AuditUpdateDefaultsRequest,
  AuditUpdateSettingsRequest,
  AuthGetSettingsParams,
  AuthGetSettingsReply,
  AuthListMethodsParams,
  AuthListMethodsReply,
  AuthSettingsPatch,
  AuthSettingsReply,
  AuthVerifyEmailReply,
  AuthVerifyEmailRequest,
  BackupCodes,
  BrandingPatch,
  ClientKeySet,
  ConnectionsDeleteParams,
  ConnectionsGetParams,
  ConnectionsListParams,
  ConnectionsListTracesParams,
  ConnectionsListTracesReply,
  ConnectionsTestReply,
  ConnectionsTestRequest,
  Discovery,
  DiscoveryCreateOrganizationRequest,
  DiscoveryExchangeRequest,
  DiscoveryMagicLinkSendRequest,
  DiscoveryOtpSendRequest,
  DocsGetOpenapiReply,
  DocsGetScimOpenapiReply,
  DomainAction,
  DomainActionReply,
  DomainCheckReply,
  DomainCreate,
  DomainListReply,
  DomainReply,
  DomainsDeleteParams,
  DomainsListParams,
  DomainsVerifyRequest,
  EnvironmentsCreateReply,
  EnvironmentsCreateRequest,
  EnvironmentsGetParams,
  EnvironmentsGetReply,
  EnvironmentsListParams,
  EnvironmentsListReply,
  EnvironmentsUpdateReply,
  EnvironmentsUpdateRequest,
  EventsListParams,
  EventsListReply,
  FactorRemoval,
  FederatedStart,
  HealthGetLivenessReply,
  HealthGetVersionReply,
  Introspection,
  InvitesAcceptRequest,
  InvitesCreateReply,
  InvitesCreateRequest,
  InvitesGetParams,
  InvitesGetReply,
  InvitesListParams,
  InvitesListReply,
  InvitesRevokeParams,
  InvitesRevokeReply,
  IssuerMetadata,
  JwkSet,
  LoginMagicLinkSendRequest,
  LoginOtpSendRequest,
  LoginPasskeyStartReply,
  LoginPasskeyStartRequest,
  LoginPasskeyVerifyRequest,
  LoginPasswordRequest,
  LoginResult,
  LoginSsoDiscoverReply,
  LoginSsoDiscoverRequest,
  LoginSsoLogoutReply,
  LoginSsoLogoutRequest,
  LoginSsoStartParams,
  MailDeleteSuppressionParams,
  MailGetSettingsParams,
  MailGetSettingsReply,
  MailGetTemplateParams,
  MailListSuppressionsParams,
  MailListSuppressionsReply,
  MailListTemplatesParams,
  MailPreview,
  MailReportBounceReply,
  MailReportBounceRequest,
  MailResetDefaultTemplateParams,
  MailResetTemplateParams,
  MailSettingsPatch,
  MailSettingsReply,
  MailTemplatePut,
  MailTemplateReply,
  MailTemplatesReply,
  MeEmailStartRequest,
  MeEmailVerifyReply,
  MeEmailVerifyRequest,
  MePasskeysDeleteReply,
  MePasskeysListReply,
  MePasskeysStartReply,
  MePasskeysUpdateReply,
  MePasskeysUpdateRequest,
  MePasskeysVerifyReply,
  MePasskeysVerifyRequest,
  MePasswordUpdateReply,
  MePasswordUpdateRequest,
  MePhoneDeleteReply,
  MePhoneStartRequest,
  MePhoneVerifyReply,
  MePhoneVerifyRequest,
  MeReply,
  MeSessionsListParams,
  MeSessionsListReply,
  MeSessionsRevokeOthersReply,
  MeSessionsRevokeReply,
  MeStepUpStartRequest,
  MeStepUpVerifyRequest,
  MeTotpDeleteReply,
  MeTotpGetReply,
  MeTotpVerifyRequest,
  MeTrustedDevicesDeleteReply,
  MeUpdateRequest,
  MemberListReply,
  MemberReply,
  MembersDeleteParams,
  MembersDeleteReply,
  MembersInviteReply,
  MembersInviteRequest,
  MembersListInvitesParams,
  MembersListInvitesReply,
  MembersListParams,
  MembersRevokeInviteParams,
  MembersRevokeInviteReply,
  MembersUpdateRequest,
  MfaChallengeSendReply,
  MfaChallengeSendRequest,
  MfaChallengeVerifyReply,
  MfaChallengeVerifyRequest,
  MfaGetPolicyParams,
  MfaPolicyPatch,
  MfaPolicyReply,
  MfaPreviewPolicyParams,
  MfaPreviewPolicyReply,
  MfaSmsDeleteParams,
  MfaSmsStartRequest,
  MfaSmsVerifyRequest,
  MfaTotpCreateBackupCodesRequest,
  MfaTotpDeleteRequest,
  MfaTotpGetParams,
  MfaTotpGetReply,
  MfaTotpStartRequest,
  MfaTotpVerifyReply,
  MfaTotpVerifyRequest,
  MfaTrustedDevicesDeleteParams,
  MfaTrustedDevicesListParams,
  OidcCompleteLogoutParams,
  OidcCompleteParams,
  OidcCompleteSharedParams,
  OrganizationReply,
  OrganizationsArchiveParams,
  OrganizationsCreateRequest,
  OrganizationsEraseRequest,
  OrganizationsGetParams,
  OrganizationsListMembersParams,
  OrganizationsListParams,
  OrganizationsListReply,
  OrganizationsReplaceMembersRequest,
  OrganizationsUpdateRequest,
  Otp,
  OtpGenerateRequest,
  OtpGetSettingsParams,
  OtpSettingsPatch,
  OtpSettingsReply,
  OtpValidateRequest,
  OtpValidation,
  PasskeySettingsPatch,
  PasskeySettingsReply,
  PasskeysDeleteParams,
  PasskeysDeleteReply,
  PasskeysGetSettingsParams,
  PasskeysGetSettingsReply,
  PasskeysListParams,
  PasskeysListRelatedOriginsReply,
  PasskeysListReply,
  PasskeysRegisterReply,
  PasskeysRegisterRequest,
  PasskeysUpdateReply,
  PasskeysUpdateRequest,
  PasswordResetCompleteRequest,
  PasswordResetSendRequest,
  PendingPhone,
  PendingTotp,
  PresentedCode,
  PresentedLink,
  RoleReply,
  RolesCheckReply,
  RolesCheckRequest,
  RolesCreateRequest,
  RolesDeleteParams,
  RolesDeleteReply,
  RolesGetForMemberParams,
  RolesGetForMemberReply,
  RolesGetForUserParams,
  RolesGetForUserReply,
  RolesGetParams,
  RolesListParams,
  RolesListPermissionsParams,
  RolesListPermissionsReply,
  RolesListReply,
  RolesSetForMemberReply,
  RolesSetForMemberRequest,
  RolesSetForUserReply,
  RolesSetForUserRequest,
  RolesUpdateParams,
  RolesUpdateReply,
  RosterReply,
  SamlLogoutByRedirectParams,
  ScimGetConfigParams,
  ScimGetConfigReply,
  ScimListLogsParams,
  ScimListLogsReply,
  ScimReplayLogReply,
  ScimReplayLogRequest,
  ScimRotateTokenReply,
  ScimRotateTokenRequest,
  ScimUpdateConfigReply,
  ScimUpdateConfigRequest,
  SentCode,
  SentLink,
  SentMagicLink,
  ServiceConfig,
  ServiceConfigChange,
  ServicesGetParams,
  Session,
  SessionsGetParams,
  SessionsListParams,
  SessionsListReply,
  SessionsListRevocationsParams,
  SessionsListRevocationsReply,
  SessionsRevokeParams,
  SignupCreateRequest,
  SignupMagicLinkSendReply,
  SignupMagicLinkSendRequest,
  SignupOtpSendRequest,
  SignupPasswordRequest,
  SocialCompleteParams,
  SocialCompleteSharedParams,
  SocialListDefaultsParams,
  SocialListProvidersParams,
  SocialProviderPut,
  SocialProvidersReply,
  SocialStartRequest,
  SpKeysReply,
  SsoConnectionCreate,
  SsoConnectionList,
  SsoConnectionPatch,
  SsoConnectionReply,
  SsoListKeysParams,
  SsoUpdateKeysRequest,
  StepUp,
  SteppedUp,
  Success,
  TokensExchangeRequest,
  TokensIntrospectRequest,
  TokensRefreshRequest,
  TokensRevokeRequest,
  TrustedDevices,
  UserInfo,
  UserReply,
  UserView,
  UsersCreateManyReply,
  UsersCreateManyRequest,
  UsersCreateRequest,
  UsersDeleteIdentityParams,
  UsersDeleteIdentityReply,
  UsersDeleteParams,
  UsersDeleteReply,
  UsersExportParams,
  UsersExportReply,
  UsersGetParams,
  UsersImpersonateReply,
  UsersImpersonateRequest,
  UsersInviteReply,
  UsersInviteRequest,
  UsersListIdentitiesParams,
  UsersListIdentitiesReply,
  UsersListParams,
  UsersListReply,
  UsersLockReply,
  UsersLockRequest,
  UsersMoveRequest,
  UsersRestoreRequest,
  UsersRevokeSessionsParams,
  UsersRevokeSessionsReply,
  UsersSendPasswordResetReply,
  UsersSendPasswordResetRequest,
  UsersSendVerificationReply,
  UsersSendVerificationRequest,
  UsersSetPasswordReply,
  UsersSetPasswordRequest,
  UsersUnlockReply,
  UsersUnlockRequest,
  UsersUpdateRequest,
  WebhookDeliveryReply,
  WebhookReply,
  WebhookSecretReply,
  WebhooksCreateRequest,
  WebhooksDeleteParams,
  WebhooksGetParams,
  WebhooksGetReply,
  WebhooksListEventTypesParams,
  WebhooksListEventTypesReply,
  WebhooksListParams,
  WebhooksListReply,
  WebhooksReplayEventsRequest,
  WebhooksResendDeliveryRequest,
  WebhooksRotateSecretRequest,
  WebhooksTestRequest,
  WebhooksUpdateRequest,
} from './schemas.gen.ts'

/**
 * Sign users in with a mailed code, a mailed link or a password, list the sign-in methods of an organization, and
 * change its sign-in settings. Start here.
 */
export class DiscoveryMagicLinkApi extends Namespace {
  /**
   * Mail a discovery link.
   *
   * Starts a sign-in before the organization is known. Mails a link to any address. If codes are on, the email also
   * contains a code (`otp_id`). Requires an org-wide key (not limited to one organization).
   *
   * Events: `auth.magic_link.sent`.
   *
   * POST /v1/auth/discovery/magic-link/send
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `invalid_redirect_uri`, `method_disabled`, `service_disabled`, `account_locked`.
   */
  send(params: DiscoveryMagicLinkSendRequest, options?: CallOptions): Call<SentMagicLink> {
    return this.transport.call('discovery.magicLink.send', 'POST', '/v1/auth/discovery/magic-link/send', 12, params, options)
  }

  /**
   * Exchange a discovery link for organizations.
   *
   * Returns the same as POST /v1/auth/discovery/otp/verify, with the organizations that accept magic links. Call this
   * only when the user acts on your page, because mail scanners also open links. Requires an org-wide key (not limited
   * to one organization).
   *
   * POST /v1/auth/discovery/magic-link/verify
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `token_expired`, `token_invalid`, `service_disabled`.
   */
  verify(params: PresentedLink, options?: CallOptions): Call<Discovery> {
    return this.transport.call('discovery.magicLink.verify', 'POST', '/v1/auth/discovery/magic-link/verify', 12, params, options)
  }
}

/**
 * Sign users in with a mailed code, a mailed link or a password, list the sign-in methods of an organization, and
 * change its sign-in settings. Start here.
 */
export class DiscoveryOtpApi extends Namespace {
  /**
   * Mail a discovery code.
   *
   * Starts a sign-in before the organization is known. Mails a code to any address, even if no user has the address, so
   * that the response reveals nothing. Requires an org-wide key (not limited to one organization).
   *
   * Events: `auth.otp.sent`.
   *
   * POST /v1/auth/discovery/otp/send
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `method_disabled`, `service_disabled`, `account_locked`.
   */
  send(params: DiscoveryOtpSendRequest, options?: CallOptions): Call<SentCode> {
    return this.transport.call('discovery.otp.send', 'POST', '/v1/auth/discovery/otp/send', 12, params, options)
  }

  /**
   * Exchange a discovery code for organizations.
   *
   * Returns a discovery_token and the organizations of the environment that accept codes and that the person belongs to,
   * is invited to, or may join by email domain. Requires an org-wide key (not limited to one organization).
   *
   * POST /v1/auth/discovery/otp/verify
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `otp_expired`, `otp_invalid`, `service_disabled`, `otp_too_many_attempts`.
   */
  verify(params: PresentedCode, options?: CallOptions): Call<Discovery> {
    return this.transport.call('discovery.otp.verify', 'POST', '/v1/auth/discovery/otp/verify', 12, params, options)
  }
}

/**
 * Sign users in with a mailed code, a mailed link or a password, list the sign-in methods of an organization, and
 * change its sign-in settings. Start here.
 */
export class LoginMagicLinkApi extends Namespace {
  /**
   * Mail a sign-in link.
   *
   * Mails a link to the address if it belongs to a user of the organization. The response is the same for unknown
   * addresses. If codes are enabled, the email also contains a code of two words that the user can type on another
   * device. Send that code with otp_id to POST /v1/auth/login/otp/verify.
   *
   * Works only while the service `magic_link` is on.
   *
   * Events: `auth.magic_link.sent`, `auth.login.failed`.
   *
   * POST /v1/auth/login/magic-link/send
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `invalid_redirect_uri`, `method_disabled`, `organization_suspended`, `account_locked`.
   */
  send(params: LoginMagicLinkSendRequest, options?: CallOptions): Call<SentMagicLink> {
    return this.transport.call('login.magicLink.send', 'POST', '/v1/auth/login/magic-link/send', 12, params, options)
  }

  /**
   * Sign in with a mailed link.
   *
   * Call this only when the user acts on the page that the link opens, because mail scanners also open links.
   *
   * Works only while the service `magic_link` is on.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `mfa.removed`, `passkey.deleted`,
   * `invite.revoked`, `identity.unlinked`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/auth/login/magic-link/verify
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `token_expired`, `token_invalid`, `method_disabled`, `organization_suspended`,
   * `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `account_locked`.
   */
  verify(params: PresentedLink, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('login.magicLink.verify', 'POST', '/v1/auth/login/magic-link/verify', 12, params, options)
  }
}

/**
 * Sign users in with a mailed code, a mailed link or a password, list the sign-in methods of an organization, and
 * change its sign-in settings. Start here.
 */
export class LoginOtpApi extends Namespace {
  /**
   * Send a sign-in code.
   *
   * Mails two words to the address if it belongs to a user of the organization. The response is the same for unknown
   * addresses. A second call within resend_interval_seconds sends no second email, and the first code stays valid.
   *
   * Works only while the service `otp` is on.
   *
   * Events: `auth.otp.sent`, `auth.login.failed`.
   *
   * POST /v1/auth/login/otp/send
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `method_disabled`, `organization_suspended`, `account_locked`.
   */
  send(params: LoginOtpSendRequest, options?: CallOptions): Call<SentCode> {
    return this.transport.call('login.otp.send', 'POST', '/v1/auth/login/otp/send', 12, params, options)
  }

  /**
   * Sign in with a mailed code.
   *
   * Works only while the service `otp` is on.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `mfa.removed`, `passkey.deleted`,
   * `invite.revoked`, `identity.unlinked`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/auth/login/otp/verify
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `otp_expired`, `otp_invalid`, `method_disabled`, `organization_suspended`,
   * `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `account_locked`,
   * `otp_too_many_attempts`.
   */
  verify(params: PresentedCode, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('login.otp.verify', 'POST', '/v1/auth/login/otp/verify', 12, params, options)
  }
}

/** Register passkeys (WebAuthn) and sign users in with them. */
export class LoginPasskeyApi extends Namespace {
  /**
   * Start a sign-in by passkey.
   *
   * Pass the options to navigator.credentials.get() in the browser. The response does not reveal whether a user has the
   * address or a passkey. For autofill, omit email and send conditional. One network (X-End-User-IP) can start at most
   * start_limit_per_minute_network sign-ins without an email per minute. With an org-wide key (not limited to one
   * organization) and without subOrgId, the challenge uses the rp_id and origins of the environment’s defaults and lists
   * no passkeys: the user chooses a passkey on the device. Passkeys of organizations with a different rp_id require
   * subOrgId.
   *
   * Works only while the service `passkeys` is on.
   *
   * POST /v1/auth/login/passkey/options
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `sub_org_required`, `method_disabled`, `organization_suspended`, `account_locked`.
   */
  start(params?: LoginPasskeyStartRequest, options?: CallOptions): Call<LoginPasskeyStartReply> {
    return this.transport.call('login.passkey.start', 'POST', '/v1/auth/login/passkey/options', 12, params, options)
  }

  /**
   * Complete a sign-in by passkey.
   *
   * A passkey with fingerprint, face or PIN counts as both factors. A challenge can be answered only once, even if the
   * answer is wrong. Without subOrgId, the session belongs to the organization of the user who has the passkey. If the
   * passkey belongs to users in several organizations, the response contains a discovery_token and these organizations
   * instead of a session.
   *
   * Works only while the service `passkeys` is on.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `passkey.updated`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/auth/login/passkey/verify
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `sub_org_required`, `passkey_invalid`, `method_disabled`, `organization_suspended`,
   * `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `account_locked`.
   */
  verify(params: LoginPasskeyVerifyRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('login.passkey.verify', 'POST', '/v1/auth/login/passkey/verify', 12, params, options)
  }
}

/**
 * Your backend connects the identity providers of organizations (SAML, OpenID Connect) and starts sign-ins and
 * sign-outs there.
 */
export class LoginSsoApi extends Namespace {
  /**
   * Start a single sign-on.
   *
   * Send the browser to authorization_url. After the sign-in, the browser returns to redirectUri with `state` and with
   * one of these: a code for POST /v1/auth/token/exchange, the tokens, or `error`. Check that the returned `state`
   * equals the `state` in this response.
   *
   * Works only while the service `sso` is on.
   *
   * POST /v1/auth/login/sso/start
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `invalid_redirect_uri`, `organization_suspended`, `connection_not_found`,
   * `connection_incomplete`, `connection_not_active`, `idp_unreachable`.
   */
  start(params: LoginSsoStartParams, options?: CallOptions): Call<FederatedStart> {
    return this.transport.call('login.sso.start', 'POST', '/v1/auth/login/sso/start', 12, params, options, ['test'])
  }

  /**
   * Find the connection of an address.
   *
   * Finds the organization that has verified the domain of the address. The response depends only on the domain and does
   * not reveal whether the address has an account. With an org-wide key (not limited to one organization) and without
   * subOrgId, all organizations of the environment are searched. Then, the domain of an organization counts as unknown
   * if the organization is suspended or archived or has the service sso off.
   *
   * Works only while the service `sso` is on.
   *
   * POST /v1/auth/login/sso/discover
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `sub_org_required`, `organization_suspended`.
   */
  discover(params: LoginSsoDiscoverRequest, options?: CallOptions): Call<LoginSsoDiscoverReply> {
    return this.transport.call('login.sso.discover', 'POST', '/v1/auth/login/sso/discover', 13, params, options)
  }

  /**
   * Sign out, also at the provider.
   *
   * Ends the session at once, like /v1/auth/logout. If the response has a logoutUrl, send the browser there to sign out
   * at the provider. The browser then returns to redirectUri with `state`, and with `error` if the provider did not sign
   * the person out.
   *
   * Events: `session.revoked`.
   *
   * POST /v1/auth/login/sso/logout
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `invalid_redirect_uri`, `sub_org_required`.
   */
  logout(params: LoginSsoLogoutRequest, options?: CallOptions): Call<LoginSsoLogoutReply> {
    return this.transport.call('login.sso.logout', 'POST', '/v1/auth/login/sso/logout', 12, params, options)
  }
}

/** Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key. */
export class MeEmailApi extends Namespace {
  /**
   * Start changing your email address.
   *
   * Mails a code to the new address, and with redirectTo also a link. The address does not change until it is confirmed.
   * The response does not reveal whether the new address is taken.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `auth.otp.sent`.
   *
   * POST /v1/me/email
   *
   * Errors of its own: `invalid_redirect_uri`, `step_up_required`, `method_disabled`, `organization_suspended`,
   * `sso_required`, `user_inactive`, `user_locked`, `scim_managed`, `team_email_fixed`, `account_locked`.
   */
  start(params: MeEmailStartRequest, options?: CallOptions): Call<SentCode> {
    return this.transport.call('me.email.start', 'POST', '/v1/me/email', 4, params, options)
  }

  /**
   * Confirm your new email address.
   *
   * Send otp_id with code, or token_hash of the link. The link works only in the session that requested the change. Ends
   * your other sessions, removes all trusted devices, and cancels sign-ins in progress. The old address gets an email
   * with a link that undoes the change for 7 days.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `user.updated`, `session.revoked`, `user.deleted`, `invite.revoked`.
   *
   * POST /v1/me/email/verify
   *
   * Errors of its own: `token_expired`, `token_invalid`, `otp_expired`, `otp_invalid`, `step_up_required`,
   * `organization_suspended`, `sso_required`, `user_inactive`, `user_locked`, `email_exists`, `scim_managed`,
   * `team_email_fixed`, `account_locked`, `otp_too_many_attempts`.
   */
  verify(params: MeEmailVerifyRequest, options?: CallOptions): Call<MeEmailVerifyReply> {
    return this.transport.call('me.email.verify', 'POST', '/v1/me/email/verify', 4, params, options)
  }
}

/** Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key. */
export class MePasskeysApi extends Namespace {
  /**
   * List your passkeys.
   *
   * Works only while the service `passkeys` is on.
   *
   * GET /v1/me/passkeys
   */
  list(options?: CallOptions): Call<MePasskeysListReply> {
    return this.transport.call('me.passkeys.list', 'GET', '/v1/me/passkeys', 1, undefined, options)
  }

  /**
   * Start registering a passkey for yourself.
   *
   * Pass the options to navigator.credentials.create(), and its result to /v1/me/passkeys/verify.
   *
   * Works only while the service `passkeys` is on.
   *
   * POST /v1/me/passkeys/options
   *
   * Errors of its own: `step_up_required`, `organization_suspended`, `recent_sign_in_required`, `sso_required`,
   * `user_inactive`, `user_locked`, `passkey_limit_reached`, `account_locked`.
   */
  start(options?: CallOptions): Call<MePasskeysStartReply> {
    return this.transport.call('me.passkeys.start', 'POST', '/v1/me/passkeys/options', 0, undefined, options)
  }

  /**
   * Register a passkey for yourself.
   *
   * A challenge can be answered once, within 300 seconds. The user is notified by email.
   *
   * Works only while the service `passkeys` is on.
   *
   * Events: `passkey.registered`.
   *
   * POST /v1/me/passkeys/verify
   *
   * Errors of its own: `passkey_invalid`, `step_up_required`, `organization_suspended`, `sso_required`, `user_inactive`,
   * `user_locked`, `passkey_exists`, `passkey_limit_reached`, `account_locked`.
   */
  verify(params: MePasskeysVerifyRequest, options?: CallOptions): Call<MePasskeysVerifyReply> {
    return this.transport.call('me.passkeys.verify', 'POST', '/v1/me/passkeys/verify', 4, params, options)
  }

  /**
   * Rename one of your passkeys.
   *
   * Works only while the service `passkeys` is on.
   *
   * Events: `passkey.updated`.
   *
   * PATCH /v1/me/passkeys/{id}
   *
   * Errors of its own: `passkey_not_found`.
   */
  update(id: string, params: MePasskeysUpdateRequest, options?: CallOptions): Call<MePasskeysUpdateReply> {
    return this.transport.call('me.passkeys.update', 'PATCH', path`/v1/me/passkeys/${id}`, 4, params, options)
  }

  /**
   * Delete one of your passkeys.
   *
   * The user is notified by email. The last factor cannot be deleted if the policy requires one.
   *
   * Works only while the service `passkeys` is on.
   *
   * Events: `passkey.deleted`.
   *
   * DELETE /v1/me/passkeys/{id}
   *
   * Errors of its own: `step_up_required`, `organization_suspended`, `user_inactive`, `user_locked`,
   * `passkey_not_found`, `last_factor`, `account_locked`.
   */
  delete(id: string, options?: CallOptions): Call<MePasskeysDeleteReply> {
    return this.transport.call('me.passkeys.delete', 'DELETE', path`/v1/me/passkeys/${id}`, 0, undefined, options)
  }
}

/** Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key. */
export class MePasswordApi extends Namespace {
  /**
   * Change your password.
   *
   * A user without a password sets their first password and omits current_password. Ends the user’s other sessions,
   * removes all trusted devices, and cancels sign-ins in progress. The user is notified by email. A wrong
   * current_password counts as a failed sign-in.
   *
   * Works only while the service `password` is on.
   *
   * Events: `auth.password.changed`, `session.revoked`, `user.unlocked`.
   *
   * POST /v1/me/password
   *
   * Errors of its own: `invalid_credentials`, `step_up_required`, `method_disabled`, `organization_suspended`,
   * `sso_required`, `user_inactive`, `user_locked`, `password_breached`, `weak_password`, `account_locked`.
   */
  update(params: MePasswordUpdateRequest, options?: CallOptions): Call<MePasswordUpdateReply> {
    return this.transport.call('me.password.update', 'POST', '/v1/me/password', 4, params, options)
  }
}

/** Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key. */
export class MePhoneApi extends Namespace {
  /**
   * Start enrolling your phone.
   *
   * Sends a six-digit code that is valid for ten minutes.
   *
   * Works only while the service `mfa` is on.
   *
   * POST /v1/me/mfa/phone
   *
   * Errors of its own: `step_up_required`, `method_disabled`, `organization_suspended`, `user_inactive`, `user_locked`,
   * `already_enrolled`, `account_locked`.
   */
  start(params: MePhoneStartRequest, options?: CallOptions): Call<PendingPhone> {
    return this.transport.call('me.phone.start', 'POST', '/v1/me/mfa/phone', 4, params, options)
  }

  /**
   * Confirm your phone.
   *
   * Ends your other sessions and sign-ins in progress.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.enrolled`, `session.revoked`.
   *
   * PUT /v1/me/mfa/phone
   *
   * Errors of its own: `mfa_code_invalid`, `step_up_required`, `method_disabled`, `organization_suspended`,
   * `user_inactive`, `user_locked`, `enrollment_not_found`, `account_locked`.
   */
  verify(params: MePhoneVerifyRequest, options?: CallOptions): Call<MePhoneVerifyReply> {
    return this.transport.call('me.phone.verify', 'PUT', '/v1/me/mfa/phone', 4, params, options)
  }

  /**
   * Remove your phone.
   *
   * Also removes trusted devices. The last factor cannot be removed if the policy requires one.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.removed`, `session.revoked`.
   *
   * DELETE /v1/me/mfa/phone
   *
   * Errors of its own: `step_up_required`, `organization_suspended`, `user_inactive`, `user_locked`,
   * `enrollment_not_found`, `last_factor`, `account_locked`.
   */
  delete(options?: CallOptions): Call<MePhoneDeleteReply> {
    return this.transport.call('me.phone.delete', 'DELETE', '/v1/me/mfa/phone', 0, undefined, options)
  }
}

/** Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key. */
export class MeSessionsApi extends Namespace {
  /**
   * List your live sessions.
   *
   * Works only while the service `sessions` is on.
   *
   * Iterates over the rows of `sessions`.
   *
   * GET /v1/me/sessions
   */
  list(params?: MeSessionsListParams, options?: CallOptions): PageCall<MeSessionsListReply, 'sessions'> {
    return this.transport.page('me.sessions.list', '/v1/me/sessions', 1, 'sessions', 'cursor', params, options)
  }

  /**
   * End all your other sessions.
   *
   * Events: `session.revoked`.
   *
   * DELETE /v1/me/sessions
   */
  revokeOthers(options?: CallOptions): Call<MeSessionsRevokeOthersReply> {
    return this.transport.call('me.sessions.revokeOthers', 'DELETE', '/v1/me/sessions', 0, undefined, options)
  }

  /**
   * End one of your sessions.
   *
   * The current session can be ended too. Idempotent: ending a session that has already ended succeeds.
   *
   * Events: `session.revoked`.
   *
   * DELETE /v1/me/sessions/{sessionId}
   *
   * Errors of its own: `session_not_found`.
   */
  revoke(sessionId: string, options?: CallOptions): Call<MeSessionsRevokeReply> {
    return this.transport.call('me.sessions.revoke', 'DELETE', path`/v1/me/sessions/${sessionId}`, 0, undefined, options)
  }
}

/** Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key. */
export class MeStepUpApi extends Namespace {
  /**
   * Start a step-up.
   *
   * Changing a sign-in method requires a step-up in the last 10 minutes: the user proves again who they are. A user with
   * a second factor steps up with that factor or with a passkey. Without `method`, the response only lists the methods.
   * With a `method`, the service sends a code, or the response contains the challenge or the passkey options.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `auth.otp.sent`.
   *
   * POST /v1/me/step-up
   *
   * Errors of its own: `method_disabled`, `organization_suspended`, `user_inactive`, `user_locked`, `account_locked`.
   */
  start(params?: MeStepUpStartRequest, options?: CallOptions): Call<StepUp> {
    return this.transport.call('me.stepUp.start', 'POST', '/v1/me/step-up', 4, params, options)
  }

  /**
   * Complete a step-up.
   *
   * Send exactly one proof: a password, a code or a passkey credential. Returns an access token of the same session with
   * a new auth_time. The refresh token stays valid. Wrong proofs count as failed sign-ins.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `auth.step_up.succeeded`, `mfa.challenge.succeeded`, `passkey.updated`.
   *
   * POST /v1/me/step-up/verify
   *
   * Errors of its own: `challenge_expired`, `invalid_credentials`, `mfa_code_invalid`, `otp_expired`, `otp_invalid`,
   * `passkey_invalid`, `method_disabled`, `organization_suspended`, `user_inactive`, `user_locked`, `account_locked`,
   * `otp_too_many_attempts`.
   */
  verify(params: MeStepUpVerifyRequest, options?: CallOptions): Call<SteppedUp> {
    return this.transport.call('me.stepUp.verify', 'POST', '/v1/me/step-up/verify', 4, params, options)
  }
}

/** Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key. */
export class MeTotpApi extends Namespace {
  /**
   * Read your second factors.
   *
   * Works only while the service `mfa` is on.
   *
   * GET /v1/me/mfa/totp
   */
  get(options?: CallOptions): Call<MeTotpGetReply> {
    return this.transport.call('me.totp.get', 'GET', '/v1/me/mfa/totp', 1, undefined, options)
  }

  /**
   * Start enrolling your authenticator app.
   *
   * Show the QR code to the user, and send the first code of the app with PUT within ten minutes.
   *
   * Works only while the service `mfa` is on.
   *
   * POST /v1/me/mfa/totp
   *
   * Errors of its own: `step_up_required`, `method_disabled`, `organization_suspended`, `user_inactive`, `user_locked`,
   * `already_enrolled`, `account_locked`.
   */
  start(options?: CallOptions): Call<PendingTotp> {
    return this.transport.call('me.totp.start', 'POST', '/v1/me/mfa/totp', 0, undefined, options)
  }

  /**
   * Confirm your authenticator app.
   *
   * Five wrong codes end the enrollment. Success ends your other sessions and sign-ins in progress.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.enrolled`, `session.revoked`.
   *
   * PUT /v1/me/mfa/totp
   *
   * Errors of its own: `mfa_code_invalid`, `step_up_required`, `method_disabled`, `organization_suspended`,
   * `user_inactive`, `user_locked`, `enrollment_not_found`, `already_enrolled`, `account_locked`.
   */
  verify(params: MeTotpVerifyRequest, options?: CallOptions): Call<BackupCodes> {
    return this.transport.call('me.totp.verify', 'PUT', '/v1/me/mfa/totp', 4, params, options)
  }

  /**
   * Remove your authenticator app.
   *
   * Also removes backup codes and trusted devices. The last factor cannot be removed if the policy requires one.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.removed`, `session.revoked`.
   *
   * DELETE /v1/me/mfa/totp
   *
   * Errors of its own: `step_up_required`, `organization_suspended`, `user_inactive`, `user_locked`,
   * `enrollment_not_found`, `last_factor`, `account_locked`.
   */
  delete(options?: CallOptions): Call<MeTotpDeleteReply> {
    return this.transport.call('me.totp.delete', 'DELETE', '/v1/me/mfa/totp', 0, undefined, options)
  }

  /**
   * Create new backup codes for yourself.
   *
   * The old backup codes stop working.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.backup_codes.regenerated`, `session.revoked`.
   *
   * POST /v1/me/mfa/totp/backup-codes
   *
   * Errors of its own: `step_up_required`, `organization_suspended`, `user_inactive`, `user_locked`,
   * `enrollment_not_found`, `account_locked`.
   */
  createBackupCodes(options?: CallOptions): Call<BackupCodes> {
    return this.transport.call('me.totp.createBackupCodes', 'POST', '/v1/me/mfa/totp/backup-codes', 0, undefined, options)
  }
}

/** Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key. */
export class MeTrustedDevicesApi extends Namespace {
  /**
   * List your trusted devices.
   *
   * Works only while the service `mfa` is on.
   *
   * GET /v1/me/trusted-devices
   */
  list(options?: CallOptions): Call<TrustedDevices> {
    return this.transport.call('me.trustedDevices.list', 'GET', '/v1/me/trusted-devices', 1, undefined, options)
  }

  /**
   * Remove one of your trusted devices.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.trusted_device.removed`.
   *
   * DELETE /v1/me/trusted-devices/{id}
   *
   * Errors of its own: `trusted_device_not_found`.
   */
  delete(id: string, options?: CallOptions): Call<MeTrustedDevicesDeleteReply> {
    return this.transport.call('me.trustedDevices.delete', 'DELETE', path`/v1/me/trusted-devices/${id}`, 0, undefined, options)
  }
}

/**
 * Second factors: enroll an authenticator app or a phone for a user, answer the challenge of a sign-in, and set the
 * policy.
 */
export class MfaChallengeApi extends Namespace {
  /**
   * Complete a challenge.
   *
   * Exchanges the challenge of a sign-in and a code for a session. The code can come from an authenticator app or a text
   * message, or be a backup code. A challenge allows five attempts. Wrong codes in all challenges of a user together
   * lock the second step for a while, in the same way as wrong passwords lock an address (settings `lockout_*`).
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.challenge.succeeded`, `session.created`, `session.revoked`, `auth.login.succeeded`, `user.updated`,
   * `auth.password.changed`, `mfa.trusted_device.added`, `invite.accepted`.
   *
   * POST /v1/mfa/challenge/verify
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `challenge_expired`, `mfa_code_invalid`, `method_disabled`, `organization_suspended`,
   * `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `account_locked`.
   */
  verify(params: MfaChallengeVerifyRequest, options?: CallOptions): Call<MfaChallengeVerifyReply> {
    return this.transport.call('mfa.challenge.verify', 'POST', '/v1/mfa/challenge/verify', 12, params, options)
  }

  /**
   * Send a challenge code by SMS.
   *
   * Sends a six-digit code to the phone that the user has enrolled. Only the newest code is valid, and only until the
   * challenge ends.
   *
   * Works only while the service `mfa` is on.
   *
   * Also at `/v1/mfa/challenge/send`.
   *
   * POST /v1/auth/mfa/challenge/send
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `challenge_expired`, `method_disabled`, `organization_suspended`, `session_limit_reached`,
   * `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `account_locked`.
   */
  send(params: MfaChallengeSendRequest, options?: CallOptions): Call<MfaChallengeSendReply> {
    return this.transport.call('mfa.challenge.send', 'POST', '/v1/auth/mfa/challenge/send', 12, params, options)
  }
}

/**
 * Second factors: enroll an authenticator app or a phone for a user, answer the challenge of a sign-in, and set the
 * policy.
 */
export class MfaSmsApi extends Namespace {
  /**
   * Start enrolling a phone.
   *
   * Sends a six-digit code to the phone. Requires that the MFA policy allows sms and that SMS sending is configured. The
   * code is valid for ten minutes.
   *
   * Works only while the service `mfa` is on.
   *
   * POST /v1/mfa/sms
   *
   * Scope: `mfa.write`.
   *
   * Errors of its own: `method_disabled`, `verification_required`, `user_not_found`, `already_enrolled`.
   */
  start(params: MfaSmsStartRequest, options?: CallOptions): Call<PendingPhone> {
    return this.transport.call('mfa.sms.start', 'POST', '/v1/mfa/sms', 15, params, options)
  }

  /**
   * Confirm a phone.
   *
   * Voids codes, links and challenges of the user’s sign-ins in progress.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.enrolled`, `session.revoked`, `user.updated`.
   *
   * PUT /v1/mfa/sms
   *
   * Scope: `mfa.write`.
   *
   * Errors of its own: `mfa_code_invalid`, `impersonation_read_only`, `method_disabled`, `verification_required`,
   * `enrollment_not_found`, `user_not_found`.
   */
  verify(params: MfaSmsVerifyRequest, options?: CallOptions): Call<Success> {
    return this.transport.call('mfa.sms.verify', 'PUT', '/v1/mfa/sms', 15, params, options)
  }

  /**
   * Remove the phone.
   *
   * Also removes the user’s trusted devices, ends sign-ins in progress, and notifies the user by email.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.removed`, `session.revoked`, `user.updated`.
   *
   * DELETE /v1/mfa/sms
   *
   * Scope: `mfa.write`.
   *
   * Errors of its own: `impersonation_read_only`, `enrollment_not_found`, `user_not_found`.
   */
  delete(params: MfaSmsDeleteParams, options?: CallOptions): Call<FactorRemoval> {
    return this.transport.call('mfa.sms.delete', 'DELETE', '/v1/mfa/sms', 15, params, options, ['userId'])
  }
}

/**
 * Second factors: enroll an authenticator app or a phone for a user, answer the challenge of a sign-in, and set the
 * policy.
 */
export class MfaTotpApi extends Namespace {
  /**
   * Read second factors of a user.
   *
   * Works only while the service `mfa` is on.
   *
   * GET /v1/mfa/totp
   *
   * Scope: `mfa.read`.
   *
   * Errors of its own: `user_not_found`.
   */
  get(params: MfaTotpGetParams, options?: CallOptions): Call<MfaTotpGetReply> {
    return this.transport.call('mfa.totp.get', 'GET', '/v1/mfa/totp', 9, params, options)
  }

  /**
   * Start enrolling an authenticator app.
   *
   * Show the user the QR code, or the secret to type in. Send the first code of the app with PUT within ten minutes. A
   * challenge_token can enroll only the user of that sign-in. With a challenge_token, the scope auth.login is enough.
   * Team members can enroll here only with a challenge_token, or themselves at /v1/me/mfa/totp.
   *
   * Works only while the service `mfa` is on.
   *
   * POST /v1/mfa/totp
   *
   * Scope: `mfa.write`.
   *
   * Errors of its own: `challenge_expired`, `method_disabled`, `verification_required`, `user_not_found`,
   * `already_enrolled`.
   */
  start(params: MfaTotpStartRequest, options?: CallOptions): Call<PendingTotp> {
    return this.transport.call('mfa.totp.start', 'POST', '/v1/mfa/totp', 15, params, options)
  }

  /**
   * Confirm an authenticator app.
   *
   * Five wrong codes end the enrollment. With the challenge_token of a sign-in that returned enrollment_required, the
   * response also has the session. With a challenge_token, the scope auth.login is enough. Team members can enroll here
   * only with a challenge_token, or themselves at /v1/me/mfa/totp. Voids codes, links and challenges of the user’s
   * sign-ins in progress.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.enrolled`, `session.created`, `session.revoked`, `auth.login.succeeded`, `user.updated`,
   * `auth.password.changed`, `invite.accepted`.
   *
   * PUT /v1/mfa/totp
   *
   * Scope: `mfa.write`.
   *
   * Errors of its own: `challenge_expired`, `mfa_code_invalid`, `impersonation_read_only`, `method_disabled`,
   * `organization_suspended`, `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`,
   * `user_locked`, `verification_required`, `enrollment_not_found`, `user_not_found`, `already_enrolled`,
   * `account_locked`.
   */
  verify(params: MfaTotpVerifyRequest, options?: CallOptions): Call<MfaTotpVerifyReply> {
    return this.transport.call('mfa.totp.verify', 'PUT', '/v1/mfa/totp', 15, params, options)
  }

  /**
   * Remove the authenticator app.
   *
   * Also removes backup codes and trusted devices, ends sign-ins in progress, and notifies the user by email. If
   * `required` is true, the policy requires a factor, and the user must enroll one at the next sign-in. Send userId in
   * the body or the query.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.removed`, `session.revoked`, `user.updated`.
   *
   * DELETE /v1/mfa/totp
   *
   * Scope: `mfa.write`.
   *
   * Errors of its own: `impersonation_read_only`, `enrollment_not_found`, `user_not_found`.
   */
  delete(params: MfaTotpDeleteRequest, options?: CallOptions): Call<FactorRemoval> {
    return this.transport.call('mfa.totp.delete', 'DELETE', '/v1/mfa/totp', 15, params, options)
  }

  /**
   * Create new backup codes.
   *
   * The old backup codes stop working. Voids codes, links and challenges of the user’s sign-ins in progress.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.backup_codes.regenerated`, `session.revoked`, `user.updated`.
   *
   * POST /v1/mfa/totp/backup-codes
   *
   * Scope: `mfa.write`.
   *
   * Errors of its own: `impersonation_read_only`, `verification_required`, `enrollment_not_found`, `user_not_found`.
   */
  createBackupCodes(params: MfaTotpCreateBackupCodesRequest, options?: CallOptions): Call<BackupCodes> {
    return this.transport.call('mfa.totp.createBackupCodes', 'POST', '/v1/mfa/totp/backup-codes', 15, params, options)
  }
}

/**
 * Second factors: enroll an authenticator app or a phone for a user, answer the challenge of a sign-in, and set the
 * policy.
 */
export class MfaTrustedDevicesApi extends Namespace {
  /**
   * List trusted devices of a user.
   *
   * Works only while the service `mfa` is on.
   *
   * GET /v1/mfa/trusted-devices
   *
   * Scope: `mfa.read`.
   *
   * Errors of its own: `user_not_found`.
   */
  list(params: MfaTrustedDevicesListParams, options?: CallOptions): Call<TrustedDevices> {
    return this.transport.call('mfa.trustedDevices.list', 'GET', '/v1/mfa/trusted-devices', 9, params, options)
  }

  /**
   * Remove a trusted device.
   *
   * The next sign-in on this device requires the second factor again.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.trusted_device.removed`.
   *
   * DELETE /v1/mfa/trusted-devices/{id}
   *
   * Scope: `mfa.write`.
   *
   * Errors of its own: `trusted_device_not_found`.
   */
  delete(id: string, params?: MfaTrustedDevicesDeleteParams, options?: CallOptions): Call<Success> {
    return this.transport.call('mfa.trustedDevices.delete', 'DELETE', path`/v1/mfa/trusted-devices/${id}`, 11, params, options)
  }
}

/** Hosted pages that mailed links open. Browsers call these routes. Your backend does not. */
export class PagesLinkApi extends Namespace {
  /**
   * Open the page of a link.
   *
   * Events: `auth.login.failed`, `invite.accepted`, `user.email_verified`, `session.revoked`,
   * `auth.password_reset.completed`, `auth.password.changed`, `user.unlocked`, `user.locked`, `user.email_restored`,
   * `user.updated`, `user.deleted`, `mfa.removed`, `passkey.deleted`, `invite.revoked`, `auth.login.disowned`,
   * `identity.unlinked`.
   *
   * GET /auth/link
   */
  get(options?: CallOptions): Promise<Response> {
    return this.transport.raw('pages.link.get', 'GET', '/auth/link', 0, undefined, options)
  }

  /**
   * Open the page of a link.
   *
   * Events: `auth.login.failed`, `invite.accepted`, `user.email_verified`, `session.revoked`,
   * `auth.password_reset.completed`, `auth.password.changed`, `user.unlocked`, `user.locked`, `user.email_restored`,
   * `user.updated`, `user.deleted`, `mfa.removed`, `passkey.deleted`, `invite.revoked`, `auth.login.disowned`,
   * `identity.unlinked`.
   *
   * POST /auth/link
   */
  submit(params: Record<string, string>, options?: CallOptions): Promise<Response> {
    return this.transport.raw('pages.link.submit', 'POST', '/auth/link', 4, params, options)
  }
}

/** Let people create their own user in an organization that allows it. */
export class SignupMagicLinkApi extends Namespace {
  /**
   * Mail a sign-up link.
   *
   * With openSignup, an unknown address gets a link, and the user is created only when the link is used. An existing
   * user gets a sign-in link that is valid for at most magic_link_ttl_seconds. The response is always the same.
   *
   * Works only while the service `magic_link` is on.
   *
   * Events: `auth.signup_link.sent`, `auth.login.failed`.
   *
   * POST /v1/auth/signup/authenticate-email/send
   *
   * Scope: `auth.signup`.
   *
   * Errors of its own: `invalid_redirect_uri`, `method_disabled`, `organization_suspended`, `signup_disabled`,
   * `account_locked`.
   */
  send(params: SignupMagicLinkSendRequest, options?: CallOptions): Call<SignupMagicLinkSendReply> {
    return this.transport.call('signup.magicLink.send', 'POST', '/v1/auth/signup/authenticate-email/send', 12, params, options)
  }

  /**
   * Sign up with a mailed link.
   *
   * Works only while the service `magic_link` is on.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `identity.unlinked`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/auth/signup/authenticate-email/verify
   *
   * Scope: `auth.signup`.
   *
   * Errors of its own: `token_expired`, `token_invalid`, `method_disabled`, `organization_suspended`,
   * `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `account_locked`.
   */
  verify(params: PresentedLink, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('signup.magicLink.verify', 'POST', '/v1/auth/signup/authenticate-email/verify', 12, params, options)
  }
}

/** Let people create their own user in an organization that allows it. */
export class SignupOtpApi extends Namespace {
  /**
   * Mail a sign-up code.
   *
   * With openSignup, an unknown address becomes a pending user. A pending user is deleted after 24 hours if the code is
   * not used. Without openSignup, an unknown address gets the same response but no email. Existing users also get a
   * code.
   *
   * Works only while the service `otp` is on.
   *
   * Events: `auth.otp.sent`, `auth.login.failed`.
   *
   * POST /v1/auth/signup/otp/send
   *
   * Scope: `auth.signup`.
   *
   * Errors of its own: `method_disabled`, `organization_suspended`, `signup_disabled`, `account_locked`.
   */
  send(params: SignupOtpSendRequest, options?: CallOptions): Call<SentCode> {
    return this.transport.call('signup.otp.send', 'POST', '/v1/auth/signup/otp/send', 12, params, options)
  }

  /**
   * Sign up with a mailed code.
   *
   * Works only while the service `otp` is on.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `identity.unlinked`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/auth/signup/otp/verify
   *
   * Scope: `auth.signup`.
   *
   * Errors of its own: `otp_expired`, `otp_invalid`, `method_disabled`, `organization_suspended`,
   * `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `account_locked`,
   * `otp_too_many_attempts`.
   */
  verify(params: PresentedCode, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('signup.otp.verify', 'POST', '/v1/auth/signup/otp/verify', 12, params, options)
  }
}

/** What an administrator of an organization sets up: branding, domains and the checklist. */
export class AdminPortalApi extends Namespace {
  /**
   * Read the set-up of an organization.
   *
   * Returns the branding, the domains and a checklist. Without subOrgId, an org-wide key (not limited to one
   * organization) reads the defaults that the organizations of its environment inherit.
   *
   * Works only while the service `admin_portal` is on.
   *
   * GET /v1/admin-portal
   *
   * Scope: `admin_portal.read`.
   */
  get(params?: AdminPortalGetParams, options?: CallOptions): Call<AdminPortalReply> {
    return this.transport.call('adminPortal.get', 'GET', '/v1/admin-portal', 9, params, options)
  }

  /**
   * Change the branding of an organization.
   *
   * Omitted fields are not changed, and null resets a field to the inherited value. The mail settings contain the same
   * fields, so the change applies there too.
   *
   * Works only while the service `admin_portal` is on.
   *
   * Events: `mail.settings.updated`.
   *
   * PATCH /v1/admin-portal
   *
   * Scope: `admin_portal.write`.
   */
  update(params: BrandingPatch, options?: CallOptions): Call<AdminPortalReply> {
    return this.transport.call('adminPortal.update', 'PATCH', '/v1/admin-portal', 15, params, options)
  }

  /**
   * Add, verify or remove a domain.
   *
   * `add_domain` adds `domain` and returns the TXT record to set. A domain that the organization already has is returned
   * unchanged. `verify_domain` looks for the TXT record of the domain with `domainId`, at most 60 times an hour.
   * `remove_domain` removes the domain with `domainId`.
   *
   * Works only while the service `admin_portal` is on.
   *
   * Events: `domain.added`, `domain.verified`, `domain.verification_failed`, `domain.removed`.
   *
   * POST /v1/admin-portal
   *
   * Scope: `admin_portal.write`.
   *
   * Errors of its own: `domain_not_found`, `domain_claimed`, `domain_limit_reached`, `organization_archived`,
   * `domain_not_allowed`.
   */
  changeDomain(params: DomainAction, options?: CallOptions): Call<DomainActionReply> {
    return this.transport.call('adminPortal.changeDomain', 'POST', '/v1/admin-portal', 15, params, options)
  }
}

/** The credentials of your backend: create, limit, rotate and revoke them. */
export class ApiKeysApi extends Namespace {
  /**
   * List API keys.
   *
   * Lists the keys of the calling key’s environment, including revoked keys. A key of one organization sees only keys of
   * that organization.
   *
   * Iterates over the rows of `apiKeys`.
   *
   * GET /v1/api-keys
   *
   * Scope: `api_keys.read`.
   */
  list(params?: ApiKeysListParams, options?: CallOptions): PageCall<ApiKeysListReply, 'apiKeys'> {
    return this.transport.page('apiKeys.list', '/v1/api-keys', 9, 'apiKeys', 'cursor', params, options)
  }

  /**
   * Create an API key.
   *
   * The new key cannot have more rights than the calling key or the role of the calling member. With `subOrgId`, the new
   * key reaches only that organization. A key with `requestsPerSecond` cannot create keys.
   *
   * Events: `api_key.created`.
   *
   * POST /v1/api-keys
   *
   * Scope: `api_keys.manage`.
   *
   * Errors of its own: `privilege_escalation`.
   */
  create(params: ApiKeysCreateRequest, options?: CallOptions): Call<ApiKeySecret> {
    return this.transport.call('apiKeys.create', 'POST', '/v1/api-keys', 15, params, options)
  }

  /**
   * Read the calling credential.
   *
   * Every API key and every team member may call this. `scopes` lists the scopes that apply to this request.
   *
   * GET /v1/api-keys/current
   */
  getCurrent(params?: ApiKeysGetCurrentParams, options?: CallOptions): Call<ApiKeysGetCurrentReply> {
    return this.transport.call('apiKeys.getCurrent', 'GET', '/v1/api-keys/current', 9, params, options)
  }

  /**
   * Read an API key.
   *
   * GET /v1/api-keys/{id}
   *
   * Scope: `api_keys.read`.
   *
   * Errors of its own: `api_key_not_found`.
   */
  get(id: string, params?: ApiKeysGetParams, options?: CallOptions): Call<ApiKeyReply> {
    return this.transport.call('apiKeys.get', 'GET', path`/v1/api-keys/${id}`, 9, params, options)
  }

  /**
   * Change an API key.
   *
   * Takes effect within 5 s on every process, and also applies to previous secrets that still work. Omitted fields are
   * not changed. Returns 403 `privilege_escalation` if the key has more rights than the caller.
   *
   * Events: `api_key.updated`.
   *
   * PATCH /v1/api-keys/{id}
   *
   * Scope: `api_keys.manage`.
   *
   * Errors of its own: `privilege_escalation`, `api_key_not_found`, `api_key_inactive`.
   */
  update(id: string, params: ApiKeysUpdateRequest, options?: CallOptions): Call<ApiKeyReply> {
    return this.transport.call('apiKeys.update', 'PATCH', path`/v1/api-keys/${id}`, 15, params, options)
  }

  /**
   * Revoke an API key.
   *
   * Takes effect within 5 s on every process. Also revokes previous secrets that still work. Returns 403
   * `privilege_escalation` if the key has more rights than the caller.
   *
   * Events: `api_key.revoked`.
   *
   * DELETE /v1/api-keys/{id}
   *
   * Scope: `api_keys.manage`.
   *
   * Errors of its own: `privilege_escalation`, `api_key_not_found`.
   */
  revoke(id: string, params?: ApiKeysRevokeParams, options?: CallOptions): Call<Success> {
    return this.transport.call('apiKeys.revoke', 'DELETE', path`/v1/api-keys/${id}`, 11, params, options)
  }

  /**
   * Rotate an API key.
   *
   * Gives the key a new secret. The previous secret stops working at once, or after `overlap_seconds`. While it works,
   * lists show it as a separate key. A key with `requestsPerSecond` can rotate only itself.
   *
   * Events: `api_key.rotated`.
   *
   * POST /v1/api-keys/{id}/rotate
   *
   * Scope: `api_keys.manage`.
   *
   * Errors of its own: `privilege_escalation`, `api_key_not_found`, `api_key_inactive`.
   */
  rotate(id: string, params?: ApiKeysRotateRequest, options?: CallOptions): Call<ApiKeySecret> {
    return this.transport.call('apiKeys.rotate', 'POST', path`/v1/api-keys/${id}/rotate`, 15, params, options)
  }
}

/** Search and export past events, and set how long they are kept. */
export class AuditApi extends Namespace {
  /**
   * Read the audit log.
   *
   * Lists events, newest first. A page can have fewer events than `limit`, or none, even if more pages follow, because
   * the search runs in steps. Returns events of one organization. With an org-wide key (not limited to one organization)
   * and without `subOrgId`, returns events of the whole environment.
   *
   * Iterates over the rows of `events`.
   *
   * GET /v1/audit/events
   *
   * Scope: `audit.read`.
   */
  list(params?: AuditListParams, options?: CallOptions): PageCall<AuditListReply, 'events'> {
    return this.transport.page('audit.list', '/v1/audit/events', 9, 'events', 'cursor', params, options)
  }

  /**
   * Export the audit log.
   *
   * Streams all matching events, newest first. An interrupted export ends with a broken connection.
   *
   * GET /v1/audit/export
   *
   * Scope: `audit.read`.
   */
  export(params?: AuditExportParams, options?: CallOptions): Promise<Response> {
    return this.transport.raw('audit.export', 'GET', '/v1/audit/export', 9, params, options)
  }

  /**
   * Read audit settings.
   *
   * Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its
   * environment inherit.
   *
   * GET /v1/audit/settings
   *
   * Scope: `audit.read`.
   */
  getSettings(params?: AuditGetSettingsParams, options?: CallOptions): Call<AuditGetSettingsReply> {
    return this.transport.call('audit.getSettings', 'GET', '/v1/audit/settings', 9, params, options)
  }

  /**
   * Change audit settings.
   *
   * null resets a field to the inherited value. If null is also a valid value of a field, it therefore cannot replace an
   * inherited value.
   *
   * Events: `audit.settings.updated`.
   *
   * PATCH /v1/audit/settings
   *
   * Scope: `auth.settings.write`.
   */
  updateSettings(params: AuditUpdateSettingsRequest, options?: CallOptions): Call<AuditSettingsReply> {
    return this.transport.call('audit.updateSettings', 'PATCH', '/v1/audit/settings', 15, params, options)
  }

  /**
   * Change the default audit settings.
   *
   * Requires an org-wide key (not limited to one organization). null resets a field to the default of the service.
   *
   * Events: `audit.settings.updated`.
   *
   * PATCH /v1/audit/settings/defaults
   *
   * Scope: `auth.settings.write`.
   */
  updateDefaults(params: AuditUpdateDefaultsRequest, options?: CallOptions): Call<AuditSettingsReply> {
    return this.transport.call('audit.updateDefaults', 'PATCH', '/v1/audit/settings/defaults', 15, params, options)
  }
}

/**
 * Sign users in with a mailed code, a mailed link or a password, list the sign-in methods of an organization, and
 * change its sign-in settings. Start here.
 */
export class AuthApi extends Namespace {
  /**
   * Undo an email change by link.
   *
   * Restores the old address with the link that was mailed to it. Ends all sessions of the user and invalidates all
   * mailed links.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `user.email_restored`, `user.updated`, `user.deleted`, `session.revoked`, `mfa.removed`, `passkey.deleted`,
   * `invite.revoked`.
   *
   * POST /v1/auth/email/undo
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `token_expired`, `token_invalid`, `organization_suspended`, `email_exists`, `scim_managed`.
   */
  undoEmailChange(params: PresentedLink, options?: CallOptions): Call<Success> {
    return this.transport.call('auth.undoEmailChange', 'POST', '/v1/auth/email/undo', 12, params, options)
  }

  /**
   * List sign-in methods.
   *
   * Lists the sign-in methods whose service is turned on and configured. The list is empty while the service auth is
   * off.
   *
   * GET /v1/auth/methods
   *
   * Scope: `auth.login`.
   */
  listMethods(params?: AuthListMethodsParams, options?: CallOptions): Call<AuthListMethodsReply> {
    return this.transport.call('auth.listMethods', 'GET', '/v1/auth/methods', 9, params, options)
  }

  /**
   * Read auth settings.
   *
   * Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its
   * environment inherit.
   *
   * GET /v1/auth/settings
   *
   * Scope: `auth.settings.read`.
   */
  getSettings(params?: AuthGetSettingsParams, options?: CallOptions): Call<AuthGetSettingsReply> {
    return this.transport.call('auth.getSettings', 'GET', '/v1/auth/settings', 9, params, options)
  }

  /**
   * Change auth settings.
   *
   * null resets a field to the inherited value. If null is also a valid value of a field, it therefore cannot replace an
   * inherited value.
   *
   * Events: `auth.settings.updated`, `session.revoked`.
   *
   * PATCH /v1/auth/settings
   *
   * Scope: `auth.settings.write`.
   */
  updateSettings(params: AuthSettingsPatch, options?: CallOptions): Call<AuthSettingsReply> {
    return this.transport.call('auth.updateSettings', 'PATCH', '/v1/auth/settings', 12, params, options)
  }

  /**
   * Change the default auth settings.
   *
   * Requires an org-wide key (not limited to one organization). null resets a field to the default of the service.
   *
   * Events: `auth.settings.updated`, `session.revoked`.
   *
   * PATCH /v1/auth/settings/defaults
   *
   * Scope: `auth.settings.write`.
   */
  updateDefaults(params: AuthSettingsPatch, options?: CallOptions): Call<AuthSettingsReply> {
    return this.transport.call('auth.updateDefaults', 'PATCH', '/v1/auth/settings/defaults', 12, params, options)
  }

  /**
   * Unlock a user by link.
   *
   * Send the token of the link in the email about the lock. Ends the locks caused by failed attempts, and resets the
   * count of failed attempts for the address.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `user.unlocked`.
   *
   * POST /v1/auth/unlock
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `token_expired`, `token_invalid`, `organization_suspended`.
   */
  unlock(params: PresentedLink, options?: CallOptions): Call<Success> {
    return this.transport.call('auth.unlock', 'POST', '/v1/auth/unlock', 12, params, options)
  }

  /**
   * Report an unknown sign-in.
   *
   * Send the token of the link in the email about a new device. Ends all sessions of the user, removes all trusted
   * devices, and cancels sign-ins in progress.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `auth.login.disowned`, `session.revoked`.
   *
   * POST /v1/auth/devices/disown
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `token_expired`, `token_invalid`, `organization_suspended`.
   */
  reportSignIn(params: PresentedLink, options?: CallOptions): Call<Success> {
    return this.transport.call('auth.reportSignIn', 'POST', '/v1/auth/devices/disown', 12, params, options)
  }

  /**
   * Verify an email address by link.
   *
   * Does not create a session. The first verification of an address ends all sessions of the user and removes the
   * password, so that someone who registered another person’s address loses access. To keep the password, send the
   * password that the user chose at sign-up as `password`. A wrong password counts as a failed sign-in and leaves the
   * link valid.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `user.email_verified`, `session.revoked`, `mfa.removed`, `passkey.deleted`, `invite.revoked`,
   * `identity.unlinked`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/auth/email/verify
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `token_expired`, `token_invalid`, `invalid_credentials`, `method_disabled`,
   * `organization_suspended`, `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`,
   * `user_locked`, `account_locked`.
   */
  verifyEmail(params: AuthVerifyEmailRequest, options?: CallOptions): Call<AuthVerifyEmailReply> {
    return this.transport.call('auth.verifyEmail', 'POST', '/v1/auth/email/verify', 12, params, options)
  }
}

/**
 * Your backend connects the identity providers of organizations (SAML, OpenID Connect) and starts sign-ins and
 * sign-outs there.
 */
export class ConnectionsApi extends Namespace {
  /**
   * List connections.
   *
   * Lists the connections of one organization. With an org-wide key (not limited to one organization) and without
   * `subOrgId`, lists the connections of the whole environment.
   *
   * Works only while the service `sso` is on.
   *
   * Iterates over the rows of `connections`.
   *
   * GET /v1/sso/connections
   *
   * Scope: `sso.read`.
   */
  list(params?: ConnectionsListParams, options?: CallOptions): PageCall<SsoConnectionList, 'connections'> {
    return this.transport.page('connections.list', '/v1/sso/connections', 9, 'connections', 'cursor', params, options)
  }

  /**
   * Create a connection.
   *
   * Creates a draft. For SAML, send the metadata of the provider as XML or as a URL, or send idp_entity_id, idp_sso_url
   * and idp_certificate. For OpenID Connect, send oidc_issuer, oidc_client_id and oidc_client_secret. Then test the
   * connection, and set its status to active.
   *
   * Works only while the service `sso` is on.
   *
   * Events: `sso.connection.created`.
   *
   * POST /v1/sso/connections
   *
   * Scope: `sso.write`.
   *
   * Errors of its own: `privilege_escalation`, `connection_limit_reached`, `metadata_invalid`.
   */
  create(params: SsoConnectionCreate, options?: CallOptions): Call<SsoConnectionReply> {
    return this.transport.call('connections.create', 'POST', '/v1/sso/connections', 15, params, options)
  }

  /**
   * Read a connection.
   *
   * Works only while the service `sso` is on.
   *
   * GET /v1/sso/connections/{connectionId}
   *
   * Scope: `sso.read`.
   *
   * Errors of its own: `connection_not_found`.
   */
  get(connectionId: string, params?: ConnectionsGetParams, options?: CallOptions): Call<SsoConnectionReply> {
    return this.transport.call('connections.get', 'GET', path`/v1/sso/connections/${connectionId}`, 9, params, options)
  }

  /**
   * Change a connection.
   *
   * Omitted fields are not changed. Fields in the request override the values in idp_metadata_xml or idp_metadata_url.
   *
   * Works only while the service `sso` is on.
   *
   * Events: `sso.connection.updated`, `sso.connection.activated`, `sso.connection.deactivated`, `user.updated`,
   * `role.assigned`, `role.unassigned`.
   *
   * PATCH /v1/sso/connections/{connectionId}
   *
   * Scope: `sso.write`.
   *
   * Errors of its own: `privilege_escalation`, `connection_not_found`, `version_conflict`, `metadata_invalid`.
   */
  update(connectionId: string, params: SsoConnectionPatch, options?: CallOptions): Call<SsoConnectionReply> {
    return this.transport.call('connections.update', 'PATCH', path`/v1/sso/connections/${connectionId}`, 15, params, options)
  }

  /**
   * Delete a connection.
   *
   * Deletes the connection and its links to users, but no users. Provisioning that uses the connection for group roles
   * continues without it.
   *
   * Works only while the service `sso` is on.
   *
   * Events: `sso.connection.deleted`, `user.updated`, `role.assigned`, `role.unassigned`, `scim.config_updated`.
   *
   * DELETE /v1/sso/connections/{connectionId}
   *
   * Scope: `sso.write`.
   *
   * Errors of its own: `connection_not_found`, `version_conflict`.
   */
  delete(connectionId: string, params?: ConnectionsDeleteParams, options?: CallOptions): Call<Success> {
    return this.transport.call('connections.delete', 'DELETE', path`/v1/sso/connections/${connectionId}`, 11, params, options)
  }

  /**
   * Test a connection.
   *
   * Runs every check that is possible without a user. Each check has a message and, if it failed, a fix. `status` in the
   * response is always `testing`, but an active connection stays `active`. At most 60 tests an hour.
   *
   * Works only while the service `sso` is on.
   *
   * Events: `sso.connection.updated`, `sso.connection.test_failed`.
   *
   * POST /v1/sso/connections/{connectionId}/test
   *
   * Scope: `sso.write`.
   *
   * Errors of its own: `connection_not_found`.
   */
  test(connectionId: string, params?: ConnectionsTestRequest, options?: CallOptions): Call<ConnectionsTestReply> {
    return this.transport.call('connections.test', 'POST', path`/v1/sso/connections/${connectionId}/test`, 15, params, options)
  }

  /**
   * List sign-ins through a connection.
   *
   * Lists recent sign-ins with what the provider sent and the outcome, newest first. At most 50 traces of a connection
   * are kept, for a week.
   *
   * Works only while the service `sso` is on.
   *
   * GET /v1/sso/connections/{connectionId}/traces
   *
   * Scope: `sso.read`.
   *
   * Errors of its own: `connection_not_found`.
   */
  listTraces(connectionId: string, params?: ConnectionsListTracesParams, options?: CallOptions): Call<ConnectionsListTracesReply> {
    return this.transport.call('connections.listTraces', 'GET', path`/v1/sso/connections/${connectionId}/traces`, 9, params, options)
  }
}

/**
 * Sign users in with a mailed code, a mailed link or a password, list the sign-in methods of an organization, and
 * change its sign-in settings. Start here.
 */
export class DiscoveryApi extends Namespace {
  readonly magicLink = new DiscoveryMagicLinkApi(this.transport)
  readonly otp = new DiscoveryOtpApi(this.transport)
  /**
   * Enter a discovered organization.
   *
   * Signs the person in to the organization in `subOrgId`. The sign-in method is the one that the discovery token came
   * from: a code, a link, a passkey or a social provider. Returns the session, or a challenge if a second factor is
   * required.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `passkey.updated`,
   * `identity.linked`, `identity.unlinked`, `mfa.removed`, `passkey.deleted`, `invite.revoked`, `invite.accepted`,
   * `user.updated`.
   *
   * POST /v1/auth/discovery/exchange
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `discovery_token_invalid`, `method_disabled`, `organization_suspended`, `provider_disabled`,
   * `service_disabled`, `session_limit_reached`, `signup_disabled`, `social_start_required`, `sso_required`,
   * `user_inactive`, `user_locked`, `account_locked`.
   */
  exchange(params: DiscoveryExchangeRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('discovery.exchange', 'POST', '/v1/auth/discovery/exchange', 12, params, options)
  }

  /**
   * Create an organization after discovery.
   *
   * Requires an org-wide key (not limited to one organization), and the setting discovery_create_organizations in the
   * defaults. The person becomes the admin of the new organization and is signed in there. A discovery token can create
   * one organization. A token from a passkey, or from a social provider that does not vouch for the email address,
   * cannot create any. If the person used a social provider, the provider is turned on in the organization. If the slug
   * is taken, it gets a suffix. The response contains the final slug.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `organization.created`, `user.created`,
   * `user.updated`, `social_provider.updated`, `mfa.removed`, `passkey.deleted`, `invite.revoked`, `identity.unlinked`,
   * `invite.accepted`.
   *
   * POST /v1/auth/discovery/create
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `discovery_token_invalid`, `method_disabled`, `organization_suspended`, `provider_disabled`,
   * `service_disabled`, `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`,
   * `account_locked`.
   */
  createOrganization(params: DiscoveryCreateOrganizationRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('discovery.createOrganization', 'POST', '/v1/auth/discovery/create', 12, params, options)
  }
}

/** This OpenAPI document and the SCIM document, as JSON. */
export class DocsApi extends Namespace {
  /**
   * Read this document.
   *
   * OpenAPI 3.1 of every route except SCIM, with the URL of this deployment.
   *
   * GET /v1/openapi.json
   */
  getOpenapi(options?: CallOptions): Call<DocsGetOpenapiReply> {
    return this.transport.call('docs.getOpenapi', 'GET', '/v1/openapi.json', 1, undefined, options)
  }

  /**
   * Read the SCIM document.
   *
   * OpenAPI 3.1 of the SCIM endpoint that directories call.
   *
   * GET /v1/scim/openapi.json
   */
  getScimOpenapi(options?: CallOptions): Call<DocsGetScimOpenapiReply> {
    return this.transport.call('docs.getScimOpenapi', 'GET', '/v1/scim/openapi.json', 1, undefined, options)
  }
}

/** What an administrator of an organization sets up: branding, domains and the checklist. */
export class DomainsApi extends Namespace {
  /**
   * List the domains of an organization.
   *
   * Works only while the service `admin_portal` is on.
   *
   * GET /v1/admin-portal/domains
   *
   * Scope: `admin_portal.read`.
   */
  list(params?: DomainsListParams, options?: CallOptions): Call<DomainListReply> {
    return this.transport.call('domains.list', 'GET', '/v1/admin-portal/domains', 9, params, options)
  }

  /**
   * Add a domain.
   *
   * The response has the TXT record to set. A domain that the organization already has is returned unchanged.
   *
   * Works only while the service `admin_portal` is on.
   *
   * Events: `domain.added`.
   *
   * POST /v1/admin-portal/domains
   *
   * Scope: `admin_portal.write`.
   *
   * Errors of its own: `domain_claimed`, `domain_limit_reached`, `organization_archived`, `domain_not_allowed`.
   */
  create(params: DomainCreate, options?: CallOptions): Call<DomainReply> {
    return this.transport.call('domains.create', 'POST', '/v1/admin-portal/domains', 15, params, options)
  }

  /**
   * Verify a domain.
   *
   * Looks for the TXT record of the domain, at most 60 times an hour. If the record is not found, `success` is false and
   * `error` says why.
   *
   * Works only while the service `admin_portal` is on.
   *
   * Events: `domain.verified`, `domain.verification_failed`.
   *
   * POST /v1/admin-portal/domains/{domainId}/verify
   *
   * Scope: `admin_portal.write`.
   *
   * Errors of its own: `domain_not_found`, `domain_claimed`, `organization_archived`.
   */
  verify(domainId: string, params?: DomainsVerifyRequest, options?: CallOptions): Call<DomainCheckReply> {
    return this.transport.call('domains.verify', 'POST', path`/v1/admin-portal/domains/${domainId}/verify`, 15, params, options)
  }

  /**
   * Remove a domain.
   *
   * Works only while the service `admin_portal` is on.
   *
   * Events: `domain.removed`.
   *
   * DELETE /v1/admin-portal/domains/{domainId}
   *
   * Scope: `admin_portal.write`.
   *
   * Errors of its own: `domain_not_found`.
   */
  delete(domainId: string, params?: DomainsDeleteParams, options?: CallOptions): Call<Success> {
    return this.transport.call('domains.delete', 'DELETE', path`/v1/admin-portal/domains/${domainId}`, 11, params, options)
  }
}

/** Production, staging and custom environments. Each environment has its own users, keys and tokens. */
export class EnvironmentsApi extends Namespace {
  /**
   * List environments.
   *
   * Lists production and staging first, then custom environments by age.
   *
   * Iterates over the rows of `environments`.
   *
   * GET /v1/environments
   *
   * Scope: `environments.read`.
   */
  list(params?: EnvironmentsListParams, options?: CallOptions): PageCall<EnvironmentsListReply, 'environments'> {
    return this.transport.page('environments.list', '/v1/environments', 9, 'environments', 'cursor', params, options)
  }

  /**
   * Create an environment.
   *
   * A custom environment belongs to one organization and accepts only keys of that organization. Only keys of the
   * organization’s home environment can create a custom environment.
   *
   * Events: `environment.created`.
   *
   * POST /v1/environments
   *
   * Scope: `environments.write`.
   *
   * Errors of its own: `slug_reserved`, `sub_org_required`, `home_key_required`, `production_key_required`,
   * `environment_limit_reached`, `slug_taken`.
   */
  create(params: EnvironmentsCreateRequest, options?: CallOptions): Call<EnvironmentsCreateReply> {
    return this.transport.call('environments.create', 'POST', '/v1/environments', 15, params, options)
  }

  /**
   * Read an environment.
   *
   * GET /v1/environments/{environmentId}
   *
   * Scope: `environments.read`.
   */
  get(environmentId: string, params?: EnvironmentsGetParams, options?: CallOptions): Call<EnvironmentsGetReply> {
    return this.transport.call('environments.get', 'GET', path`/v1/environments/${environmentId}`, 9, params, options)
  }

  /**
   * Rename an environment.
   *
   * The slug never changes. Changing a shared environment, such as staging, requires an org-wide production key (not
   * limited to one organization). Changing a custom environment requires a key of the home environment of its
   * organization.
   *
   * Events: `environment.updated`.
   *
   * PATCH /v1/environments/{environmentId}
   *
   * Scope: `environments.write`.
   *
   * Errors of its own: `home_key_required`, `production_key_required`, `version_conflict`.
   */
  update(environmentId: string, params: EnvironmentsUpdateRequest, options?: CallOptions): Call<EnvironmentsUpdateReply> {
    return this.transport.call('environments.update', 'PATCH', path`/v1/environments/${environmentId}`, 15, params, options)
  }
}

/** The feed of everything that happens, in order, for your backend to read. */
export class EventsApi extends Namespace {
  /**
   * Follow the event stream.
   *
   * Returns each event exactly once, oldest first. Call again with the last next_cursor. While has_more is true, call
   * again immediately. Without `after`, the stream starts 30 days ago. Returns events of one organization. With an
   * org-wide key (not limited to one organization) and without `subOrgId`, returns events of the whole environment. [The
   * catalogue](/docs/events) and the `webhooks` of this document list the event types.
   *
   * Iterates over the rows of `events`.
   *
   * GET /v1/events
   *
   * Scope: `events.read`.
   *
   * Errors of its own: `cursor_expired`.
   */
  list(params?: EventsListParams, options?: CallOptions): PageCall<EventsListReply, 'events'> {
    return this.transport.page('events.list', '/v1/events', 9, 'events', 'after', params, options)
  }
}

/** Probes for load balancers and monitoring. Probes need no API key. */
export class HealthApi extends Namespace {
  /**
   * Check that the process responds.
   *
   * Does not use the database, so a slow database never makes an orchestrator kill healthy processes.
   *
   * Also at `/livez`.
   *
   * GET /healthz
   */
  getLiveness(options?: CallOptions): Call<HealthGetLivenessReply> {
    return this.transport.call('health.getLiveness', 'GET', '/healthz', 1, undefined, options)
  }

  /**
   * Read the version of the service.
   *
   * GET /version
   */
  getVersion(options?: CallOptions): Call<HealthGetVersionReply> {
    return this.transport.call('health.getVersion', 'GET', '/version', 1, undefined, options)
  }
}

/** Invite people by email into an organization, and list or withdraw invitations. */
export class InvitesApi extends Namespace {
  /**
   * List invitations.
   *
   * Lists open invitations, and ended invitations for about a month.
   *
   * Iterates over the rows of `invites`.
   *
   * GET /v1/users/invites
   *
   * Scope: `users.read`.
   */
  list(params?: InvitesListParams, options?: CallOptions): PageCall<InvitesListReply, 'invites'> {
    return this.transport.page('invites.list', '/v1/users/invites', 9, 'invites', 'cursor', params, options)
  }

  /**
   * Invite someone by address.
   *
   * Mails a link that accepts the invitation. If passwords are on, the user also chooses a first password there. Creates
   * the user, or invites the existing user with this address. Voids the previous invitation of the user. An existing
   * user keeps names and roles, but a user with the status `invited` gets the roles in the request. If the user already
   * has a password or passkey, the email asks the user to sign in instead.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `invite.created`, `invite.resent`, `user.created`, `user.updated`, `role.assigned`, `role.unassigned`.
   *
   * POST /v1/users/invites
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `invalid_redirect_uri`, `method_disabled`, `organization_suspended`, `privilege_escalation`,
   * `user_inactive`, `user_locked`, `role_managed`.
   */
  create(params: InvitesCreateRequest, options?: CallOptions): Call<InvitesCreateReply> {
    return this.transport.call('invites.create', 'POST', '/v1/users/invites', 15, params, options)
  }

  /**
   * Read an invitation.
   *
   * GET /v1/users/invites/{inviteId}
   *
   * Scope: `users.read`.
   *
   * Errors of its own: `invite_not_found`.
   */
  get(inviteId: string, params?: InvitesGetParams, options?: CallOptions): Call<InvitesGetReply> {
    return this.transport.call('invites.get', 'GET', path`/v1/users/invites/${inviteId}`, 9, params, options)
  }

  /**
   * Withdraw an invitation.
   *
   * Voids the link of the invitation. The user is not deleted. If the invitation has expired or was already withdrawn,
   * the request succeeds and changes nothing.
   *
   * Events: `invite.revoked`, `user.updated`.
   *
   * DELETE /v1/users/invites/{inviteId}
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `invite_not_found`, `invite_accepted`.
   */
  revoke(inviteId: string, params?: InvitesRevokeParams, options?: CallOptions): Call<InvitesRevokeReply> {
    return this.transport.call('invites.revoke', 'DELETE', path`/v1/users/invites/${inviteId}`, 11, params, options)
  }

  /**
   * Accept an invitation.
   *
   * The link also proves the mailbox of the user. `password` is the user’s first password: it is required if passwords
   * are on, and refused if they are off. If the password is refused, the invitation stays valid. A user who already has
   * a password or passkey cannot accept and signs in instead. An existing team member accepts without a password, gets
   * no session (`sign_in_required`), and signs in as usual.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `invite.accepted`, `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `mfa.removed`, `passkey.deleted`,
   * `invite.revoked`, `identity.unlinked`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/auth/invite/accept
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `token_expired`, `token_invalid`, `method_disabled`, `organization_suspended`,
   * `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `credential_exists`,
   * `password_breached`, `weak_password`, `account_locked`.
   */
  accept(params: InvitesAcceptRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('invites.accept', 'POST', '/v1/auth/invite/accept', 12, params, options)
  }
}

/**
 * Sign users in with a mailed code, a mailed link or a password, list the sign-in methods of an organization, and
 * change its sign-in settings. Start here.
 */
export class LoginApi extends Namespace {
  readonly magicLink = new LoginMagicLinkApi(this.transport)
  readonly otp = new LoginOtpApi(this.transport)
  readonly passkey = new LoginPasskeyApi(this.transport)
  readonly sso = new LoginSsoApi(this.transport)
  /**
   * Exchange a password for a session.
   *
   * Wrong passwords lock the address for a while (settings `lockout_*`), whether or not a user has the address. Send
   * X-End-User-IP, so that only the network of the wrong passwords is locked at first, and not the address for all
   * networks.
   *
   * Works only while the service `password` is on.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/auth/login/password
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `invalid_credentials`, `method_disabled`, `organization_suspended`, `password_change_required`,
   * `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `verification_required`,
   * `account_locked`.
   */
  password(params: LoginPasswordRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('login.password', 'POST', '/v1/auth/login/password', 12, params, options)
  }
}

/** The brand, sender, subjects and texts of the emails that the service sends, and the addresses that bounce. */
export class MailApi extends Namespace {
  /**
   * Read mail settings.
   *
   * Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its
   * environment inherit.
   *
   * GET /v1/mail/settings
   *
   * Scope: `auth.settings.read`.
   */
  getSettings(params?: MailGetSettingsParams, options?: CallOptions): Call<MailGetSettingsReply> {
    return this.transport.call('mail.getSettings', 'GET', '/v1/mail/settings', 9, params, options)
  }

  /**
   * Change mail settings.
   *
   * null resets a field to the inherited value. Kinds that `subjects` omits are not changed.
   *
   * Events: `mail.settings.updated`.
   *
   * PATCH /v1/mail/settings
   *
   * Scope: `auth.settings.write`.
   */
  updateSettings(params: MailSettingsPatch, options?: CallOptions): Call<MailSettingsReply> {
    return this.transport.call('mail.updateSettings', 'PATCH', '/v1/mail/settings', 15, params, options)
  }

  /**
   * Change the default mail settings.
   *
   * Requires an org-wide key (not limited to one organization). null resets a field to the inherited value. Kinds that
   * `subjects` omits are not changed.
   *
   * Events: `mail.settings.updated`.
   *
   * PATCH /v1/mail/settings/defaults
   *
   * Scope: `auth.settings.write`.
   */
  updateDefaults(params: MailSettingsPatch, options?: CallOptions): Call<MailSettingsReply> {
    return this.transport.call('mail.updateDefaults', 'PATCH', '/v1/mail/settings/defaults', 15, params, options)
  }

  /**
   * List email texts.
   *
   * Lists every kind of email with its placeholders and with the languages in which its texts have been changed. Without
   * subOrgId, an org-wide key (not limited to one organization) reads the defaults of its environment.
   *
   * GET /v1/mail/templates
   *
   * Scope: `auth.settings.read`.
   */
  listTemplates(params?: MailListTemplatesParams, options?: CallOptions): Call<MailTemplatesReply> {
    return this.transport.call('mail.listTemplates', 'GET', '/v1/mail/templates', 9, params, options)
  }

  /**
   * Read the texts of an email.
   *
   * Returns the texts that the organization has set, and the texts that it inherits for the rest. Without subOrgId, an
   * org-wide key (not limited to one organization) reads the defaults of its environment.
   *
   * GET /v1/mail/templates/{kind}/{language}
   *
   * Scope: `auth.settings.read`.
   *
   * Errors of its own: `mail_template_not_found`.
   */
  getTemplate(kind: string, language: string, params?: MailGetTemplateParams, options?: CallOptions): Call<MailTemplateReply> {
    return this.transport.call('mail.getTemplate', 'GET', path`/v1/mail/templates/${kind}/${language}`, 9, params, options)
  }

  /**
   * Set the texts of an email.
   *
   * Sets the texts for one language. Readers in other languages get the texts in their own language. Texts are plain
   * text: placeholders in braces are replaced by their values, and markup is not interpreted. Replaces all parts. Parts
   * that are null or absent are inherited. Returns `invalid_request` if the body lacks a required placeholder such as
   * {code} or {link}, if a code or link is outside the body, and for unknown placeholders, invisible characters, and
   * text that email programs turn into a link.
   *
   * Events: `mail.template.updated`.
   *
   * PUT /v1/mail/templates/{kind}/{language}
   *
   * Scope: `auth.settings.write`.
   *
   * Errors of its own: `mail_template_not_found`, `mail_templates_too_large`.
   */
  updateTemplate(kind: string, language: string, params: MailTemplatePut, options?: CallOptions): Call<MailTemplateReply> {
    return this.transport.call('mail.updateTemplate', 'PUT', path`/v1/mail/templates/${kind}/${language}`, 15, params, options)
  }

  /**
   * Reset the texts of an email.
   *
   * The organization then inherits all parts. The request also succeeds if no texts were set.
   *
   * Events: `mail.template.reset`.
   *
   * DELETE /v1/mail/templates/{kind}/{language}
   *
   * Scope: `auth.settings.write`.
   *
   * Errors of its own: `mail_template_not_found`.
   */
  resetTemplate(kind: string, language: string, params?: MailResetTemplateParams, options?: CallOptions): Call<MailTemplateReply> {
    return this.transport.call('mail.resetTemplate', 'DELETE', path`/v1/mail/templates/${kind}/${language}`, 11, params, options)
  }

  /**
   * Set default texts of an email.
   *
   * Requires an org-wide key (not limited to one organization). Organizations of the environment inherit these texts.
   * Texts are plain text: placeholders in braces are replaced by their values, and markup is not interpreted. Replaces
   * all parts. Parts that are null or absent are inherited. Returns `invalid_request` if the body lacks a required
   * placeholder such as {code} or {link}, if a code or link is outside the body, and for unknown placeholders, invisible
   * characters, and text that email programs turn into a link.
   *
   * Events: `mail.template.updated`.
   *
   * PUT /v1/mail/templates/{kind}/{language}/defaults
   *
   * Scope: `auth.settings.write`.
   *
   * Errors of its own: `mail_template_not_found`, `mail_templates_too_large`.
   */
  updateDefaultTemplate(kind: string, language: string, params: MailTemplatePut, options?: CallOptions): Call<MailTemplateReply> {
    return this.transport.call('mail.updateDefaultTemplate', 'PUT', path`/v1/mail/templates/${kind}/${language}/defaults`, 15, params, options)
  }

  /**
   * Reset default texts of an email.
   *
   * Requires an org-wide key (not limited to one organization). The organizations of the environment inherit the
   * standard texts again.
   *
   * Events: `mail.template.reset`.
   *
   * DELETE /v1/mail/templates/{kind}/{language}/defaults
   *
   * Scope: `auth.settings.write`.
   *
   * Errors of its own: `mail_template_not_found`.
   */
  resetDefaultTemplate(kind: string, language: string, params?: MailResetDefaultTemplateParams, options?: CallOptions): Call<MailTemplateReply> {
    return this.transport.call('mail.resetDefaultTemplate', 'DELETE', path`/v1/mail/templates/${kind}/${language}/defaults`, 11, params, options)
  }

  /**
   * Preview an email.
   *
   * Returns the email exactly as it would be sent, with example values for the placeholders. Texts in the request
   * replace the stored texts in this preview, and must follow the same rules as stored texts. No email is sent, and
   * nothing is changed. Without subOrgId, an org-wide key (not limited to one organization) previews the defaults of its
   * environment.
   *
   * POST /v1/mail/templates/{kind}/{language}/preview
   *
   * Scope: `auth.settings.read`.
   *
   * Errors of its own: `mail_template_not_found`.
   */
  previewTemplate(kind: string, language: string, params?: MailTemplatePut, options?: CallOptions): Call<MailPreview> {
    return this.transport.call('mail.previewTemplate', 'POST', path`/v1/mail/templates/${kind}/${language}/preview`, 15, params, options)
  }

  /**
   * Report a bounce or complaint.
   *
   * Send `email` and `kind`, or the report as `message`. A hard bounce or a complaint suppresses the address until the
   * suppression is cleared. Three soft bounces in 7 days suppress it for 24 hours; soft bounces within one hour count as
   * one. Notices of a change to the account, such as `password_changed`, are still sent after a report. If a hard bounce
   * follows a complaint, the reason of the suppression stays `complaint`. A report with the `Message-ID` of an email
   * counts for the organization that sent the email. A report with `subOrgId`, or with a key of one organization, counts
   * for that organization. Any other report counts for every organization of the environment.
   *
   * Events: `mail.bounced`, `mail.suppressed`.
   *
   * POST /v1/mail/bounces
   *
   * Scope: `mail.write`.
   */
  reportBounce(params: MailReportBounceRequest, options?: CallOptions): Call<MailReportBounceReply> {
    return this.transport.call('mail.reportBounce', 'POST', '/v1/mail/bounces', 15, params, options)
  }

  /**
   * List suppressed addresses.
   *
   * Lists addresses that receive no emails. With `subOrgId`, the list contains only suppressions of that organization.
   * Without `subOrgId`, an org-wide key (not limited to one organization) sees all suppressions, including those that
   * apply to the whole environment (`sub_org_id` null). To see every suppression that affects an address, use an
   * org-wide key and omit `subOrgId`.
   *
   * Iterates over the rows of `suppressions`.
   *
   * GET /v1/mail/suppressions
   *
   * Scope: `mail.read`.
   */
  listSuppressions(params?: MailListSuppressionsParams, options?: CallOptions): PageCall<MailListSuppressionsReply, 'suppressions'> {
    return this.transport.page('mail.listSuppressions', '/v1/mail/suppressions', 9, 'suppressions', 'cursor', params, options)
  }

  /**
   * Clear a suppressed address.
   *
   * The address receives emails again, and its earlier soft bounces no longer count. Send the suppression’s `sub_org_id`
   * as `subOrgId`. To clear a suppression of the whole environment, use an org-wide key (not limited to one
   * organization) and omit `subOrgId`. Emails that were withheld are not sent later.
   *
   * Events: `mail.suppression_cleared`.
   *
   * DELETE /v1/mail/suppressions/{suppressionId}
   *
   * Scope: `mail.write`.
   *
   * Errors of its own: `suppression_not_found`.
   */
  deleteSuppression(suppressionId: string, params?: MailDeleteSuppressionParams, options?: CallOptions): Call<Success> {
    return this.transport.call('mail.deleteSuppression', 'DELETE', path`/v1/mail/suppressions/${suppressionId}`, 11, params, options)
  }
}

/** Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key. */
export class MeApi extends Namespace {
  readonly email = new MeEmailApi(this.transport)
  readonly passkeys = new MePasskeysApi(this.transport)
  readonly password = new MePasswordApi(this.transport)
  readonly phone = new MePhoneApi(this.transport)
  readonly sessions = new MeSessionsApi(this.transport)
  readonly stepUp = new MeStepUpApi(this.transport)
  readonly totp = new MeTotpApi(this.transport)
  readonly trustedDevices = new MeTrustedDevicesApi(this.transport)
  /**
   * Read the user of the token.
   *
   * OpenID Connect UserInfo. Apps can call this, and so can web pages whose origin is in the auth setting
   * allowed_origins. Send the access token as a Bearer token, without an API key. Claims without a value are omitted. A
   * session that has ended is refused at once. If failed attempts lock the user, existing sessions continue.
   *
   * GET /v1/auth/userinfo
   */
  getUserInfo(options?: CallOptions): Call<UserInfo> {
    return this.transport.call('me.getUserInfo', 'GET', '/v1/auth/userinfo', 1, undefined, options)
  }

  /**
   * Read your profile.
   *
   * GET /v1/me
   */
  get(options?: CallOptions): Call<MeReply> {
    return this.transport.call('me.get', 'GET', '/v1/me', 1, undefined, options)
  }

  /**
   * Change your profile.
   *
   * Omitted fields are not changed, and null clears a field. A new phone number is stored without verification.
   *
   * Events: `user.updated`.
   *
   * PATCH /v1/me
   *
   * Errors of its own: `scim_managed`, `version_conflict`.
   */
  update(params: MeUpdateRequest, options?: CallOptions): Call<MeReply> {
    return this.transport.call('me.update', 'PATCH', '/v1/me', 4, params, options)
  }
}

/** The people of your own company who manage organizations, and the roster of each organization. */
export class MembersApi extends Namespace {
  /**
   * List members of the team.
   *
   * Lists the members of the account and of its organizations. With subOrgId, lists the roster of that organization.
   *
   * Iterates over the rows of `members`.
   *
   * GET /v1/members
   *
   * Scope: `members.read`.
   */
  list(params?: MembersListParams, options?: CallOptions): PageCall<MemberListReply, 'members'> {
    return this.transport.page('members.list', '/v1/members', 9, 'members', 'cursor', params, options)
  }

  /**
   * List open invitations to the team.
   *
   * Iterates over the rows of `invites`.
   *
   * GET /v1/members/invites
   *
   * Scope: `members.read`.
   */
  listInvites(params?: MembersListInvitesParams, options?: CallOptions): PageCall<MembersListInvitesReply, 'invites'> {
    return this.transport.page('members.listInvites', '/v1/members/invites', 9, 'invites', 'cursor', params, options)
  }

  /**
   * Invite a person to the team.
   *
   * Invites a person to the account, or with subOrgId only to that organization. Mails a link, which voids the previous
   * link. If the caller is org-wide (not limited to one organization), an existing team member is added immediately,
   * without an invitation. A caller limited to one organization gets the same response for every address, and each
   * person must accept the invitation.
   *
   * Events: `member.invited`, `member.added`.
   *
   * POST /v1/members/invites
   *
   * Scope: `members.write`.
   *
   * Errors of its own: `home_key_required`, `method_disabled`, `privilege_escalation`, `production_key_required`,
   * `user_inactive`, `user_locked`, `member_exists`.
   */
  invite(params: MembersInviteRequest, options?: CallOptions): Call<MembersInviteReply> {
    return this.transport.call('members.invite', 'POST', '/v1/members/invites', 15, params, options)
  }

  /**
   * Withdraw an invitation to the team.
   *
   * Events: `member.invitation_withdrawn`.
   *
   * DELETE /v1/members/invites/{inviteId}
   *
   * Scope: `members.write`.
   *
   * Errors of its own: `home_key_required`, `privilege_escalation`, `production_key_required`, `invite_not_found`,
   * `invite_accepted`.
   */
  revokeInvite(inviteId: string, params?: MembersRevokeInviteParams, options?: CallOptions): Call<MembersRevokeInviteReply> {
    return this.transport.call('members.revokeInvite', 'DELETE', path`/v1/members/invites/${inviteId}`, 11, params, options)
  }

  /**
   * Change the role of a member.
   *
   * Changes the role in the account, or with subOrgId on the roster of that organization. A lower role in the account
   * ends all sessions of the member. A lower role on a roster ends them only if the member has no other membership.
   *
   * Events: `member.role_updated`.
   *
   * PATCH /v1/members/{membershipId}
   *
   * Scope: `members.write`.
   *
   * Errors of its own: `home_key_required`, `privilege_escalation`, `production_key_required`, `member_not_found`,
   * `last_owner`.
   */
  update(membershipId: string, params: MembersUpdateRequest, options?: CallOptions): Call<MemberReply> {
    return this.transport.call('members.update', 'PATCH', path`/v1/members/${membershipId}`, 15, params, options)
  }

  /**
   * Remove a member.
   *
   * Removes the member from the team and every roster, or with subOrgId from the roster of that organization. Ends all
   * sessions of the member. Removal from a roster ends them only if the member has no other membership.
   *
   * Events: `member.removed`, `member.invitation_withdrawn`.
   *
   * DELETE /v1/members/{membershipId}
   *
   * Scope: `members.write`.
   *
   * Errors of its own: `home_key_required`, `privilege_escalation`, `production_key_required`, `member_not_found`,
   * `last_owner`.
   */
  delete(membershipId: string, params?: MembersDeleteParams, options?: CallOptions): Call<MembersDeleteReply> {
    return this.transport.call('members.delete', 'DELETE', path`/v1/members/${membershipId}`, 11, params, options)
  }
}

/**
 * Second factors: enroll an authenticator app or a phone for a user, answer the challenge of a sign-in, and set the
 * policy.
 */
export class MfaApi extends Namespace {
  readonly challenge = new MfaChallengeApi(this.transport)
  readonly sms = new MfaSmsApi(this.transport)
  readonly totp = new MfaTotpApi(this.transport)
  readonly trustedDevices = new MfaTrustedDevicesApi(this.transport)
  /**
   * Read the MFA policy.
   *
   * Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its
   * environment inherit. With subOrgId `team`, team members and keys that may sign the team in read the policy of the
   * account’s own team.
   *
   * Works only while the service `mfa` is on.
   *
   * GET /v1/mfa/policy
   *
   * Scope: `mfa.read`.
   */
  getPolicy(params?: MfaGetPolicyParams, options?: CallOptions): Call<MfaPolicyReply> {
    return this.transport.call('mfa.getPolicy', 'GET', '/v1/mfa/policy', 9, params, options)
  }

  /**
   * Change the MFA policy.
   *
   * Applies from the next sign-in, or for a session with one factor from its next refresh. Omitted fields are not
   * changed, and null restores the inherited value. Policies that contradict themselves are refused. No change extends a
   * grace period that has already started. To see which users a change would affect, call GET /v1/mfa/policy/preview.
   * With subOrgId `team`, an owner of the account changes the policy of the team, with the access token of their own
   * session.
   *
   * Works only while the service `mfa` is on.
   *
   * Events: `mfa.policy.updated`, `mfa.team_policy.updated`.
   *
   * PATCH /v1/mfa/policy
   *
   * Scope: `mfa.write`.
   */
  updatePolicy(params: MfaPolicyPatch, options?: CallOptions): Call<MfaPolicyReply> {
    return this.transport.call('mfa.updatePolicy', 'PATCH', '/v1/mfa/policy', 15, params, options)
  }

  /**
   * Change the default MFA policy.
   *
   * Requires an org-wide key (not limited to one organization). An organization keeps the fields that it has set itself.
   *
   * Events: `mfa.policy.updated`.
   *
   * PATCH /v1/mfa/policy/defaults
   *
   * Scope: `mfa.write`.
   */
  updateDefaults(params: MfaPolicyPatch, options?: CallOptions): Call<MfaPolicyReply> {
    return this.transport.call('mfa.updateDefaults', 'PATCH', '/v1/mfa/policy/defaults', 15, params, options)
  }

  /**
   * Preview an MFA policy.
   *
   * Shows which users a changed policy would affect, and changes nothing. Omitted parameters have their current value.
   *
   * Works only while the service `mfa` is on.
   *
   * GET /v1/mfa/policy/preview
   *
   * Scope: `mfa.read`.
   */
  previewPolicy(params?: MfaPreviewPolicyParams, options?: CallOptions): Call<MfaPreviewPolicyReply> {
    return this.transport.call('mfa.previewPolicy', 'GET', '/v1/mfa/policy/preview', 9, params, options)
  }
}

/**
 * Single sign-on URLs that browsers and identity providers call. Register them at the provider. Your backend does not
 * call them.
 */
export class OidcApi extends Namespace {
  /**
   * Finish an OpenID sign-in (shared).
   *
   * The redirect URI of connections whose `oidc_callback` is `shared`. Refuses the state of a sign-in at any other
   * connection.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `user.updated`,
   * `role.assigned`, `role.unassigned`, `identity.linked`, `identity.unlinked`, `auth.login.failed`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `invite.accepted`.
   *
   * GET /v1/auth/login/sso/oidc/callback
   */
  completeShared(params?: OidcCompleteSharedParams, options?: CallOptions): Promise<Response> {
    return this.transport.raw('oidc.completeShared', 'GET', '/v1/auth/login/sso/oidc/callback', 0, params, options)
  }

  /**
   * Finish an OpenID sign-in.
   *
   * The `oidc_redirect_uri` of a connection. Refuses the state of a sign-in at another connection.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `user.updated`,
   * `role.assigned`, `role.unassigned`, `identity.linked`, `identity.unlinked`, `auth.login.failed`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `invite.accepted`.
   *
   * GET /v1/auth/login/sso/oidc/callback/{connectionId}
   */
  complete(connectionId: string, params?: OidcCompleteParams, options?: CallOptions): Promise<Response> {
    return this.transport.raw('oidc.complete', 'GET', path`/v1/auth/login/sso/oidc/callback/${connectionId}`, 0, params, options)
  }

  /**
   * Return from an OpenID sign-out.
   *
   * GET /v1/auth/login/sso/oidc/logged-out
   */
  completeLogout(params?: OidcCompleteLogoutParams, options?: CallOptions): Promise<Response> {
    return this.transport.raw('oidc.completeLogout', 'GET', '/v1/auth/login/sso/oidc/logged-out', 0, params, options)
  }

  /**
   * Receive an OpenID back-channel logout.
   *
   * For OpenID Connect Back-Channel Logout. The provider calls this when a person signs out at the provider.
   *
   * Events: `session.revoked`.
   *
   * POST /v1/auth/login/sso/oidc/logout/{connectionId}
   */
  logout(connectionId: string, params: Record<string, string>, options?: CallOptions): Promise<Response> {
    return this.transport.raw('oidc.logout', 'POST', path`/v1/auth/login/sso/oidc/logout/${connectionId}`, 4, params, options)
  }

  /**
   * List keys for private_key_jwt.
   *
   * The provider of a connection uses these keys to verify client assertions of the service.
   *
   * GET /v1/auth/login/sso/oidc/jwks/{connectionId}
   *
   * Errors of its own: `not_found`.
   */
  listKeys(connectionId: string, options?: CallOptions): Call<ClientKeySet> {
    return this.transport.call('oidc.listKeys', 'GET', path`/v1/auth/login/sso/oidc/jwks/${connectionId}`, 1, undefined, options)
  }
}

/** The customers of your application. Each organization has its own users, settings and connections. */
export class OrganizationsApi extends Namespace {
  /**
   * List organizations.
   *
   * Lists the organizations of the key’s environment, including archived ones. A key of one organization sees only that
   * organization.
   *
   * Iterates over the rows of `subOrganizations`.
   *
   * GET /v1/organizations
   *
   * Scope: `sub_orgs.read`.
   */
  list(params?: OrganizationsListParams, options?: CallOptions): PageCall<OrganizationsListReply, 'subOrganizations'> {
    return this.transport.page('organizations.list', '/v1/organizations', 9, 'subOrganizations', 'cursor', params, options)
  }

  /**
   * Create an organization.
   *
   * Requires an org-wide key (not limited to one organization). The environment of the key becomes the home environment
   * of the organization. An organization created with a production key exists in every environment. Any other
   * organization exists only in its home environment. `subOrgId`, if sent, becomes the `parentId` of the organization.
   *
   * Events: `organization.created`.
   *
   * POST /v1/organizations
   *
   * Scope: `sub_orgs.write`.
   *
   * Errors of its own: `slug_taken`.
   */
  create(params: OrganizationsCreateRequest, options?: CallOptions): Call<OrganizationReply> {
    return this.transport.call('organizations.create', 'POST', '/v1/organizations', 15, params, options)
  }

  /**
   * Read an organization.
   *
   * GET /v1/organizations/{subOrgId}
   *
   * Scope: `sub_orgs.read`.
   */
  get(subOrgId: string, params?: OrganizationsGetParams, options?: CallOptions): Call<OrganizationReply> {
    return this.transport.call('organizations.get', 'GET', path`/v1/organizations/${subOrgId}`, 9, params, options)
  }

  /**
   * Change an organization.
   *
   * Omitted fields are not changed, and null clears a field. Only keys of the organization’s home environment can change
   * the organization. Suspending or archiving the organization ends all its sessions immediately. Reactivating or
   * restoring it requires an org-wide key (not limited to one organization) or a member of the account. A member also
   * needs the permission `organizations:archive` to archive or restore it. Restoring an organization cancels its
   * scheduled erasure.
   *
   * Events: `organization.updated`, `organization.suspended`, `organization.activated`, `organization.archived`,
   * `organization.erasure_cancelled`, `session.revoked`.
   *
   * PATCH /v1/organizations/{subOrgId}
   *
   * Scope: `sub_orgs.write`.
   *
   * Errors of its own: `home_key_required`, `production_key_required`, `version_conflict`.
   */
  update(subOrgId: string, params: OrganizationsUpdateRequest, options?: CallOptions): Call<OrganizationReply> {
    return this.transport.call('organizations.update', 'PATCH', path`/v1/organizations/${subOrgId}`, 15, params, options)
  }

  /**
   * Archive an organization.
   *
   * Ends all sessions of the organization immediately. Only keys of its home environment can archive an organization. An
   * archived organization stays in lists and keeps its slug and its verified domains. Set `status` to `active` or
   * `suspended` to restore it.
   *
   * Events: `organization.archived`, `session.revoked`.
   *
   * DELETE /v1/organizations/{subOrgId}
   *
   * Scope: `sub_orgs.write`.
   *
   * Errors of its own: `home_key_required`, `production_key_required`, `version_conflict`.
   */
  archive(subOrgId: string, params?: OrganizationsArchiveParams, options?: CallOptions): Call<Success> {
    return this.transport.call('organizations.archive', 'DELETE', path`/v1/organizations/${subOrgId}`, 11, params, options)
  }

  /**
   * Schedule the erasure of an organization.
   *
   * Archives the organization at once, and erases it after 30 days (`eraseAt`): users, credentials, keys, settings,
   * domains and the personal parts of its events, in every environment. Setting `status` to `active` before then cancels
   * the erasure and restores everything. A repeated request does not change the date. Requires an owner of the account,
   * or an org-wide key (not limited to one organization) with the scope `*` of its home environment.
   *
   * Events: `organization.erasure_scheduled`, `organization.archived`, `session.revoked`.
   *
   * POST /v1/organizations/{subOrgId}/erase
   *
   * Scope: `sub_orgs.write`.
   *
   * Errors of its own: `home_key_required`, `production_key_required`, `organization_name_mismatch`.
   */
  erase(subOrgId: string, params: OrganizationsEraseRequest, options?: CallOptions): Call<OrganizationReply> {
    return this.transport.call('organizations.erase', 'POST', path`/v1/organizations/${subOrgId}/erase`, 15, params, options)
  }

  /**
   * List the roster of an organization.
   *
   * GET /v1/organizations/{subOrgId}/members
   *
   * Scope: `sub_orgs.read`.
   */
  listMembers(subOrgId: string, params?: OrganizationsListMembersParams, options?: CallOptions): Call<RosterReply> {
    return this.transport.call('organizations.listMembers', 'GET', path`/v1/organizations/${subOrgId}/members`, 9, params, options)
  }

  /**
   * Replace the roster of an organization.
   *
   * Replaces the whole roster or, if the request is refused, nothing. Members in the request join or stay on the roster,
   * and all other members leave it. At least one member must be an owner. If an entry has no role, the member’s role
   * does not change.
   *
   * Events: `member.added`, `member.role_updated`, `member.removed`, `member.invited`, `member.invitation_withdrawn`.
   *
   * PUT /v1/organizations/{subOrgId}/members
   *
   * Scope: `sub_orgs.write`.
   *
   * Errors of its own: `home_key_required`, `privilege_escalation`, `production_key_required`, `last_owner`.
   */
  replaceMembers(subOrgId: string, params: OrganizationsReplaceMembersRequest, options?: CallOptions): Call<RosterReply> {
    return this.transport.call('organizations.replaceMembers', 'PUT', path`/v1/organizations/${subOrgId}/members`, 15, params, options)
  }
}

/** One-time codes for your own purposes, such as confirming a purchase, and the settings for all codes. */
export class OtpApi extends Namespace {
  /**
   * Create a one-time code.
   *
   * Returns the code, and also sends it if the request has an email address or a phone number. A message that exceeds a
   * sending limit is withheld, and `delivery` says why. A code works once. These codes cannot be used to sign in,
   * because sign-in has its own codes.
   *
   * Works only while the service `otp` is on.
   *
   * Events: `auth.otp.sent`.
   *
   * Also at `/v1/generate`.
   *
   * POST /v1/otp/generate
   */
  generate(params: OtpGenerateRequest, options?: CallOptions): Call<Otp> {
    return this.transport.call('otp.generate', 'POST', '/v1/otp/generate', 12, params, options)
  }

  /**
   * Validate and consume a one-time code.
   *
   * A wrong code is not an error: the response is 200 with valid false and a message. With only session_id, the code is
   * compared with the newest code of that session, and with a withheld code only if there is no other. A code becomes
   * invalid after `max_attempts` wrong attempts. After 20 wrong attempts in an hour or 40 in a day, all codes of the
   * session or address become invalid. For codes with digits, the daily limit is 10.
   *
   * Works only while the service `otp` is on.
   *
   * Also at `/v1/validate`.
   *
   * POST /v1/otp/validate
   *
   * Errors of its own: `otp_reference_required`.
   */
  validate(params: OtpValidateRequest, options?: CallOptions): Call<OtpValidation> {
    return this.transport.call('otp.validate', 'POST', '/v1/otp/validate', 12, params, options)
  }

  /**
   * Read one-time code settings.
   *
   * Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its
   * environment inherit.
   *
   * GET /v1/otp/settings
   *
   * Scope: `otp.settings.read`.
   */
  getSettings(params?: OtpGetSettingsParams, options?: CallOptions): Call<OtpSettingsReply> {
    return this.transport.call('otp.getSettings', 'GET', '/v1/otp/settings', 9, params, options)
  }

  /**
   * Change one-time code settings.
   *
   * null resets a field to the inherited value. If null is also a valid value of a field, it therefore cannot replace an
   * inherited value.
   *
   * Events: `otp.settings.updated`.
   *
   * PATCH /v1/otp/settings
   *
   * Scope: `otp.settings.write`.
   */
  updateSettings(params: OtpSettingsPatch, options?: CallOptions): Call<OtpSettingsReply> {
    return this.transport.call('otp.updateSettings', 'PATCH', '/v1/otp/settings', 15, params, options)
  }

  /**
   * Change the default one-time code settings.
   *
   * Requires an org-wide key (not limited to one organization). Codes that are created without subOrgId use these
   * settings. null resets a field to the default of the service.
   *
   * Events: `otp.settings.updated`.
   *
   * PATCH /v1/otp/settings/defaults
   *
   * Scope: `otp.settings.write`.
   */
  updateDefaults(params: OtpSettingsPatch, options?: CallOptions): Call<OtpSettingsReply> {
    return this.transport.call('otp.updateDefaults', 'PATCH', '/v1/otp/settings/defaults', 15, params, options)
  }
}

export class PagesApi extends Namespace {
  readonly link = new PagesLinkApi(this.transport)
}

/** Register passkeys (WebAuthn) and sign users in with them. */
export class PasskeysApi extends Namespace {
  /**
   * Register a passkey.
   *
   * Registering a passkey requires two calls. First send the action `options`, and pass the returned options to
   * navigator.credentials.create() in the browser. Then send the action `verify` with challengeId and the result from
   * the browser. A challenge can be answered once, within 300 seconds. The user is notified by email. Call this only if
   * the user asked for it, because the service trusts your key. If require_recent_sign_in_seconds is set, `options` also
   * requires the access_token of one of the user’s sessions.
   *
   * Works only while the service `passkeys` is on.
   *
   * Events: `passkey.registered`.
   *
   * POST /v1/auth/passkey/register
   *
   * Scope: `passkeys.write`.
   *
   * Errors of its own: `passkey_invalid`, `impersonation_read_only`, `organization_suspended`,
   * `recent_sign_in_required`, `user_inactive`, `user_locked`, `verification_required`, `user_not_found`,
   * `passkey_exists`, `passkey_limit_reached`.
   */
  register(params: PasskeysRegisterRequest, options?: CallOptions): Call<PasskeysRegisterReply> {
    return this.transport.call('passkeys.register', 'POST', '/v1/auth/passkey/register', 12, params, options)
  }

  /**
   * List the passkeys of a user.
   *
   * Works only while the service `passkeys` is on.
   *
   * GET /v1/webauthn/credentials
   *
   * Scope: `passkeys.read`.
   *
   * Errors of its own: `user_not_found`.
   */
  list(params: PasskeysListParams, options?: CallOptions): Call<PasskeysListReply> {
    return this.transport.call('passkeys.list', 'GET', '/v1/webauthn/credentials', 9, params, options)
  }

  /**
   * Rename a passkey.
   *
   * Works only while the service `passkeys` is on.
   *
   * Events: `passkey.updated`.
   *
   * PATCH /v1/webauthn/credentials/{credentialId}
   *
   * Scope: `passkeys.write`.
   *
   * Errors of its own: `passkey_not_found`.
   */
  update(credentialId: string, params: PasskeysUpdateRequest, options?: CallOptions): Call<PasskeysUpdateReply> {
    return this.transport.call('passkeys.update', 'PATCH', path`/v1/webauthn/credentials/${credentialId}`, 15, params, options)
  }

  /**
   * Delete a passkey.
   *
   * The user can no longer sign in with the passkey. Existing sessions continue. The user is notified by email. The
   * response says whether the passkey was the user’s last factor and whether the MFA policy requires a factor.
   *
   * Works only while the service `passkeys` is on.
   *
   * Events: `passkey.deleted`.
   *
   * DELETE /v1/webauthn/credentials/{credentialId}
   *
   * Scope: `passkeys.write`.
   *
   * Errors of its own: `passkey_not_found`.
   */
  delete(credentialId: string, params?: PasskeysDeleteParams, options?: CallOptions): Call<PasskeysDeleteReply> {
    return this.transport.call('passkeys.delete', 'DELETE', path`/v1/webauthn/credentials/${credentialId}`, 11, params, options)
  }

  /**
   * Read passkey settings.
   *
   * Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its
   * environment inherit.
   *
   * GET /v1/auth/passkey/settings
   *
   * Scope: `passkeys.read`.
   */
  getSettings(params?: PasskeysGetSettingsParams, options?: CallOptions): Call<PasskeysGetSettingsReply> {
    return this.transport.call('passkeys.getSettings', 'GET', '/v1/auth/passkey/settings', 9, params, options)
  }

  /**
   * Change passkey settings.
   *
   * null resets a field to the inherited value. A passkey works only for the rp_id that it was created for. After rp_id
   * changes, existing passkeys cannot sign in until rp_id is changed back.
   *
   * Events: `passkey.settings.updated`.
   *
   * PATCH /v1/auth/passkey/settings
   *
   * Scope: `passkeys.write`.
   */
  updateSettings(params: PasskeySettingsPatch, options?: CallOptions): Call<PasskeySettingsReply> {
    return this.transport.call('passkeys.updateSettings', 'PATCH', '/v1/auth/passkey/settings', 12, params, options)
  }

  /**
   * Change the default passkey settings.
   *
   * Requires an org-wide key (not limited to one organization). null resets a field to the default of the service.
   *
   * Events: `passkey.settings.updated`.
   *
   * PATCH /v1/auth/passkey/settings/defaults
   *
   * Scope: `passkeys.write`.
   */
  updateDefaults(params: PasskeySettingsPatch, options?: CallOptions): Call<PasskeySettingsReply> {
    return this.transport.call('passkeys.updateDefaults', 'PATCH', '/v1/auth/passkey/settings/defaults', 12, params, options)
  }

  /**
   * List related origins.
   *
   * Lists the origins of other sites that may use the passkeys of this host. Browsers request them from the host of the
   * rp_id (WebAuthn Level 3).
   *
   * GET /.well-known/webauthn
   */
  listRelatedOrigins(options?: CallOptions): Call<PasskeysListRelatedOriginsReply> {
    return this.transport.call('passkeys.listRelatedOrigins', 'GET', '/.well-known/webauthn', 1, undefined, options)
  }
}

/**
 * Sign users in with a mailed code, a mailed link or a password, list the sign-in methods of an organization, and
 * change its sign-in settings. Start here.
 */
export class PasswordResetApi extends Namespace {
  /**
   * Mail a password reset link.
   *
   * Mails a link that sets a new password. The response is the same if no user has the address.
   *
   * Works only while the service `password` is on.
   *
   * Events: `auth.password_reset.requested`, `auth.login.failed`.
   *
   * POST /v1/auth/password/reset/send
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `invalid_redirect_uri`, `method_disabled`, `organization_suspended`, `password_reset_disabled`,
   * `team_link_withheld`, `account_locked`.
   */
  send(params: PasswordResetSendRequest, options?: CallOptions): Call<SentLink> {
    return this.transport.call('passwordReset.send', 'POST', '/v1/auth/password/reset/send', 12, params, options)
  }

  /**
   * Reset a password by link.
   *
   * Sets a new password and signs the user in. Send the token of a mailed link, or the `token_hash` of an error
   * `password_change_required`. Ends every earlier session, code and link, and notifies the user by email. If the new
   * password is refused, the link stays valid. If the token came from `password_change_required` and a second factor is
   * required, the password changes only when the challenge is completed.
   *
   * Works only while the service `password` is on.
   *
   * Events: `auth.password.changed`, `mfa.challenge.created`, `auth.password_reset.completed`, `auth.login.succeeded`,
   * `mfa.challenge.created`, `session.created`, `session.revoked`, `mfa.trusted_device.used`, `user.email_verified`,
   * `user.unlocked`, `mfa.removed`, `passkey.deleted`, `invite.revoked`, `identity.unlinked`, `invite.accepted`,
   * `user.updated`.
   *
   * POST /v1/auth/password/reset/confirm
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `token_expired`, `token_invalid`, `method_disabled`, `organization_suspended`,
   * `password_reset_disabled`, `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`,
   * `user_locked`, `password_breached`, `weak_password`, `account_locked`.
   */
  complete(params: PasswordResetCompleteRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('passwordReset.complete', 'POST', '/v1/auth/password/reset/confirm', 12, params, options)
  }
}

/** Roles and permissions of users and team members, and a check whether a user has a permission. */
export class RolesApi extends Namespace {
  /**
   * List roles and who has them.
   *
   * Returns all roles on every page. Only the assignments are paginated.
   *
   * Works only while the service `rbac` is on.
   *
   * Iterates over the rows of `assignments`.
   *
   * GET /v1/rbac/roles
   *
   * Scope: `roles.read`.
   */
  list(params?: RolesListParams, options?: CallOptions): PageCall<RolesListReply, 'assignments'> {
    return this.transport.page('roles.list', '/v1/rbac/roles', 9, 'assignments', 'cursor', params, options)
  }

  /**
   * Create a role.
   *
   * A role can contain permissions of the catalogue (`GET /v1/rbac/permissions`) and your own permissions. The scopes of
   * the key must cover the permissions of the catalogue.
   *
   * Works only while the service `rbac` is on.
   *
   * Events: `role.created`.
   *
   * POST /v1/rbac/roles
   *
   * Scope: `roles.write`.
   *
   * Errors of its own: `privilege_escalation`, `role_exists`, `role_limit_reached`.
   */
  create(params: RolesCreateRequest, options?: CallOptions): Call<RoleReply> {
    return this.transport.call('roles.create', 'POST', '/v1/rbac/roles', 15, params, options)
  }

  /**
   * Read a role.
   *
   * Works only while the service `rbac` is on.
   *
   * GET /v1/rbac/roles/{roleId}
   *
   * Scope: `roles.read`.
   *
   * Errors of its own: `role_not_found`.
   */
  get(roleId: string, params?: RolesGetParams, options?: CallOptions): Call<RoleReply> {
    return this.transport.call('roles.get', 'GET', path`/v1/rbac/roles/${roleId}`, 9, params, options)
  }

  /**
   * Change a role.
   *
   * Omitted fields are not changed. Users and members with the role get the new permissions at once. Their tokens
   * contain the new permissions after the next refresh.
   *
   * Works only while the service `rbac` is on.
   *
   * Events: `role.updated`.
   *
   * PATCH /v1/rbac/roles/{roleId}
   *
   * Scope: `roles.write`.
   *
   * Errors of its own: `privilege_escalation`, `system_role`, `role_not_found`, `role_exists`, `version_conflict`.
   */
  update(roleId: string, params: RolesUpdateParams, options?: CallOptions): Call<RolesUpdateReply> {
    return this.transport.call('roles.update', 'PATCH', path`/v1/rbac/roles/${roleId}`, 15, params, options, ['preview'])
  }

  /**
   * Delete a role.
   *
   * Users and members lose the role at once.
   *
   * Works only while the service `rbac` is on.
   *
   * Events: `role.deleted`.
   *
   * DELETE /v1/rbac/roles/{roleId}
   *
   * Scope: `roles.write`.
   *
   * Errors of its own: `system_role`, `role_not_found`, `version_conflict`.
   */
  delete(roleId: string, params?: RolesDeleteParams, options?: CallOptions): Call<RolesDeleteReply> {
    return this.transport.call('roles.delete', 'DELETE', path`/v1/rbac/roles/${roleId}`, 11, params, options)
  }

  /**
   * List permissions.
   *
   * Works only while the service `rbac` is on.
   *
   * GET /v1/rbac/permissions
   *
   * Scope: `roles.read`.
   */
  listPermissions(params?: RolesListPermissionsParams, options?: CallOptions): Call<RolesListPermissionsReply> {
    return this.transport.call('roles.listPermissions', 'GET', '/v1/rbac/permissions', 9, params, options)
  }

  /**
   * Read the roles of a user.
   *
   * Works only while the service `rbac` is on.
   *
   * GET /v1/rbac/users/{userId}/roles
   *
   * Scope: `roles.read`.
   *
   * Errors of its own: `user_not_found`.
   */
  getForUser(userId: string, params?: RolesGetForUserParams, options?: CallOptions): Call<RolesGetForUserReply> {
    return this.transport.call('roles.getForUser', 'GET', path`/v1/rbac/users/${userId}/roles`, 9, params, options)
  }

  /**
   * Give a user roles.
   *
   * Replaces the roles of the user. Omitted fields are not changed. A role that the user has through groups of the
   * identity provider must stay in the request. Otherwise the request is refused unless `force` is true.
   *
   * Works only while the service `rbac` is on.
   *
   * Events: `role.assigned`, `role.unassigned`, `user.updated`.
   *
   * PUT /v1/rbac/users/{userId}/roles
   *
   * Scope: `roles.write`.
   *
   * Errors of its own: `privilege_escalation`, `user_not_found`, `role_managed`.
   */
  setForUser(userId: string, params: RolesSetForUserRequest, options?: CallOptions): Call<RolesSetForUserReply> {
    return this.transport.call('roles.setForUser', 'PUT', path`/v1/rbac/users/${userId}/roles`, 15, params, options)
  }

  /**
   * Read the roles of a member.
   *
   * Works only while the service `rbac` is on.
   *
   * GET /v1/rbac/members/{membershipId}/roles
   *
   * Scope: `roles.read`.
   *
   * Errors of its own: `role_member_not_found`.
   */
  getForMember(membershipId: string, params?: RolesGetForMemberParams, options?: CallOptions): Call<RolesGetForMemberReply> {
    return this.transport.call('roles.getForMember', 'GET', path`/v1/rbac/members/${membershipId}/roles`, 9, params, options)
  }

  /**
   * Give a member roles.
   *
   * Replaces them.
   *
   * Works only while the service `rbac` is on.
   *
   * Events: `role.assigned`, `role.unassigned`.
   *
   * PUT /v1/rbac/members/{membershipId}/roles
   *
   * Scope: `roles.write`.
   *
   * Errors of its own: `privilege_escalation`, `role_member_not_found`.
   */
  setForMember(membershipId: string, params: RolesSetForMemberRequest, options?: CallOptions): Call<RolesSetForMemberReply> {
    return this.transport.call('roles.setForMember', 'PUT', path`/v1/rbac/members/${membershipId}/roles`, 15, params, options)
  }

  /**
   * Check a permission.
   *
   * Checks the current permissions of the user. The access token of the user may still contain older permissions.
   *
   * POST /v1/rbac/check
   *
   * Scope: `roles.read`.
   *
   * Errors of its own: `user_not_found`.
   */
  check(params: RolesCheckRequest, options?: CallOptions): Call<RolesCheckReply> {
    return this.transport.call('roles.check', 'POST', '/v1/rbac/check', 13, params, options)
  }
}

/**
 * Single sign-on URLs that browsers and identity providers call. Register them at the provider. Your backend does not
 * call them.
 */
export class SamlApi extends Namespace {
  /**
   * Finish a SAML sign-in (shared).
   *
   * For providers that use one URL for all connections. Accepts only responses to sign-ins that were started here.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `user.updated`,
   * `role.assigned`, `role.unassigned`, `identity.linked`, `identity.unlinked`, `auth.login.failed`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `invite.accepted`.
   *
   * POST /v1/auth/login/sso/saml/acs
   */
  completeShared(params: Record<string, string>, options?: CallOptions): Promise<Response> {
    return this.transport.raw('saml.completeShared', 'POST', '/v1/auth/login/sso/saml/acs', 4, params, options)
  }

  /**
   * Finish a SAML sign-in.
   *
   * Also accepts sign-ins that were started at the provider, if the connection allows them (`allow_idp_initiated`).
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `user.updated`,
   * `role.assigned`, `role.unassigned`, `identity.linked`, `identity.unlinked`, `auth.login.failed`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `invite.accepted`.
   *
   * POST /v1/auth/login/sso/saml/acs/{connectionId}
   */
  complete(connectionId: string, params: Record<string, string>, options?: CallOptions): Promise<Response> {
    return this.transport.raw('saml.complete', 'POST', path`/v1/auth/login/sso/saml/acs/${connectionId}`, 4, params, options)
  }

  /**
   * Receive a SAML logout (redirect).
   *
   * Events: `session.revoked`.
   *
   * GET /v1/auth/login/sso/saml/slo/{connectionId}
   */
  logoutByRedirect(connectionId: string, params?: SamlLogoutByRedirectParams, options?: CallOptions): Promise<Response> {
    return this.transport.raw('saml.logoutByRedirect', 'GET', path`/v1/auth/login/sso/saml/slo/${connectionId}`, 0, params, options)
  }

  /**
   * Receive a SAML logout (POST).
   *
   * Events: `session.revoked`.
   *
   * POST /v1/auth/login/sso/saml/slo/{connectionId}
   */
  logout(connectionId: string, params: Record<string, string>, options?: CallOptions): Promise<Response> {
    return this.transport.raw('saml.logout', 'POST', path`/v1/auth/login/sso/saml/slo/${connectionId}`, 4, params, options)
  }

  /**
   * Read SAML service provider metadata.
   *
   * GET /v1/auth/login/sso/saml/metadata/{connectionId}
   */
  getMetadata(connectionId: string, options?: CallOptions): Promise<Response> {
    return this.transport.raw('saml.getMetadata', 'GET', path`/v1/auth/login/sso/saml/metadata/${connectionId}`, 1, undefined, options)
  }
}

/** Provisioning of users and groups by the directory of an organization (SCIM 2.0). */
export class ScimApi extends Namespace {
  /**
   * Read the provisioning configuration.
   *
   * Works only while the service `scim` is on.
   *
   * GET /v1/scim/config
   *
   * Scope: `scim_config.read`.
   */
  getConfig(params?: ScimGetConfigParams, options?: CallOptions): Call<ScimGetConfigReply> {
    return this.transport.call('scim.getConfig', 'GET', '/v1/scim/config', 9, params, options)
  }

  /**
   * Change the provisioning configuration.
   *
   * Omitted fields are not changed. A new `sso_connection_id` changes the roles of provisioned users at once.
   *
   * Works only while the service `scim` is on.
   *
   * Events: `scim.enabled`, `scim.disabled`, `scim.config_updated`, `user.updated`, `role.assigned`, `role.unassigned`.
   *
   * PATCH /v1/scim/config
   *
   * Scope: `scim_config.write`.
   *
   * Errors of its own: `scim_connection_not_found`, `privilege_escalation`.
   */
  updateConfig(params: ScimUpdateConfigRequest, options?: CallOptions): Call<ScimUpdateConfigReply> {
    return this.transport.call('scim.updateConfig', 'PATCH', '/v1/scim/config', 15, params, options)
  }

  /**
   * Rotate the provisioning token.
   *
   * Creates a new SCIM token and shows it once. The token works only for the SCIM endpoint of this organization. Before
   * the token expires, the event `scim.token_expiring` is recorded.
   *
   * Works only while the service `scim` is on.
   *
   * Events: `scim.token_rotated`.
   *
   * POST /v1/scim/config
   *
   * Scope: `scim_config.write`.
   *
   * Errors of its own: `privilege_escalation`.
   */
  rotateToken(params: ScimRotateTokenRequest, options?: CallOptions): Call<ScimRotateTokenReply> {
    return this.transport.call('scim.rotateToken', 'POST', '/v1/scim/config', 15, params, options)
  }

  /**
   * List provisioning requests.
   *
   * Lists requests of the provisioning client with their outcome. A refused request also has the reason and a fix.
   * Requests are kept for 14 days.
   *
   * Works only while the service `scim` is on.
   *
   * Iterates over the rows of `logs`.
   *
   * GET /v1/scim/logs
   *
   * Scope: `scim_config.read`.
   */
  listLogs(params?: ScimListLogsParams, options?: CallOptions): PageCall<ScimListLogsReply, 'logs'> {
    return this.transport.page('scim.listLogs', '/v1/scim/logs', 9, 'logs', 'cursor', params, options)
  }

  /**
   * Repeat a refused SCIM write.
   *
   * Repeats a refused write without its `If-Match` header. The replay is logged as a new request, even if it is refused
   * again. The caller must have the right to grant the roles that the groups of the SCIM client give.
   *
   * Works only while the service `scim` is on.
   *
   * Events: `user.created`, `user.updated`, `user.activated`, `user.deactivated`, `user.deleted`, `user.restored`,
   * `user.email_verified`, `user.locked`, `session.revoked`, `invite.revoked`, `identity.unlinked`,
   * `scim.group.member_removed`, `role.assigned`, `role.unassigned`, `scim.user.provisioned`, `scim.user.updated`,
   * `scim.user.deprovisioned`, `scim.group.created`, `scim.group.updated`, `scim.group.deleted`,
   * `scim.group.member_added`, `mfa.removed`, `passkey.deleted`, `invite.accepted`.
   *
   * POST /v1/scim/logs/{id}/replay
   *
   * Scope: `scim_config.write`.
   *
   * Errors of its own: `organization_suspended`, `privilege_escalation`, `scim_disabled`, `scim_log_not_found`,
   * `scim_not_replayable`.
   */
  replayLog(id: string, params?: ScimReplayLogRequest, options?: CallOptions): Call<ScimReplayLogReply> {
    return this.transport.call('scim.replayLog', 'POST', path`/v1/scim/logs/${id}/replay`, 15, params, options)
  }
}

/** Turn parts of the service on and off for an organization. */
export class ServicesApi extends Namespace {
  /**
   * Read which services are on.
   *
   * An organization that has not changed its services uses the defaults of its environment. By default every service is
   * on.
   *
   * GET /v1/organization-apps
   *
   * Scope: `apps_config.read`.
   */
  get(params?: ServicesGetParams, options?: CallOptions): Call<ServiceConfig> {
    return this.transport.call('services.get', 'GET', '/v1/organization-apps', 9, params, options)
  }

  /**
   * Turn services on and off.
   *
   * Omitted fields are not changed. Turning auth off also turns off otp, password, magic_link, social, passkeys, sso and
   * mfa.
   *
   * Events: `service_config.updated`.
   *
   * PUT /v1/organization-apps
   *
   * Scope: `apps_config.write`.
   *
   * Errors of its own: `auth_required`.
   */
  update(params: ServiceConfigChange, options?: CallOptions): Call<ServiceConfig> {
    return this.transport.call('services.update', 'PUT', '/v1/organization-apps', 15, params, options)
  }

  /**
   * Change the default services.
   *
   * Requires an org-wide key (not limited to one organization). Omitted fields are not changed.
   *
   * Events: `service_config.updated`.
   *
   * PUT /v1/organization-apps/defaults
   *
   * Scope: `apps_config.write`.
   *
   * Errors of its own: `auth_required`.
   */
  updateDefaults(params: ServiceConfigChange, options?: CallOptions): Call<ServiceConfig> {
    return this.transport.call('services.updateDefaults', 'PUT', '/v1/organization-apps/defaults', 15, params, options)
  }
}

/** List and end live sessions, and follow which sessions have ended. */
export class SessionsApi extends Namespace {
  /**
   * List live sessions, grouped by user.
   *
   * Works only while the service `sessions` is on.
   *
   * Iterates over the rows of `users`.
   *
   * GET /v1/sessions
   *
   * Scope: `sessions.read`.
   */
  list(params?: SessionsListParams, options?: CallOptions): PageCall<SessionsListReply, 'users'> {
    return this.transport.page('sessions.list', '/v1/sessions', 9, 'users', 'cursor', params, options)
  }

  /**
   * Read a live session.
   *
   * Works only while the service `sessions` is on.
   *
   * GET /v1/sessions/{sessionId}
   *
   * Scope: `sessions.read`.
   *
   * Errors of its own: `session_not_found`.
   */
  get(sessionId: string, params?: SessionsGetParams, options?: CallOptions): Call<Session> {
    return this.transport.call('sessions.get', 'GET', path`/v1/sessions/${sessionId}`, 9, params, options)
  }

  /**
   * End one session.
   *
   * Idempotent: ending a session that has already ended succeeds.
   *
   * Events: `session.revoked`.
   *
   * DELETE /v1/sessions/{sessionId}
   *
   * Scope: `sessions.revoke`.
   *
   * Errors of its own: `session_not_found`.
   */
  revoke(sessionId: string, params?: SessionsRevokeParams, options?: CallOptions): Call<Success> {
    return this.transport.call('sessions.revoke', 'DELETE', path`/v1/sessions/${sessionId}`, 11, params, options)
  }

  /**
   * List ended sessions.
   *
   * For services that verify tokens offline and must learn of ended sessions before the access tokens expire. Poll with
   * the last next_cursor. While has_more is true, poll again immediately. Returns each ended session exactly once,
   * oldest first.
   *
   * Works only while the service `sessions` is on.
   *
   * Iterates over the rows of `revocations`.
   *
   * GET /v1/sessions/revocations
   *
   * Scope: `sessions.read`.
   *
   * Errors of its own: `cursor_expired`.
   */
  listRevocations(params?: SessionsListRevocationsParams, options?: CallOptions): PageCall<SessionsListRevocationsReply, 'revocations'> {
    return this.transport.page('sessions.listRevocations', '/v1/sessions/revocations', 9, 'revocations', 'after', params, options)
  }
}

/** Let people create their own user in an organization that allows it. */
export class SignupApi extends Namespace {
  readonly magicLink = new SignupMagicLinkApi(this.transport)
  readonly otp = new SignupOtpApi(this.transport)
  /**
   * Sign up without a password.
   *
   * This call does not prove that the mailbox belongs to the person, so only a new user gets a session. The service
   * mails a link that verifies the address. An address that a user already has is refused with email_exists, or with
   * verification_required if that user has never signed in. If require_email_verification is on, every address is
   * refused with verification_required. POST /v1/auth/signup/otp/send works for all addresses and does not reveal which
   * exist.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `user.created`, `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `auth.signup.succeeded`, `auth.email_verification.sent`, `invite.accepted`,
   * `user.updated`.
   *
   * POST /v1/auth/signup
   *
   * Scope: `auth.signup`.
   *
   * Errors of its own: `method_disabled`, `organization_suspended`, `session_limit_reached`, `signup_disabled`,
   * `sso_required`, `user_inactive`, `user_locked`, `verification_required`, `email_exists`, `account_locked`.
   */
  create(params: SignupCreateRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('signup.create', 'POST', '/v1/auth/signup', 12, params, options)
  }

  /**
   * Sign up with a password.
   *
   * This call does not prove that the mailbox belongs to the person, so only a new user gets a session. The service
   * mails a link that verifies the address. An address that a user already has is refused with email_exists, or with
   * verification_required if that user has never signed in. If require_email_verification is on, every address is
   * refused with verification_required. POST /v1/auth/signup/otp/send works for all addresses and does not reveal which
   * exist.
   *
   * Works only while the service `password` is on.
   *
   * Events: `user.created`, `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `auth.signup.succeeded`, `auth.email_verification.sent`, `invite.accepted`,
   * `user.updated`.
   *
   * POST /v1/auth/signup/password
   *
   * Scope: `auth.signup`.
   *
   * Errors of its own: `method_disabled`, `organization_suspended`, `session_limit_reached`, `signup_disabled`,
   * `sso_required`, `user_inactive`, `user_locked`, `verification_required`, `email_exists`, `password_breached`,
   * `weak_password`, `account_locked`.
   */
  password(params: SignupPasswordRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('signup.password', 'POST', '/v1/auth/signup/password', 12, params, options)
  }
}

/** Sign users in with Google, GitHub, Apple or Microsoft, and set the credentials of these providers. */
export class SocialApi extends Namespace {
  /**
   * Start a social sign-in.
   *
   * Send the browser to authorization_url. After the sign-in, the browser returns to redirectUri with the same
   * parameters as after single sign-on. With an org-wide key (not limited to one organization) and without subOrgId, the
   * providers, `allowed_redirect_uris` and services of the environment’s defaults apply. The browser then always returns
   * with a code. POST /v1/auth/token/exchange exchanges this code for a discovery_token and the organizations of the
   * person.
   *
   * Works only while the service `social` is on.
   *
   * POST /v1/auth/login/social/start
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `invalid_redirect_uri`, `sub_org_required`, `organization_suspended`, `provider_disabled`,
   * `provider_not_configured`, `idp_unreachable`.
   */
  start(params: SocialStartRequest, options?: CallOptions): Call<FederatedStart> {
    return this.transport.call('social.start', 'POST', '/v1/auth/login/social/start', 12, params, options)
  }

  /**
   * Finish a social sign-in (shared).
   *
   * The redirect URI of provider applications whose `callback` is `shared`. Refuses the state of a sign-in with any
   * other application.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `user.updated`,
   * `role.assigned`, `role.unassigned`, `identity.linked`, `identity.unlinked`, `auth.login.failed`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `invite.accepted`.
   *
   * GET /v1/auth/login/social/callback
   */
  completeShared(params?: SocialCompleteSharedParams, options?: CallOptions): Promise<Response> {
    return this.transport.raw('social.completeShared', 'GET', '/v1/auth/login/social/callback', 0, params, options)
  }

  /**
   * Finish a social sign-in (shared, form).
   *
   * The same route for Apple, which returns with a form (`response_mode=form_post`).
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `user.updated`,
   * `role.assigned`, `role.unassigned`, `identity.linked`, `identity.unlinked`, `auth.login.failed`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `invite.accepted`.
   *
   * POST /v1/auth/login/social/callback
   */
  completeSharedByForm(params: Record<string, string>, options?: CallOptions): Promise<Response> {
    return this.transport.raw('social.completeSharedByForm', 'POST', '/v1/auth/login/social/callback', 4, params, options)
  }

  /**
   * Finish a social sign-in.
   *
   * The `callback_url` of a provider. Refuses the state of a sign-in at another provider.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `user.updated`,
   * `role.assigned`, `role.unassigned`, `identity.linked`, `identity.unlinked`, `auth.login.failed`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `invite.accepted`.
   *
   * GET /v1/auth/login/social/callback/{provider}
   */
  complete(provider: string, params?: SocialCompleteParams, options?: CallOptions): Promise<Response> {
    return this.transport.raw('social.complete', 'GET', path`/v1/auth/login/social/callback/${provider}`, 0, params, options)
  }

  /**
   * Finish a social sign-in (form).
   *
   * The same route for Apple, which returns with a form (`response_mode=form_post`).
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `user.email_verified`, `auth.signup.succeeded`, `user.created`, `user.updated`,
   * `role.assigned`, `role.unassigned`, `identity.linked`, `identity.unlinked`, `auth.login.failed`, `mfa.removed`,
   * `passkey.deleted`, `invite.revoked`, `invite.accepted`.
   *
   * POST /v1/auth/login/social/callback/{provider}
   */
  completeByForm(provider: string, params: Record<string, string>, options?: CallOptions): Promise<Response> {
    return this.transport.raw('social.completeByForm', 'POST', path`/v1/auth/login/social/callback/${provider}`, 4, params, options)
  }

  /**
   * List the social providers.
   *
   * GET /v1/social/providers
   *
   * Scope: `social.read`.
   */
  listProviders(params?: SocialListProvidersParams, options?: CallOptions): Call<SocialProvidersReply> {
    return this.transport.call('social.listProviders', 'GET', '/v1/social/providers', 9, params, options)
  }

  /**
   * Configure a social provider.
   *
   * Omitted fields are not changed, and null removes a value. If the organization has its own application at the
   * provider, register the `callback_url` in the response as its redirect URI.
   *
   * Events: `social_provider.updated`.
   *
   * PUT /v1/social/providers
   *
   * Scope: `social.write`.
   */
  updateProvider(params: SocialProviderPut, options?: CallOptions): Call<SocialProvidersReply> {
    return this.transport.call('social.updateProvider', 'PUT', '/v1/social/providers', 15, params, options)
  }

  /**
   * List the default social providers.
   *
   * Requires an org-wide key (not limited to one organization). Sign-ins without an organization use these providers.
   *
   * GET /v1/social/providers/defaults
   *
   * Scope: `social.read`.
   */
  listDefaults(params?: SocialListDefaultsParams, options?: CallOptions): Call<SocialProvidersReply> {
    return this.transport.call('social.listDefaults', 'GET', '/v1/social/providers/defaults', 9, params, options)
  }

  /**
   * Change a default social provider.
   *
   * Requires an org-wide key (not limited to one organization). `enabled` only lets people start a sign-in without an
   * organization. Organizations of the environment use these credentials unless they have their own. Each organization
   * must turn the provider on itself.
   *
   * Events: `social_provider.updated`.
   *
   * PUT /v1/social/providers/defaults
   *
   * Scope: `social.write`.
   */
  updateDefaults(params: SocialProviderPut, options?: CallOptions): Call<SocialProvidersReply> {
    return this.transport.call('social.updateDefaults', 'PUT', '/v1/social/providers/defaults', 15, params, options)
  }
}

/**
 * Your backend connects the identity providers of organizations (SAML, OpenID Connect) and starts sign-ins and
 * sign-outs there.
 */
export class SsoApi extends Namespace {
  /**
   * List SAML service provider certificates.
   *
   * Lists the certificates of the keys that sign and decrypt SAML messages for the environment. The metadata of the
   * environment’s connections contains the same certificates.
   *
   * GET /v1/sso/keys
   *
   * Scope: `sso.read`.
   */
  listKeys(params?: SsoListKeysParams, options?: CallOptions): Call<SpKeysReply> {
    return this.transport.call('sso.listKeys', 'GET', '/v1/sso/keys', 9, params, options)
  }

  /**
   * Roll over SAML service provider keys.
   *
   * Requires an org-wide key (not limited to one organization). A rollover has three steps, so that no sign-in fails.
   * `prepare` publishes the next certificates in addition to the current ones. After every provider has the next
   * certificates, `activate` starts to use them. `retire` stops publishing the previous certificates.
   *
   * Events: `sso.keys.changed`.
   *
   * POST /v1/sso/keys
   *
   * Scope: `sso.write`.
   *
   * Errors of its own: `sp_keys_conflict`.
   */
  updateKeys(params: SsoUpdateKeysRequest, options?: CallOptions): Call<SpKeysReply> {
    return this.transport.call('sso.updateKeys', 'POST', '/v1/sso/keys', 15, params, options)
  }
}

/** Refresh, exchange, introspect and revoke tokens, and read the public keys that verify access tokens. */
export class TokensApi extends Namespace {
  /**
   * Exchange a refresh token.
   *
   * A refresh token works once and is replaced by a new one, its successor. If the old token is sent again within
   * refresh_reuse_interval_seconds, the response has the same successor, so that a lost response can be requested again.
   * If the old token is sent later, the session ends (RFC 9700 §4.14.2). If the MFA policy requires a second factor and
   * the session has only one factor, the response contains a challenge instead, and the refresh token stays valid.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `mfa.challenge.created`.
   *
   * POST /v1/auth/token/refresh
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `refresh_token_invalid`, `refresh_token_reused`, `method_disabled`, `organization_suspended`,
   * `session_limit_reached`, `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `account_locked`.
   */
  refresh(params: TokensRefreshRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('tokens.refresh', 'POST', '/v1/auth/token/refresh', 12, params, options)
  }

  /**
   * Exchange a code for a session.
   *
   * Send the code that redirectUri received (response_mode `code`). A code works once, within 60 seconds. If the code is
   * from a social sign-in that was started without an organization, use an org-wide key (not limited to one
   * organization) and omit subOrgId. The response then contains a discovery_token and the organizations of the person,
   * and `session` is null.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `auth.login.succeeded`, `mfa.challenge.created`, `session.created`, `session.revoked`,
   * `mfa.trusted_device.used`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/auth/token/exchange
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `code_invalid`, `method_disabled`, `organization_suspended`, `session_limit_reached`,
   * `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `account_locked`.
   */
  exchange(params: TokensExchangeRequest, options?: CallOptions): Call<LoginResult> {
    return this.transport.call('tokens.exchange', 'POST', '/v1/auth/token/exchange', 12, params, options)
  }

  /**
   * Introspect a token.
   *
   * Accepts access tokens and refresh tokens (RFC 7662). Unlike offline verification, introspection shows at once that a
   * session has been revoked.
   *
   * POST /v1/auth/token/introspect
   *
   * Scope: `auth.login`.
   */
  introspect(params: TokensIntrospectRequest, options?: CallOptions): Call<Introspection> {
    return this.transport.call('tokens.introspect', 'POST', '/v1/auth/token/introspect', 13, params, options)
  }

  /**
   * End the session of a token.
   *
   * Signs the user out. Send exactly one of refresh_token, access_token and session_id. `everywhere` ends every session
   * of the user. Sending a session_id also requires the scope sessions.revoke. The request succeeds even if there is no
   * session to end (RFC 7009 §2.2).
   *
   * Events: `session.revoked`.
   *
   * Also at `/v1/auth/logout`.
   *
   * POST /v1/auth/token/revoke
   *
   * Scope: `auth.login`.
   *
   * Errors of its own: `sub_org_required`.
   */
  revoke(params: TokensRevokeRequest, options?: CallOptions): Call<Success> {
    return this.transport.call('tokens.revoke', 'POST', '/v1/auth/token/revoke', 13, params, options)
  }

  /**
   * Read the public keys (home account).
   *
   * Also at `/v1/auth/jwks`.
   *
   * GET /.well-known/jwks.json
   */
  getHomeJwks(options?: CallOptions): Call<JwkSet> {
    return this.transport.call('tokens.getHomeJwks', 'GET', '/.well-known/jwks.json', 1, undefined, options)
  }

  /**
   * Read the issuer metadata (home account).
   *
   * GET /.well-known/oauth-authorization-server
   *
   * Errors of its own: `not_found`.
   */
  getHomeMetadata(options?: CallOptions): Call<IssuerMetadata> {
    return this.transport.call('tokens.getHomeMetadata', 'GET', '/.well-known/oauth-authorization-server', 1, undefined, options)
  }

  /**
   * Read the public keys.
   *
   * GET /accounts/{accountId}/{environment}/.well-known/jwks.json
   *
   * Errors of its own: `not_found`.
   */
  getJwks(accountId: string, environment: string, options?: CallOptions): Call<JwkSet> {
    return this.transport.call('tokens.getJwks', 'GET', path`/accounts/${accountId}/${environment}/.well-known/jwks.json`, 1, undefined, options)
  }

  /**
   * Read the issuer metadata.
   *
   * Also at `/.well-known/oauth-authorization-server/accounts/{accountId}/{environment}`.
   *
   * GET /accounts/{accountId}/{environment}/.well-known/oauth-authorization-server
   *
   * Errors of its own: `not_found`.
   */
  getMetadata(accountId: string, environment: string, options?: CallOptions): Call<IssuerMetadata> {
    return this.transport.call('tokens.getMetadata', 'GET', path`/accounts/${accountId}/${environment}/.well-known/oauth-authorization-server`, 1, undefined, options)
  }
}

/** The people of an organization: create, find, change, lock, move, export and delete them. */
export class UsersApi extends Namespace {
  /**
   * List users.
   *
   * Lists the users of one organization. With an org-wide key (not limited to one organization) and without `subOrgId`,
   * lists the users of the whole environment.
   *
   * Iterates over the rows of `users`.
   *
   * GET /v1/users
   *
   * Scope: `users.read`.
   */
  list(params?: UsersListParams, options?: CallOptions): PageCall<UsersListReply, 'users'> {
    return this.transport.page('users.list', '/v1/users', 9, 'users', 'cursor', params, options)
  }

  /**
   * Create a user.
   *
   * Without `role` and `roleIds`, the user gets the role `member`. Sending `role` or `roleIds` requires the same scope
   * and service as assigning roles.
   *
   * Events: `user.created`, `role.assigned`.
   *
   * POST /v1/users
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `privilege_escalation`, `service_disabled`, `email_exists`, `external_id_taken`.
   */
  create(params: UsersCreateRequest, options?: CallOptions): Call<UserReply> {
    return this.transport.call('users.create', 'POST', '/v1/users', 15, params, options)
  }

  /**
   * Create many users.
   *
   * Creates at most 500 users, sent as objects or as text. The response contains the outcome of each user, in order. A
   * row that fails, for example because the caller may not assign its roles, does not affect other rows. The body may
   * have up to 5 MiB.
   *
   * Events: `user.created`, `role.assigned`.
   *
   * PUT /v1/users
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `too_many_users`.
   */
  createMany(params: UsersCreateManyRequest, options?: CallOptions): Call<UsersCreateManyReply> {
    return this.transport.call('users.createMany', 'PUT', '/v1/users', 15, params, options)
  }

  /**
   * Read a user.
   *
   * GET /v1/users/{userId}
   *
   * Scope: `users.read`.
   *
   * Errors of its own: `user_not_found`.
   */
  get(userId: string, params?: UsersGetParams, options?: CallOptions): Call<UserView> {
    return this.transport.call('users.get', 'GET', path`/v1/users/${userId}`, 9, params, options)
  }

  /**
   * Change a user.
   *
   * Omitted fields are not changed, and null clears a field. `active: false` ends every session at once. A new email
   * address must be verified again and ends every session, and the old address is notified.
   *
   * Events: `user.updated`, `user.activated`, `user.deactivated`, `user.deleted`, `session.revoked`, `invite.revoked`,
   * `identity.unlinked`, `scim.group.member_removed`.
   *
   * PATCH /v1/users/{userId}
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `user_not_found`, `email_exists`, `external_id_taken`, `scim_managed`, `version_conflict`.
   */
  update(userId: string, params: UsersUpdateRequest, options?: CallOptions): Call<UserReply> {
    return this.transport.call('users.update', 'PATCH', path`/v1/users/${userId}`, 15, params, options)
  }

  /**
   * Delete a user.
   *
   * All sessions of the user end, and another user can have the email address immediately. The user can be restored for
   * 30 days and is then erased.
   *
   * Events: `user.deleted`, `session.revoked`, `invite.revoked`, `identity.unlinked`, `scim.group.member_removed`.
   *
   * DELETE /v1/users/{userId}
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `user_not_found`, `scim_managed`, `version_conflict`.
   */
  delete(userId: string, params?: UsersDeleteParams, options?: CallOptions): Call<UsersDeleteReply> {
    return this.transport.call('users.delete', 'DELETE', path`/v1/users/${userId}`, 11, params, options)
  }

  /**
   * Move a user to another organization.
   *
   * Moves the user to another organization of the account. Requires a key that reaches both organizations. `subOrgId` is
   * the current organization, and `targetSubOrgId` the new one. The user keeps ids and profile, gets the role `member`,
   * and loses all sessions.
   *
   * Events: `user.moved`, `user.deleted`, `session.revoked`, `invite.revoked`, `identity.unlinked`,
   * `scim.group.member_removed`.
   *
   * POST /v1/users/{userId}
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `user_not_found`, `email_exists`, `external_id_taken`, `scim_managed`, `version_conflict`.
   */
  move(userId: string, params: UsersMoveRequest, options?: CallOptions): Call<UserReply> {
    return this.transport.call('users.move', 'POST', path`/v1/users/${userId}`, 15, params, options)
  }

  /**
   * Restore a deleted user.
   *
   * Possible within 30 days of the deletion. Restores ids, profile, second factors and passkeys, and nothing else.
   *
   * Events: `user.restored`, `user.deleted`.
   *
   * POST /v1/users/{userId}/restore
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `user_not_found`, `email_exists`, `external_id_taken`, `scim_managed`.
   */
  restore(userId: string, params?: UsersRestoreRequest, options?: CallOptions): Call<UserReply> {
    return this.transport.call('users.restore', 'POST', path`/v1/users/${userId}/restore`, 15, params, options)
  }

  /**
   * Export all data of a user.
   *
   * Lists secrets, such as passkeys, without their secret values. Also requires the scope audit.read.
   *
   * Events: `user.exported`.
   *
   * GET /v1/users/{userId}/export
   *
   * Scope: `users.read`.
   *
   * Errors of its own: `user_not_found`.
   */
  export(userId: string, params?: UsersExportParams, options?: CallOptions): Call<UsersExportReply> {
    return this.transport.call('users.export', 'GET', path`/v1/users/${userId}/export`, 9, params, options)
  }

  /**
   * Invite a user.
   *
   * Voids the link of the previous invitation. A user with the status `invited` gets the roles in the request. Any other
   * user keeps the current roles.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `invite.created`, `invite.resent`, `user.created`, `user.updated`, `role.assigned`, `role.unassigned`.
   *
   * POST /v1/users/{userId}/invite
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `invalid_redirect_uri`, `method_disabled`, `organization_suspended`, `privilege_escalation`,
   * `user_inactive`, `user_locked`, `user_not_found`, `role_managed`.
   */
  invite(userId: string, params?: UsersInviteRequest, options?: CallOptions): Call<UsersInviteReply> {
    return this.transport.call('users.invite', 'POST', path`/v1/users/${userId}/invite`, 15, params, options)
  }

  /**
   * Impersonate a user.
   *
   * Returns an access token of the user, without a refresh token. The claim `act` of the token names the support person
   * and the reason (RFC 8693 §4.1). In the API of this service, the token can only read. The organization must allow
   * impersonation (setting impersonation_enabled). The user is notified by email. A user can be impersonated at most 20
   * times an hour. End the session with DELETE /v1/sessions/{sessionId}.
   *
   * Works only while the service `sessions` is on.
   *
   * Events: `impersonation.started`, `session.created`, `invite.accepted`, `user.updated`.
   *
   * POST /v1/users/{userId}/impersonate
   *
   * Scope: `impersonate`.
   *
   * Errors of its own: `impersonation_disabled`, `organization_suspended`, `user_inactive`, `user_locked`,
   * `user_not_found`, `user_never_signed_in`, `account_locked`.
   */
  impersonate(userId: string, params: UsersImpersonateRequest, options?: CallOptions): Call<UsersImpersonateReply> {
    return this.transport.call('users.impersonate', 'POST', path`/v1/users/${userId}/impersonate`, 12, params, options)
  }

  /**
   * Mail a user a reset link.
   *
   * Works only while the service `password` is on.
   *
   * Events: `auth.password_reset.requested`.
   *
   * POST /v1/users/{userId}/password/reset
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `invalid_redirect_uri`, `method_disabled`, `organization_suspended`, `password_reset_disabled`,
   * `sso_required`, `user_inactive`, `user_locked`, `verification_required`, `user_not_found`.
   */
  sendPasswordReset(userId: string, params?: UsersSendPasswordResetRequest, options?: CallOptions): Call<UsersSendPasswordResetReply> {
    return this.transport.call('users.sendPasswordReset', 'POST', path`/v1/users/${userId}/password/reset`, 15, params, options)
  }

  /**
   * Set a user’s password.
   *
   * Creates the user’s auth account (`userId`) if there is none. Invalidates codes and links that were sent, ends locks
   * caused by failed attempts, and by default ends every session. An administrator’s lock remains. The user is notified
   * by email.
   *
   * Works only while the service `password` is on.
   *
   * Events: `auth.password.changed`, `session.revoked`, `user.unlocked`, `user.updated`.
   *
   * PUT /v1/users/{userId}/password
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `method_disabled`, `verification_required`, `user_not_found`, `password_breached`,
   * `weak_password`.
   */
  setPassword(userId: string, params: UsersSetPasswordRequest, options?: CallOptions): Call<UsersSetPasswordReply> {
    return this.transport.call('users.setPassword', 'PUT', path`/v1/users/${userId}/password`, 15, params, options)
  }

  /**
   * Unlock a user.
   *
   * Removes every lock of the user: an administrator’s lock, and locks caused by failed attempts, for single networks
   * and for all networks. Resets the count of failed attempts, also for the second factor.
   *
   * Events: `user.unlocked`.
   *
   * POST /v1/users/{userId}/unlock
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `user_not_found`.
   */
  unlock(userId: string, params?: UsersUnlockRequest, options?: CallOptions): Call<UsersUnlockReply> {
    return this.transport.call('users.unlock', 'POST', path`/v1/users/${userId}/unlock`, 15, params, options)
  }

  /**
   * Lock a user.
   *
   * Refuses every sign-in method with 403 `user_locked`, ends every session immediately, and removes every trusted
   * device. The lock ends at `until`, or when POST /v1/users/{userId}/unlock is called. A new lock replaces an existing
   * one.
   *
   * Events: `user.locked`, `session.revoked`.
   *
   * POST /v1/users/{userId}/lock
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `user_not_found`.
   */
  lock(userId: string, params: UsersLockRequest, options?: CallOptions): Call<UsersLockReply> {
    return this.transport.call('users.lock', 'POST', path`/v1/users/${userId}/lock`, 15, params, options)
  }

  /**
   * Resend the verification email.
   *
   * Mails a link that verifies the address, and voids older links. Creates the user’s auth account (`userId`) if there
   * is none.
   *
   * Works only while the service `auth` is on.
   *
   * Events: `auth.email_verification.sent`.
   *
   * POST /v1/users/{userId}/verify/resend
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `invalid_redirect_uri`, `method_disabled`, `organization_suspended`, `session_limit_reached`,
   * `signup_disabled`, `sso_required`, `user_inactive`, `user_locked`, `user_not_found`, `account_locked`.
   */
  sendVerification(userId: string, params?: UsersSendVerificationRequest, options?: CallOptions): Call<UsersSendVerificationReply> {
    return this.transport.call('users.sendVerification', 'POST', path`/v1/users/${userId}/verify/resend`, 15, params, options)
  }

  /**
   * List the identities of a user.
   *
   * Iterates over the rows of `identities`.
   *
   * GET /v1/users/{userId}/identities
   *
   * Scope: `users.read`.
   *
   * Errors of its own: `user_not_found`.
   */
  listIdentities(userId: string, params?: UsersListIdentitiesParams, options?: CallOptions): PageCall<UsersListIdentitiesReply, 'identities'> {
    return this.transport.page('users.listIdentities', path`/v1/users/${userId}/identities`, 9, 'identities', 'cursor', params, options)
  }

  /**
   * Unlink an identity of a user.
   *
   * Ends the sessions that were created through this identity. At the next sign-in through the provider, the person is
   * treated as new and can be linked to a user again by email address.
   *
   * Events: `identity.unlinked`, `session.revoked`, `user.updated`, `role.assigned`, `role.unassigned`.
   *
   * DELETE /v1/users/{userId}/identities/{identityId}
   *
   * Scope: `users.write`.
   *
   * Errors of its own: `identity_not_found`, `user_not_found`.
   */
  deleteIdentity(userId: string, identityId: string, params?: UsersDeleteIdentityParams, options?: CallOptions): Call<UsersDeleteIdentityReply> {
    return this.transport.call('users.deleteIdentity', 'DELETE', path`/v1/users/${userId}/identities/${identityId}`, 11, params, options)
  }

  /**
   * End every session of a user.
   *
   * Events: `session.revoked`.
   *
   * DELETE /v1/users/{userId}/sessions
   *
   * Scope: `sessions.revoke`.
   *
   * Errors of its own: `user_not_found`.
   */
  revokeSessions(userId: string, params?: UsersRevokeSessionsParams, options?: CallOptions): Call<UsersRevokeSessionsReply> {
    return this.transport.call('users.revokeSessions', 'DELETE', path`/v1/users/${userId}/sessions`, 11, params, options)
  }
}

/** Events sent to your servers over HTTPS, signed and retried. */
export class WebhooksApi extends Namespace {
  /**
   * List webhooks.
   *
   * Works only while the service `webhooks` is on.
   *
   * Iterates over the rows of `webhooks`.
   *
   * GET /v1/webhooks
   *
   * Scope: `webhooks.read`.
   */
  list(params?: WebhooksListParams, options?: CallOptions): PageCall<WebhooksListReply, 'webhooks'> {
    return this.transport.page('webhooks.list', '/v1/webhooks', 9, 'webhooks', 'cursor', params, options)
  }

  /**
   * Create a webhook.
   *
   * With `subOrgId`, the webhook receives the events of that organization. With `scope: "environment"`, which requires
   * an org-wide key (not limited to one organization), it receives the events of the whole environment.
   *
   * Works only while the service `webhooks` is on.
   *
   * Events: `webhook.created`.
   *
   * POST /v1/webhooks
   *
   * Scope: `webhooks.manage`.
   *
   * Errors of its own: `insecure_url`, `webhook_limit_reached`, `webhook_url_not_allowed`.
   */
  create(params: WebhooksCreateRequest, options?: CallOptions): Call<WebhookSecretReply> {
    return this.transport.call('webhooks.create', 'POST', '/v1/webhooks', 15, params, options)
  }

  /**
   * List event types.
   *
   * Works only while the service `webhooks` is on.
   *
   * GET /v1/webhooks/event-types
   *
   * Scope: `webhooks.read`.
   */
  listEventTypes(params?: WebhooksListEventTypesParams, options?: CallOptions): Call<WebhooksListEventTypesReply> {
    return this.transport.call('webhooks.listEventTypes', 'GET', '/v1/webhooks/event-types', 9, params, options)
  }

  /**
   * Read a webhook.
   *
   * Works only while the service `webhooks` is on.
   *
   * GET /v1/webhooks/{webhookId}
   *
   * Scope: `webhooks.read`.
   *
   * Errors of its own: `sub_org_conflict`, `webhook_not_found`.
   */
  get(webhookId: string, params?: WebhooksGetParams, options?: CallOptions): Call<WebhooksGetReply> {
    return this.transport.call('webhooks.get', 'GET', path`/v1/webhooks/${webhookId}`, 9, params, options)
  }

  /**
   * Change a webhook.
   *
   * Works only while the service `webhooks` is on.
   *
   * Events: `webhook.updated`.
   *
   * PATCH /v1/webhooks/{webhookId}
   *
   * Scope: `webhooks.manage`.
   *
   * Errors of its own: `insecure_url`, `webhook_not_found`, `version_conflict`, `webhook_url_not_allowed`.
   */
  update(webhookId: string, params: WebhooksUpdateRequest, options?: CallOptions): Call<WebhookReply> {
    return this.transport.call('webhooks.update', 'PATCH', path`/v1/webhooks/${webhookId}`, 15, params, options)
  }

  /**
   * Delete a webhook.
   *
   * Works only while the service `webhooks` is on.
   *
   * Events: `webhook.deleted`.
   *
   * DELETE /v1/webhooks/{webhookId}
   *
   * Scope: `webhooks.manage`.
   *
   * Errors of its own: `webhook_not_found`, `version_conflict`.
   */
  delete(webhookId: string, params?: WebhooksDeleteParams, options?: CallOptions): Call<Success> {
    return this.transport.call('webhooks.delete', 'DELETE', path`/v1/webhooks/${webhookId}`, 11, params, options)
  }

  /**
   * Rotate a webhook secret.
   *
   * Works only while the service `webhooks` is on.
   *
   * Events: `webhook.secret_rotated`.
   *
   * POST /v1/webhooks/{webhookId}/rotate-secret
   *
   * Scope: `webhooks.manage`.
   *
   * Errors of its own: `webhook_not_found`.
   */
  rotateSecret(webhookId: string, params?: WebhooksRotateSecretRequest, options?: CallOptions): Call<WebhookSecretReply> {
    return this.transport.call('webhooks.rotateSecret', 'POST', path`/v1/webhooks/${webhookId}/rotate-secret`, 15, params, options)
  }

  /**
   * Test a webhook.
   *
   * Sends the event `webhook.test` immediately, without retries. At most 60 tests an hour.
   *
   * Works only while the service `webhooks` is on.
   *
   * Events: `webhook.test`.
   *
   * POST /v1/webhooks/{webhookId}/test
   *
   * Scope: `webhooks.manage`.
   *
   * Errors of its own: `webhook_not_found`.
   */
  test(webhookId: string, params?: WebhooksTestRequest, options?: CallOptions): Call<WebhookDeliveryReply> {
    return this.transport.call('webhooks.test', 'POST', path`/v1/webhooks/${webhookId}/test`, 12, params, options)
  }

  /**
   * Replay events.
   *
   * Sends the events since `from` again, with the same ids. `from` can be at most 30 days ago. At most 10 replays an
   * hour.
   *
   * Works only while the service `webhooks` is on.
   *
   * POST /v1/webhooks/{webhookId}/replay
   *
   * Scope: `webhooks.manage`.
   *
   * Errors of its own: `webhook_not_found`, `webhook_disabled`.
   */
  replayEvents(webhookId: string, params: WebhooksReplayEventsRequest, options?: CallOptions): Call<Success> {
    return this.transport.call('webhooks.replayEvents', 'POST', path`/v1/webhooks/${webhookId}/replay`, 15, params, options)
  }

  /**
   * Resend a delivery.
   *
   * Works only while the service `webhooks` is on.
   *
   * POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend
   *
   * Scope: `webhooks.manage`.
   *
   * Errors of its own: `delivery_not_found`, `webhook_not_found`, `webhook_disabled`.
   */
  resendDelivery(webhookId: string, deliveryId: string, params?: WebhooksResendDeliveryRequest, options?: CallOptions): Call<Success> {
    return this.transport.call('webhooks.resendDelivery', 'POST', path`/v1/webhooks/${webhookId}/deliveries/${deliveryId}/resend`, 15, params, options)
  }
}

/** Every operation of the API, by namespace. */
export class Operations extends Namespace {
  readonly adminPortal = new AdminPortalApi(this.transport)
  readonly apiKeys = new ApiKeysApi(this.transport)
  readonly audit = new AuditApi(this.transport)
  readonly auth = new AuthApi(this.transport)
  readonly connections = new ConnectionsApi(this.transport)
  readonly discovery = new DiscoveryApi(this.transport)
  readonly docs = new DocsApi(this.transport)
  readonly domains = new DomainsApi(this.transport)
  readonly environments = new EnvironmentsApi(this.transport)
  readonly events = new EventsApi(this.transport)
  readonly health = new HealthApi(this.transport)
  readonly invites = new InvitesApi(this.transport)
  readonly login = new LoginApi(this.transport)
  readonly mail = new MailApi(this.transport)
  readonly me = new MeApi(this.transport)
  readonly members = new MembersApi(this.transport)
  readonly mfa = new MfaApi(this.transport)
  readonly oidc = new OidcApi(this.transport)
  readonly organizations = new OrganizationsApi(this.transport)
  readonly otp = new OtpApi(this.transport)
  readonly pages = new PagesApi(this.transport)
  readonly passkeys = new PasskeysApi(this.transport)
  readonly passwordReset = new PasswordResetApi(this.transport)
  readonly roles = new RolesApi(this.transport)
  readonly saml = new SamlApi(this.transport)
  readonly scim = new ScimApi(this.transport)
  readonly services = new ServicesApi(this.transport)
  readonly sessions = new SessionsApi(this.transport)
  readonly signup = new SignupApi(this.transport)
  readonly social = new SocialApi(this.transport)
  readonly sso = new SsoApi(this.transport)
  readonly tokens = new TokensApi(this.transport)
  readonly users = new UsersApi(this.transport)
  readonly webhooks = new WebhooksApi(this.transport)
}

/** The namespaces with operations that a user calls with an access token. */
export type UserOperations = Pick<Operations, 'me'>

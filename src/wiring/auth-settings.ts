import type { TProperties } from 'typebox'
import { claimSettings } from '../features/access/claims/token-settings.ts'
import { doorSettings } from '../features/access/login/login.ts'
import { trustedDeviceSettings } from '../features/access/mfa/mfa.ts'
import { redirectSettings } from '../features/access/redirects/settings.ts'
import { sessionSettings } from '../features/access/sessions/sessions.ts'
import { enforcementSettings } from '../features/federation/sso/sso.ts'
import { discoverySettings } from '../features/front/discovery/settings.ts'
import { tokenSettings } from '../features/oauth/tokens/settings.ts'
import { provisioningSettings } from '../features/provisioning/scim/settings.ts'
import { deviceSettings } from '../features/sign-in/devices/settings.ts'
import { emailVerificationSettings } from '../features/sign-in/email-verification/email-verification.ts'
import { impersonationSettings } from '../features/sign-in/impersonation/settings.ts'
import { inviteSettings } from '../features/sign-in/invites/settings.ts'
import { linkSettings } from '../features/sign-in/links/links.ts'
import { lockoutSettings } from '../features/sign-in/lockout/lockout.ts'
import { passwordSettings } from '../features/sign-in/password/settings.ts'
import { phoneCodeSettings } from '../features/sign-in/phone-codes/settings.ts'
import { signupSettings } from '../features/sign-in/signup/settings.ts'
import { joinSettings, type SettingsPart, settingsFamily } from '../platform/settings/settings.ts'

/** The parts of `/v1/auth/settings` that the sign-in feature folders define, in the order of the contract. */
export const parts: readonly SettingsPart<TProperties>[] = [
  doorSettings,
  signupSettings,
  passwordSettings,
  lockoutSettings,
  linkSettings,
  redirectSettings,
  phoneCodeSettings,
  emailVerificationSettings,
  inviteSettings,
  sessionSettings,
  tokenSettings,
  claimSettings,
  trustedDeviceSettings,
  deviceSettings,
  enforcementSettings,
  impersonationSettings,
  discoverySettings,
  provisioningSettings,
]

/** The family of these parts. */
export const authSettingsFamily = settingsFamily(
  'The sign-in, sign-up and session settings of an organization, or the defaults of its environment, were changed.',
  parts.reduce((whole, part) => joinSettings(whole, part)),
)

import type { TProperties } from 'typebox'
import { deviceSettings } from './features/devices/settings.ts'
import { discoverySettings } from './features/discovery/settings.ts'
import { emailVerificationSettings } from './features/email-verification/email-verification.ts'
import { impersonationSettings } from './features/impersonation/settings.ts'
import { inviteSettings } from './features/invites/settings.ts'
import { linkSettings } from './features/links/links.ts'
import { lockoutSettings } from './features/lockout/lockout.ts'
import { doorSettings } from './features/login/login.ts'
import { trustedDeviceSettings } from './features/mfa/mfa.ts'
import { passwordSettings } from './features/password/password.ts'
import { phoneCodeSettings } from './features/phone-codes/settings.ts'
import { claimSettings, sessionSettings } from './features/sessions/sessions.ts'
import { signupSettings } from './features/signup/settings.ts'
import { enforcementSettings } from './features/sso/sso.ts'
import { tokenSettings } from './features/tokens/settings.ts'
import { joinSettings, type SettingsPart, settingsFamily } from './platform/settings.ts'

/** What the nouns of sign-in bring to `/v1/auth/settings`, in the order of the contract. */
export const parts: readonly SettingsPart<TProperties>[] = [
  doorSettings,
  signupSettings,
  passwordSettings,
  lockoutSettings,
  linkSettings,
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
]

/** The family that they make. */
export const authSettingsFamily = settingsFamily(
  'The sign-in, sign-up and session settings of an organization, or the defaults of its environment, were changed.',
  parts.reduce((whole, part) => joinSettings(whole, part)),
)

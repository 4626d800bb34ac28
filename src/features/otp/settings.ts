import { type Static, Type } from 'typebox'
import type { Directory } from '../../platform/http/directory.ts'
import type { Platform } from '../../platform/platform.ts'
import { defineSettings } from '../../platform/settings.ts'

export const Settings = Type.Object({
  mode: Type.Enum(['phrase', 'digit', 'both'], { description: 'Two words, six digits, or both: either one passes.' }),
  ttl_seconds: Type.Integer({ minimum: 30, maximum: 3600, description: 'Life of a code where the caller names none.' }),
  channel_sms: Type.Boolean({ description: 'Codes may leave by SMS.' }),
  channel_email: Type.Boolean({ description: 'Codes may leave by e-mail.' }),
  max_attempts: Type.Integer({ minimum: 1, maximum: 10, description: 'Wrong guesses until a code is dead.' }),
  resend_interval_seconds: Type.Integer({
    minimum: 0,
    maximum: 600,
    description: 'Asked again within this time, sign-in sends no second mail while the first code is unspent.',
  }),
  rate_limit_per_minute: Type.Integer({ minimum: 1, maximum: 60, description: 'Codes sent to one address.' }),
  rate_limit_per_hour: Type.Integer({ minimum: 1, maximum: 600, description: 'Codes sent to one address.' }),
})

export type OtpSettings = Static<typeof Settings>

export const settingsFamily = defineSettings('otp_settings', Settings, {
  mode: 'phrase',
  ttl_seconds: 300,
  channel_sms: false,
  channel_email: true,
  max_attempts: 5,
  resend_interval_seconds: 30,
  rate_limit_per_minute: 3,
  rate_limit_per_hour: 10,
})

/** The settings in force in a directory: its own, then those of the account-level directory, then the defaults. */
export async function otpSettings(platform: Platform, directory: Directory): Promise<OtpSettings> {
  return settingsFamily.effective(platform, directory)
}

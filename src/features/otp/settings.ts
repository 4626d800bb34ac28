import { type Static, Type } from 'typebox'
import type { SendCeilings } from '../../platform/http/rate-limit.ts'
import { defineSettings } from '../../platform/settings.ts'
import { COUNTRIES } from '../../platform/sms/phone.ts'
import type { Work } from '../../platform/work.ts'

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
  rate_limit_per_minute: Type.Integer({ minimum: 1, maximum: 60, description: 'Codes sent to one address or number.' }),
  rate_limit_per_hour: Type.Integer({ minimum: 1, maximum: 600, description: 'Codes sent to one address or number.' }),
  sms_allowed_countries: Type.Array(
    Type.String({ pattern: `^(${COUNTRIES.join('|')})$`, 'x-form': 'a country of ISO 3166-1 such as US' }),
    { uniqueItems: true, maxItems: COUNTRIES.length, description: 'Where codes may go by SMS. Empty: nowhere.' },
  ),
  sms_daily_limit: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: 'Codes sent by SMS a day, to all numbers. Beyond it they are answered and not sent.',
  }),
  send_limit_per_hour_organization: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Messages an hour to all addresses.',
  }),
  send_limit_per_hour_key: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Messages an hour that one API key may cause, over all organizations.',
  }),
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
  sms_allowed_countries: [],
  sms_daily_limit: 100,
  send_limit_per_hour_organization: 10_000,
  send_limit_per_hour_key: 50_000,
})

/** The settings in force in a directory: its own, then those of the account-level directory, then the defaults. */
export async function otpSettings(work: Pick<Work, 'platform' | 'directory'>): Promise<OtpSettings> {
  return settingsFamily.effective(work)
}

/** What an organization and an API key may send in an hour, for countSend. */
export function sendCeilings(settings: OtpSettings): SendCeilings {
  return {
    perOrganizationHour: settings.send_limit_per_hour_organization,
    perKeyHour: settings.send_limit_per_hour_key,
  }
}

import { type Static, Type } from 'typebox'
import type { SendCeilings } from '../../../platform/limits/send-limit.ts'
import { named } from '../../../platform/schema.ts'
import { defineSettings } from '../../../platform/settings/settings.ts'
import type { SmsLimits } from '../../../platform/sms/limits.ts'
import { COUNTRIES, Country } from '../../../platform/sms/phone.ts'
import type { Work } from '../../../platform/work.ts'
import { loginErrors } from '../../access/login/login.ts'

export const Settings = named(
  'OtpSettings',
  Type.Object(
    {
      mode: Type.Enum(['phrase', 'digit', 'both'], {
        description: 'The form of codes: two words, six digits, or both. With `both`, either form is accepted.',
      }),
      ttl_seconds: Type.Integer({
        minimum: 30,
        maximum: 3600,
        description: 'Lifetime of a code in seconds, unless the request sets another lifetime.',
      }),
      channel_sms: Type.Boolean({ description: 'Whether codes may be sent by SMS.' }),
      channel_email: Type.Boolean({ description: 'Whether codes may be sent by email.' }),
      max_attempts: Type.Integer({
        minimum: 1,
        maximum: 10,
        description: 'Number of wrong attempts after which a code becomes invalid.',
      }),
      resend_interval_seconds: Type.Integer({
        minimum: 0,
        maximum: 600,
        description: 'Seconds in which sign-in sends no second email if the first code is still unused.',
      }),
      rate_limit_per_minute: Type.Integer({
        minimum: 1,
        maximum: 60,
        description: 'Maximum number of codes sent to one address or phone number per minute.',
      }),
      rate_limit_per_hour: Type.Integer({
        minimum: 1,
        maximum: 600,
        description: 'Maximum number of codes sent to one address or phone number per hour.',
      }),
      sms_allowed_countries: Type.Array(Country, {
        uniqueItems: true,
        maxItems: COUNTRIES.length,
        description: 'Countries that codes may be sent to by SMS. Empty: none.',
      }),
      sms_daily_limit: Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description:
          'Maximum number of codes sent by SMS per day, to all numbers together. Above the limit, codes are created but not sent.',
      }),
      send_limit_per_hour_organization: Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Maximum number of messages per hour, to all addresses together.',
      }),
      send_limit_per_hour_key: Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'Maximum number of messages per hour that one API key or team member can cause, in all organizations together.',
      }),
      send_limit_per_hour_network: Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Maximum number of codes and links per hour for one network, if X-End-User-IP is sent.',
      }),
    },
    { description: 'How one-time codes look, how long they are valid and how many may be sent.' },
  ),
)

export type OtpSettings = Static<typeof Settings>

export const defaultOtpSettings: OtpSettings = {
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
  send_limit_per_hour_network: 1000,
}

export const settingsFamily = defineSettings(
  'otp_settings',
  'The code settings of an organization, or the defaults of its environment, were changed.',
  Settings,
  defaultOtpSettings,
)

/** The body of a change. */
export const SettingsPatch = named('OtpSettingsPatch', Type.Object(settingsFamily.patchBody))

/** The settings in force in a directory: its own, then those of the account-level directory, then the defaults. */
export const otpSettings = (work: Pick<Work, 'platform' | 'directory'>) => settingsFamily.effective(work)

/** Returns the settings if codes may be mailed. Throws `method_disabled` otherwise. */
export async function mailedCodeSettings(work: Work): Promise<OtpSettings> {
  const settings = await otpSettings(work)
  if (settings.channel_email) return settings
  throw loginErrors.methodDisabled({ detail: 'Codes by email are turned off in this organization.' })
}

/** How many messages an organization, an API key and a network of end users may cause per hour, for `countSend`. */
export function toSendCeilings(settings: OtpSettings): SendCeilings {
  return {
    perOrganizationHour: settings.send_limit_per_hour_organization,
    perKeyHour: settings.send_limit_per_hour_key,
    perNetworkHour: settings.send_limit_per_hour_network,
  }
}

/**
 * How often a sign-in may send a code to an address, and how often the generator may send one to an address or a
 * number.
 */
export function sendLimits(settings: OtpSettings, by: 'send' | 'generate' = 'send') {
  return [
    { bucket: `otp.${by}.minute`, limit: settings.rate_limit_per_minute, windowSeconds: 60 },
    { bucket: `otp.${by}.hour`, limit: settings.rate_limit_per_hour, windowSeconds: 3600 },
  ]
}

/**
 * The countries that text messages may go to, and their limits. A number has one limit, the generator's, for messages
 * of all purposes.
 */
export function toSmsLimits(settings: OtpSettings): SmsLimits {
  return {
    countries: settings.sms_allowed_countries,
    perDay: settings.sms_daily_limit,
    ofNumber: sendLimits(settings, 'generate'),
    ceilings: toSendCeilings(settings),
  }
}

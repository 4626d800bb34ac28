import { Type } from 'typebox'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { showRate } from '../../../platform/limits/rate-limit.ts'
import { Email } from '../../../platform/mail/address.ts'
import { settingsRoutes } from '../../../platform/settings/settings-routes.ts'
import type { Work } from '../../../platform/work.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { otpErrors } from './errors.ts'
import { otpEvents, sendCodeEvents } from './events.ts'
import { generateOtp, validateOtp } from './generator/generator.ts'
import {
  GenerateBody,
  Otp,
  OtpValidation,
  SentCodeReply,
  SettingsQuery,
  SettingsReply,
  toSentCode,
  ValidateBody,
} from './schema.ts'
import { defaultOtpSettings, otpSettings, SettingsPatch, settingsFamily } from './settings.ts'
import { otpMethod, type SentCode, sendSignInCode } from './sign-in-codes/sign-in-codes.ts'
import { verifyCodeAs, verifyCodeRoute } from './verify-route.ts'

const tag = 'OTP'

const id = '0198b6f2-4503-7b31-88cc-4c599ba00e1e'
// A composed example would show the minimum of every field.
const settings = { ...defaultOtpSettings, ttl_seconds: 600 }

const generatorRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/otp/generate',
    operation: 'otp.generate',
    idempotency: false,
    aliases: ['/v1/generate'],
    scope: 'any key',
    service: 'otp',
    directory: 'one-or-account',
    tag,
    summary: 'Create a one-time code',
    description:
      'Returns the code, and also sends it if the request has an email address or a phone number. A message that exceeds a sending limit is withheld, and `delivery` says why. A code works once. These codes cannot be used to sign in, because sign-in has its own codes.',
    body: GenerateBody,
    reply: Otp,
    maybeEvents: [otpEvents.sent],
    examples: { body: { email: 'ada@acme.example' } },
    handle: (work, { body }) => generateOtp(work, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/otp/validate',
    operation: 'otp.validate',
    idempotency: false,
    aliases: ['/v1/validate'],
    scope: 'any key',
    service: 'otp',
    directory: 'one-or-account',
    tag,
    summary: 'Validate and consume a one-time code',
    description:
      'A wrong code is not an error: the response is 200 with valid false and a message. With only session_id, the code is compared with the newest code of that session, and with a withheld code only if there is no other. A code becomes invalid after `max_attempts` wrong attempts. After 20 wrong attempts in an hour or 40 in a day, all codes of the session or address become invalid. For codes with digits, the daily limit is 10.',
    body: ValidateBody,
    reply: OtpValidation,
    errors: [otpErrors.referenceRequired],
    examples: { body: { code: 'amber falcon', otp_id: id }, reply: { valid: true } },
    handle: (work, { body }) => validateOtp(work, body),
  }),
  ...settingsRoutes(settingsFamily, {
    tag,
    noun: 'otp',
    scopes: { read: 'otp.settings.read', write: 'otp.settings.write' },
    get: {
      path: '/v1/otp/settings',
      summary: 'Read one-time code settings',
      description:
        'Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its environment inherit.',
      query: SettingsQuery,
      reply: SettingsReply,
    },
    update: { path: '/v1/otp/settings', summary: 'Change one-time code settings' },
    updateDefaults: {
      path: '/v1/otp/settings/defaults',
      summary: 'Change the default one-time code settings',
      description:
        'Requires an org-wide key (not limited to one organization). Codes that are created without subOrgId use these settings. null resets a field to the default of the service.',
    },
    body: SettingsPatch,
    reply: SettingsReply,
    examples: { body: { ttl_seconds: 600 }, reply: { settings }, sources: { ttl_seconds: 'directory' } },
    read: async (work) => ({ settings: await otpSettings(work) }),
    change: async (work, patch) => ({ settings: await settingsFamily.update(work, patch) }),
  }),
]

type SendBySms = (work: Work, email: string) => Promise<SentCode>

function sendRoute(sendBySms: SendBySms): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/auth/login/otp/send',
    team: true,
    operation: 'login.otp.send',
    scope: 'auth.login',
    service: 'otp',
    tag: 'Authentication',
    summary: 'Send a sign-in code',
    description:
      'Mails two words to the address if it belongs to a user of the organization. The response is the same for unknown addresses. A second call within resend_interval_seconds sends no second email, and the first code stays valid.',
    body: Type.Object({
      email: Email,
      channel: Type.Optional(
        Type.Enum(['email', 'sms'], {
          default: 'email',
          description: '`sms` sends the code to the enrolled phone of the user, if sms_sign_in_enabled is on.',
        }),
      ),
    }),
    reply: SentCodeReply,
    errors: doorRoutes.sendErrors,
    maybeEvents: sendCodeEvents,
    handle: async (work, { body }) => {
      const send = { purpose: 'login' as const, email: body.email, provision: null }
      const sent = body.channel === 'sms' ? sendBySms(work, body.email) : sendSignInCode(work, send)
      return toSentCode(showRate(work, await sent))
    },
  })
}

const verifyRoute = defineRoute({
  method: 'POST',
  path: '/v1/auth/login/otp/verify',
  team: true,
  operation: 'login.otp.verify',
  scope: 'auth.login',
  takesDevice: true,
  tag: 'Authentication',
  summary: 'Sign in with a mailed code',
  ...verifyCodeRoute,
  handle: verifyCodeAs({ purpose: 'login', methodOfPending: otpMethod }),
})

/** `sendBySms` sends the code to the enrolled phone of the user of an address. */
export const otpRoutes = (sendBySms: SendBySms): Route[] => [...generatorRoutes, sendRoute(sendBySms), verifyRoute]

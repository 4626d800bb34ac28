import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { accountDefaults } from '../../platform/settings.ts'
import { otpErrors } from './errors.ts'
import { generateOtp, validateOtp } from './generator.ts'
import { GenerateBody, GeneratedOtp, SettingsQuery, SettingsReply, ValidateBody, Validation } from './schema.ts'
import { otpSettings, settingsFamily } from './settings.ts'

const tag = 'OTP'

export const otpRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/otp/generate',
    aliases: ['/v1/generate'],
    scope: 'any key',
    service: 'otp',
    directory: 'one-or-account',
    tag,
    summary: 'Make a one-time code',
    description:
      'Answers the code, and sends it where an address or a phone is given and the channel is on; the answer is the ' +
      'same whether it was delivered or not. A code passes once, and signs nobody in: sign-in has codes of its own.',
    body: GenerateBody,
    reply: GeneratedOtp,
    maybeEvents: ['auth.otp.sent'],
    secretReply: true,
    handle: (work, { body }) => generateOtp(work, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/otp/validate',
    aliases: ['/v1/validate'],
    scope: 'any key',
    service: 'otp',
    directory: 'one-or-account',
    tag,
    summary: 'Validate a one-time code and use it up',
    description:
      'A wrong code is no error: the answer is 200 with valid false and a message. With session_id alone the newest ' +
      'code of that session counts. Wrong guesses end a code (settings: max_attempts); twenty within an hour, or ' +
      'forty within a day (ten where digits pass), end those of a session or an address.',
    body: ValidateBody,
    reply: Validation,
    errors: [otpErrors.referenceRequired],
    secretReply: true,
    handle: (work, { body }) => validateOtp(work, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/otp/settings',
    scope: 'otp.settings.read',
    tag,
    summary: 'Read the settings of one-time codes',
    description: 'Without subOrgId an org-wide key reads what its environment’s organizations inherit.',
    query: SettingsQuery,
    reply: SettingsReply,
    handle: async (work, { query }) => ({
      settings: await otpSettings(work),
      ...(query.effective ? { sources: await settingsFamily.sources(work) } : {}),
    }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/otp/settings',
    scope: 'otp.settings.write',
    tag,
    summary: 'Change the settings of one-time codes',
    description: 'null returns a field to the inherited value.',
    body: Type.Object(settingsFamily.patchBody),
    reply: SettingsReply,
    event: 'otp.settings.updated',
    handle: async (work, { body }) => ({ settings: await settingsFamily.update(work, body) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/otp/settings/defaults',
    scope: 'otp.settings.write',
    directory: 'account',
    tag,
    summary: 'Change the defaults of one-time codes that the environment’s organizations inherit',
    description:
      'For org-wide keys; also what the generator uses without subOrgId. null returns a field to the default.',
    body: Type.Object(settingsFamily.patchBody),
    reply: SettingsReply,
    event: 'otp.settings.updated',
    handle: async (work, { body }) => {
      const { directory } = accountDefaults(work.directory)
      return { settings: await settingsFamily.update({ ...work, directory }, body) }
    },
  }),
]

import { type TStringOptions, Type } from 'typebox'
import { Settings } from './settings.ts'

const optionalText = (options: TStringOptions) => Type.Optional(Type.Union([Type.String(options), Type.Null()]))

const sessionId = optionalText({
  minLength: 1,
  maxLength: 255,
  description: 'Your own name for what the code belongs to. A newer code of the same session_id voids the older.',
})

export const GenerateBody = Type.Object({
  session_id: sessionId,
  ttl_seconds: Type.Optional(Type.Integer({ minimum: 30, maximum: 3600, description: 'Default: by the settings.' })),
  email: optionalText({ maxLength: 320, description: 'Sends the code there. A newer code for it voids the older.' }),
  phone: optionalText({
    pattern: '^\\+[1-9](?:[ ().-]{0,2}[0-9]){6,14}$',
    'x-form': 'a phone number in international form, such as +14155550123',
    description:
      'International form (E.164). Sends the code there by SMS, where that is on and the country allowed. A newer ' +
      'code for it voids the older.',
  }),
})

export const GeneratedOtp = Type.Object({
  otp_id: Type.String({ format: 'uuid' }),
  code: Type.String({ description: 'Two words; in mode digit six digits.' }),
  session_id: Type.Union([Type.String(), Type.Null()]),
  expires_at: Type.String({ format: 'date-time' }),
  digit_code: Type.Optional(Type.String({ description: 'In mode both: six digits that pass as well.' })),
})

export const ValidateBody = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 200, description: 'Any case; space, hyphen or underscore between.' }),
  otp_id: optionalText({ minLength: 1, maxLength: 255 }),
  session_id: sessionId,
})

export const Validation = Type.Object({
  valid: Type.Boolean(),
  message: Type.Optional(Type.String({ description: 'Why not, for people.' })),
})

export const SettingsQuery = Type.Object({
  effective: Type.Optional(
    Type.Boolean({ default: false, description: 'Adds `sources`: where each value comes from.' }),
  ),
})

export const SettingsReply = Type.Object({
  settings: Settings,
  sources: Type.Optional(Type.Record(Type.String(), Type.Enum(['default', 'account', 'directory']))),
})

import { type Static, type TStringOptions, Type } from 'typebox'
import { Email } from '../../../platform/mail/address.ts'
import { DeliveryState } from '../../../platform/outbox/delivery-state.ts'
import { described, named, nullable } from '../../../platform/schema.ts'
import { SettingsSources } from '../../../platform/settings/settings.ts'
import { Settings } from './settings.ts'
import type { SentCode } from './sign-in-codes/sign-in-codes.ts'

const optionalText = (options: TStringOptions) => Type.Optional(nullable(Type.String(options)))

const sessionId = optionalText({
  minLength: 1,
  maxLength: 255,
  description:
    'Your own name for what the code belongs to. A newer code with the same session_id voids the older one, unless it is withheld.',
  examples: ['checkout-4711'],
})

export const GenerateBody = Type.Object({
  session_id: sessionId,
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 30,
      maximum: 3600,
      description: 'Lifetime of the code, in seconds. Default: the setting `ttl_seconds`.',
    }),
  ),
  email: optionalText({
    maxLength: 320,
    description: 'Sends the code there. A newer code that is sent to it voids the older one.',
    examples: ['ada@acme.example'],
  }),
  phone: optionalText({
    pattern: '^\\+[1-9](?:[ ().-]{0,2}[0-9]){6,14}$',
    'x-form': 'a phone number in international form, such as +14155550123',
    description:
      'International form (E.164). Sends the code there by SMS, if that is on and the country allowed. A newer code ' +
      'that is sent to it voids the older one.',
    examples: ['+14155550123'],
  }),
})

export const Otp = named(
  'Otp',
  Type.Object(
    {
      otp_id: Type.String({ description: 'Identifies the code: send it back when you validate.', format: 'uuid' }),
      code: Type.String({ description: 'Two words; in mode digit six digits.', examples: ['amber falcon'] }),
      session_id: nullable(
        Type.String({ examples: ['checkout-4711'] }),
        'Your own name for the code, as sent. Null: none.',
      ),
      expires_at: Type.String({ format: 'date-time' }),
      delivery: nullable(DeliveryState, 'What became of the message; null if none was asked for.'),
      digit_code: Type.Optional(
        Type.String({ description: 'In mode both: six digits that also pass.', examples: ['204981'] }),
      ),
    },
    { description: 'The code, shown only here.' },
  ),
)

export const ValidateBody = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'In any case, joined by a space, hyphen or underscore.',
    examples: ['amber falcon'],
  }),
  otp_id: described(
    optionalText({ minLength: 1, maxLength: 255, examples: ['0198b6f2-4503-7b31-88cc-4c599ba00e1e'] }),
    'The code to validate, from the response that made it. Or send `session_id`.',
  ),
  session_id: sessionId,
})

export const OtpValidation = named(
  'OtpValidation',
  Type.Object(
    {
      valid: Type.Boolean({ description: 'Whether the code was right and unused. It is consumed then.' }),
      message: Type.Optional(
        Type.String({ description: 'Why not, in English. Only if `valid` is false.', examples: ['Invalid code'] }),
      ),
    },
    { description: 'Whether the code was right.' },
  ),
)

export const SettingsQuery = Type.Object({
  effective: Type.Optional(
    Type.Boolean({ default: false, description: 'Adds `sources`: where each value comes from.' }),
  ),
})

export const SettingsReply = named(
  'OtpSettingsReply',
  Type.Object({ settings: Settings, sources: Type.Optional(SettingsSources) }),
)

/** The response to a request for a code: the same whether or not anyone has the address. */
export const SentCodeReply = named(
  'SentCode',
  Type.Object(
    {
      otp_id: Type.String({
        description: 'Identifies the code: send it back with the code that the user enters.',
        format: 'uuid',
      }),
      expires_at: Type.String({ format: 'date-time' }),
      delivery_hint: Type.String({
        description: 'The address as it was typed, masked; by SMS the same for everybody.',
        examples: ['a•••@acme.example'],
      }),
      delivery_method: Type.String({ description: '`email` or `sms`.', examples: ['email'] }),
    },
    { description: 'Which code was asked for: the same answer whether or not one was sent.' },
  ),
)

export function toSentCode(sent: SentCode): Static<typeof SentCodeReply> {
  return {
    otp_id: sent.otpId,
    expires_at: sent.expiresAt.toISOString(),
    delivery_hint: sent.deliveryHint,
    delivery_method: sent.channel ?? 'email',
  }
}

export const VerifyCodeBody = named(
  'PresentedCode',
  Type.Object({
    email: Email,
    otp_id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'From the response of the send route.',
      examples: ['0198b6f2-4503-7b31-88cc-4c599ba00e1e'],
    }),
    code: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The word pair, in any case, joined by a space, hyphen or underscore.',
      examples: ['amber falcon'],
    }),
  }),
)

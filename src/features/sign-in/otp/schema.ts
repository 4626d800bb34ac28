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
    'Your reference for what the code belongs to. A newer code with the same session_id voids the older one, unless the newer one is withheld.',
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
    description: 'Address that the code is sent to. A newer code sent there voids the older one.',
    examples: ['ada@acme.example'],
  }),
  phone: optionalText({
    pattern: '^\\+[1-9](?:[ ().-]{0,2}[0-9]){6,14}$',
    'x-form': 'a phone number in international form, such as +14155550123',
    description:
      'Phone number (E.164) that the code is sent to by SMS, if SMS is on and the country is allowed. A newer code sent there voids the older one.',
    examples: ['+14155550123'],
  }),
})

export const Otp = named(
  'Otp',
  Type.Object(
    {
      otp_id: Type.String({ description: 'Identifies the code. Send it when you validate.', format: 'uuid' }),
      code: Type.String({ description: 'Two words, or six digits in the mode `digit`.', examples: ['amber falcon'] }),
      session_id: nullable(
        Type.String({ examples: ['checkout-4711'] }),
        'Your reference for the code, as sent. Null: none.',
      ),
      expires_at: Type.String({ format: 'date-time' }),
      delivery: nullable(DeliveryState, 'Delivery of the message. Null if none was requested.'),
      digit_code: Type.Optional(
        Type.String({ description: 'Six digits that also pass, in the mode `both`.', examples: ['204981'] }),
      ),
    },
    { description: 'The code, shown only here.' },
  ),
)

export const ValidateBody = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The code. Words may be in any case, joined by a space, hyphen or underscore.',
    examples: ['amber falcon'],
  }),
  otp_id: described(
    optionalText({ minLength: 1, maxLength: 255, examples: ['0198b6f2-4503-7b31-88cc-4c599ba00e1e'] }),
    '`otp_id` of the response that created the code. Or send `session_id`.',
  ),
  session_id: sessionId,
})

export const OtpValidation = named(
  'OtpValidation',
  Type.Object(
    {
      valid: Type.Boolean({ description: 'Whether the code was correct and unused. A valid code is consumed.' }),
      message: Type.Optional(
        Type.String({
          description: 'Why the code is not valid, in English. Only if `valid` is false.',
          examples: ['Invalid code'],
        }),
      ),
    },
    { description: 'Whether the code was correct.' },
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

/** The response to a request for a code, which does not depend on whether the address has a user. */
export const SentCodeReply = named(
  'SentCode',
  Type.Object(
    {
      otp_id: Type.String({
        description: 'Identifies the code. Send it with the code that the user enters.',
        format: 'uuid',
      }),
      expires_at: Type.String({ format: 'date-time' }),
      delivery_hint: Type.String({
        description: 'The address in the request, masked. With SMS, the same value for all users.',
        examples: ['a•••@acme.example'],
      }),
      delivery_method: Type.String({ description: '`email` or `sms`.', examples: ['email'] }),
    },
    { description: 'The code that was requested. The same response whether or not a code was sent.' },
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
      description: '`otp_id` of the response of the send route.',
      examples: ['0198b6f2-4503-7b31-88cc-4c599ba00e1e'],
    }),
    code: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The two words in any case, joined by a space, hyphen or underscore.',
      examples: ['amber falcon'],
    }),
  }),
)

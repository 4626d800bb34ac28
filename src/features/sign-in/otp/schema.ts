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
    'Your own reference for what the code is for. A newer code with the same session_id voids the older code, unless the message of the newer code is withheld.',
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
    description: 'Email address that the code is sent to. A newer code to the same address voids the older code.',
    examples: ['ada@acme.example'],
  }),
  phone: optionalText({
    pattern: '^\\+[1-9](?:[ ().-]{0,2}[0-9]){6,14}$',
    'x-form': 'a phone number in international form, such as +14155550123',
    description:
      'Phone number (E.164) that the code is sent to by SMS, if SMS is on and the country is allowed. A newer code to the same number voids the older code.',
    examples: ['+14155550123'],
  }),
})

export const Otp = named(
  'Otp',
  Type.Object(
    {
      otp_id: Type.String({ description: 'Id of the code. Send it when you validate the code.', format: 'uuid' }),
      code: Type.String({
        description: 'The code: two words, or six digits if the mode is `digit`.',
        examples: ['amber falcon'],
      }),
      session_id: nullable(
        Type.String({ examples: ['checkout-4711'] }),
        'Your reference for the code, as sent. Null: none.',
      ),
      expires_at: Type.String({ format: 'date-time' }),
      delivery: nullable(DeliveryState, 'Delivery of the message. Null: no message was requested.'),
      digit_code: Type.Optional(
        Type.String({
          description: 'Six digits that are accepted instead of the words. Only if the mode is `both`.',
          examples: ['204981'],
        }),
      ),
    },
    { description: 'The code, which is shown only in this response.' },
  ),
)

export const ValidateBody = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The code. Words may be joined by a space, hyphen or underscore. Case does not matter.',
    examples: ['amber falcon'],
  }),
  otp_id: described(
    optionalText({ minLength: 1, maxLength: 255, examples: ['0198b6f2-4503-7b31-88cc-4c599ba00e1e'] }),
    '`otp_id` in the response that created the code. Alternatively, send `session_id`.',
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
        description: 'Id of the code. Send it together with the code that the user enters.',
        format: 'uuid',
      }),
      expires_at: Type.String({ format: 'date-time' }),
      delivery_hint: Type.String({
        description: 'The email address in the request, masked. For SMS, this is the same value for all users.',
        examples: ['a•••@acme.example'],
      }),
      delivery_method: Type.String({ description: '`email` or `sms`.', examples: ['email'] }),
    },
    {
      description:
        'The id of the requested code and where it was sent. The response is the same whether or not a code was sent.',
    },
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
      description: 'The two words of the code, joined by a space, hyphen or underscore. Case does not matter.',
      examples: ['amber falcon'],
    }),
  }),
)

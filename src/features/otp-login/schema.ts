import { type Static, Type } from 'typebox'
import { named } from '../../platform/schema.ts'
import { Email, loginEvents } from '../login/login.ts'
import { otpEvents } from '../otp/otp.ts'
import type { SentCode } from './otp-login.ts'

/** The response to a request for a code: the same whether or not anyone has the address. */
export const SentCodeReply = named(
  'SentCode',
  Type.Object(
    {
      otp_id: Type.String({ format: 'uuid' }),
      expires_at: Type.String({ format: 'date-time' }),
      delivery_hint: Type.String({
        description: 'The address as it was typed, masked.',
        examples: ['a•••@acme.example'],
      }),
      delivery_method: Type.String({ examples: ['email'] }),
    },
    { description: 'Which code was asked for: the same answer whether or not one was sent.' },
  ),
)

/** What the routes that mail a code may record. */
export const sendCodeEvents = [otpEvents.sent, loginEvents.failed]

export function toSentCode(sent: SentCode): Static<typeof SentCodeReply> {
  return {
    otp_id: sent.otpId,
    expires_at: sent.expiresAt.toISOString(),
    delivery_hint: sent.deliveryHint,
    delivery_method: 'email',
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

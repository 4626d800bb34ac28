import { type Static, Type } from 'typebox'
import { Email } from '../login/login.ts'
import type { SentCode } from './otp-login.ts'

/** The answer to a request for a code; the same whether or not somebody has the address. */
export const SentCodeReply = Type.Object({
  otp_id: Type.String({ format: 'uuid' }),
  expires_at: Type.String({ format: 'date-time' }),
  delivery_hint: Type.String({ description: 'The address as it was typed, masked.' }),
  delivery_method: Type.String({ examples: ['email'] }),
})

export function toSentCode(sent: SentCode): Static<typeof SentCodeReply> {
  return {
    otp_id: sent.otpId,
    expires_at: sent.expiresAt.toISOString(),
    delivery_hint: sent.deliveryHint,
    delivery_method: 'email',
  }
}

export const VerifyCodeBody = Type.Object({
  email: Email,
  otp_id: Type.String({ minLength: 1, maxLength: 64, description: 'As the send route answered it.' }),
  code: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The word pair; case does not matter, nor whether a space, hyphen or underscore joins the words.',
  }),
})

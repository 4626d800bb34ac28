import { type Static, Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { linkRoute } from '../links/links.ts'
import { VerifyCodeBody } from '../otp/otp.ts'

const { email, otp_id, code } = VerifyCodeBody.properties

export const EmailProofBody = Type.Object({
  email,
  otp_id: Type.Optional(otp_id),
  code: Type.Optional(code),
  token_hash: Type.Optional(linkRoute.TokenHash),
})

/** Reads a proof of the new mailbox. Throws `invalid_request` unless there is exactly one complete proof. */
export function readEmailProof(
  body: Static<typeof EmailProofBody>,
): { otpId: string; code: string } | { token: string } {
  const { otp_id: otpId, code, token_hash: token } = body
  if (token === undefined && otpId !== undefined && code !== undefined) return { otpId, code }
  if (token !== undefined && otpId === undefined && code === undefined) return { token }
  throw invalidField(['otp_id', 'token_hash'], 'exactly_one', 'Send one proof: otp_id with code, or token_hash')
}

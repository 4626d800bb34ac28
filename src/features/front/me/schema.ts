import { type Static, Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { named } from '../../../platform/schema.ts'
import type { UserCaller } from '../../../platform/tenancy/caller.ts'
import type { Work } from '../../../platform/work.ts'
import { currentRole } from '../../access/mfa/mfa.ts'
import { Session } from '../../access/sessions/sessions.ts'
import { User, UserCreate, type UserRow } from '../../directory/users/users.ts'
import { TokenHash } from '../../sign-in/links/links.ts'
import { VerifyCodeBody } from '../../sign-in/otp/otp.ts'

const shown = User.properties

/** What people see of themselves: without what the customer's backend keeps for its own use. */
const Me = named(
  'Me',
  Type.Object({
    id: shown.id,
    userId: Type.String({ format: 'uuid', examples: ['0198b6f2-81d0-7b55-8c0e-2f64a9d7b310'] }),
    subOrgId: shown.subOrgId,
    email: shown.email,
    emailVerified: shown.emailVerified,
    displayName: shown.displayName,
    firstName: shown.firstName,
    lastName: shown.lastName,
    phone: shown.phone,
    locale: shown.locale,
    role: shown.role,
    scimManaged: shown.scimManaged,
    mfaEnrolled: shown.mfaEnrolled,
    passkeyCount: shown.passkeyCount,
    createdAt: shown.createdAt,
    updatedAt: shown.updatedAt,
  }),
)

const { email, otp_id, code } = VerifyCodeBody.properties

export const EmailProofBody = Type.Object({
  email,
  otp_id: Type.Optional(otp_id),
  code: Type.Optional(code),
  token_hash: Type.Optional(TokenHash),
})

/** A proof of the new mailbox. Throws `invalid_request` for none, two, or half of one. */
export function readEmailProof(
  body: Static<typeof EmailProofBody>,
): { otpId: string; code: string } | { token: string } {
  const { otp_id: otpId, code, token_hash: token } = body
  if (token === undefined && otpId !== undefined && code !== undefined) return { otpId, code }
  if (token !== undefined && otpId === undefined && code === undefined) return { token }
  throw invalidField(['otp_id', 'token_hash'], 'exactly_one', 'Send one proof: otp_id with code, or token_hash')
}

export const MeReply = named('MeReply', Type.Object({ user: Me }))

export async function toMe(work: Work & { caller: UserCaller }, row: UserRow): Promise<Static<typeof Me>> {
  const { userId, organizationId } = work.caller
  return {
    id: row.id,
    userId,
    subOrgId: organizationId,
    email: row.email,
    emailVerified: row.email_verified,
    displayName: row.display_name,
    firstName: row.first_name,
    lastName: row.last_name,
    phone: row.phone,
    locale: row.locale,
    role: await currentRole(work, row),
    scimManaged: row.scim_managed,
    mfaEnrolled: row.mfa_enrolled,
    passkeyCount: row.passkey_count,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

const { displayName, firstName, lastName, phone, locale } = UserCreate.properties

export const MePatch = Type.Object({ displayName, firstName, lastName, phone, locale })

export const OwnSession = named(
  'OwnSession',
  Type.Object({
    ...Session.properties,
    current: Type.Boolean({ description: 'The session of the access token.', examples: [true] }),
  }),
)

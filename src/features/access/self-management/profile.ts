import { type Static, Type } from 'typebox'
import { named, nullable } from '../../../platform/schema.ts'
import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import { User, type UserRow } from '../../directory/users/users.ts'
import { currentRole } from '../mfa/mfa.ts'

const shown = User.properties

/** What users see of their own record. Leaves out what the customer's backend stores for its own use. */
const Me = named(
  'Me',
  Type.Object(
    {
      id: shown.id,
      userId: Type.String({
        description: 'The user’s auth account: `sub` of tokens.',
        format: 'uuid',
        examples: ['0198b6f2-81d0-7b55-8c0e-2f64a9d7b310'],
      }),
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
    },
    { description: 'The signed-in user, without the fields that are only for your backend.' },
  ),
)

export const MeReply = named(
  'MeReply',
  Type.Object({
    user: Me,
    organization: nullable(
      Type.Object({
        id: Type.String({ description: 'Id of the organization, for `subOrgId` in requests.', format: 'uuid' }),
        name: Type.String({
          description: 'The organization’s name, which you can show to the user.',
          examples: ['Acme'],
        }),
        slug: Type.String({ description: 'Identifies the organization in your URLs.', examples: ['acme'] }),
      }),
      'The organization that the user is signed in to. Null for members of the team.',
    ),
  }),
)

export async function toMe(work: OwnWork, row: UserRow): Promise<Static<typeof Me>> {
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

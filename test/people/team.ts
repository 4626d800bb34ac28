import type { Caller, Tenant, TestApp } from '../harness.ts'
import type { PlantedMember } from './members.ts'
import { newEmail } from './people.ts'
import { mailedLink, type Tokens } from './sign-in.ts'

export const PASSWORD = 'correct horse battery staple'

export interface TeamMember {
  membershipId: string
  email: string
  session: Tokens
  headers: { authorization: string }
}

/**
 * A member who was invited to the team, of the account or of one organization, and has accepted. `by` is the key that
 * invites, where it is another one than the tenant's.
 */
export async function joinedMember(
  app: TestApp,
  tenant: Tenant,
  role: PlantedMember['role'],
  { subOrgId, email = newEmail(), by = tenant }: { subOrgId?: string; email?: string; by?: Caller } = {},
): Promise<TeamMember> {
  const invited = await by.post('/v1/members/invites', { email, role, ...(subOrgId ? { subOrgId } : {}) })
  if (invited.status !== 200) throw new Error(`No invitation: ${invited.text}`)
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  const reply = await tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token, password: PASSWORD })
  if (reply.status !== 200) throw new Error(`Not accepted: ${reply.text}`)
  const { session } = reply.body
  return {
    membershipId: invited.body.member.membershipId,
    email,
    session,
    headers: { authorization: `Bearer ${session.access_token}` },
  }
}

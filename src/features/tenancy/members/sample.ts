import { freshEmail } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { type PlantedMember, plantMember } from '../../../../test/people/members.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

export interface MemberRecords {
  ids: { owner: string; colleague: string; teamInvite: string }
}

/** Members of an organization, which are the same in each environment. */
export async function makeRecords(app: TestApp, { accountId, ids }: Start): Promise<MemberRecords> {
  const member = (role: PlantedMember['role'], status: PlantedMember['status'] = 'active') =>
    plantMember(app, {
      ...{ accountId, role, status, organizationId: ids.organization },
      email: `${role}@${ids.organization}.example`,
    })
  const [owner, colleague] = [await member('owner'), await member('developer')]
  return { ids: { owner, colleague, teamInvite: await member('member', 'invited') } }
}

export const samples: Samples = {
  'GET /v1/members': () => ({}),
  'GET /v1/members/invites': () => ({}),
  'POST /v1/members/invites': () => ({ body: { email: freshEmail(), role: 'member' } }),
  'DELETE /v1/members/invites/{inviteId}': ({ ids }) => ({ params: { inviteId: ids.teamInvite } }),
  'PATCH /v1/members/{membershipId}': ({ ids }) => ({
    params: { membershipId: ids.colleague },
    body: { newRole: 'admin' },
  }),
  'DELETE /v1/members/{membershipId}': ({ ids }) => ({ params: { membershipId: ids.colleague } }),
  'GET /v1/organizations/{subOrgId}/members': ({ ids }) => ({ params: { subOrgId: ids.organization } }),
  'PUT /v1/organizations/{subOrgId}/members': ({ ids }) => ({
    params: { subOrgId: ids.organization },
    body: { members: [{ membershipId: ids.owner, role: 'owner' }] },
  }),
}

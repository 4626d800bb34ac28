import { fresh } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

export interface RoleRecords {
  ids: { role: string }
}

export async function makeRecords(
  _: TestApp,
  { scoped, ids }: Start & { ids: { organization: string; user: string } },
): Promise<RoleRecords> {
  const permissions = ['members:read', 'invoice:approve']
  const { role } = succeeded(await scoped.post('/v1/rbac/roles', { name: `Editor ${fresh()}`, permissions }))
  succeeded(await scoped.put(`/v1/rbac/users/${ids.user}/roles`, { roleIds: [role.id] }))
  return { ids: { role: role.id } }
}

export const samples: Samples = {
  'GET /v1/rbac/roles': () => ({}),
  'POST /v1/rbac/roles': () => ({ body: { name: `Auditor ${fresh()}`, permissions: ['invoice:read'] } }),
  'GET /v1/rbac/roles/{roleId}': ({ ids }) => ({ params: { roleId: ids.role } }),
  'PATCH /v1/rbac/roles/{roleId}': ({ ids }) => ({
    params: { roleId: ids.role },
    body: { permissions: ['invoice:read'] },
  }),
  'DELETE /v1/rbac/roles/{roleId}': ({ ids }) => ({ params: { roleId: ids.role } }),
  'GET /v1/rbac/permissions': () => ({}),
  'GET /v1/rbac/users/{userId}/roles': ({ ids }) => ({ params: { userId: ids.user } }),
  'PUT /v1/rbac/users/{userId}/roles': ({ ids }) => ({
    params: { userId: ids.user },
    body: { roleIds: [ids.role], role: 'member' },
  }),
  'GET /v1/rbac/members/{membershipId}/roles': ({ ids }) => ({ params: { membershipId: ids.colleague } }),
  'PUT /v1/rbac/members/{membershipId}/roles': ({ ids }) => ({
    params: { membershipId: ids.colleague },
    body: { roleIds: [ids.role] },
  }),
  'POST /v1/rbac/check': ({ ids }) => ({ body: { userId: ids.user, permission: 'invoice:approve' } }),
}

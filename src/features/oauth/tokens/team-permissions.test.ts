import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { joinedMember } from '../../../../test/people/team.ts'

const app = await startApp()

test.each(['owner', 'admin', 'developer', 'member'] as const)(
  'permissions of a member are sorted in the token and in introspection: %s',
  async (role) => {
    const tenant = await app.tenant()
    const { session } = await joinedMember(app, tenant, role)
    const body = { subOrgId: 'team', token: session.access_token }
    const { permissions } = succeeded(await tenant.post('/v1/auth/token/introspect', body))
    expect(permissions.length).toBeGreaterThan(0)
    expect(permissions).toEqual(permissions.toSorted())
    expect(decodeJwt(session.access_token)['permissions']).toEqual(permissions)
  },
)

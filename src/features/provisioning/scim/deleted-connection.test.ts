import { expect, test } from 'vitest'
import { succeeded } from '../../../../test/people/factors.ts'
import { groupedOrganization, provisionedUser } from '../../../../test/people/group-roles.ts'
import { connect, startFederatedApp } from '../../../../test/people/oidc-organization.ts'
import { answered } from '../../../../test/people/scim-answers.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const service = await startFederatedApp()
const { app, tenant } = service
const second = await startSecondApp(app)
const ISSUER = 'https://login.acme.example'
const CONFIG = '/v1/scim/config'

/** An organization whose provisioned group gives a role through the linked connection. */
async function linked() {
  const organization = await groupedOrganization(service)
  const { home, scim } = organization
  const connectionId = await connect(home, ISSUER, { group_role_mapping: { Pay: 'payer' } })
  const otherId = await connect(home, ISSUER)
  succeeded(await home.key.patch(CONFIG, { sso_connection_id: connectionId }))
  const { id } = await provisionedUser(organization)
  answered(await scim.call('POST', '/Groups', { displayName: 'Pay', members: [{ value: id }] }), 201)
  const config = async () => succeeded(await home.key.get(CONFIG)).config
  const rolesOf = async () => succeeded(await home.key.get(`/v1/rbac/users/${id}/roles`)).roleIds
  const events = async () =>
    (await app.events({ accountId: tenant.accountId, type: 'scim.config_updated' })).filter(
      ({ organization_id: of }) => of === home.id,
    )
  return { ...organization, connectionId, otherId, config, rolesOf, events }
}

test('the deletion of a connection unlinks provisioning from it', async () => {
  const { home, roles, connectionId, otherId, config, rolesOf, events } = await linked()
  const before = await config()
  const had = (await events()).length
  expect(await rolesOf()).toEqual([roles.payer])
  // Deleting a connection that is not linked changes nothing.
  succeeded(await home.key.delete(`/v1/sso/connections/${otherId}`))
  expect([await config(), (await events()).length]).toEqual([before, had])
  succeeded(await home.key.delete(`/v1/sso/connections/${connectionId}`))
  const after = await config()
  expect(after).toEqual({ ...before, sso_connection_id: null })
  expect(await rolesOf()).toEqual([])
  const [event, ...more] = (await events()).slice(had)
  expect(more).toEqual([])
  expect(event).toMatchObject({ data: { sso_connection_id: null }, previous: { sso_connection_id: connectionId } })
  // A client that sends back what it read changes nothing.
  const { enabled, onDeprovision, sso_connection_id } = after
  expect(succeeded(await home.key.patch(CONFIG, { enabled, onDeprovision, sso_connection_id })).config).toEqual(after)
  expect(await events()).toHaveLength(had + 1)
})

test('no link is left to a connection that another process deletes at the same moment', async () => {
  const { home, scim: _, config } = await linked()
  const there = second.as((await tenant.withKey({ subOrgId: home.id })).key)
  for (let round = 0; round < 10; round++) {
    const connectionId = await connect(home, ISSUER)
    succeeded(await there.patch(CONFIG, { sso_connection_id: null }))
    expect((await there.get(`/v1/sso/connections/${connectionId}`)).status).toBe(200)
    const [gone, linking] = await Promise.all([
      home.key.delete(`/v1/sso/connections/${connectionId}`),
      there.patch(CONFIG, { sso_connection_id: connectionId }),
    ])
    expect(gone.status).toBe(200)
    expect(['scim_connection_not_found', undefined]).toContain(linking.body.code)
    expect((await config()).sso_connection_id).toBe(null)
    // The connection no longer exists.
    expect((await there.patch(CONFIG, { sso_connection_id: connectionId })).body.code).toBe('scim_connection_not_found')
  }
})

import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { makeWorld } from '../../../../test/peers/introductions.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { startFederatedApp } from '../../../../test/people/oidc-organization.ts'

const service = await startFederatedApp()
const { app, tenant } = service
const peer = await startOpPeer()

test('an org-wide key reads the sign-ins of a connection without naming the organization, as it reads the connection', async () => {
  const world = await makeWorld(service, peer, 'oidc', { jit_provisioning: true })
  const path = `/v1/sso/connections/${world.connectionId}`
  await world.signIn({ subject: fresh(), email: `${fresh()}@elsewhere.example` })
  const { traces } = succeeded(await world.key.get(`${path}/traces`))
  expect(traces).toMatchObject([{ outcome: 'refused', said: expect.anything() }])
  for (const query of ['', `?subOrgId=${world.subOrgId}`]) {
    expect(succeeded(await tenant.get(`${path}${query}`)).connection.id).toBe(world.connectionId)
    expect(succeeded(await tenant.get(`${path}/traces${query}`)).traces).toEqual(traces)
  }
  const strangers = [
    await app.tenant(),
    await tenant.withKey({ environment: 'staging' }),
    await tenant.withKey({ subOrgId: await tenant.organization() }),
  ]
  for (const stranger of strangers) {
    const reply = await stranger.get(`${path}/traces`)
    expect([reply.status, reply.body.code]).toEqual([404, 'connection_not_found'])
  }
})

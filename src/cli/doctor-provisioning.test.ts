import { expect, test } from 'vitest'
import { fresh } from '../../test/fresh.ts'
import { makeWorld, newLocal } from '../../test/peers/introductions.ts'
import { startOpPeer } from '../../test/peers/op-peer.ts'
import { succeeded } from '../../test/people/factors.ts'
import { startFederatedApp } from '../../test/people/oidc-organization.ts'
import { answered } from '../../test/people/scim-answers.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'

const federated = await startFederatedApp()
const op = await startOpPeer()

async function warnings(): Promise<string[]> {
  const { code, json } = await runCommand(settingsOf(federated.app), 'doctor', '--json')
  expect(code).toBe(0)
  const findings: { check: string; state: string; detail: string }[] = json.findings
  return findings.flatMap(({ check, state, detail }) => (check === 'SSO' && state === 'warning' ? [detail] : []))
}

test('warns of users that sign in by a connection beside provisioning, until the client has them or they are inactive', async () => {
  const world = await makeWorld(federated, op, 'oidc')
  const { at, key, client, configure, signIn } = world
  await configure({ enabled: false })
  const people = Array.from({ length: 12 }, () => ({ subject: fresh(), email: at(newLocal()) }))
  const ids: string[] = []
  for (const told of people) ids.push((await signIn(told))['directory_user_id'] ?? '')
  succeeded(await key.post('/v1/users', { email: at(newLocal()), firstName: 'A', lastName: 'B' }))
  expect(await warnings()).toEqual([])
  await configure({ enabled: true })
  const managed = { subject: fresh(), email: at(newLocal()) }
  answered(await client.call('POST', '/Users', { userName: managed.email }), 201)
  expect(await signIn(managed)).toHaveProperty('access_token')
  expect(await warnings()).toEqual([expect.stringContaining(`provisioning: 12 (${ids.slice(0, 10).join(', ')}, …).`)])
  for (const id of ids.slice(2)) succeeded(await key.patch(`/v1/users/${id}`, { active: false }))
  expect(await warnings()).toEqual([expect.stringContaining(`provisioning: 2 (${ids.slice(0, 2).join(', ')}).`)])
  const taken = answered(await client.call('POST', '/Users', { userName: people[0]?.email }), 201)
  expect(taken.id).toBe(ids[0])
  expect(await warnings()).toEqual([expect.stringMatching(`provisioning: 1 \\(${ids[1]}\\).*"active": false`)])
  await world.change({ status: 'draft' })
  expect(await warnings()).toEqual([])
})

import { expect, test } from 'vitest'
import { succeeded } from '../../../test/factors.ts'
import { fresh } from '../../../test/fresh.ts'
import { makeWorld, newLocal } from '../../../test/introductions.ts'
import { startFederatedApp } from '../../../test/oidc-organization.ts'
import { startOpPeer } from '../../../test/op-peer.ts'

const service = await startFederatedApp()
const peer = await startOpPeer()

test('a group whose name differs by a space gives nothing', async () => {
  const fields = { jit_provisioning: true, group_role_mapping: { Admins: 'admin', ' Padded ': 'admin' } }
  const { at, key, signIn } = await makeWorld(service, peer, 'oidc', fields)
  const person = { subject: fresh(), email: at(newLocal()) }
  const roleWith = async (groups: string) => {
    const { directory_user_id: id } = await signIn({ ...person, more: { groups } })
    return succeeded(await key.get(`/v1/users/${id}`)).user.role
  }
  for (const groups of ['Admins ', ' Admins', '\u00a0Admins', 'Admins\t', 'Admins\u3000', 'Padded'])
    expect(await roleWith(groups), JSON.stringify(groups)).toBe('member')
  for (const groups of ['Admins', 'none', ' Padded '])
    expect(await roleWith(groups), JSON.stringify(groups)).toBe(groups === 'none' ? 'member' : 'admin')
})

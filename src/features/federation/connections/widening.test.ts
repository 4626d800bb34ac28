import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import type { Caller } from '../../../../test/harness.ts'
import { makeWorld, newLocal, type World } from '../../../../test/peers/introductions.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { startFederatedApp } from '../../../../test/people/oidc-organization.ts'

// Changes that make a connection give its roles to more people.

const service = await startFederatedApp()
const { app, tenant } = service
const peer = await startOpPeer()

const REFUSED = [403, 'privilege_escalation']
const GIVES: [string, Record<string, unknown>, string[]][] = [
  ['the default role', { default_role: 'admin' }, []],
  ['a group', { group_role_mapping: { Admins: 'admin' } }, ['Admins']],
]

/** A key that may change connections and provisioning, but lacks the permissions of an administrator. */
const weakKey = ({ subOrgId }: World): Promise<Caller> =>
  tenant.withKey({ subOrgId, scopes: ['sso.write', 'sso.read', 'scim_config.write', 'scim_config.read'] })

/** The role that an unknown person gets by signing in; the error if the sign-in is refused. */
async function strangerRole({ key, at, signIn }: World, groups: string[]): Promise<string | undefined> {
  const came = await signIn({ subject: fresh(), email: at(newLocal()), more: { groups } })
  if (came['error']) return came['error']
  return succeeded(await key.get(`/v1/users/${came['directory_user_id']}`)).user.role
}

const stored = async ({ key, connectionId }: World) =>
  succeeded(await key.get(`/v1/sso/connections/${connectionId}`)).connection
const changes = async ({ subOrgId }: World) =>
  (await app.events({ accountId: tenant.accountId })).filter(
    ({ organization_id: of, type }) => of === subOrgId && /^(sso|scim)\./.test(type),
  ).length

const JIT = [false, null, true]
const WIDER = [
  [false, null],
  [false, true],
  [null, true],
]

test.each(GIVES)(
  'a key that may not grant it lets no unknown people have %s: jit_provisioning',
  async (_, fields, groups) => {
    const world = await makeWorld(service, peer, 'oidc', fields)
    const weak = await weakKey(world)
    const path = `/v1/sso/connections/${world.connectionId}`
    for (const from of JIT)
      for (const to of JIT) {
        await world.change({ jit_provisioning: from })
        const [before, events] = [await stored(world), await changes(world)]
        const reply = await weak.patch(path, { jit_provisioning: to })
        const isWider = WIDER.some(([was, is]) => was === from && is === to)
        expect([reply.status, reply.body.code], `${from} → ${to}`).toEqual(isWider ? REFUSED : [200, undefined])
        if (!isWider) continue
        expect(await stored(world)).toEqual(before)
        expect(await changes(world)).toBe(events)
      }
    await world.change({ jit_provisioning: false })
    expect(await strangerRole(world, groups)).toBe('account_not_linked')
    // Made by a key that may, the change has the effect for which it was refused.
    succeeded(await world.key.patch(path, { jit_provisioning: true }))
    expect(await strangerRole(world, groups)).toBe('admin')
  },
)

test.each(GIVES)('a key that may not grant it adds no domains where people get %s', async (_, fields) => {
  const world = await makeWorld(service, peer, 'oidc', { ...fields, jit_provisioning: true })
  const weak = await weakKey(world)
  const path = `/v1/sso/connections/${world.connectionId}`
  const attempt = async (from: string[], to: string[]) => {
    await world.change({ domains: from })
    const reply = await weak.patch(path, { domains: to })
    return [reply.status, reply.body.code]
  }
  const [one, other] = [world.domain, 'other.example']
  expect(await attempt([one], [])).toEqual(REFUSED)
  expect(await attempt([one], [one, other])).toEqual(REFUSED)
  expect(await attempt([one], [other])).toEqual(REFUSED)
  expect((await stored(world)).domains).toEqual([one])
  expect(await attempt([one, other], [one])).toEqual([200, undefined])
  expect(await attempt([one, other], [other, one])).toEqual([200, undefined])
  expect(await attempt([], [one])).toEqual([200, undefined])
})

test.each(GIVES)('a key that may not grant it activates no connection that gives %s', async (_, fields) => {
  const world = await makeWorld(service, peer, 'oidc', fields)
  const weak = await weakKey(world)
  const path = `/v1/sso/connections/${world.connectionId}`
  const attempt = async (status: string) => {
    const reply = await weak.patch(path, { status })
    return [reply.status, reply.body.code]
  }
  expect(await attempt('active')).toEqual([200, undefined])
  for (const status of ['draft', 'testing', 'error']) {
    expect(await attempt(status)).toEqual([200, undefined])
    expect(await attempt('active')).toEqual(REFUSED)
    expect((await stored(world)).status).toBe(status)
    await world.change({ status: 'active' })
  }
})

test.each(GIVES)(
  'a key that may not grant it does not switch provisioning off where unknown people would get %s',
  async (_, fields, groups) => {
    const world = await makeWorld(service, peer, 'oidc', fields)
    const weak = await weakKey(world)
    const off = async () => {
      const reply = await weak.patch('/v1/scim/config', { enabled: false })
      return [reply.status, reply.body.code ?? reply.body.config.enabled]
    }
    expect(await strangerRole(world, groups)).toBe('account_not_linked')
    const events = await changes(world)
    expect(await off()).toEqual(REFUSED)
    expect(await changes(world)).toBe(events)
    expect(succeeded(await world.key.get('/v1/scim/config')).config.enabled).toBe(true)
    expect(await strangerRole(world, groups)).toBe('account_not_linked')
    // If it gives no roles to more people, turning provisioning off needs no further rights.
    for (const closed of [{ jit_provisioning: false }, { jit_provisioning: null, status: 'draft' }]) {
      await world.change(closed)
      expect(await off()).toEqual([200, false])
      await world.configure({ enabled: true })
    }
    await world.change({ status: 'active' })
    expect(await off()).toEqual(REFUSED)
    await world.configure({ enabled: false })
    expect(await strangerRole(world, groups)).toBe('admin')
  },
)

test('a connection that gives no more than member is opened by any key that changes it', async () => {
  const world = await makeWorld(service, peer, 'oidc', {
    jit_provisioning: false,
    domains: ['other.example'],
    group_role_mapping: { All: 'member' },
  })
  const weak = await weakKey(world)
  const path = `/v1/sso/connections/${world.connectionId}`
  for (const change of [{ status: 'draft' }, { status: 'active' }, { domains: [] }, { jit_provisioning: null }])
    succeeded(await weak.patch(path, change))
  succeeded(await weak.patch('/v1/scim/config', { enabled: false }))
  expect(await strangerRole(world, ['All'])).toBe('member')
})

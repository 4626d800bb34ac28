import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../fresh.ts'
import { add, identitiesOf, makeWorld, newLocal, signInAt, type World, workEmail } from '../peers/introductions.ts'
import { startOpPeer } from '../peers/op-peer.ts'
import { succeeded } from '../people/factors.ts'
import { startFederatedApp } from '../people/oidc-organization.ts'
import { mailedCode } from '../people/sign-in.ts'
import { recordStatements } from '../rules/sql-recorder.ts'
import { bearing } from './own-world.ts'

const federated = await startFederatedApp()
const { app } = federated
const op = await startOpPeer()

const here = ({ connectionId }: World) => ({ id: connectionId, peer: op })
const isLive = async ({ key }: World, token = '') =>
  succeeded(await key.post('/v1/auth/token/introspect', { token })).active

/** Moves the own address of a person to one that the organization does not know; by the person or an administrator. */
async function moveAway({ key }: World, id: string, by: string, token = ''): Promise<string> {
  const email = `me-${fresh()}@private.example`
  if (by === 'an administrator') succeeded(await key.patch(`/v1/users/${id}`, { email }))
  else {
    const me = bearing(app, token)
    const { otp_id } = succeeded(await me.post('/v1/me/email', { email }))
    succeeded(await me.post('/v1/me/email/verify', { email, otp_id, code: await mailedCode(app, email) }))
  }
  return email
}

async function setActive({ client }: World, id: string, value: boolean) {
  const Operations = [{ op: 'replace', path: 'active', value }]
  expect((await client.call('PATCH', `/Users/${id}`, { Operations })).status).toBe(200)
}

const modes = ['query', 'code'] as const
const movers = ['the person', 'an administrator'] as const
const names = [
  ['an address', (work: string) => ({ email: work })],
  ['upn', (work: string) => ({ email: work.replace('p-', 'q-'), upn: work })],
] as const
const cases = movers.flatMap((by) => names.map(([name, told]) => [by, name, told] as const))

test.each(cases)(
  'the client takes over a user who left the address, if the provider still states it: %s, by %s',
  async (by, _, told) => {
    const world = await makeWorld(federated, op, 'oidc')
    const { at, key } = world
    await world.configure({ sso_connection_id: world.connectionId, enabled: false })
    for (const mode of modes) {
      const work = at(newLocal())
      const claims = { sub: fresh(), ...told(work) }
      const first = await signInAt(world, here(world), claims)
      const id = first['directory_user_id'] ?? ''
      await moveAway(world, id, by, first['access_token'])
      const again = await signInAt(world, here(world), claims, mode)
      expect(again).not.toHaveProperty('error')
      await world.configure({ enabled: true })
      expect(await add(world, { userName: work, externalId: fresh(), emails: [workEmail(work)] })).toBe(id)
      expect(succeeded(await key.get(`/v1/users/${id}`)).user).toMatchObject({ email: work, scimManaged: true })
      const { access_token } = await signInAt(world, here(world), claims)
      await setActive(world, id, false)
      expect(await isLive(world, access_token)).toBe(false)
      expect(await signInAt(world, here(world), claims)).toMatchObject({ error: 'user_inactive' })
      await world.configure({ enabled: false })
    }
  },
)

test('the client takes over no user by an address that the provider denies, no longer states, or may not speak for', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { at } = world
  await world.configure({ sso_connection_id: world.connectionId })
  for (const later of ['denied', 'another', 'none', 'chosen'] as const) {
    const [work, other, sub] = [at(newLocal()), at(newLocal()), fresh()]
    const first = await signInAt(world, here(world), { sub, email: work })
    const id = first['directory_user_id'] ?? ''
    await moveAway(world, id, 'an administrator')
    const said = {
      denied: { email: work, email_verified: false },
      another: { email: other },
      none: { upn: other },
      chosen: { preferred_username: work },
    }[later]
    op.behaviour.userinfo = { sub, ...said }
    for (const mode of modes)
      expect(await signInAt(world, here(world), { sub, ...said }, mode)).not.toHaveProperty('error')
    op.calm()
    expect(await add(world, { userName: work, emails: [workEmail(work)] }), later).not.toBe(id)
  }
  const [work, sub] = [at(newLocal()), fresh()]
  const { directory_user_id: id = '' } = await signInAt(world, here(world), { sub, email: work })
  await moveAway(world, id, 'an administrator')
  await signInAt(world, here(world), { sub, email: work })
  await world.change({ domains: ['another.example'] })
  expect(await add(world, { userName: work, emails: [workEmail(work)] })).not.toBe(id)
})

/** A user of the connection without a client, beside a provisioned user of the same person. */
async function twoRecords(world: World, resource: object, claims: { sub: string; [name: string]: unknown }) {
  const unmanaged = await signInAt(world, here(world), claims)
  const id = unmanaged['directory_user_id'] ?? ''
  await moveAway(world, id, 'an administrator')
  // As an earlier release kept the names of the person.
  await sql`update identities set user_names = null, principal_names = null, address_norm = null, linked_address_norm = null, last_address_norm = null,
    last_principal_names = null, external_ids = null where user_id = ${id}`.execute(app.app.platform.db)
  const managed = await add(world, resource)
  expect(managed).not.toBe(id)
  return { id, managed }
}

test.each(['external_id', 'upn', 'address', 'secondary address'])(
  'a user without a client does not sign in as another user of the client: %s',
  async (by) => {
    const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
    const { at, key, client, connectionId } = world
    const [work, main, oid, sub] = [at(newLocal()), at(newLocal()), fresh(), fresh()]
    const claims = { sub, email: by === 'upn' ? at(newLocal()) : work, ...(by === 'upn' && { upn: work }), oid }
    const userName = by === 'secondary address' || by === 'external_id' ? main : work
    const second = by === 'secondary address' ? [workEmail(work, false)] : []
    const externalId = by === 'external_id' ? oid : fresh()
    const resource = { userName, externalId, emails: [workEmail(userName), ...second] }
    const { id, managed } = await twoRecords(world, resource, claims)
    const refused = async (error: string, said: object = claims) => {
      for (const mode of modes)
        expect(await signInAt(world, here(world), { ...claims, ...said }, mode), JSON.stringify(said)).toMatchObject({
          error,
        })
    }
    await refused('account_not_linked')
    expect(
      await world.signIn({ subject: sub, email: String(claims.email), more: { upn: work, oid } }, { test: true }),
    ).toMatchObject({ error: 'account_not_linked' })
    const { traces } = succeeded(await key.get(`/v1/sso/connections/${connectionId}/traces`))
    expect(traces[0].said.detail).toContain('Remove the identity')
    await setActive(world, managed, false)
    await refused('user_inactive')
    await setActive(world, managed, true)
    expect((await client.call('DELETE', `/Users/${managed}`)).status).toBe(204)
    await refused('user_inactive')
    expect(await add(world, resource)).toBe(managed)
    // The way out that the trace names.
    for (const { id: identity } of await identitiesOf(world, id))
      succeeded(await key.delete(`/v1/users/${id}/identities/${identity}`))
    expect(await signInAt(world, here(world), claims)).toMatchObject({ directory_user_id: managed })
  },
)

test('a person who leaves out names at later sign-ins is known by those of before', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { at } = world
  for (const by of ['address', 'upn'])
    for (const mode of modes) {
      const [work, mail, sub] = [at(newLocal()), at(newLocal()), fresh()]
      const claims = by === 'upn' ? { sub, email: mail, upn: work } : { sub, email: work }
      const { directory_user_id: id = '' } = await signInAt(world, here(world), claims, 'query')
      await moveAway(world, id, 'an administrator')
      const bare = { sub, ...(by === 'upn' && { email: mail }) }
      op.behaviour.userinfo = bare
      // Before the client adds the person, so that it does not find the user.
      for (const _ of [1, 2]) expect(await signInAt(world, here(world), bare, mode)).not.toHaveProperty('error')
      expect(await add(world, { userName: work, externalId: fresh() })).not.toBe(id)
      expect(await signInAt(world, here(world), bare, mode), by).toMatchObject({ error: 'account_not_linked' })
      op.calm()
    }
})

test('others sign in as before, with the same statements', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { at, key } = world
  const claims = () => ({ sub: fresh(), email: at(newLocal()) })
  succeeded(await key.patch('/v1/auth/settings', { sign_in_rate_limit_per_minute: 60 }))
  const statementsOf = async (said: object) => {
    await signInAt(world, here(world), { ...said })
    const once = async () => {
      const sent = await recordStatements(async () => {
        expect(await signInAt(world, here(world), { ...said })).toHaveProperty('access_token')
      })
      return sent.filter((text) => !/graphile_worker\.|update api_keys/.test(text))
    }
    // A cache may read its entry again during some of them.
    const all = [await once(), await once(), await once(), await once(), await once()]
    return all.toSorted((one, other) => one.length - other.length)[0] ?? []
  }
  const person = claims()
  const unlinked = await statementsOf(person)
  await world.configure({ enabled: false })
  const off = await statementsOf(person)
  await world.configure({ enabled: true, sso_connection_id: world.connectionId })
  const beside = await statementsOf(person)
  const managed = claims()
  await add(world, { userName: managed.email })
  const provisioned = await statementsOf(managed)
  const isSearch = (text: string) => text.includes("'secondary_address'")
  expect([unlinked, off, beside, provisioned].map((texts) => texts.filter(isSearch).length)).toEqual([1, 0, 1, 0])
  expect([off.length, provisioned.length]).toEqual([beside.length - 1, beside.length - 1])
  // Two people, as both sides say, and the owner of an address that another user has as a further one.
  await world.change({ scim_match: 'employee' })
  const shared = at(newLocal())
  const own = { sub: fresh(), email: shared, employee: fresh() }
  const { directory_user_id: id } = await signInAt(world, here(world), own)
  const main = at(newLocal())
  await add(world, { userName: main, externalId: fresh(), emails: [workEmail(main), workEmail(shared, false)] })
  expect(await signInAt(world, here(world), own)).toMatchObject({ directory_user_id: id })
  await moveAway(world, id ?? '', 'an administrator')
  expect(await signInAt(world, here(world), own)).toMatchObject({ directory_user_id: id })
  expect(succeeded(await key.get(`/v1/users/${id}`)).user.scimManaged).toBe(false)
})

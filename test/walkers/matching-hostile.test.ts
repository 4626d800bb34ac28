import { expect, test } from 'vitest'
import { fresh } from '../fresh.ts'
import {
  add,
  identitiesOf,
  makeWorld,
  newLocal,
  peopleAt,
  signInAt,
  type World,
  workEmail,
} from '../peers/introductions.ts'
import { startOpPeer } from '../peers/op-peer.ts'
import { succeeded } from '../people/factors.ts'
import { startFederatedApp } from '../people/oidc-organization.ts'
import { sendSignupCode } from '../people/sign-in.ts'

const federated = await startFederatedApp()
const op = await startOpPeer()

const here = ({ connectionId }: World) => ({ id: connectionId, peer: op })

test('without an address a name that people choose matches no user', async () => {
  const world = await makeWorld(federated, op, 'oidc')
  const { at } = world
  for (const jit_provisioning of [null, true]) {
    await world.change({ jit_provisioning })
    const boss = at(newLocal())
    const id = await add(world, { userName: boss, externalId: fresh(), emails: [workEmail(boss)] })
    const claims = { sub: fresh(), preferred_username: boss }
    // As a provider answers a scope without `email`.
    op.behaviour.userinfo = claims
    expect(await signInAt(world, here(world), claims)).toMatchObject({ error: 'email_missing' })
    op.calm()
    for (const email of ['no address', boss.replace('@', '@other.')])
      expect(await signInAt(world, here(world), { ...claims, email })).toHaveProperty('error')
    expect(await identitiesOf(world, id)).toEqual([])
    // Beside the address it is the user, and a name that administrators assign needs none.
    expect(await signInAt(world, here(world), { ...claims, email: boss })).toMatchObject({ directory_user_id: id })
    const upn = at(newLocal())
    const [named, assigned] = [await add(world, { userName: upn }), { sub: fresh(), upn }]
    op.behaviour.userinfo = assigned
    expect(await signInAt(world, here(world), assigned)).toMatchObject({ directory_user_id: named })
    op.calm()
  }
})

test.each(['deactivate', 'delete'])(
  'a subject of a deleted user becomes no other user, with any claim left out: %s',
  async (onDeprovision) => {
    const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
    const { at, client, key } = world
    await world.configure({ sso_connection_id: world.connectionId, onDeprovision })
    const [upn, mail, externalId, sub] = [at(newLocal()), at(newLocal()), fresh(), fresh()]
    const id = await add(world, { userName: upn, externalId })
    const claims = { sub, email: mail, upn, oid: externalId }
    expect(await signInAt(world, here(world), claims)).toMatchObject({ directory_user_id: id })
    // The subject as that of another connection means nothing here.
    const other = { ...claims, sub: fresh() }
    expect((await client.call('DELETE', `/Users/${id}`)).status).toBe(204)
    for (const { id: identity } of onDeprovision === 'delete' ? [] : await identitiesOf(world, id))
      expect((await key.delete(`/v1/users/${id}/identities/${identity}`)).status).toBe(200)
    for (const said of [claims, { sub, email: mail }, { sub, email: at(newLocal()) }, other])
      expect(await signInAt(world, here(world), said), JSON.stringify(said)).toMatchObject({ error: 'user_inactive' })
    expect(await peopleAt(world, [mail])).toEqual([])
    const stranger = await signInAt(world, here(world), { sub: fresh(), email: at(newLocal()) })
    expect(stranger).toHaveProperty('access_token')
    // Whom the client adds again, also as another user, comes in.
    const back = await add(world, { userName: upn })
    expect(back).not.toBe(id)
    const again = { sub, email: mail, upn }
    expect(await signInAt(world, here(world), again)).toMatchObject({ directory_user_id: back })
  },
)

test('with scim_match, a person without its claim becomes no user beside provisioning', async () => {
  for (const protocol of ['oidc', 'saml'] as const) {
    const world = await makeWorld(federated, op, protocol, { jit_provisioning: true, scim_match: 'employee' })
    const { at } = world
    await world.configure({ sso_connection_id: world.connectionId })
    const told = { subject: fresh(), email: at(newLocal()) }
    op.behaviour.userinfo = { sub: told.subject }
    for (const test of [true, false])
      expect(await world.signIn(told, { test })).toMatchObject({ error: 'account_not_linked' })
    expect(await peopleAt(world, [told.email])).toEqual([])
    expect(await world.signIn({ ...told, more: { employee: fresh() } })).toHaveProperty('access_token')
    // The link is enough from now on, and without provisioning the claim says nothing.
    expect(await world.signIn(told)).toHaveProperty('access_token')
    await world.configure({ enabled: false })
    const next = { subject: fresh(), email: at(newLocal()) }
    op.behaviour.userinfo = { sub: next.subject }
    expect(await world.signIn(next)).toHaveProperty('access_token')
    op.calm()
  }
})

const PASSWORD = 'correct horse battery staple'

test('a sign-up that proves no mailbox stands in no one’s way', async () => {
  const world = await makeWorld(federated, op, 'oidc')
  const { at, key, client } = world
  await world.configure({ sso_connection_id: world.connectionId })
  succeeded(await key.patch('/v1/auth/settings', { allow_sign_up: true, open_signup_default: true }))
  const signUp = async (email: string) =>
    succeeded(await key.post('/v1/auth/signup/password', { email, password: PASSWORD }))
  // The person is named by another address than the main one, with and without a name.
  for (const named of [true, false]) {
    const [main, mail] = [at(newLocal()), at(newLocal())]
    const id = await add(world, { userName: main, emails: [workEmail(main), workEmail(mail, false)] })
    await signUp(mail)
    const claims = { sub: fresh(), email: mail, ...(named ? { preferred_username: main } : {}) }
    const came = await signInAt(world, here(world), claims)
    expect(came).toMatchObject({ directory_user_id: id })
    const Operations = [{ op: 'replace', path: 'active', value: false }]
    expect((await client.call('PATCH', `/Users/${id}`, { Operations })).status).toBe(200)
    expect(succeeded(await key.post('/v1/auth/token/introspect', { token: came['access_token'] })).active).toBe(false)
    expect(await signInAt(world, here(world), claims)).toMatchObject({ error: 'user_inactive' })
  }
  // An address that no one else has is that of the sign-up, which the person proves.
  const alone = at(newLocal())
  await signUp(alone)
  const { directory_user_id: id, error } = await signInAt(world, here(world), { sub: fresh(), email: alone })
  expect(error).toBeUndefined()
  expect(await peopleAt(world, [alone])).toEqual([id])
  const tried = await key.post('/v1/auth/login/password', { email: alone, password: PASSWORD })
  expect(tried.status).toBe(401)
  // A sign-up that has proved the mailbox owns the address.
  const [main, proved] = [at(newLocal()), at(newLocal())]
  const sent = await sendSignupCode(federated.app, key, { subOrgId: world.subOrgId, email: proved })
  const owner = succeeded(await key.post('/v1/auth/signup/otp/verify', sent)).session.directory_user_id
  await add(world, { userName: main, emails: [workEmail(main), workEmail(proved, false)] })
  expect(await signInAt(world, here(world), { sub: fresh(), email: proved })).toMatchObject({
    directory_user_id: owner,
  })
})

test.each(['oidc', 'saml'] as const)(
  'with scim_match, a name or address is that of no user with another externalId: %s',
  async (protocol) => {
    const world = await makeWorld(federated, op, protocol, { jit_provisioning: true, scim_match: 'employee' })
    const { at, key, connectionId } = world
    await world.configure({ sso_connection_id: connectionId })
    for (const by of ['upn', 'preferred_username', 'main', 'secondary']) {
      const [name, main, second] = [at(newLocal()), at(newLocal()), at(newLocal())]
      const number = fresh()
      const emails = [workEmail(main), workEmail(second, false)]
      const id = await add(world, { userName: name, externalId: number, emails })
      const told = {
        upn: { email: at(newLocal()), upn: name },
        preferred_username: { email: main, more: { preferred_username: name } },
        main: { email: main },
        secondary: { email: second },
      }[by]
      if (!told) throw new Error(by)
      const as = (employee: string) => ({ ...told, subject: fresh(), more: { ...told.more, employee } })
      for (const test of [true, false])
        expect(await world.signIn(as(fresh()), { test }), by).toMatchObject({ error: 'account_not_linked' })
      const { traces } = succeeded(await key.get(`/v1/sso/connections/${connectionId}/traces`))
      expect(traces[0].said.detail).toContain('a different externalId')
      expect(await identitiesOf(world, id)).toEqual([])
      expect(await world.signIn(as(number)), by).toMatchObject({ directory_user_id: id })
    }
    // A user without an externalId contradicts no claim.
    const email = at(newLocal())
    const id = await add(world, { userName: email })
    expect(await world.signIn({ subject: fresh(), email, more: { employee: fresh() } })).toMatchObject({
      directory_user_id: id,
    })
  },
)

test.each(['deactivate', 'delete', 'active'])(
  'while provisioning is off, the provider opens no other user for a deprovisioned one: %s',
  async (how) => {
    const world = await makeWorld(federated, op, 'oidc')
    const { at, key, client } = world
    const onDeprovision = how === 'delete' ? how : 'deactivate'
    await world.configure({ sso_connection_id: world.connectionId, onDeprovision })
    const [upn, mail, externalId] = [at(newLocal()), at(newLocal()), fresh()]
    const resource = { userName: upn, externalId, emails: [workEmail(upn), workEmail(at(newLocal()), false)] }
    const id = await add(world, resource)
    if (how === 'active') {
      const Operations = [{ op: 'replace', path: 'active', value: false }]
      expect((await client.call('PATCH', `/Users/${id}`, { Operations })).status).toBe(200)
    } else expect((await client.call('DELETE', `/Users/${id}`)).status).toBe(204)
    await world.configure({ enabled: false })
    const tried = [
      { sub: fresh(), email: upn },
      { sub: fresh(), email: mail, upn },
      { sub: fresh(), email: mail, oid: externalId },
    ]
    for (const claims of tried)
      expect(await signInAt(world, here(world), claims), JSON.stringify(claims)).toMatchObject({
        error: 'user_inactive',
      })
    expect(await peopleAt(world, [mail])).toEqual([])
    // Others come in, and become users.
    const stranger = await signInAt(world, here(world), { sub: fresh(), email: at(newLocal()), upn: at(newLocal()) })
    expect(stranger).toHaveProperty('access_token')
    await world.configure({ enabled: true })
    const Operations = [{ op: 'replace', path: 'active', value: true }]
    if (how === 'active') expect((await client.call('PATCH', `/Users/${id}`, { Operations })).status).toBe(200)
    else expect(await add(world, resource)).toBe(id)
    await world.configure({ enabled: false })
    expect(await signInAt(world, here(world), { sub: fresh(), email: upn })).toMatchObject({ directory_user_id: id })
    // An administrator deletes the user for good.
    succeeded(await key.delete(`/v1/users/${id}?force=true`))
    const { directory_user_id: anew } = await signInAt(world, here(world), { sub: fresh(), email: mail, upn })
    expect(await peopleAt(world, [mail])).toEqual([anew])
  },
)

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../fresh.ts'
import {
  add,
  connectTo,
  identitiesOf,
  makeWorld,
  newLocal,
  signInAt,
  type World,
  workEmail,
} from '../peers/introductions.ts'
import { startOpPeer } from '../peers/op-peer.ts'
import { succeeded } from '../people/factors.ts'
import { startFederatedApp } from '../people/oidc-organization.ts'
import { broughtBack, makeSamlOrganization, postResponse } from '../people/saml-connection.ts'
import { provisioned } from '../people/scim.ts'

const federated = await startFederatedApp()
const { app } = federated
const [op, other] = [await startOpPeer(), await startOpPeer()]
const protocols = ['oidc', 'saml'] as const

const foreign = () => `${newLocal()}@contractor.example`

const userOf = async ({ key }: World, id = '') => succeeded(await key.get(`/v1/users/${id}`)).user

/** The user of a subject of the connection. */
async function linked({ subOrgId }: World, subject: string): Promise<string> {
  const rows = sql<{ user_id: string }>`
    select user_id from identities where directory_id in (select id from directories where organization_id = ${subOrgId})
      and subject = ${subject}`
  const { user_id } = (await rows.execute(app.app.platform.db)).rows[0] ?? {}
  return user_id ?? ''
}

async function makeUser({ key }: World, address: string): Promise<string> {
  return succeeded(await key.post('/v1/users', { email: address, firstName: 'A', lastName: 'B' })).user.id
}

test.each([true, false])(
  'another connection than the linked one matches by address alone: linked %s',
  async (isLinked) => {
    const world = await makeWorld(federated, op, 'oidc')
    const { at, connectionId } = world
    const [userName, externalId, mail] = [newLocal(), fresh(), at(newLocal())]
    const id = await add(world, { userName, externalId, emails: [workEmail(mail)] })
    const sister = await connectTo(world, other)
    if (isLinked) await world.configure({ sso_connection_id: connectionId })
    const tried = [
      { sub: fresh(), email: foreign(), preferred_username: userName },
      { sub: fresh(), preferred_username: userName },
      { sub: fresh(), email: foreign(), upn: userName },
      { sub: fresh(), upn: userName },
      { sub: externalId, email: foreign() },
    ]
    for (const claims of tried) expect(await signInAt(world, sister, claims)).toHaveProperty('error')
    // With an address that the connection may speak for, these names belong to a new person.
    for (const named of [{ preferred_username: userName }, { upn: userName }, {}])
      expect(await signInAt(world, sister, { sub: externalId, email: at(newLocal()), ...named })).toMatchObject({
        error: 'account_not_linked',
      })
    expect(await identitiesOf(world, id)).toEqual([])
    expect(await signInAt(world, sister, { sub: fresh(), email: mail })).toMatchObject({ directory_user_id: id })
  },
)

test('scim_match lets another connection match by externalId beside an address of the user', async () => {
  const world = await makeWorld(federated, op, 'oidc')
  const { at } = world
  const [number, mail] = [fresh(), at(newLocal())]
  const id = await add(world, {
    userName: newLocal(),
    externalId: number,
    emails: [workEmail(at(newLocal())), workEmail(mail, false)],
  })
  await world.configure({ sso_connection_id: world.connectionId })
  const sister = await connectTo(world, other, { scim_match: 'employee' })
  for (const address of [foreign(), at(newLocal())])
    expect(await signInAt(world, sister, { sub: fresh(), email: address, employee: number })).toHaveProperty('error')
  // The connection may speak for another address of the user, and not for the main one.
  const [outside, second] = [fresh(), at(newLocal())]
  const emails = [workEmail(foreign()), workEmail(second, false)]
  const outsider = await add(world, { userName: newLocal(), externalId: outside, emails })
  expect(await signInAt(world, sister, { sub: fresh(), email: second, employee: outside })).toMatchObject({
    error: 'domain_not_verified',
  })
  expect(await identitiesOf(world, outsider)).toEqual([])
  expect(await identitiesOf(world, id)).toEqual([])
  const came = await signInAt(world, sister, { sub: fresh(), email: mail, employee: number })
  expect(came).toMatchObject({ directory_user_id: id })
})

const KELVIN = '\u212a'
test.each(protocols)(
  'names are compared in ASCII case alone, and with the white space around them: %s',
  async (protocol) => {
    const world = await makeWorld(federated, op, protocol)
    const { at } = world
    const [userName, externalId, mail] = [`k${newLocal()}`, `n${fresh()}`, at(newLocal())]
    const id = await add(world, { userName, externalId, emails: [workEmail(mail)] })
    const tails = ['\u00a0', '\ufeff', '\u3000', ' ', '\t']
    const names = [userName.replace('k', KELVIN), ...tails.flatMap((tail) => [userName + tail, tail + userName])]
    for (const upn of names)
      expect(await world.signIn({ subject: fresh(), email: foreign(), upn })).toHaveProperty('error')
    for (const subject of [...names, ...tails.map((tail) => externalId + tail)])
      expect(await world.signIn({ subject, email: at(newLocal()) })).toHaveProperty('error')
    expect(await identitiesOf(world, id)).toEqual([])
    const umlaut = await add(world, {
      userName: 'Jörg',
      emails: [workEmail(at(newLocal())), workEmail(mail.replace('p', 'q'), false)],
    })
    const told = { subject: fresh(), email: mail.replace('p', 'q') }
    expect(await identitiesOf(world, umlaut)).toEqual([])
    expect(await world.signIn({ ...told, upn: 'jÖRG' })).toMatchObject({ directory_user_id: umlaut })
    // Lines that a provider of SAML breaks around a value are the layout of the document; no claim has them.
    const printed = { subject: `\n  ${told.subject}\n`, email: foreign(), upn: '\n\tjÖRG\n' }
    if (protocol === 'saml') expect(await world.signIn(printed)).toMatchObject({ directory_user_id: umlaut })
    // A known subject with white space around it is another one.
    for (const subject of [`${told.subject} `, ` ${told.subject}`])
      expect(await world.signIn({ ...told, subject })).toMatchObject({ error: 'account_not_linked' })
    expect(await world.signIn({ subject: fresh(), email: mail, upn: userName.toUpperCase() })).toMatchObject({
      directory_user_id: id,
    })
  },
)

test.each(protocols)(
  'a name that the user has chosen does not let the client take the user over: %s',
  async (protocol) => {
    const world = await makeWorld(federated, op, protocol, { jit_provisioning: true })
    const { at } = world
    for (const isLinked of [false, true]) {
      await world.configure({ sso_connection_id: isLinked ? world.connectionId : null })
      const evil = { subject: fresh(), email: at(newLocal()) }
      const { directory_user_id: id } = await world.signIn(evil)
      const [boss, chief] = [at(newLocal()), at(newLocal())]
      const named = { ...evil, more: { preferred_username: boss } }
      const first = await world.signIn(named)
      const second = await world.signIn({ ...evil, email: chief })
      expect([first['directory_user_id'], second['directory_user_id']]).toEqual([id, id])
      await world.signIn(named)
      expect(await add(world, { userName: boss, externalId: fresh() })).not.toBe(id)
      await world.signIn({ ...evil, email: chief })
      expect(await add(world, { userName: chief, externalId: fresh() })).not.toBe(id)
      expect(await userOf(world, id)).toMatchObject({ email: evil.email, scimManaged: false })
    }
  },
)

test('an inactive or unlinked connection does not let the client take users over', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { at } = world
  const [number, own, upn] = [fresh(), at(newLocal()), at(newLocal())]
  const { directory_user_id: id } = await world.signIn({ subject: number, email: own, upn })
  await world.change({ status: 'draft' })
  const mine = await add(world, { userName: at(newLocal()), externalId: number })
  const named = await add(world, { userName: upn, emails: [workEmail(at(newLocal())), workEmail(own, false)] })
  const sister = await connectTo(world, other, { jit_provisioning: true })
  const theirs = fresh()
  const { directory_user_id: consultant } = await signInAt(world, sister, { sub: theirs, email: at(newLocal()) })
  const boss = at(newLocal())
  const made = await add(world, { userName: boss, externalId: theirs, emails: [workEmail(boss)] })
  expect([id, consultant]).not.toContain(mine)
  expect([id, consultant]).not.toContain(named)
  expect([id, consultant]).not.toContain(made)
})

test('the user of an address is taken over, whatever name another user has', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { at } = world
  const [boss, evil] = [at(newLocal()), { subject: fresh(), email: at(newLocal()) }]
  const owner = await makeUser(world, boss)
  const { directory_user_id: id } = await world.signIn(evil)
  await world.signIn({ ...evil, upn: boss })
  expect(await add(world, { userName: boss, emails: [workEmail(boss), workEmail(evil.email, false)] })).toBe(owner)
  expect(await userOf(world, id)).toMatchObject({ scimManaged: false })
})

test('a denied address ends the match by name, and the externalId of the linked connection still matches', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { at, connectionId } = world
  const [boss, externalId] = [at(newLocal()), fresh()]
  const id = await add(world, { userName: boss, externalId })
  const denied = { email: boss, email_verified: false, preferred_username: boss }
  for (const named of [{}, { upn: boss }, { upn: boss, email: at(newLocal()) }])
    expect(await signInAt(world, { id: connectionId, peer: op }, { sub: fresh(), ...denied, ...named })).toMatchObject({
      error: 'email_not_verified',
    })
  expect(await identitiesOf(world, id)).toEqual([])
  expect(await signInAt(world, { id: connectionId, peer: op }, { sub: externalId, ...denied })).toMatchObject({
    directory_user_id: id,
  })
})

test.each(protocols)(
  'a name that people choose counts beside an address of the same user alone: %s',
  async (protocol) => {
    const world = await makeWorld(federated, op, protocol, { jit_provisioning: true })
    const { at } = world
    const [boss, main, second, own] = [at(newLocal()), at(newLocal()), at(newLocal()), at(newLocal())]
    const id = await add(world, { userName: boss })
    const colleague = await add(world, { userName: main, emails: [workEmail(main), workEmail(second, false)] })
    const unmanaged = await makeUser(world, own)
    const more = { preferred_username: boss }
    expect(await world.signIn({ subject: fresh(), email: foreign(), more })).toMatchObject({
      error: 'domain_not_verified',
    })
    expect(await world.signIn({ subject: fresh(), email: second, more })).toMatchObject({
      directory_user_id: colleague,
    })
    expect(await world.signIn({ subject: fresh(), email: own, more })).toMatchObject({ directory_user_id: unmanaged })
    const mine = at(newLocal())
    const { directory_user_id: stranger } = await world.signIn({ subject: fresh(), email: mine, more })
    expect(await userOf(world, stranger)).toMatchObject({ email: mine, scimManaged: false })
    expect(await identitiesOf(world, id)).toEqual([])
  },
)

test.each(protocols)('a name that administrators assign counts beside any address: %s', async (protocol) => {
  const world = await makeWorld(federated, op, protocol)
  const { at } = world
  const second = at(newLocal())
  await add(world, { userName: at(newLocal()), emails: [workEmail(at(newLocal())), workEmail(second, false)] })
  // An address outside the domains, an unknown one, another one of a colleague, and one of an unmanaged user.
  for (const stated of [foreign(), at(newLocal()), second, at(newLocal())]) {
    const [upn, chosen] = [at(newLocal()), at(newLocal())]
    const [id, other] = [await add(world, { userName: upn }), await add(world, { userName: chosen })]
    const unmanaged = stated === second || stated.endsWith('contractor.example') ? null : await makeUser(world, stated)
    const told = { subject: fresh(), email: stated, upn, more: { preferred_username: upn } }
    expect(await world.signIn(told)).toMatchObject({ directory_user_id: id })
    expect(await identitiesOf(world, other)).toEqual([])
    if (unmanaged !== null) expect(await identitiesOf(world, unmanaged)).toEqual([])
  }
})

const NAME_ID_FORMATS = ['1.1:nameid-format:unspecified', '2.0:nameid-format:persistent']
test.each(NAME_ID_FORMATS)('a NameID counts as userName beside any address: %s', async (format) => {
  const organization = await makeSamlOrganization(app, federated.tenant)
  const { subOrgId, domain, sp } = organization
  const { call } = await provisioned(app, federated.tenant, subOrgId)
  const key = await federated.tenant.withKey({ subOrgId })
  const path = new URL(sp.acs_url).pathname.replace(/^\/api/, '')
  const [userName, mail] = [newLocal(), `${newLocal()}@${domain}`]
  const made = await call('POST', '/Users', { userName, emails: [workEmail(mail)] })
  expect(made.status, made.text).toBe(201)
  const signIn = async (nameId: string, nameIdFormat: string) => {
    const begun = await organization.start()
    const attributes = { email: [`${newLocal()}@${domain}`] }
    const xml = organization.respond(begun, {
      nameId,
      nameIdFormat: `urn:oasis:names:tc:SAML:${nameIdFormat}`,
      attributes,
    })
    return broughtBack(await postResponse(app, path, xml, begun.state))
  }
  expect(await signIn(userName, '2.0:nameid-format:transient')).toHaveProperty('error')
  expect(succeeded(await key.get(`/v1/users/${made.body.id}/identities`)).identities).toEqual([])
  expect(await signIn(userName, format)).toMatchObject({ directory_user_id: made.body.id })
})

test('the client takes over the user that the linked connection has named by its userName', async () => {
  for (const protocol of protocols) {
    const world = await makeWorld(federated, op, protocol, { jit_provisioning: true })
    const { at, client } = world
    const told = { subject: fresh(), email: at(newLocal()), upn: at(newLocal()) }
    const { directory_user_id: id } = await world.signIn(told)
    // The assigned name is the userName, and no other address of the resource.
    const other = await add(world, {
      userName: at(newLocal()),
      emails: [workEmail(at(newLocal())), workEmail(told.upn, false)],
    })
    expect(other).not.toBe(id)
    expect((await client.call('DELETE', `/Users/${other}`)).status).toBe(204)
    expect(await add(world, { userName: told.upn })).toBe(id)
    expect(await userOf(world, id)).toMatchObject({ email: told.upn, scimManaged: true })
  }
})

test('an assigned name that has a new owner does not let the client take over its former owner', async () => {
  for (const protocol of protocols) {
    const world = await makeWorld(federated, op, protocol, { jit_provisioning: true })
    const { at } = world
    const name = at(newLocal())
    const former = { subject: fresh(), email: at(newLocal()), upn: name }
    const { directory_user_id: id } = await world.signIn(former)
    const owner = { subject: fresh(), email: at(newLocal()), upn: name }
    const made = await add(world, { userName: name, externalId: fresh(), emails: [workEmail(owner.email)] })
    expect(made).not.toBe(id)
    expect(await userOf(world, id)).toMatchObject({ email: former.email, scimManaged: false })
    expect(await world.signIn(owner)).toMatchObject({ directory_user_id: made })
  }
})

test('a name that administrators assigned before counts no longer', async () => {
  for (const response_mode of ['query', 'code']) {
    const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
    const { at, connectionId } = world
    const [sub, address, before, now] = [fresh(), at(newLocal()), at(newLocal()), at(newLocal())]
    const signIn = (claims: object) =>
      signInAt(world, { id: connectionId, peer: op }, { sub, email: address, ...claims }, response_mode)
    await signIn({ upn: before })
    // The same text, now as a name that people choose; then a name beside an address that the provider denies.
    await signIn({ upn: now, preferred_username: before })
    expect(await add(world, { userName: before })).not.toBe(await linked(world, sub))
    await signIn({ upn: now, email_verified: false })
    expect(await add(world, { userName: now })).not.toBe(await linked(world, sub))
    await signIn({ upn: now })
    const last = at(newLocal())
    await signIn({ upn: last })
    expect(await add(world, { userName: last })).toBe(await linked(world, sub))
  }
})

test('the owner of a main address comes before a user who has it beside another', async () => {
  const world = await makeWorld(federated, op, 'oidc')
  const address = world.at(newLocal())
  const owner = await makeUser(world, address)
  const main = world.at(newLocal())
  const id = await add(world, { userName: main, emails: [workEmail(main)] })
  const Operations = [{ op: 'add', path: 'emails', value: [{ value: address, type: 'home', primary: false }] }]
  expect((await world.client.call('PATCH', `/Users/${id}`, { Operations })).status).toBe(200)
  expect(await world.signIn({ subject: fresh(), email: address })).toMatchObject({ directory_user_id: owner })
  expect(await identitiesOf(world, id)).toEqual([])
})

test('the connection test warns while several connections are there and none is linked', async () => {
  const world = await makeWorld(federated, op, 'oidc')
  const { key, connectionId } = world
  const warned = async () =>
    succeeded(await key.post(`/v1/sso/connections/${connectionId}/test`, {})).checks.filter(
      ({ id }: { id: string }) => id === 'provisioning_link',
    )
  expect(await warned()).toEqual([])
  await connectTo(world, other)
  expect(await warned()).toEqual([
    {
      id: 'provisioning_link',
      ok: true,
      message: expect.any(String),
      fix: expect.stringContaining('sso_connection_id'),
    },
  ])
  await world.configure({ sso_connection_id: connectionId })
  expect(await warned()).toEqual([])
})

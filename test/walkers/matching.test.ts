import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../fresh.ts'
import {
  add,
  connectTo,
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
import { recordStatements } from '../rules/sql-recorder.ts'

const federated = await startFederatedApp()
const { app } = federated
const [op, other] = [await startOpPeer(), await startOpPeer()]

const traceOf = async ({ key, connectionId }: Pick<World, 'key' | 'connectionId'>) =>
  succeeded(await key.get(`/v1/sso/connections/${connectionId}/traces`)).traces[0]

const isLive = async ({ key }: World, token = '') =>
  succeeded(await key.post('/v1/auth/token/introspect', { token })).active

const ends = [
  ['deactivated', { op: 'Replace', path: 'active', value: 'False' }],
  ['deleted', null],
] as const

test.each(ends)('the provider opens no other user of a person that the client has %s', async (_, operation) => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { client, at, key } = world
  const [upn, mail, second, subject] = [at(newLocal()), at(newLocal()), at(newLocal()), fresh()]
  for (const onDeprovision of ['deactivate', 'delete']) {
    await world.configure({ onDeprovision })
    const emails = [workEmail(mail), workEmail(second, false)]
    const id = await add(world, { userName: upn, externalId: subject, emails })
    if (operation) await client.call('PATCH', `/Users/${id}`, { Operations: [operation] })
    else await client.call('DELETE', `/Users/${id}`)
    const asked = [
      { subject, email: at(newLocal()) },
      { subject: fresh(), email: upn },
      { subject: fresh(), email: at(newLocal()), upn },
      { subject: fresh(), email: at(newLocal()), more: { preferred_username: upn } },
      { subject: fresh(), email: mail },
      { subject: fresh(), email: second },
    ]
    for (const told of asked)
      expect(await world.signIn(told), JSON.stringify(told)).toMatchObject({ error: 'user_inactive' })
    const known = operation || onDeprovision === 'deactivate' ? [id] : []
    const addresses = asked.map((told) => told.email)
    expect(await peopleAt(world, addresses)).toEqual(known)
    if (operation) await client.call('DELETE', `/Users/${id}`)
    // Back under the same externalId, by whichever name the provider says.
    const back = await add(world, { userName: upn, externalId: subject, emails })
    expect(back).toBe(id)
    const again = await world.signIn({ subject, email: second })
    expect(again).toMatchObject({ directory_user_id: id })
    await client.call('DELETE', `/Users/${id}`)
    expect(await isLive(world, again['access_token'])).toBe(false)
    // The next round begins without the names of this one.
    await key.delete(`/v1/users/${id}?force=true`)
    await app.app.platform.db.deleteFrom('scim_users').where('user_id', '=', id).execute()
  }
})

test('where provisioning is enabled, a connection makes no users unless it says so', async () => {
  const world = await makeWorld(federated, op, 'oidc')
  const { key, connectionId, at } = world
  const shown = async () => succeeded(await key.get(`/v1/sso/connections/${connectionId}`)).connection.jit_provisioning
  const checks = async () =>
    succeeded(await key.post(`/v1/sso/connections/${connectionId}/test`, {})).checks.filter(
      ({ id }: { id: string }) => id === 'jit_provisioning',
    )
  const stranger = () => ({ subject: fresh(), email: at(newLocal()) })
  expect([await shown(), await checks()]).toEqual([false, []])
  expect(await world.signIn(stranger())).toMatchObject({ error: 'account_not_linked' })
  await world.change({ jit_provisioning: true })
  expect(await shown()).toBe(true)
  expect(await checks()).toEqual([
    { id: 'jit_provisioning', ok: true, message: expect.any(String), fix: expect.stringContaining('null') },
  ])
  expect(await world.signIn(stranger())).toHaveProperty('access_token')
  await world.change({ jit_provisioning: null })
  expect(await world.signIn(stranger(), { test: true })).toMatchObject({ error: 'account_not_linked' })
  await world.configure({ enabled: false })
  expect([await shown(), await checks()]).toEqual([true, []])
  expect(await world.signIn(stranger())).toHaveProperty('access_token')
})

test('a value of several users matches none of them, and the trace says so', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { at } = world
  const [shared, guest] = [at(newLocal()), fresh()]
  const names = [at(newLocal()), at(newLocal())] as const
  for (const userName of names)
    await add(world, { userName, externalId: guest, emails: [workEmail(userName), workEmail(shared, false)] })
  const [third, its] = [at(newLocal()), at(newLocal())]
  const thirdId = await add(world, { userName: third, emails: [workEmail(its)] })
  await add(world, { userName: at(newLocal()), emails: [workEmail(third)] })
  const tried = [
    { subject: guest, email: at(newLocal()) },
    { subject: fresh(), email: shared },
    // The userName of one and the main address of another.
    { subject: fresh(), email: third },
    { subject: fresh(), email: its, upn: names[1] },
  ]
  for (const told of tried) {
    expect(await world.signIn(told)).toMatchObject({ error: 'account_not_linked' })
    expect((await traceOf(world)).said.detail).toContain('several users')
  }
  expect(await peopleAt(world, [...tried.map((told) => told.email), ...names])).toHaveLength(4)
  // A name that the person may have chosen counts for nothing beside the address of another user.
  const chosen = await world.signIn({ subject: fresh(), email: its, more: { preferred_username: names[1] } })
  expect(chosen).toMatchObject({ directory_user_id: thirdId })
})

test('an externalId of the linked connection needs no verified domain, and proves no mailbox; others do', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { key, connectionId } = world
  const foreign = () => `${newLocal()}@elsewhere.example`
  const [subject, userName] = [fresh(), foreign()]
  const id = await add(world, { userName, externalId: subject })
  const told = { subject, email: 'nobody@elsewhere.example' }
  // Neither of two connections is linked.
  await connectTo(world, other)
  expect(await world.signIn(told)).toMatchObject({ error: 'domain_not_verified' })
  await world.configure({ sso_connection_id: connectionId })
  await world.change({ domains: [world.domain] })
  expect(await world.signIn(told)).toMatchObject({ error: 'domain_not_verified' })
  expect((await traceOf(world)).said.detail).toContain('provisioned user matches')
  await world.change({ domains: [] })
  // By name the address is needed, linked or not.
  for (const one of [
    { subject: fresh(), email: userName },
    { subject: fresh(), email: 'x@elsewhere.example', upn: userName },
  ])
    expect(await world.signIn(one)).toMatchObject({ error: 'domain_not_verified' })
  expect(await world.signIn(told)).toMatchObject({ directory_user_id: id })
  expect(succeeded(await key.get(`/v1/users/${id}`)).user).toMatchObject({ emailVerified: false })
})

test('another connection of the organization opens users of its domains alone, and no externalId of the linked one', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { at } = world
  const [subject, upn, mail] = [fresh(), at(newLocal()), at(newLocal())]
  const id = await add(world, { userName: upn, externalId: subject, emails: [workEmail(mail)] })
  await world.configure({ sso_connection_id: world.connectionId })
  const contractor = await connectTo(world, other, { domains: ['contractor.example'], jit_provisioning: true })
  const hostile = [
    { sub: subject, email: 'x@contractor.example' },
    { sub: fresh(), email: upn },
    { sub: fresh(), email: mail },
    { sub: fresh(), email: 'x@contractor.example', preferred_username: upn },
    { sub: fresh(), email: 'x@contractor.example', upn },
    { sub: fresh(), email: 'x@contractor.example', oid: subject },
  ]
  for (const claims of hostile)
    expect(await signInAt(world, contractor, claims), JSON.stringify(claims)).toMatchObject({
      error: 'domain_not_verified',
    })
  expect(await identitiesOf(world, id)).toEqual([])
  // One that may speak for every domain has numbers of another directory.
  const sister = await connectTo(world, other, { jit_provisioning: true })
  const stranger = await signInAt(world, sister, { sub: subject, email: at(newLocal()) })
  expect(stranger['directory_user_id']).not.toBe(id)
  expect(await identitiesOf(world, id)).toEqual([])
  expect(await world.signIn({ subject, email: at(newLocal()) })).toMatchObject({ directory_user_id: id })
})

test('the client takes no user over by the names of another connection or by a chosen name', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const { at, client } = world
  const [boss, objectId] = [at(newLocal()), fresh()]
  const attacker = { subject: fresh(), email: at(newLocal()), more: { preferred_username: boss } }
  const { directory_user_id: attackerId } = await world.signIn(attacker)
  const sister = await connectTo(world, other, { jit_provisioning: true })
  const { directory_user_id: sisterId } = await signInAt(world, sister, { sub: objectId, email: at(newLocal()) })
  await world.configure({ sso_connection_id: world.connectionId })
  const id = await add(world, { userName: boss, externalId: objectId, emails: [workEmail(boss)] })
  expect([attackerId, sisterId]).not.toContain(id)
  expect((await client.call('GET', '/Users')).body.totalResults).toBe(1)
})

test('another organization matches no user', async () => {
  const [world, elsewhere] = [await makeWorld(federated, op, 'oidc'), await makeWorld(federated, op, 'oidc')]
  const [subject, userName] = [fresh(), world.at(newLocal())]
  const id = await add(world, { userName, externalId: subject })
  for (const told of [
    { subject, email: elsewhere.at(newLocal()) },
    { subject: fresh(), email: elsewhere.at(newLocal()), upn: userName },
  ])
    expect(await elsewhere.signIn(told)).toMatchObject({ error: 'account_not_linked' })
  expect(await elsewhere.signIn({ subject: fresh(), email: userName })).toMatchObject({ error: 'domain_not_verified' })
  expect(await identitiesOf(world, id)).toEqual([])
})

test.each(['oidc', 'saml'] as const)('scim_match names the claim of the externalId: %s', async (protocol) => {
  const world = await makeWorld(federated, op, protocol, { scim_match: 'employee' })
  const { at } = world
  const number = fresh()
  const id = await add(world, { userName: at(newLocal()), externalId: number })
  const told = { subject: number, email: at(newLocal()) }
  // The subject counts no longer.
  expect(await world.signIn({ ...told, more: { employee: fresh() } })).toMatchObject({ error: 'account_not_linked' })
  const subject = fresh()
  expect(await world.signIn({ ...told, subject, more: { employee: number } })).toMatchObject({ directory_user_id: id })
})

test.each([
  ['oidc', 'oid'],
  ['saml', 'http://schemas.microsoft.com/identity/claims/objectidentifier'],
] as const)('the object id of Entra ID is an externalId: %s', async (protocol, claim) => {
  const world = await makeWorld(federated, op, protocol)
  const objectId = fresh()
  const id = await add(world, { userName: world.at(newLocal()), externalId: objectId })
  const told = { subject: fresh(), email: world.at(newLocal()), more: { [claim]: objectId } }
  expect(await world.signIn(told)).toMatchObject({ directory_user_id: id })
})

test.each(['oidc', 'saml'] as const)(
  'a second subject is not linked to a user of the connection: %s',
  async (protocol) => {
    const world = await makeWorld(federated, op, protocol, { jit_provisioning: true })
    const { at, key } = world
    const address = at(newLocal())
    const [first, second] = [fresh(), fresh()]
    const { directory_user_id: id = '' } = await world.signIn({ subject: first, email: address })
    for (const test of [true, false])
      expect(await world.signIn({ subject: second, email: address }, { test })).toMatchObject({
        error: 'account_not_linked',
      })
    expect(await traceOf(world)).toMatchObject({
      outcome: 'refused',
      said: { detail: expect.stringContaining('relink') },
    })
    expect((await identitiesOf(world, id)).map((one: { subject: string }) => one.subject)).toEqual([first])
    // A subject that changes its address stays who it is.
    expect(await world.signIn({ subject: first, email: at(newLocal()) })).toMatchObject({ directory_user_id: id })
    const linked = async () => (await app.mails(address)).filter(({ kind }) => kind === 'identity_linked').length
    expect(await linked()).toBe(0)
    await world.change({ relink: true })
    expect(await world.signIn({ subject: second, email: address })).toMatchObject({ directory_user_id: id })
    expect(await linked()).toBe(1)
    expect(await identitiesOf(world, id)).toHaveLength(2)
    // Without the link, the other subject is as new as any.
    await world.change({ relink: false })
    for (const { id: identity } of await identitiesOf(world, id))
      succeeded(await key.delete(`/v1/users/${id}/identities/${identity}`))
    expect(await world.signIn({ subject: second, email: address })).toMatchObject({ directory_user_id: id })
    expect(await linked()).toBe(2)
  },
)

test('a first link to a user is mailed in the language of the user', async () => {
  const world = await makeWorld(federated, op, 'oidc')
  const address = world.at(newLocal())
  await add(world, { userName: address, locale: 'de' })
  await world.signIn({ subject: fresh(), email: address })
  const [mail, ...more] = (await app.mails(address)).filter(({ kind }) => kind === 'identity_linked')
  expect(more).toEqual([])
  expect(mail?.subject).toBe('Ihrem Konto wurde eine Anmeldemethode hinzugefügt')
  expect(mail?.text).toContain('mit Acme anmelden')
})

test('a name that the provider says at a later sign-in is kept, by tokens and by a code', async () => {
  for (const response_mode of ['query', 'code']) {
    const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
    const [subject, address, upn] = [fresh(), world.at(newLocal()), world.at(newLocal())]
    const { directory_user_id: id } = await world.signIn({ subject, email: address })
    const connection = { id: world.connectionId, peer: op }
    const came = await signInAt(world, connection, { sub: subject, email: address, upn }, response_mode)
    expect(came).not.toHaveProperty('error')
    const emails = [workEmail(world.at(newLocal())), workEmail(address, false)]
    expect(await add(world, { userName: upn, emails })).toBe(id)
  }
})

test('in a large organization, names are found by an index, from both sides', async () => {
  const world = await makeWorld(federated, op, 'oidc')
  const { db } = app.app.platform
  const of = { subject: fresh(), email: world.at(newLocal()) }
  const id = await add(world, { userName: of.email })
  await world.signIn(of)
  await sql`
    insert into identities (directory_id, id, user_id, method, source, issuer, subject, external_ids, user_names)
    select directory_id, gen_random_uuid(), user_id, method, source, issuer, 's' || n, array['s' || n], array['n' || n]
    from identities, generate_series(1, 5000) n where user_id = ${id}`.execute(db)
  await sql`
    insert into scim_users (directory_id, user_id, user_name, external_id, resource, deleted_at)
    select directory_id, gen_random_uuid(), 'n' || n, 's' || n, '{}', clock_now()
    from scim_users, generate_series(1, 5000) n where user_id = ${id}`.execute(db)
  await sql`analyze identities, scim_users`.execute(db)
  const statements = await recordStatements(async () => {
    await world.signIn({ subject: fresh(), email: world.at(newLocal()), upn: 'n7' })
    await add(world, { userName: world.at(newLocal()), externalId: 's7' })
  })
  const planOf = async (part: RegExp) => {
    const text = statements.find((one) => part.test(one)) ?? ''
    const { rows } = await sql<Record<string, string>>`explain (generic_plan) ${sql.raw(text)}`.execute(db)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  const provisioning = await planOf(/with named as/)
  for (const index of [
    'identities_by_external_ids',
    'identities_by_user_names',
    'scim_users_by_external_id',
    'scim_users_by_former_name',
  ])
    expect(provisioning).toContain(index)
  const signIn = await planOf(/'secondary_address'/)
  for (const index of ['scim_users_by_external_id', 'scim_users_by_former_name', 'scim_user_emails_by_value'])
    expect(signIn).toContain(index)
})

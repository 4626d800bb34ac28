import { expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { signXml, writeResponse } from '../../../../test/peers/saml-messages.ts'
import { newUser } from '../../../../test/people/people.ts'
import {
  APPLICATION,
  broughtBack,
  makeSamlOrganization,
  postResponse,
  providerPair,
  saidBy,
} from '../../../../test/people/saml-connection.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { newId } from '../../../platform/ids.ts'
import { noteRecovery } from '../../../platform/lifecycle/deployment.ts'

const app = await startApp()
const tenant = await app.tenant()
const organization = await makeSamlOrganization(app, tenant)
const { subOrgId, connectionId, domain, entityId, sp } = organization
const own = `/v1/auth/login/sso/saml/acs/${connectionId}`
const SHARED = '/v1/auth/login/sso/saml/acs'
const PREFIX = 'http://localhost:4000/api'
const { db } = app.app.platform

async function sessionsOf(organizationId = subOrgId): Promise<number> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('directories', 'directories.id', 'sessions.directory_id')
    .select('sessions.id')
    .where('directories.organization_id', '=', organizationId)
    .execute()
  return rows.length
}

async function traces(of = organization) {
  const reply = await tenant.get(`/v1/sso/connections/${of.connectionId}/traces?subOrgId=${of.subOrgId}`)
  return reply.body.traces
}

test('a person whom the provider signs in is made a user, gets a session, and is the same one ever after', async () => {
  const start = await organization.start()
  const first = broughtBack(await postResponse(app, own, organization.respond(start), start.state))
  expect(first).toMatchObject({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    state: start.state,
  })
  const { user } = (await tenant.get(`/v1/users/${first['directory_user_id']}?subOrgId=${subOrgId}`)).body
  expect(user).toMatchObject({
    email: `ada@${domain}`,
    emailVerified: true,
    firstName: 'Ada',
    lastName: 'Lovelace',
    source: 'sso',
    role: 'member',
  })
  const again = await organization.start({ response_mode: 'code' })
  const { code } = broughtBack(await postResponse(app, own, organization.respond(again), again.state))
  const { session } = (await tenant.post('/v1/auth/token/exchange', { subOrgId, code })).body
  expect(session.directory_user_id).toBe(user.id)
  const [trace] = await traces()
  expect(trace).toMatchObject({
    outcome: 'accepted',
    code: null,
    said: { issuer: entityId, name_id: `ada@${domain}`, attributes: { firstName: ['Ada'] } },
  })
})

test('whoever is made a user has the language that the provider says, at the first sign-in alone', async () => {
  const localeWith = async (preferredLanguage: string) => {
    const start = await organization.start()
    const xml = organization.respond(start, {
      nameId: `bea@${domain}`,
      attributes: { preferredLanguage: [preferredLanguage] },
    })
    const { directory_user_id: id } = broughtBack(await postResponse(app, own, xml, start.state))
    return (await tenant.get(`/v1/users/${id}?subOrgId=${subOrgId}`)).body.user.locale
  }
  expect(await localeWith('de_at')).toBe('de-AT')
  expect(await localeWith('fr')).toBe('de-AT')
})

test('the address that connections share takes responses to sign-ins that began here', async () => {
  const start = await organization.start()
  const shared = { destination: PREFIX + SHARED, recipient: PREFIX + SHARED }
  expect(broughtBack(await postResponse(app, SHARED, organization.respond(start, shared), start.state))).toHaveProperty(
    'access_token',
  )
  const other = await organization.start()
  // The response names the connection's own address, and not the shared one.
  expect(broughtBack(await postResponse(app, SHARED, organization.respond(other), other.state))).toMatchObject({
    error: 'response_invalid',
  })
})

test('the request is found by what the response answers, where a provider returns no RelayState', async () => {
  for (const relayState of [null, '', 'https://evil.example', 'x'.repeat(76)]) {
    const start = await organization.start()
    const back = broughtBack(await postResponse(app, own, organization.respond(start), relayState))
    expect(back).toMatchObject({ access_token: expect.any(String), state: start.state })
  }
})

test('addresses with and without /api are the same one', async () => {
  const start = await organization.start()
  const bare = sp.acs_url.replace('/api/', '/')
  const xml = organization.respond(start, { destination: bare, recipient: bare })
  expect(broughtBack(await postResponse(app, `/api${own}`, xml, start.state))).toHaveProperty('access_token')
})

test('a response is good once, of fifty at the same time and by two processes', async () => {
  const second = await startSecondApp(app)
  const start = await organization.start()
  const xml = organization.respond(start)
  const before = await sessionsOf()
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => postResponse(index % 2 ? app : second, own, xml, start.state)),
  )
  expect(replies.filter(({ status }) => status === 303)).toHaveLength(1)
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(49)
  expect(await sessionsOf()).toBe(before + 1)
})

test('an assertion is good once, also in the answer to another request', async () => {
  const [first, second] = [await organization.start(), await organization.start()]
  const assertionId = '_the-same'
  expect(
    broughtBack(await postResponse(app, own, organization.respond(first, { assertionId }), first.state)),
  ).toHaveProperty('access_token')
  expect(
    broughtBack(await postResponse(app, own, organization.respond(second, { assertionId }), second.state)),
  ).toMatchObject({ error: 'response_invalid' })
  expect((await traces())[0].said.detail).toContain('(replayed)')
})

test('a response that fails its checks ends the sign-in with a fixed code, and leaves what was wrong in a trace', async () => {
  const before = await sessionsOf()
  const start = await organization.start()
  const xml = organization.respond(start, { audience: 'https://other.example' })
  const back = broughtBack(await postResponse(app, own, xml, start.state))
  expect(back).toEqual({ error: 'response_invalid', error_description: expect.any(String), state: start.state })
  expect((await traces())[0]).toMatchObject({
    outcome: 'refused',
    code: 'response_invalid',
    said: { detail: expect.stringContaining('https://other.example') },
  })
  // After a failure, the correct response does not work either.
  expect((await postResponse(app, own, organization.respond(start), start.state)).status).toBe(400)
  const failed = await organization.start()
  const denied = organization.respond(failed, { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' })
  expect(broughtBack(await postResponse(app, own, denied, failed.state))).toMatchObject({ error: 'idp_error' })
  expect(await sessionsOf()).toBe(before)
})

test('a response late by more than the life of a request is of no use', async () => {
  const start = await organization.start()
  await app.advance(301)
  expect((await postResponse(app, own, organization.respond(start), start.state)).status).toBe(400)
})

test('an assertion expires by the clock of the service, with a minute of grace', async () => {
  const [early, late] = [await organization.start(), await organization.start()]
  const soon = { confirmedUntil: new Date(app.app.platform.clock.now().getTime() + 60_000).toISOString() }
  const [first, second] = [organization.respond(early, soon), organization.respond(late, soon)]
  await app.advance(110)
  expect(broughtBack(await postResponse(app, own, first, early.state))).toHaveProperty('access_token')
  await app.advance(20)
  expect(broughtBack(await postResponse(app, own, second, late.state))).toMatchObject({ error: 'response_invalid' })
})

test('a made-up state, or none, leads nowhere', async () => {
  const start = await organization.start()
  const last = start.state.at(-1) === 'a' ? 'b' : 'a'
  const forged = start.state.slice(0, -1) + last
  const xml = organization.respond({ requestId: `_${forged}` })
  for (const path of [own, SHARED]) {
    const reply = await postResponse(app, path, xml, forged)
    expect(reply.status).toBe(400)
    expect(reply.headers.get('location')).toBeNull()
    expect(reply.headers.get('content-type')).toContain('text/html')
    expect(reply.text).not.toContain(forged)
  }
})

test('hostile posts cost no statement, but one to find a connection that is named', async () => {
  const start = await organization.start()
  const forged = start.state.slice(0, -1) + (start.state.at(-1) === 'a' ? 'b' : 'a')
  const signed = organization.respond({ requestId: `_${forged}` })
  const hostile = [signed, '<a>'.repeat(40_000), '&amp;'.repeat(25_000), 'x'.repeat(150_000), '']
  const post = (path: string) => async () => {
    for (const xml of hostile)
      for (const state of [forged, null, 'x'.repeat(76)])
        expect((await postResponse(app, path, xml, state)).status).toBe(400)
  }
  const cost = async (act: () => Promise<unknown>) =>
    (await recordStatements(act)).filter((text) => /sso|saml|federated|identities|directories/.test(text))
  // Cached data is read again every five seconds, and this test takes longer on a busy machine.
  // Shared process: stops the clock until the test ends.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(await cost(post(SHARED))).toEqual([])
  await post(own)()
  expect(await cost(post(own))).toEqual([])
  const unknown = await cost(post(`${SHARED}/${newId()}`))
  expect(unknown).toEqual([expect.stringContaining('select "directory_id" from "sso_connections"')])
})

test('the connection of another organization signs nobody in here', async () => {
  const other = await makeSamlOrganization(app, tenant)
  // Both organizations use the same provider, which signs for both.
  await other.change({ idp_entity_id: entityId })
  const otherPath = `/v1/auth/login/sso/saml/acs/${other.connectionId}`
  const before = [await sessionsOf(), await sessionsOf(other.subOrgId)]
  const mine = await organization.start()
  // Posted to the other organization's address, with this organization's state.
  expect(broughtBack(await postResponse(app, otherPath, organization.respond(mine), mine.state))).toMatchObject({
    error: 'response_invalid',
  })
  // Posted to this organization's address, but made for the other service provider.
  const again = await organization.start()
  const foreign = signXml(
    writeResponse(
      saidBy(app, { ...other, entityId }, again.requestId, { recipient: sp.acs_url, destination: sp.acs_url }),
    ),
    'Assertion',
    providerPair,
  )
  expect(broughtBack(await postResponse(app, own, foreign, again.state))).toMatchObject({ error: 'response_invalid' })
  // A response to the other organization's request, with this organization's state.
  const [theirs, ours] = [await other.start(), await organization.start()]
  const crossed = organization.respond({ requestId: theirs.requestId })
  expect(broughtBack(await postResponse(app, own, crossed, ours.state))).toMatchObject({ error: 'response_invalid' })
  expect([await sessionsOf(), await sessionsOf(other.subOrgId)]).toEqual(before)
})

test('a provider vouches for addresses of the verified domains of its organization alone', async () => {
  const other = await makeSamlOrganization(app, tenant)
  for (const nameId of [`eve@${other.domain}`, 'eve@unverified.example', `eve@sub.${domain}`]) {
    const start = await organization.start()
    const back = broughtBack(await postResponse(app, own, organization.respond(start, { nameId }), start.state))
    expect(back).toMatchObject({ error: 'domain_not_verified' })
  }
  const linked = await newUser(tenant, { subOrgId, email: `grace@${domain}` })
  const start = await organization.start()
  const back = broughtBack(
    await postResponse(app, own, organization.respond(start, { nameId: linked.email }), start.state),
  )
  expect(back['directory_user_id']).toBe(linked.id)
})

test.each(['draft', 'testing', 'error'])(
  'a connection that was set to %s after the start signs nobody in',
  async (status) => {
    const other = await makeSamlOrganization(app, tenant)
    const start = await other.start()
    await other.change({ status })
    const path = `/v1/auth/login/sso/saml/acs/${other.connectionId}`
    expect(broughtBack(await postResponse(app, path, other.respond(start), start.state))).toMatchObject({
      error: 'connection_not_active',
    })
  },
)

test('a connection that was deleted, or a service that was turned off, after the start signs nobody in', async () => {
  const deleted = await makeSamlOrganization(app, tenant)
  const first = await deleted.start()
  const path = `/v1/auth/login/sso/saml/acs/${deleted.connectionId}`
  await tenant.delete(`/v1/sso/connections/${deleted.connectionId}?subOrgId=${deleted.subOrgId}`)
  expect(broughtBack(await postResponse(app, path, deleted.respond(first), first.state))).toMatchObject({
    error: 'connection_not_active',
  })
  const off = await makeSamlOrganization(app, tenant)
  const second = await off.start()
  const { enabledAppIds } = (await tenant.get(`/v1/organization-apps?subOrgId=${off.subOrgId}`)).body
  const kept = enabledAppIds.filter((id: string) => id !== 'sso')
  await tenant.put('/v1/organization-apps', { subOrgId: off.subOrgId, enabledAppIds: kept })
  const offPath = `/v1/auth/login/sso/saml/acs/${off.connectionId}`
  expect(broughtBack(await postResponse(app, offPath, off.respond(second), second.state))).toMatchObject({
    error: 'service_disabled',
  })
})

test('a connection without a certificate or an entity ID takes no response', async () => {
  for (const change of [{ idp_certificate: [] }, { idp_entity_id: null }]) {
    const other = await makeSamlOrganization(app, tenant)
    await other.change(change)
    const start = await other.start()
    const path = `/v1/auth/login/sso/saml/acs/${other.connectionId}`
    expect(broughtBack(await postResponse(app, path, other.respond(start), start.state))).toMatchObject({
      error: 'connection_incomplete',
    })
  }
})

test('a test ends without a session, and tells how the response was read', async () => {
  const other = await makeSamlOrganization(app, tenant)
  await other.change({ status: 'testing' })
  const start = await other.start({}, '?test=true')
  const path = `/v1/auth/login/sso/saml/acs/${other.connectionId}`
  expect(broughtBack(await postResponse(app, path, other.respond(start), start.state))).toEqual({
    test: 'succeeded',
    state: start.state,
  })
  expect(await traces(other)).toMatchObject([
    { outcome: 'accepted', is_test: true, said: { name_id: `ada@${other.domain}` } },
  ])
  expect(await sessionsOf(other.subOrgId)).toBe(0)
})

test('a transient name is nobody, unless an attribute is mapped', async () => {
  const other = await makeSamlOrganization(app, tenant)
  const path = `/v1/auth/login/sso/saml/acs/${other.connectionId}`
  const transient = {
    nameId: 'x1',
    nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
    attributes: { email: [`ada@${other.domain}`], employee: ['7'] },
  }
  const start = await other.start()
  expect(broughtBack(await postResponse(app, path, other.respond(start, transient), start.state))).toMatchObject({
    error: 'response_invalid',
  })
  await other.change({ attribute_mapping: { subject: 'employee' } })
  const again = await other.start()
  expect(broughtBack(await postResponse(app, path, other.respond(again, transient), again.state))).toHaveProperty(
    'access_token',
  )
  const identities = await db
    .selectFrom('identities')
    .select('subject')
    .where('source', '=', other.connectionId)
    .execute()
  expect(identities).toEqual([{ subject: '7' }])
})

test('groups give roles at each sign-in, and take them', async () => {
  const other = await makeSamlOrganization(app, tenant, { group_role_mapping: { Admins: 'admin' } })
  const path = `/v1/auth/login/sso/saml/acs/${other.connectionId}`
  const roleWith = async (groups: string[]) => {
    const start = await other.start()
    const xml = other.respond(start, { attributes: { groups } })
    const { directory_user_id: id } = broughtBack(await postResponse(app, path, xml, start.state))
    return (await tenant.get(`/v1/users/${id}?subOrgId=${other.subOrgId}`)).body.user.role
  }
  expect(await roleWith(['Staff'])).toBe('member')
  expect(await roleWith(['Staff', 'Admins'])).toBe('admin')
  expect(await roleWith([])).toBe('member')
})

test('a second factor at the provider counts only where the provider is trusted for it', async () => {
  const other = await makeSamlOrganization(app, tenant)
  const path = `/v1/auth/login/sso/saml/acs/${other.connectionId}`
  const aal = async (said: Parameters<typeof other.respond>[1]) => {
    const start = await other.start()
    const { access_token = '' } = broughtBack(await postResponse(app, path, other.respond(start, said), start.state))
    return JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()).aal
  }
  const refeds = { context: 'https://refeds.org/profile/mfa' }
  const entra = {
    attributes: {
      'http://schemas.microsoft.com/claims/authnmethodsreferences': [
        'http://schemas.microsoft.com/claims/multipleauthn',
      ],
    },
  }
  expect(await aal(refeds)).toBe('aal1')
  await other.change({ trust_idp_mfa: true })
  expect(await aal({})).toBe('aal1')
  expect(await aal(refeds)).toBe('aal2')
  expect(await aal(entra)).toBe('aal2')
})

const idpInitiated = async () => {
  const other = await makeSamlOrganization(app, tenant, { allow_idp_initiated: true })
  await tenant.patch('/v1/auth/settings', { subOrgId: other.subOrgId, allowed_redirect_uris: [APPLICATION] })
  return { ...other, path: `/v1/auth/login/sso/saml/acs/${other.connectionId}` }
}

test('after a recovery an assertion from before is refused, whatever the database remembers of it', async () => {
  const other = await idpInitiated()
  const xml = other.respond(null)
  const forget = () => db.deleteFrom('saml_assertions').where('connection_id', '=', other.connectionId).execute()
  const present = async (xml: string) => (await postResponse(app, other.path, xml, null)).status
  expect(await present(xml)).toBe(303)
  // Deletes what the lost transactions had written.
  await forget()
  expect(await present(xml)).toBe(303)
  await forget()
  await app.app.platform.tx((tx) => noteRecovery(app.app.platform, tx))
  expect(await present(xml)).toBe(400)
  await app.advance(2)
  expect(await present(other.respond(null))).toBe(303)
})

test('a sign-in that nobody asked for is refused, unless the connection allows it', async () => {
  const unsolicited = organization.respond(null)
  expect((await postResponse(app, own, unsolicited, null)).status).toBe(400)
  const other = await idpInitiated()
  await other.change({ allow_idp_initiated: false })
  const xml = other.respond(null)
  expect((await postResponse(app, other.path, xml, null)).status).toBe(400)
  await other.change({ allow_idp_initiated: true })
  expect((await postResponse(app, SHARED, xml, null)).status).toBe(400)
  const back = broughtBack(await postResponse(app, other.path, xml, 'https://evil.example/'))
  expect(Object.keys(back).sort()).toEqual(['code', 'state'])
  const exchanged = await tenant.post('/v1/auth/token/exchange', { subOrgId: other.subOrgId, code: back['code'] })
  expect(exchanged.body.session.access_token).toBeDefined()
  // The same response works only once.
  expect((await postResponse(app, other.path, xml, null)).status).toBe(400)
  expect(await sessionsOf(other.subOrgId)).toBe(1)
})

test('what is wrong with an unsolicited response stays between us, and leaves no trace', async () => {
  const other = await idpInitiated()
  const start = await organization.start()
  const cases = [
    other.respond(null, { audience: 'https://other.example' }),
    other.respond(null).replace(`ada@${other.domain}`, `eve@${other.domain}`),
    // It answers a request that this service does not know.
    other.respond({ requestId: '_unknown' }),
    other.respond({ requestId: `_${'a'.repeat(76)}` }),
    organization.respond(null, { destination: other.sp.acs_url, recipient: other.sp.acs_url }),
    '<a/>',
  ]
  for (const xml of cases) expect((await postResponse(app, other.path, xml, null)).status).toBe(400)
  expect(await traces(other)).toEqual([])
  // A stolen response to a sign-in in progress, posted to another connection's address.
  const back = broughtBack(await postResponse(app, other.path, organization.respond(start), null))
  expect(back).toMatchObject({ error: 'response_invalid', state: start.state })
  await other.change({ status: 'draft' })
  expect((await postResponse(app, other.path, other.respond(null), null)).status).toBe(400)
  expect((await postResponse(app, `${SHARED}/${newId()}`, other.respond(null), null)).status).toBe(400)
  expect((await postResponse(app, `${SHARED}/x`, other.respond(null), null)).status).toBe(400)
  expect(await sessionsOf(other.subOrgId)).toBe(0)
})

test('a form that is too large is refused before it is read', async () => {
  const start = await organization.start()
  const reply = await postResponse(app, own, `<a>${'b'.repeat(256 * 1024)}</a>`, start.state)
  expect(reply.status).toBe(413)
  expect(broughtBack(await postResponse(app, own, organization.respond(start), start.state))).toHaveProperty(
    'access_token',
  )
})

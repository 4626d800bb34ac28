import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { codeOf, enrollTotp, succeeded } from '../../../../test/people/factors.ts'
import {
  arrived,
  callBack,
  connect,
  type Proven,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'
import { sessionsIn } from '../../../../test/people/people.ts'
import { broughtBack, makeSamlOrganization, postResponse } from '../../../../test/people/saml-connection.ts'
import { mailedCode } from '../../../../test/people/sign-in.ts'
import { bearing } from '../../../../test/walkers/own-world.ts'

// A session's connection appears wherever the session is shown.

const service = await startFederatedApp()
const { app, tenant } = service
const peer = await startOpPeer()

interface Home {
  home: Proven
  connection: string
  /** Signs in. Returns what the application gets. */
  enter(asked?: object): Promise<Record<string, string>>
}

const protocols: Record<string, () => Promise<Home>> = {
  async oidc() {
    const home = await provenOrganization(service)
    const connection = await connect(home, peer.url)
    const claims = { sub: fresh(), email: `${fresh()}@${home.domain}` }
    const enter = async (asked: Record<string, unknown> = {}) => {
      const { authorization_url, state } = await start(home, connection, asked)
      const { code } = peer.signIn(authorization_url, claims)
      return arrived(await callBack(app, { code, state }))
    }
    return { home, connection, enter }
  },
  async saml() {
    const organization = await makeSamlOrganization(app, tenant)
    const { subOrgId: id, domain, connectionId: connection } = organization
    const key = await tenant.withKey({ subOrgId: id })
    const enter = async (asked: Record<string, unknown> = {}) => {
      const begun = await organization.start(asked)
      const path = `/v1/auth/login/sso/saml/acs/${connection}`
      return broughtBack(await postResponse(app, path, organization.respond(begun), begun.state))
    }
    return { home: { id, key, domain }, connection, enter }
  },
}

type Tokens = { access_token: string; refresh_token: string; directory_user_id: string }

const tokensOf = ({
  access_token = '',
  refresh_token = '',
  directory_user_id = '',
}: Record<string, string>): Tokens => ({
  access_token,
  refresh_token,
  directory_user_id,
})

const exchange = async ({ key }: Proven, { code }: Record<string, string>) =>
  succeeded(await key.post('/v1/auth/token/exchange', { code }))

async function pass({ key }: Proven, challenge_token: unknown, secret: string): Promise<Tokens> {
  return succeeded(await key.post('/v1/mfa/challenge/verify', { challenge_token, code: codeOf(secret, 1) })).session
}

/** Enrolls an authenticator app for a user of the connection. */
async function enroll({ home, enter }: Home): Promise<string> {
  const { directory_user_id = '' } = await enter()
  const { secret } = await enrollTotp(home.key, directory_user_id)
  return secret
}

/** The ways in which a sign-in through a connection can lead to a session. */
const ways: Record<string, (at: Home) => Promise<Tokens>> = {
  'the redirect': async ({ enter }) => tokensOf(await enter()),
  'a code': async ({ home, enter }) => (await exchange(home, await enter({ response_mode: 'code' }))).session,
  async 'a challenge'(at) {
    const secret = await enroll(at)
    const held = await at.enter()
    return pass(at.home, held['challenge_token'], secret)
  },
  async 'a code and a challenge'(at) {
    const secret = await enroll(at)
    const held = await exchange(at.home, await at.enter({ response_mode: 'code' }))
    return pass(at.home, held.challenge_token, secret)
  },
  async 'a challenge at a refresh'({ home, enter }) {
    const came = tokensOf(await enter())
    const { secret } = await enrollTotp(home.key, came.directory_user_id, { revokeSessions: false })
    succeeded(await home.key.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 0 }))
    const { refresh_token } = came
    const held = succeeded(await home.key.post('/v1/auth/token/refresh', { refresh_token }))
    return pass(home, held.challenge_token, secret)
  },
}

/** The connection of a session, read from every place that shows it. */
async function connectionsSeen(
  { id: organization, key }: Proven,
  { access_token, refresh_token, directory_user_id: id }: Tokens,
) {
  const introspect = async (token: string) =>
    succeeded(await key.post('/v1/auth/token/introspect', { token })).connection_id
  const sid = decodeJwt(access_token)['sid']
  const refreshed = succeeded(await key.post('/v1/auth/token/refresh', { refresh_token })).session
  const me = bearing(app, access_token)
  const ofUser = succeeded(await key.get(`/v1/sessions?userId=${id}`)).users[0].sessions
  const all = await sessionsIn(key, organization)
  const listed = [...ofUser, ...all, ...succeeded(await me.get('/v1/me/sessions')).sessions]
  const events = await app.events({ accountId: tenant.accountId, type: 'session.created' })
  const mine = [...listed, ...events.map(({ data }) => Object(data))].filter((row) => row.id === sid)
  expect(mine).toHaveLength(4)
  const { records } = succeeded(await tenant.get(`/v1/users/${id}/export`))
  const kept = records.sessions.find((row: { id: string }) => row.id === sid)
  return [
    decodeJwt(access_token)['connection_id'],
    decodeJwt(refreshed.access_token)['connection_id'],
    await introspect(access_token),
    await introspect(refreshed.refresh_token),
    succeeded(await me.get('/v1/auth/userinfo')).connection_id ?? null,
    ...mine.map(({ connection_id }) => connection_id),
    kept.connection_id,
  ]
}

describe.each(Object.entries(protocols))('%s', (_, newHome) => {
  test.each(Object.entries(ways))('a session that comes of %s has its connection', async (_, way) => {
    const at = await newHome()
    const seen = await connectionsSeen(at.home, await way(at))
    expect(seen).toEqual(Array(10).fill(at.connection))
  })

  test('a session of the same user by another method has none', async () => {
    const { home, enter } = await newHome()
    const { directory_user_id } = await enter()
    const { email } = succeeded(await home.key.get(`/v1/users/${directory_user_id}`)).user
    const { otp_id } = succeeded(await home.key.post('/v1/auth/login/otp/send', { email }))
    const body = { email, otp_id, code: await mailedCode(app, email) }
    const { session } = succeeded(await home.key.post('/v1/auth/login/otp/verify', body))
    expect(await connectionsSeen(home, session)).toEqual(Array(10).fill(null))
  })

  test('the events of the sign-in have the user as actor', async () => {
    const { home, enter } = await newHome()
    const { directory_user_id: id } = await enter()
    const events = await app.events({ accountId: tenant.accountId })
    const ofHome = events.filter(({ organization_id }) => organization_id === home.id)
    for (const type of ['identity.linked', 'session.created', 'auth.login.succeeded']) {
      const actors = ofHome
        .filter((event) => event.type === type)
        .map(({ actor_type, actor_id }) => [actor_type, actor_id])
      expect([type, actors]).toEqual([type, [['user', id]]])
    }
  })

  test('a step-up keeps it', async () => {
    const { home, connection, enter } = await newHome()
    const came = tokensOf(await enter())
    const { email } = succeeded(await home.key.get(`/v1/users/${came.directory_user_id}`)).user
    const me = bearing(app, came.access_token)
    const { otp_id } = succeeded(await me.post('/v1/me/step-up', { method: 'otp' }))
    const body = { otp_id, code: await mailedCode(app, email) }
    const { access_token } = succeeded(await me.post('/v1/me/step-up/verify', body))
    expect(decodeJwt(access_token)['connection_id']).toBe(connection)
  })

  test('the id stays when the connection is deleted', async () => {
    const { home, connection, enter } = await newHome()
    const came = tokensOf(await enter())
    succeeded(await home.key.delete(`/v1/sso/connections/${connection}`))
    const introspected = succeeded(await home.key.post('/v1/auth/token/introspect', { token: came.access_token }))
    const listed = await sessionsIn(home.key, home.id)
    expect([introspected.active, introspected.connection_id ?? null, listed.length]).toEqual([true, connection, 1])
  })
})

import { fresh } from '../fresh.ts'
import { type Caller, caller, type Reply, until } from '../harness.ts'
import { type OpPeer, openOpPeer } from '../peers/op-peer.ts'
import { codeOf, succeeded } from '../people/factors.ts'
import { SCIM } from '../people/scim.ts'

export interface WalkOptions {
  baseUrl: string
  /** An API key of production for all organizations, with every scope. */
  key: string
  /** Publishes a TXT record where the service looks it up. */
  publish(record: { name: string; value: string }): void
}

export interface WalkStep {
  name: string
  /** Why it failed; null if it worked. */
  failure: string | null
}

interface Walker extends WalkOptions {
  api: Caller
  provider: OpPeer
  /** What earlier steps made. */
  made: Record<string, string>
}

/**
 * Uses the main features of a running service over HTTP, as an application does. For a database that the tests do not run
 * on, such as a cluster. A step that needs what a failed one should have made fails too. Creates three organizations, which
 * stay.
 */
export async function walk(options: WalkOptions, onStep: (step: WalkStep) => void): Promise<WalkStep[]> {
  const done: WalkStep[] = []
  const { peer, close } = await openOpPeer()
  const walker = { ...options, api: caller(options.baseUrl, options.key), provider: peer, made: {} }
  try {
    for (const [name, act] of Object.entries(STEPS)) {
      const failure = await act(walker).then(() => null, reasonOf)
      done.push({ name, failure })
      onStep({ name, failure })
    }
  } finally {
    close()
  }
  return done
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function expectEqual(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
}

/** What an earlier step made. Throws if it failed. */
function given({ made }: Walker, name: string): string {
  const value = made[name]
  if (value === undefined) throw new Error(`No ${name}: an earlier step failed`)
  return value
}

const HOME = 'http://localhost:3000/auth'
const PASSWORD = `copper lantern ${fresh()}`

const STEPS: Record<string, (walker: Walker) => Promise<void>> = {
  'publish signing keys': async ({ api }) => {
    const { keys } = succeeded(await api.get('/.well-known/jwks.json'))
    expectEqual('the presence of a key', keys.length > 0, true)
  },
  'create organizations': async ({ api, made }) => {
    for (const name of ['organization', 'other'])
      made[name] = succeeded(
        await api.post('/v1/organizations', { name: 'Walk', slug: `walk-${fresh()}` }),
      ).subOrganization.id
    succeeded(await api.get('/v1/organizations'))
    succeeded(await api.patch(`/v1/organizations/${made['organization']}`, { description: 'Walked' }))
  },
  'create, change, find and list users': async (walker) => {
    const { api, made } = walker
    const subOrgId = given(walker, 'organization')
    const email = `${fresh()}@walk.example`
    const { user } = succeeded(await api.post('/v1/users', { subOrgId, email }))
    Object.assign(made, { user: user.id, email })
    succeeded(await api.patch(`/v1/users/${user.id}`, { subOrgId, firstName: 'Ada' }))
    const users = Array.from({ length: 20 }, () => ({ email: `${fresh()}@walk.example` }))
    expectEqual('the number created', succeeded(await api.put('/v1/users', { subOrgId, users })).created.length, 20)
    for (const query of [`email=${email}`, 'q=ada', 'include_total=true', 'updatedSince=2026-01-01T00:00:00Z'])
      expectEqual(query, succeeded(await api.get(`/v1/users?subOrgId=${subOrgId}&${query}`)).users.length > 0, true)
  },
  'sign in with a mailed code': async (walker) => {
    const { api, baseUrl } = walker
    const subOrgId = given(walker, 'organization')
    const email = given(walker, 'email')
    const { otp_id } = succeeded(await api.post('/v1/auth/login/otp/send', { subOrgId, email }))
    const code = await until(() => mailedCode(baseUrl, email))
    const wrong = await api.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code: 'wrong' })
    expectEqual('the status of a wrong code', wrong.status, 401)
    keepSession(walker, await api.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }))
    const again = await api.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })
    expectEqual('the status of a used code', again.status, 401)
  },
  'sign in with a magic link': async (walker) => {
    const { api } = walker
    const subOrgId = given(walker, 'organization')
    const email = given(walker, 'email')
    const sent = await api.post('/v1/auth/login/magic-link/send', { subOrgId, email, deliver: false })
    const token_hash = new URL(succeeded(sent).url).searchParams.get('token_hash')
    keepSession(walker, await api.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash }))
  },
  'sign in with a password, after a wrong one': async (walker) => {
    const { api } = walker
    const subOrgId = given(walker, 'organization')
    const email = given(walker, 'email')
    succeeded(await api.put(`/v1/users/${given(walker, 'user')}/password`, { subOrgId, password: PASSWORD }))
    const wrong = await api.post('/v1/auth/login/password', { subOrgId, email, password: `${PASSWORD}!` })
    expectEqual('the status of a wrong password', wrong.status, 401)
    for (let i = 0; i < 2; i++)
      keepSession(walker, await api.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD }))
  },
  'refresh, introspect and end sessions': async (walker) => {
    const { api } = walker
    const subOrgId = given(walker, 'organization')
    const refresh_token = given(walker, 'refreshToken')
    keepSession(walker, await api.post('/v1/auth/token/refresh', { subOrgId, refresh_token }))
    const token = given(walker, 'accessToken')
    const isActive = async () => succeeded(await api.post('/v1/auth/token/introspect', { subOrgId, token })).active
    expectEqual('the activity of the token', await isActive(), true)
    const { users } = succeeded(await api.get(`/v1/sessions?subOrgId=${subOrgId}`))
    expectEqual('the presence of sessions', users.length > 0, true)
    succeeded(await api.delete(`/v1/users/${given(walker, 'user')}/sessions?subOrgId=${subOrgId}`))
    expectEqual('the activity of the token after its end', await isActive(), false)
  },
  'generate and validate a code': async (walker) => {
    const subOrgId = given(walker, 'organization')
    const { otp_id, code } = succeeded(await walker.api.post('/v1/otp/generate', { subOrgId, session_id: fresh() }))
    const validate = async () => succeeded(await walker.api.post('/v1/otp/validate', { subOrgId, otp_id, code })).valid
    expectEqual('the first validation', await validate(), true)
    expectEqual('the second validation', await validate(), false)
  },
  'enroll an authenticator app and pass a challenge': async (walker) => {
    const { api } = walker
    const subOrgId = given(walker, 'organization')
    const { user } = succeeded(await api.post('/v1/users', { subOrgId, email: `${fresh()}@walk.example` }))
    succeeded(await api.put(`/v1/users/${user.id}/password`, { subOrgId, password: PASSWORD }))
    const signIn = () => api.post('/v1/auth/login/password', { subOrgId, email: user.email, password: PASSWORD })
    succeeded(await signIn())
    const named = { subOrgId, userId: user.id }
    const { pendingId, secret } = succeeded(await api.post('/v1/mfa/totp', named))
    succeeded(await api.put('/v1/mfa/totp', { ...named, pendingId, code: codeOf(secret) }))
    const { challenge_token } = succeeded(await signIn())
    const code = codeOf(secret, 1)
    keepSession(walker, await api.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code }))
  },
  'create, give and check a role': async (walker) => {
    const { api } = walker
    const [subOrgId, userId] = [given(walker, 'organization'), given(walker, 'user')]
    const permissions = ['invoice:approve']
    const { role } = succeeded(await api.post('/v1/rbac/roles', { subOrgId, name: `Editor ${fresh()}`, permissions }))
    succeeded(await api.put(`/v1/rbac/users/${userId}/roles`, { subOrgId, roleIds: [role.id] }))
    const checked = await api.post('/v1/rbac/check', { subOrgId, userId, permission: 'invoice:approve' })
    expectEqual('the permission', succeeded(checked).allowed, true)
    succeeded(await api.delete(`/v1/rbac/roles/${role.id}?subOrgId=${subOrgId}`))
  },
  'provision users and groups by SCIM': async (walker) => {
    const { api, baseUrl } = walker
    const subOrgId = given(walker, 'other')
    succeeded(await api.patch('/v1/scim/config', { subOrgId, enabled: true }))
    const { token } = succeeded(await api.post('/v1/scim/config', { subOrgId, action: 'rotate-token' }))
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
    const scim = caller(baseUrl, null)
    const userName = `${fresh()}@walk.example`
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
    const user = await scim.post(`${SCIM}/Users`, { schemas, userName, externalId: fresh(), active: true }, headers)
    expectEqual('the status of the creation', user.status, 201)
    const filter = encodeURIComponent(`userName eq "${userName}"`)
    expectEqual('the users found', (await scim.get(`${SCIM}/Users?filter=${filter}`, headers)).body.totalResults, 1)
    const group = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Walkers' }
    const members = [{ value: user.body.id }]
    const created = await scim.post(`${SCIM}/Groups`, { ...group, members }, headers)
    expectEqual('the status of the group', created.status, 201)
    const patch = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    }
    expectEqual(
      'the state after',
      (await scim.patch(`${SCIM}/Users/${user.body.id}`, patch, headers)).body.active,
      false,
    )
    expectEqual('the status of the removal', (await scim.delete(`${SCIM}/Users/${user.body.id}`, headers)).status, 204)
    await until(async () => succeeded(await api.get(`/v1/scim/logs?subOrgId=${subOrgId}`)).logs.length >= 5)
  },
  'verify a domain': async (walker) => {
    const { api, made, publish } = walker
    const subOrgId = given(walker, 'organization')
    const name = `walk-${fresh()}.example`
    const added = succeeded(await api.post('/v1/admin-portal', { subOrgId, action: 'add_domain', domain: name }))
    publish(added.domain.verification)
    const verify = { subOrgId, action: 'verify_domain', domainId: added.domain.id }
    expectEqual('the verification', succeeded(await api.post('/v1/admin-portal', verify)).success, true)
    made['domain'] = name
  },
  'sign in at an OpenID provider, and exchange the code': async (walker) => {
    const { api, provider, baseUrl } = walker
    const subOrgId = given(walker, 'organization')
    const email = `${fresh()}@${given(walker, 'domain')}`
    const settings = { name: 'Walk', protocol: 'oidc', oidc_issuer: provider.url, oidc_client_id: 'walk' }
    const { connection } = succeeded(
      await api.post('/v1/sso/connections', { subOrgId, ...settings, oidc_client_secret: provider.behaviour.secret }),
    )
    succeeded(await api.patch(`/v1/sso/connections/${connection.id}`, { subOrgId, status: 'active' }))
    for (let i = 0; i < 2; i++) {
      const start = { subOrgId, connectionId: connection.id, redirectUri: HOME, response_mode: 'code' }
      const { authorization_url } = succeeded(await api.post('/v1/auth/login/sso/start', start))
      const { redirectUri, ...brought } = provider.signIn(authorization_url, {
        sub: 'ada',
        email,
        email_verified: true,
      })
      const path = `${baseUrl}${new URL(redirectUri).pathname}?${new URLSearchParams(brought)}`
      const { headers, status } = await fetch(path, { redirect: 'manual' })
      const back = new URL(headers.get('location') ?? `${HOME}?status=${status}`).searchParams
      const code = back.get('code')
      if (code === null) throw new Error(`No code, but ${back}`)
      keepSession(walker, await api.post('/v1/auth/token/exchange', { subOrgId, code }))
    }
    succeeded(await api.delete(`/v1/sso/connections/${connection.id}?subOrgId=${subOrgId}`))
  },
  'move a user to another organization': async (walker) => {
    const [subOrgId, targetSubOrgId] = [given(walker, 'organization'), given(walker, 'other')]
    succeeded(await walker.api.post(`/v1/users/${given(walker, 'user')}`, { subOrgId, targetSubOrgId }))
  },
  'invite a user and a member of the team': async (walker) => {
    const { api } = walker
    const subOrgId = given(walker, 'organization')
    const invited = await api.post('/v1/users/invites', { subOrgId, email: `${fresh()}@walk.example`, deliver: false })
    const token = new URL(succeeded(invited).invite.invite_url).searchParams.get('token_hash')
    keepSession(walker, await api.post('/v1/auth/invite/accept', { subOrgId, token, password: PASSWORD }))
    const member = await api.post('/v1/members/invites', { email: `${fresh()}@walk.example`, role: 'member' })
    succeeded(await api.delete(`/v1/members/${succeeded(member).member.membershipId}`))
  },
  'keep an answer for an Idempotency-Key': async ({ api }) => {
    const create = (key: string) =>
      api.post('/v1/organizations', { name: 'Walk', slug: `walk-${key}` }, { 'idempotency-key': key })
    const key = fresh()
    const [first, second] = [succeeded(await create(key)), succeeded(await create(key))]
    expectEqual('the second answer', second.subOrganization.id, first.subOrganization.id)
    succeeded(await api.delete(`/v1/organizations/${first.subOrganization.id}`))
  },
  'create a webhook': async (walker) => {
    const { api } = walker
    const subOrgId = given(walker, 'organization')
    const body = { subOrgId, name: 'Walk', url: 'https://hooks.invalid/walk', events: ['user.*'] }
    const { webhook } = succeeded(await api.post('/v1/webhooks', body))
    succeeded(await api.post(`/v1/webhooks/${webhook.id}/test`, { subOrgId }))
    succeeded(await api.delete(`/v1/webhooks/${webhook.id}?subOrgId=${subOrgId}`))
  },
  'read the audit log': async (walker) => {
    const { api } = walker
    const { events } = succeeded(await api.get(`/v1/audit/events?subOrgId=${given(walker, 'organization')}`))
    expectEqual('the presence of events', events.length > 0, true)
  },
  'list the whole environment': async ({ api }) => {
    for (const list of ENVIRONMENT_LISTS) succeeded(await api.get(list))
  },
  'create, rotate and revoke an API key': async ({ api, baseUrl }) => {
    const { key, apiKey } = succeeded(await api.post('/v1/api-keys', { name: 'walk', scopes: ['users.read'] }))
    expectEqual('its status', (await caller(baseUrl, key).get('/v1/users')).status, 200)
    const rotated = succeeded(await api.post(`/v1/api-keys/${apiKey.id}/rotate`, { overlap_seconds: 0 }))
    succeeded(await api.delete(`/v1/api-keys/${rotated.apiKey.id}`))
    await until(async () => (await caller(baseUrl, rotated.key).get('/v1/users')).status === 401)
  },
  'delete a user': async (walker) => {
    const { api } = walker
    const subOrgId = given(walker, 'organization')
    const { user } = succeeded(await api.post('/v1/users', { subOrgId, email: `${fresh()}@walk.example` }))
    succeeded(await api.delete(`/v1/users/${user.id}?subOrgId=${subOrgId}`))
  },
}

const ENVIRONMENT_LISTS = [
  '/v1/organizations?include_total=true',
  '/v1/users?q=walk&include_total=true',
  '/v1/users?active=false&include_total=true',
  '/v1/users?updatedSince=2020-01-01T00:00:00Z',
  '/v1/users/invites?status=pending&include_total=true',
  '/v1/sessions?include_total=true',
  '/v1/sessions/revocations',
  '/v1/rbac/roles',
  '/v1/sso/connections',
  '/v1/webhooks',
  '/v1/events',
  '/v1/audit/events',
]

function keepSession({ made }: Walker, reply: Reply): void {
  const { session } = succeeded(reply)
  expectEqual('the type of the access token', typeof session?.access_token, 'string')
  Object.assign(made, { accessToken: session.access_token, refreshToken: session.refresh_token })
}

/** The code of the newest mail to an address, as /dev/mail shows it in development. */
async function mailedCode(baseUrl: string, email: string): Promise<string | null> {
  const list = await fetch(`${baseUrl}/dev/mail`)
  if (list.status !== 200) throw new Error('Mailed codes are at /dev/mail, which is served in development alone')
  const row = (await list.text()).split('<li ').find((text) => text.includes(email) && text.includes('href=')) ?? ''
  const link = /href="([^"]+)"/.exec(row)?.[1]
  const mail = link ? await (await fetch(baseUrl + link)).text() : ''
  return /^([a-z]+ [a-z]+)$/m.exec(mail)?.[1] ?? null
}

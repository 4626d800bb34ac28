import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { signedInUser } from '../../../../test/people/sign-in.ts'

const service = await startApp()
const { baseUrl, advance } = service
const tenant = await service.tenant()
const APP = 'https://app.example.com'

async function person(email: string) {
  const subOrgId = await tenant.organization()
  const user = await signedInUser(service, tenant, subOrgId, email)
  await tenant.patch('/v1/auth/settings', { subOrgId, allowed_origins: [APP] })
  return { subOrgId, ...user }
}

const ask = (token: string, headers: Record<string, string> = {}) =>
  service.as(null).get('/v1/auth/userinfo', { authorization: `Bearer ${token}`, ...headers })

test('tells whose access token it is', async () => {
  const { subOrgId, userId, session } = await person('ada@example.com')
  const names = { firstName: 'Ada', lastName: 'Lovelace', phone: '+14155550123' }
  await tenant.patch(`/v1/users/${userId}`, { subOrgId, ...names })
  const reply = await ask(session.access_token)
  expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(reply.body).toEqual({
    sub: session.user_id,
    email: 'ada@example.com',
    email_verified: true,
    name: 'Ada Lovelace',
    given_name: 'Ada',
    family_name: 'Lovelace',
    phone_number: '+14155550123',
    updated_at: expect.any(Number),
    directory_user_id: userId,
    org_id: subOrgId,
    role: 'member',
    sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    amr: ['otp'],
    aal: 'aal1',
    auth_time: expect.any(Number),
  })
  expect(
    (await service.as(null).get('/api/v1/auth/userinfo', { authorization: `bearer ${session.access_token}` })).body,
  ).toEqual(reply.body)
})

test('leaves out the claims that have no value', async () => {
  const { subOrgId, userId, session } = await person('kim@example.com')
  const { body } = await ask(session.access_token)
  expect(Object.keys(body).sort()).toEqual(
    'aal amr auth_time directory_user_id email email_verified org_id role sid sub updated_at'.split(' '),
  )
  await tenant.patch(`/v1/users/${userId}`, { subOrgId, lastName: 'Ito' })
  const named = (await ask(session.access_token)).body
  expect(named).toEqual({ ...body, name: 'Ito', family_name: 'Ito', updated_at: named.updated_at })
})

describe('refuses', () => {
  test('what is no live access token, and says which by the challenge', async () => {
    const { session } = await person('bob@example.com')
    const [head = '', payload = '', signature = ''] = session.access_token.split('.')
    const forged = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'x' }),
    )
    const cases = [
      ['', 'access_token_missing', 'Bearer realm="watchword"'],
      [session.refresh_token, 'access_token_invalid', 'Bearer realm="watchword", error="invalid_token"'],
      [tenant.key, 'access_token_invalid', 'Bearer realm="watchword", error="invalid_token"'],
      [
        `${head}.${forged.toString('base64url')}.${signature}`,
        'access_token_invalid',
        'Bearer realm="watchword", error="invalid_token"',
      ],
      ['a.b.c', 'access_token_invalid', 'Bearer realm="watchword", error="invalid_token"'],
    ]
    for (const [token = '', code, challenge] of cases) {
      const reply = await ask(token)
      expect([reply.status, reply.body.code, reply.headers.get('www-authenticate')]).toEqual([401, code, challenge])
    }
    const keyed = await service.as(tenant.key).get('/v1/auth/userinfo')
    expect([keyed.status, keyed.body.code]).toEqual([401, 'access_token_missing'])
  })

  test('a credential of another kind, and says which was sent and which is needed', async () => {
    const { session } = await person('pat@example.com')
    const needed = 'was sent, but this route requires an access token. Send an access token as Authorization: Bearer.'
    const cases = [
      [tenant.key, `An API key ${needed}`],
      [session.refresh_token, `A refresh token ${needed}`],
    ]
    for (const [token = '', detail] of cases) expect((await ask(token)).body).toMatchObject({ status: 401, detail })
    const { detail } = (await service.as(tenant.key).get('/v1/auth/userinfo')).body
    expect(detail).toBe(
      'This route is for end users. Send the access token as Authorization: Bearer. An API key does not work here.',
    )
    const unknown = await ask('a.b.c')
    expect(unknown.body.detail).toContain('The token has expired')
  })

  test('a token whose session ended, whose user may not sign in, or that expired, at once', async () => {
    const { subOrgId, userId, session } = await person('eve@example.com')
    expect((await ask(session.access_token)).status).toBe(200)
    await tenant.post('/v1/auth/token/revoke', { subOrgId, refresh_token: session.refresh_token })
    expect((await ask(session.access_token)).body.code).toBe('access_token_invalid')

    const other = await person('kay@example.com')
    await tenant.patch(`/v1/organizations/${other.subOrgId}`, { status: 'suspended' })
    expect((await ask(other.session.access_token)).status).toBe(401)
    await tenant.delete(`/v1/users/${userId}?subOrgId=${subOrgId}`)

    const late = await person('lee@example.com')
    await advance(3601)
    expect((await ask(late.session.access_token)).status).toBe(401)
  })
})

describe('CORS', () => {
  test('lets the pages that the directory names read the answer, and no other', async () => {
    const { session } = await person('mia@example.com')
    const allowed = await ask(session.access_token, { origin: APP })
    expect([allowed.status, allowed.headers.get('access-control-allow-origin'), allowed.headers.get('vary')]).toEqual([
      200,
      APP,
      'origin',
    ])
    expect(allowed.headers.has('access-control-allow-credentials')).toBe(false)
    const other = await ask(session.access_token, { origin: 'https://evil.example' })
    expect([other.status, other.body.code, other.body.email]).toEqual([403, 'origin_not_allowed', undefined])
    // Any page may read the error for an invalid token.
    const expired = await ask('a.b.c', { origin: 'https://evil.example' })
    expect([expired.status, expired.headers.get('access-control-allow-origin')]).toEqual([401, 'https://evil.example'])
  })

  test('answers a preflight with what the route takes', async () => {
    const headers = {
      origin: APP,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    }
    const reply = await fetch(`${baseUrl}/v1/auth/userinfo`, { method: 'OPTIONS', headers })
    expect([
      reply.status,
      reply.headers.get('access-control-allow-origin'),
      reply.headers.get('access-control-allow-methods'),
    ]).toEqual([204, APP, 'GET, HEAD, OPTIONS'])
    expect(reply.headers.get('access-control-allow-headers')).toContain('authorization')
  })

  test('keys and metadata are for every page, and what a backend calls for none', async () => {
    const { accountId } = tenant
    for (const path of [
      '/.well-known/jwks.json',
      '/v1/auth/jwks',
      `/accounts/${accountId}/production/.well-known/jwks.json`,
      `/accounts/${accountId}/production/.well-known/oauth-authorization-server`,
      '/version',
    ]) {
      const reply = await fetch(baseUrl + path, { headers: { origin: 'https://anywhere.example' } })
      expect([path, reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([path, 200, '*'])
      const preflight = await fetch(baseUrl + path, {
        method: 'OPTIONS',
        headers: { origin: 'https://anywhere.example' },
      })
      expect([path, preflight.status]).toEqual([path, 204])
    }
    const keyed = await tenant.get('/v1/users', { origin: APP })
    expect([keyed.status, keyed.headers.has('access-control-allow-origin')]).toEqual([200, false])
    expect((await fetch(`${baseUrl}/v1/users`, { method: 'OPTIONS', headers: { origin: APP } })).status).toBe(405)
  })
})

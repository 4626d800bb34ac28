import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { decodeJwt, decodeProtectedHeader, exportJWK, SignJWT } from 'jose'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { signedInUser } from '../../../../test/people/sign-in.ts'
import { signJws } from '../../../platform/crypto/jws.ts'
import { rotateSigningKeys } from '../../../platform/crypto/signing-keys.ts'
import { newId } from '../../../platform/ids.ts'

const app = await startApp()
const { platform } = app.app
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
const { session } = await signedInUser(app, tenant, subOrgId, newEmail())
const genuine = session.access_token
const [HEADER = '', PAYLOAD = '', SIGNATURE = ''] = genuine.split('.')
const header = decodeProtectedHeader(genuine)
const claims = decodeJwt(genuine)
const kid = String(header.kid)

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const introspect = async (token: string) => (await tenant.post('/v1/auth/token/introspect', { token })).body
const userinfo = (token: string) => app.as(null).get('/v1/auth/userinfo', { authorization: `Bearer ${token}` })

/** Checks that the token is refused wherever tokens are verified, and that revoking it ends no session. */
async function expectRefused(name: string, token: string): Promise<void> {
  expect([name, await introspect(token)]).toEqual([name, { active: false }])
  const asked = await userinfo(token)
  expect([name, asked.status, asked.body.code]).toEqual([name, 401, 'access_token_invalid'])
  const revoked = await tenant.post('/v1/auth/token/revoke', { access_token: token })
  expect([name, revoked.status]).toEqual([name, 200])
  expect([name, (await introspect(genuine)).active]).toEqual([name, true])
}

/** The public key, which anyone can read. */
const jwks: { keys: Record<string, string>[] } = (
  await app.as(null).get(`${new URL(String(claims.iss)).pathname.replace(/\/$/, '')}/.well-known/jwks.json`)
).body
const published = jwks.keys.find((key) => key['kid'] === kid) ?? {}
const publicKeyOfService = createPublicKey({ key: published, format: 'jwk' })

test('the token that the forgeries begin with is good, and its key is published', async () => {
  expect(await introspect(genuine)).toMatchObject({ active: true })
  expect((await userinfo(genuine)).status).toBe(200)
  expect(published).toMatchObject({ alg: 'ES256', kty: 'EC', kid })
})

/** The public key in every form that a verifier could mistake for a secret. */
const secrets: Record<string, Buffer> = {
  pem: Buffer.from(publicKeyOfService.export({ type: 'spki', format: 'pem' })),
  'pem without its last line end': Buffer.from(
    String(publicKeyOfService.export({ type: 'spki', format: 'pem' })).trimEnd(),
  ),
  der: publicKeyOfService.export({ type: 'spki', format: 'der' }),
  jwk: Buffer.from(JSON.stringify(published)),
  'jwk of the key alone': Buffer.from(JSON.stringify(publicKeyOfService.export({ format: 'jwk' }))),
  point: Buffer.concat(['x', 'y'].map((name) => Buffer.from(published[name] ?? '', 'base64url'))),
  kid: Buffer.from(kid),
}

test.each(Object.entries(secrets))('the public key is no secret of an HMAC, as %s', async (_, secret) => {
  for (const alg of ['HS256', 'HS384', 'HS512'])
    for (const typ of ['at+jwt', 'JWT']) {
      const forged = await new SignJWT(claims).setProtectedHeader({ alg, typ, kid }).sign(secret)
      await expectRefused(`${alg} ${typ}`, forged)
    }
})

/** Key pairs of the attacker, and how they sign tokens. */
const pairs: Record<string, { publicKey: KeyObject; privateKey: KeyObject }> = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: generateKeyPairSync('ed25519'),
}

test.each(Object.entries(pairs))('a key of somebody else signs nothing, with %s', async (alg, { privateKey }) => {
  for (const named of [{ kid }, {}, { kid: newId() }, { kid: '' }, { kid: `../${kid}` }]) {
    const forged = await new SignJWT(claims).setProtectedHeader({ alg, typ: 'at+jwt', ...named }).sign(privateKey)
    await expectRefused(JSON.stringify(named), forged)
  }
})

test('a key that a token brings along, or says where to fetch, is not looked at', async () => {
  let fetched = 0
  const { publicKey, privateKey } = pairs['ES256'] ?? generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
  const server = createServer((_, response) => {
    fetched++
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/keys`
  const brought: Record<string, unknown>[] = [
    { jwk },
    { jku: url },
    { x5u: url },
    { x5c: [publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
    { jwk, jku: url, x5u: url },
    { jku: url, crit: ['jku'] },
  ]
  for (const more of brought)
    for (const named of [{ kid }, {}]) {
      const input = `${encode({ alg: 'ES256', typ: 'at+jwt', ...named, ...more })}.${PAYLOAD}`
      await expectRefused(JSON.stringify(Object.keys(more)), `${input}.${signJws('ES256', privateKey, input)}`)
    }
  // The service does not fetch anything from the address in `iss`.
  const elsewhere = new SignJWT({ ...claims, iss: url }).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
  await expectRefused('iss', await elsewhere.sign(privateKey))
  expect(fetched).toBe(0)
})

test('without the signature of these very bytes there is none', async () => {
  const other = (await signedInUser(app, tenant, subOrgId, newEmail())).session.access_token
  const [otherHeader = '', otherPayload = '', otherSignature = ''] = other.split('.')
  expect(await introspect(other)).toMatchObject({ active: true })
  const none = (alg: string) => `${encode({ alg, typ: 'at+jwt', kid })}.${PAYLOAD}.`
  const admin = encode({ ...claims, role: 'owner' })
  const raw = Buffer.from(SIGNATURE, 'base64url')
  const forged: Record<string, string> = {
    none: none('none'),
    None: none('None'),
    'no signature': `${HEADER}.${PAYLOAD}.`,
    'two parts': `${HEADER}.${PAYLOAD}`,
    'signature of another': `${HEADER}.${PAYLOAD}.${otherSignature}`,
    'signature of the first': `${otherHeader}.${otherPayload}.${SIGNATURE}`,
    'another payload': `${HEADER}.${admin}.${SIGNATURE}`,
    'another header': `${encode({ ...header, extra: 1 })}.${PAYLOAD}.${SIGNATURE}`,
    // CVE-2022-21449
    'zeros for r and s': `${HEADER}.${PAYLOAD}.${Buffer.alloc(64).toString('base64url')}`,
    'r alone': `${HEADER}.${PAYLOAD}.${raw.subarray(0, 32).toString('base64url')}`,
    'one more part': `${genuine}.${SIGNATURE}`,
    'one more byte': `${HEADER}.${PAYLOAD}.${Buffer.concat([raw, Buffer.alloc(1)]).toString('base64url')}`,
  }
  for (const [name, token] of Object.entries(forged)) await expectRefused(name, token)
})

/** The environment's signing key, which an attacker would not have. */
async function signingKey(): Promise<KeyObject> {
  const row = await platform.db
    .selectFrom('signing_keys')
    .select(['account_id', 'private_key_sealed'])
    .where('id', '=', kid)
    .executeTakeFirstOrThrow()
  const place = { table: 'signing_keys', column: 'private_key_sealed', row: kid, accountId: row.account_id }
  return createPrivateKey(await platform.keyring.open(place, row.private_key_sealed))
}

test('a signature alone makes no access token: type, issuer, audience, times and session are compared', async () => {
  const key = await signingKey()
  const make = (changes: Record<string, unknown>, head: Record<string, unknown> = {}) => {
    const input = `${encode({ ...header, ...head })}.${encode({ ...claims, ...changes })}`
    return `${input}.${signJws('ES256', key, input)}`
  }
  expect(await introspect(make({ jti: newId() }))).toMatchObject({ active: true })
  const now = Math.floor(platform.clock.now().getTime() / 1000)
  const { iss: _, ...withoutIssuer } = claims
  const input = `${HEADER}.${encode(withoutIssuer)}`
  const forged: Record<string, string> = {
    'typ JWT': make({}, { typ: 'JWT' }),
    'no typ': make({}, { typ: undefined }),
    'typ of an ID token': make({}, { typ: 'id+jwt' }),
    'iss of another': make({ iss: 'https://evil.example' }),
    'iss of a sibling': make({ iss: `${claims.iss}/accounts/${claims.aud}/staging` }),
    'iss longer': make({ iss: `${claims.iss}/` }),
    'no iss': `${input}.${signJws('ES256', key, input)}`,
    'no exp': make({ exp: undefined }),
    expired: make({ exp: now - 1 }),
    'not yet': make({ nbf: now + 3600 }),
    'no sid': make({ sid: undefined }),
    'sid that is no id': make({ sid: "' or true --" }),
    'sid of nobody': make({ sid: newId() }),
    'no sub': make({ sub: undefined }),
    'DER signature': `${HEADER}.${PAYLOAD}.${sign('sha256', Buffer.from(`${HEADER}.${PAYLOAD}`), key).toString('base64url')}`,
  }
  for (const [name, token] of Object.entries(forged)) await expectRefused(name, token)
  const stranger = await app.tenant()
  for (const aud of [stranger.accountId, newId(), [claims.aud, stranger.accountId], undefined])
    expect([aud, await introspect(make({ aud }))]).toEqual([aud, { active: false }])
})

test('what was verified before is remembered for itself alone, and as long as its key stands', async () => {
  expect(await introspect(genuine)).toMatchObject({ active: true })
  const wrong = Buffer.from(SIGNATURE, 'base64url').reverse().toString('base64url')
  for (const token of [`${HEADER}.${PAYLOAD}.${wrong}`, `${HEADER}.${PAYLOAD}.`])
    await expectRefused('same claims', token)
  // After a planned rotation, tokens of the previous key remain valid. After an emergency rotation, they do not.
  await rotateSigningKeys(platform, tenant.environmentId)
  expect(await introspect(genuine)).toMatchObject({ active: true })
  await rotateSigningKeys(platform, tenant.environmentId, { emergency: true })
  expect(await introspect(genuine)).toEqual({ active: false })
  expect((await userinfo(genuine)).status).toBe(401)
})

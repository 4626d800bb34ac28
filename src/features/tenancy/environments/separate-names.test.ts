import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { signedInUser } from '../../../../test/people/sign-in.ts'
import { runCommand, settingsOf } from '../../../../test/process/cli.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { homeAccount } from '../accounts/accounts.ts'
import { createApiKey } from '../api-keys/api-keys.ts'
import { MAX_CUSTOM } from './schema.ts'

const app = await startApp()
const second = await startSecondApp(app)
const { platform } = app.app
const tenant = await app.tenant()
const path = '/v1/environments'

/** An organization with a custom environment, and a key there. */
async function makeOrganization(slug: string) {
  const subOrgId = await tenant.organization()
  const own = await tenant.withKey({ subOrgId })
  const made = await own.post(path, { name: 'Mine', slug })
  expect([made.status, made.body.environment?.subOrgId]).toEqual([200, subOrgId])
  const environmentId: string = made.body.environment.id
  const { key } = await createApiKey(platform, platform.db, {
    accountId: tenant.accountId,
    environmentId,
    environmentSlug: slug,
    organizationId: subOrgId,
    name: 'of the environment',
    scopes: ['*'],
    expiresAt: null,
    requestsPerSecond: null,
    createdBy: 'test',
  })
  return { subOrgId, own, environmentId, key, inside: app.as(key) }
}

test('organizations have environments of the same slug, and learn nothing of each other’s', async () => {
  const [one, two] = [await makeOrganization('preview'), await makeOrganization('preview')]
  for (const { own, environmentId } of [one, two]) {
    const again = await own.post(path, { name: 'Again', slug: 'preview' })
    expect([again.status, again.body.code]).toEqual([409, 'slug_taken'])
    const { environments } = (await own.get(path)).body
    expect(environments.map(({ id }: { id: string }) => id)).toContain(environmentId)
    expect(environments).toHaveLength(3)
  }
  const listed = (await tenant.get(path)).body.environments.slice(2)
  expect(listed).toMatchObject([
    { slug: 'preview', subOrgId: one.subOrgId },
    { slug: 'preview', subOrgId: two.subOrgId },
  ])
})

test('each is an issuer of its own, with keys of its own', async () => {
  const [one, two] = [await makeOrganization('same'), await makeOrganization('same')]
  const sessions = []
  for (const { inside, subOrgId, environmentId } of [one, two]) {
    const { session } = await signedInUser(app, inside, subOrgId, `ada-${fresh()}@example.com`)
    const issuer = `http://localhost:4000/accounts/${tenant.accountId}/${environmentId}`
    expect(decodeJwt(session.access_token)).toMatchObject({ iss: issuer, env: 'same' })
    const own = `${app.baseUrl}/accounts/${tenant.accountId}/${environmentId}/.well-known`
    const keys = createRemoteJWKSet(new URL(`${own}/jwks.json`))
    await jwtVerify(session.access_token, keys, { issuer })
    expect((await app.as(null).get(`${own.slice(app.baseUrl.length)}/oauth-authorization-server`)).body.issuer).toBe(
      issuer,
    )
    const userinfo = { authorization: `Bearer ${session.access_token}` }
    expect((await app.as(null).get('/v1/auth/userinfo', userinfo)).status).toBe(200)
    sessions.push({ session, keys, inside })
  }
  const [first, last] = sessions
  if (!first || !last) throw new Error('Two sessions were made')
  await expect(jwtVerify(first.session.access_token, last.keys)).rejects.toThrow()
  const seen = await last.inside.post('/v1/auth/token/introspect', { token: first.session.access_token })
  expect(seen.body).toEqual({ active: false })
  // The slug is not part of an issuer, since several environments may have it.
  expect((await app.as(null).get(`/accounts/${tenant.accountId}/same/.well-known/jwks.json`)).status).toBe(404)
})

test('an environment that issued under its slug goes on doing so', async () => {
  const earlier = await makeOrganization('earlier')
  await sql`update environments set issuer_name = null where id = ${earlier.environmentId}`.execute(platform.db)
  // Another organization creates an environment with the same slug, which must not replace the first one's issuer.
  const later = await makeOrganization('earlier')
  const { session } = await signedInUser(app, earlier.inside, earlier.subOrgId, `ada-${fresh()}@example.com`)
  const issuer = `http://localhost:4000/accounts/${tenant.accountId}/earlier`
  expect(decodeJwt(session.access_token).iss).toBe(issuer)
  const keys = createRemoteJWKSet(new URL(`${app.baseUrl}/accounts/${tenant.accountId}/earlier/.well-known/jwks.json`))
  await jwtVerify(session.access_token, keys, { issuer })
  const other = await signedInUser(app, later.inside, later.subOrgId, `ada-${fresh()}@example.com`)
  await expect(jwtVerify(other.session.access_token, keys)).rejects.toThrow()
})

test('an organization has as many as are allowed, also when many come at once on two processes', async () => {
  const [subOrgId, other] = [await tenant.organization(), await tenant.organization()]
  const own = await tenant.withKey({ subOrgId })
  await sql`insert into environments (id, account_id, organization_id, name, slug, type)
    select gen_random_uuid(), ${tenant.accountId}, ${subOrgId}, 'E', 'e-' || ${subOrgId} || n, 'custom'
    from generate_series(1, ${MAX_CUSTOM - 2}) n`.execute(platform.db)
  const callers = [own, second.as(own.key)]
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, i) => callers[i % 2]?.post(path, { name: 'E', slug: `at-once-${i}` })),
  )
  const verdicts = replies.map((reply) => `${reply?.status} ${reply?.body.code ?? ''}`).sort()
  expect(verdicts).toEqual(['200 ', '200 ', ...Array(6).fill('409 environment_limit_reached')])
  expect((await own.get(path)).body.environments).toHaveLength(MAX_CUSTOM + 2)
  expect((await tenant.post(path, { subOrgId: other, name: 'E', slug: 'of-another' })).status).toBe(200)
})

test('the command line asks which is meant', async () => {
  const cli = (...args: string[]) => runCommand(settingsOf(app), ...args)
  const account = await platform.tx(homeAccount)
  const ids = []
  for (const name of ['first', 'other']) {
    const id = crypto.randomUUID()
    await sql`insert into organizations (id, account_id, name, slug) values (${id}, ${account.accountId}, ${name}, ${name})`.execute(
      platform.db,
    )
    const environmentId = crypto.randomUUID()
    await sql`insert into environments (id, account_id, organization_id, name, slug, type, issuer_name)
      values (${environmentId}, ${account.accountId}, ${id}, 'QA', 'qa', 'custom', ${environmentId})`.execute(
      platform.db,
    )
    ids.push(environmentId)
  }
  const unclear = await cli('signing-keys', 'list', '--env', 'qa')
  expect([unclear.code, unclear.stderr]).toEqual([
    1,
    expect.stringMatching(/^Several organizations have an environment qa/),
  ])
  const signingKeys = async (id = '') => (await cli('signing-keys', 'list', '--env', id, '--json')).json.signingKeys
  expect((await cli('signing-keys', 'rotate', '--env', ids[0] ?? '')).code).toBe(0)
  expect([await signingKeys(ids[0]), await signingKeys(ids[1])]).toEqual([
    expect.arrayContaining([expect.anything()]),
    [],
  ])
  const made = await cli('keys', 'create', '--env', 'qa', '--org', 'other', '--json')
  expect(made.code).toBe(0)
  const row = await platform.db
    .selectFrom('api_keys')
    .select('environment_id')
    .where('id', '=', made.json.apiKey.id)
    .executeTakeFirstOrThrow()
  expect(row.environment_id).toBe(ids[1])
})

import { expect, test } from 'vitest'
import { freshEmail } from '../fresh.ts'
import { startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { mailedCode } from '../people/sign-in.ts'
import { issuerOf } from './examples.ts'
import { guidePlace, snippetsOf } from './guide-place.ts'
import { takePort } from './service.ts'

// Functions that guides print, used by a program as an application does.

const app = await startApp({ port: await takePort() })
const tenant = await app.tenant()
// With the scopes that the guides name.
const { key } = await tenant.withKey({ scopes: ['auth.login', 'roles.write'] })
const { save, run } = await guidePlace(app, key)

/** The discovery token of a person, by a mailed code. */
async function discover(email: string): Promise<string> {
  const { otp_id } = succeeded(await tenant.post('/v1/auth/discovery/otp/send', { email }))
  const code = await mailedCode(app, email)
  return succeeded(await tenant.post('/v1/auth/discovery/otp/verify', { email, otp_id, code })).discovery_token
}

test('organizations.md: a person switches between two organizations with one discovery', async () => {
  const organizations = [await tenant.organization(), await tenant.organization()]
  const email = freshEmail('ada')
  for (const subOrgId of organizations) succeeded(await tenant.post('/v1/users', { subOrgId, email }))
  const [code = ''] = snippetsOf('docs/directory/organizations.md')
  save('switching.ts', code)
  save(
    'switch.ts',
    `import { TokenVerifier } from '@watchword/sdk/tokens'
import { enter, sessionsByOrganization } from './switching.ts'
import { watchword } from './watchword.ts'

const [, , issuer, audience, discovery_token, ...organizations] = process.argv
const verifier = new TokenVerifier({ issuer, audience })
const sessionsOf = sessionsByOrganization({
  ...{ client: watchword, verifier, origin: 'https://app.example.com' },
  secret: 'a secret of at least 32 characters, for tests',
})
const jar = new Map()
const request = () => ({ headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') }, ip: '203.0.113.7' })
const keep = (setCookie) => {
  if (setCookie === null) return
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(setCookie)
  if (value === '') jar.delete(name)
  else jar.set(name, value)
}
const enterOne = async (subOrgId) => {
  const { setCookie, challenge } = await enter(watchword, sessionsOf(subOrgId), request(), { subOrgId, discovery_token })
  keep(setCookie)
  return challenge === null
}
const found = async () => {
  const reads = await Promise.all(organizations.map((one) => sessionsOf(one).read(request())))
  return reads.map(({ session }) => session?.claims.org_id ?? null)
}
const steps = []
for (const subOrgId of [...organizations, organizations[0]]) steps.push(await enterOne(subOrgId), await found())
keep((await sessionsOf(organizations[0]).end(request())).setCookie)
steps.push(await found(), await enterOne(organizations[0]).catch(({ code }) => code))
console.log(JSON.stringify(steps))
console.log(Math.max(...[...jar].map(([name, value]) => name.length + value.length)))`,
  )
  const args = [await issuerOf(app, tenant), tenant.accountId, await discover(email), ...organizations]
  const [steps = '', bytes] = (await run('switch.ts', args)).split('\n')
  const [first, second] = organizations
  const both = [first, second]
  expect(JSON.parse(steps)).toEqual([
    ...[true, [first, null], true, both],
    // Back, without another sign-in.
    ...[true, both],
    // Signed out of the first one: the token has been used there.
    ...[[null, second], 'discovery_token_invalid'],
  ])
  expect(Number(bytes)).toBeLessThan(4096)
  const { users } = succeeded(await tenant.get(`/v1/sessions?subOrgId=${second}`))
  expect(users).toMatchObject([{ sessions: [{ ip_address: '203.0.113.7' }] }])
})

test('discovery.md: a person makes an organization, and the next token has their role', async () => {
  succeeded(await tenant.patch('/v1/auth/settings/defaults', { discovery_create_organizations: true }))
  const [code = ''] = snippetsOf('docs/sign-in/discovery.md')
  save('creating.ts', code)
  save(
    'create.ts',
    `import { createOrganization, giveFirstRole } from './creating.ts'

const request = { headers: {}, ip: '203.0.113.7' }
const { organization, session } = await createOrganization(request, process.argv[2], 'Eva Works')
const renewed = await giveFirstRole(request, organization.subOrgId, session)
const claims = [session, renewed].map(({ access_token }) => JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url')))
console.log(JSON.stringify(claims.map(({ org_id, role, permissions }) => ({ org_id, role, permissions }))))`,
  )
  const [first, renewed] = JSON.parse(await run('create.ts', [await discover(freshEmail('eva'))]))
  expect([first.role, renewed.role, renewed.org_id]).toEqual(['admin', 'admin', first.org_id])
  expect(renewed.permissions).toEqual(expect.arrayContaining(['notes:read', 'notes:write', ...first.permissions]))
  expect(first.permissions).not.toContain('notes:write')
})

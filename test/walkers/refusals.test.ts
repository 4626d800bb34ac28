import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { scimCaller } from '../people/scim.ts'
import { joinedMember } from '../people/team.ts'

// What refusals say is true for the caller that gets them.

const app = await startApp()
const anonymous = app.as(null)
const said = ({ status, body }: Reply) => [status, body.code, body.detail]

test('a refusal of the team says what the caller does not reach', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const limited = await tenant.withKey({ subOrgId })
  const { headers } = await joinedMember(app, tenant, 'owner', { subOrgId })
  // The first of these routes takes the team of some callers, the other of none.
  for (const path of ['/v1/mfa/policy?subOrgId=team', '/v1/webhooks?subOrgId=team']) {
    const refused = [
      403,
      'sub_org_mismatch',
      'A key or team member limited to one organization cannot reach `team`. Team members manage their own user at /v1/me.',
    ]
    expect(said(await limited.get(path)), path).toEqual(refused)
    if (path.startsWith('/v1/webhooks')) expect(said(await anonymous.get(path, headers)), path).toEqual(refused)
  }
  expect((await tenant.get('/v1/mfa/policy?subOrgId=team')).status).toBe(200)
  expect(said(await tenant.get('/v1/webhooks?subOrgId=team'))).toEqual([
    404,
    'organization_not_found',
    'This route does not accept `team` as subOrgId. Team members manage their own user at /v1/me.',
  ])
})

test('a refusal of another organization names keys and members', async () => {
  const tenant = await app.tenant()
  const [subOrgId, other] = [await tenant.organization(), await tenant.organization()]
  const limited = await tenant.withKey({ subOrgId })
  const { headers } = await joinedMember(app, tenant, 'owner', { subOrgId })
  const path = `/v1/users?subOrgId=${other}`
  for (const reply of [await limited.get(path), await anonymous.get(path, headers)]) {
    expect([reply.status, reply.body.code]).toEqual([403, 'sub_org_mismatch'])
    expect(reply.body.detail).toMatch(
      /^A key or team member limited to one organization cannot reach another organization\./,
    )
  }
  const create = { name: 'New', slug: 'new' }
  for (const reply of [
    await limited.post('/v1/organizations', create),
    await anonymous.post('/v1/organizations', create, headers),
  ])
    expect(reply.body.detail).toBe('A key or team member limited to one organization cannot create organizations.')
})

test('a key of another environment: members choose the environment by the header that the refusal names', async () => {
  const tenant = await app.tenant()
  const { headers } = await joinedMember(app, tenant, 'owner')
  const body = { name: 'K', scopes: ['users.read'], environment: 'staging' }
  const refused = await anonymous.post('/v1/api-keys', body, headers)
  expect(said(refused)).toEqual([
    403,
    'privilege_escalation',
    'The key cannot be issued: this request works in production. Send the id of another environment in X-Watchword-Environment.',
  ])
  const { environments } = succeeded(await tenant.get('/v1/environments'))
  const staging = environments.find(({ type }: { type: string }) => type === 'staging').id
  const made = await anonymous.post('/v1/api-keys', body, { ...headers, 'x-watchword-environment': staging })
  expect(succeeded(made).apiKey.environment).toBe('staging')
  expect(said(await tenant.post('/v1/api-keys', body))[2]).toBe(
    'The key cannot be issued: it must belong to the environment of your key.',
  )
})

test('a refused change of a slug says that slugs never change', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization('stays')
  const made = await tenant.post('/v1/environments', { name: 'QA', slug: 'qa', subOrgId })
  const { id } = succeeded(made).environment
  for (const path of [`/v1/organizations/${subOrgId}`, `/v1/environments/${id}`])
    expect(said(await tenant.patch(path, { slug: 'other', name: 'Other' }))).toEqual([
      400,
      'invalid_request',
      'slug is not a known property: a slug never changes.',
    ])
  expect(succeeded(await tenant.get(`/v1/organizations/${subOrgId}`)).subOrganization.slug).toBe('stays')
  expect(succeeded(await tenant.get(`/v1/environments/${id}`)).environment).toMatchObject({ slug: 'qa', name: 'QA' })
})

test('the log of provisioning says how a user without an address is mended', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/scim/config', { subOrgId, enabled: true }))
  const { token } = succeeded(await tenant.post('/v1/scim/config', { subOrgId, action: 'rotate-token' }))
  expect((await scimCaller(app, token)('POST', '/Users', { userName: 'jdoe' })).status).toBe(400)
  const [log] = succeeded(await tenant.get(`/v1/scim/logs?subOrgId=${subOrgId}`)).logs
  expect(log).toMatchObject({ status: 400, code: 'scim_invalid_value' })
  expect(log.fix).toContain('userName or emails must contain an email address')
})

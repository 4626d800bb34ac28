import { expect, test } from 'vitest'
import { fresh, freshEmail } from '../../../../test/fresh.ts'
import { type Caller, startApp } from '../../../../test/harness.ts'
import { startDnsPeer } from '../../../../test/peers/dns-peer.ts'

const dns = await startDnsPeer()
const app = await startApp({ env: { WATCHWORD_DNS_SERVER: dns.address } })
const tenant = await app.tenant()

const PORTAL = '/v1/admin-portal'

async function makeOrganization() {
  const id = await tenant.organization()
  return { id, key: await tenant.withKey({ subOrgId: id }) }
}

async function doneOf(key: Caller): Promise<string[]> {
  const { overview } = (await key.get(PORTAL)).body
  return overview.setup_checklist.filter((step: { done: boolean }) => step.done).map((step: { id: string }) => step.id)
}

test('a new organization has nothing set up', async () => {
  const { key } = await makeOrganization()
  const { overview } = (await key.get(PORTAL)).body
  expect(overview.branding).toEqual({ brand_name: null, logo_url: null, support_email: null })
  expect(overview.domains).toEqual([])
  const steps = overview.setup_checklist.map(({ id, done }: { id: string; done: boolean }) => [id, done])
  expect(steps).toEqual(['branding', 'domain', 'sso', 'scim', 'mfa', 'webhook'].map((id) => [id, false]))
})

test('the checklist goes by what is there', async () => {
  const { key } = await makeOrganization()
  await key.patch(PORTAL, { brand_name: 'Acme' })
  expect(await doneOf(key)).toEqual(['branding'])
  const { body } = await key.post(PORTAL, { action: 'add_domain', domain: `acme-${fresh()}.example` })
  const { id, verification } = body.domain
  expect(await doneOf(key)).toEqual(['branding'])
  dns.answers.set(verification.name, { texts: [verification.value] })
  const verified = await key.post(PORTAL, { action: 'verify_domain', domainId: id })
  expect(verified.body.overview.setup_checklist[1]).toMatchObject({ id: 'domain', done: true })
  await key.patch('/v1/mfa/policy', { require_mfa: true })
  expect(await doneOf(key)).toEqual(['branding', 'domain', 'mfa'])
  await key.patch(PORTAL, { brand_name: null })
  expect(await doneOf(key)).toEqual(['domain', 'mfa'])
})

test('the branding is that of mails, with what the environment gives', async () => {
  const { id, key } = await makeOrganization()
  const own = await app.tenant()
  await own.patch('/v1/mail/settings/defaults', { support_email: 'help@inherited.example' })
  const inherited = (await own.get(`${PORTAL}?subOrgId=${await own.organization()}`)).body.overview.branding
  expect(inherited.support_email).toBe('help@inherited.example')

  const branding = {
    brand_name: 'Ac<b>me',
    logo_url: 'https://cdn.acme.example/a.png',
    support_email: 'help@acme.example',
  }
  const changed = await tenant.patch(PORTAL, { subOrgId: id, ...branding })
  expect(changed.body.overview.branding).toEqual(branding)
  expect((await key.get('/v1/mail/settings')).body.settings).toMatchObject(branding)
  const [event] = (await app.events({ accountId: tenant.accountId, type: 'mail.settings.updated' })).slice(-1)
  expect(event).toMatchObject({ organization_id: id, data: branding })

  const email = freshEmail()
  await key.post('/v1/users/invites', { email })
  const [mail] = await app.mails(email)
  expect(mail?.html).toContain('alt="Ac&lt;b&gt;me"')
  expect(mail?.html).toContain('help@acme.example')
  const link = new URL(/https?:\/\/\S+/.exec(mail?.text ?? '')?.[0] ?? '')
  const page = await fetch(app.baseUrl + link.pathname + link.search)
  expect(await page.text()).toContain('<img src="https://cdn.acme.example/a.png" alt="Ac&lt;b&gt;me">')
  expect(page.headers.get('content-security-policy')).toContain("img-src 'self' data: https://cdn.acme.example; ")
})

test.each([
  ['brand_name', ''],
  ['brand_name', 'a\r\nb'],
  ['brand_name', 'a'.repeat(101)],
  ['logo_url', 'http://acme.example/logo.png'],
  ['logo_url', 'https://ada:secret@acme.example/logo.png'],
  ['logo_url', 'https://acme;form-action.example/logo.png'],
  ['logo_url', `https://acme.example/${'a'.repeat(2048)}`],
  ['support_email', 'help'],
  ['support_email', 'help@acme.example\r\nBcc: eve@evil.example'],
])('%s %j is refused, and changes nothing', async (field, value) => {
  const { key } = await makeOrganization()
  const refused = await key.patch(PORTAL, { [field]: value })
  expect([refused.status, refused.body.errors[0].field]).toEqual([400, field])
  expect((await key.get(PORTAL)).body.overview.branding[field]).toBeNull()
})

test('an action names what it needs', async () => {
  const { key } = await makeOrganization()
  for (const [action, field] of Object.entries({
    add_domain: 'domain',
    verify_domain: 'domainId',
    remove_domain: 'domainId',
  })) {
    const refused = await key.post(PORTAL, { action })
    expect([refused.status, refused.body.errors[0]]).toMatchObject([400, { field, code: 'required' }])
  }
  expect((await key.post(PORTAL, { action: 'remove_domain', domainId: 'x' })).body.code).toBe('domain_not_found')
})

test('a service that is off refuses', async () => {
  const { key } = await makeOrganization()
  await key.put('/v1/organization-apps', { enabledAppIds: ['auth'] })
  expect((await key.get(PORTAL)).body).toMatchObject({ code: 'service_disabled', service: 'admin_portal' })
})

import { cliOrigin } from '../../src/cli/deployment.ts'
import { resetFactors } from '../../src/cli/member-factors.ts'
import { printLink } from '../../src/cli/member-link.ts'
import { recover } from '../../src/cli/recover.ts'
import { recheckDomain, recheckDueDomains } from '../../src/features/directory/domains/recheck.ts'
import { maintainConnection, maintainDueConnections } from '../../src/features/federation/connections/upkeep.ts'
import { tellExpiringTokens } from '../../src/features/provisioning/scim/expiry.ts'
import { fanOut } from '../../src/features/records/deliveries/fan-out.ts'
import { announceEndedImpersonations } from '../../src/features/sign-in/impersonation/ending.ts'
import { announceExpiredInvites } from '../../src/features/sign-in/invites/expiry.ts'
import { makeCertificate } from '../../src/platform/crypto/certificates.ts'
import { endHold } from '../../src/platform/lifecycle/deployment.ts'
import { resolveAccount, teamDirectory } from '../../src/platform/tenancy/directory.ts'
import { fresh, freshPassword } from '../fresh.ts'
import { type Caller, type Tenant, type TestApp, until } from '../harness.ts'
import type { DnsPeer } from '../peers/dns-peer.ts'
import type { WebhookReceiver } from '../peers/webhook-receiver.ts'
import { eraseNow, requestErasure } from '../people/erasure.ts'
import { enrollTotp, makeProvenUser, signInByLink, succeeded } from '../people/factors.ts'
import { runJobs } from '../people/jobs.ts'
import { newEmail, newPasswordUser, newUser } from '../people/people.ts'
import { provisioned } from '../people/scim.ts'
import { signedInUser } from '../people/sign-in.ts'
import { joinedMember } from '../people/team.ts'
import { deliverDue } from '../people/webhook-delivery.ts'
import { giveApp, ownWorld, signedIn, signedInMember, teamWorld } from '../walkers/own-world.ts'
import { workIn } from '../work.ts'

/** Where something happens: an account of its own, with an organization. */
export interface Place {
  app: TestApp
  tenant: Tenant
  subOrgId: string
  /** A key of the organization. */
  caller: Caller
  dns: DnsPeer
  peer: WebhookReceiver
}

type Occasion = (place: Place) => Promise<unknown>

const DAY = 86_400
const SAML = { protocol: 'saml', idp_entity_id: 'urn:acme', idp_sso_url: 'https://idp.acme.example/sso' }

async function endImpersonation({ app, caller, subOrgId }: Place) {
  succeeded(await caller.patch('/v1/auth/settings', { impersonation_enabled: true }))
  const { userId } = await signedInUser(app, caller, subOrgId, newEmail())
  const body = { actor: 'grace', reason: 'Ticket 4711' }
  const { session } = succeeded(await caller.post(`/v1/users/${userId}/impersonate`, body))
  succeeded(await caller.delete(`/v1/sessions/${session.id}`))
  await announceEndedImpersonations.handle(app.app.platform, {}, 1)
}

async function expireToken({ app, caller }: Place) {
  succeeded(await caller.patch('/v1/scim/config', { enabled: true }))
  succeeded(await caller.post('/v1/scim/config', { action: 'rotate-token', token_expires_in_days: 1 }))
  await app.advance(DAY)
  await tellExpiringTokens.handle(app.app.platform, {}, 1)
}

async function makePassing({ app, caller }: Place) {
  succeeded(await caller.patch('/v1/auth/settings', { trusted_device_days: 30 }))
  const { id, email } = await makeProvenUser(caller)
  const ahead = (app.app.platform.clock.now().getTime() - Date.now()) / 1000
  const { backupCodes } = await enrollTotp(caller, id, { ahead })
  const verify = async (code: string) => {
    const { challenge_token } = succeeded(await signInByLink(caller, email))
    return caller.post('/v1/mfa/challenge/verify', { challenge_token, code, trust_device: true })
  }
  return { email, backupCodes, verify }
}

async function resetMember({ app, tenant }: Place) {
  const member = await signedInMember(teamWorld(app, tenant))
  await giveApp(member)
  const { platform } = app.app
  const directory = await teamDirectory(platform, tenant.accountId)
  await resetFactors(workIn(platform, directory), member.email)
}

async function changeTeamPolicy({ app, tenant }: Place) {
  const { me } = await signedInMember(teamWorld(app, tenant), 'owner')
  succeeded(await me.patch('/v1/mfa/policy', { subOrgId: 'team', grace_period_days: 14 }))
}

const trust: Occasion = async (place) => {
  const { email, backupCodes, verify } = await makePassing(place)
  const { trusted_device_token } = succeeded(await verify(String(backupCodes[0])))
  const headers = { 'x-trusted-device': trusted_device_token }
  succeeded(await signInByLink(place.caller, email, { headers }))
}

const failPassword: Occasion = async ({ tenant, caller, subOrgId }) => {
  const { email } = await newPasswordUser(tenant, { subOrgId, password: freshPassword() })
  succeeded(await caller.patch('/v1/auth/settings', { lockout_max_attempts: 3 }))
  for (let i = 0; i < 3; i++) await caller.post('/v1/auth/login/password', { email, password: freshPassword() })
}

const loseDomain: Occasion = async ({ app, caller, dns }) => {
  const named = { action: 'add_domain', domain: `acme-${fresh()}.example` }
  const { id, verification } = succeeded(await caller.post('/v1/admin-portal', named)).domain
  dns.answers.set(verification.name, { texts: [verification.value] })
  succeeded(await caller.post('/v1/admin-portal', { action: 'verify_domain', domainId: id }))
  dns.answers.delete(verification.name)
  const { platform } = app.app
  await until(async () => {
    await app.advance(DAY)
    await recheckDueDomains.handle(platform, {}, 1)
    await runJobs(platform, recheckDomain)
    return succeeded(await caller.get('/v1/admin-portal')).overview.domains[0].status === 'failed'
  })
}

const changeStatus: Occasion = async ({ tenant, subOrgId }) => {
  for (const status of ['suspended', 'active'])
    succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status }))
}

const takeRole: Occasion = async ({ tenant, caller, subOrgId }) => {
  const { id } = await newUser(tenant, { subOrgId })
  const role = succeeded(await caller.post('/v1/rbac/roles', { name: 'Editor', permissions: ['audit:read'] })).role
  for (const roleIds of [[role.id], []]) succeeded(await caller.put(`/v1/rbac/users/${id}/roles`, { roleIds }))
}

const provisionUser: Occasion = async ({ app, tenant, subOrgId }) => {
  const { call } = await provisioned(app, tenant, subOrgId)
  const { body } = await call('POST', '/Users', { userName: newEmail() })
  const change = { Operations: [{ op: 'replace', path: 'displayName', value: 'Ada' }] }
  await call('PATCH', `/Users/${body.id}`, change)
  await call('DELETE', `/Users/${body.id}`)
}

const provisionGroup: Occasion = async ({ app, tenant, subOrgId }) => {
  const { call } = await provisioned(app, tenant, subOrgId)
  const user = await call('POST', '/Users', { userName: newEmail() })
  const group = await call('POST', '/Groups', { displayName: 'Eng' })
  const put = (displayName: string, members: object[]) =>
    call('PUT', `/Groups/${group.body.id}`, { displayName, members })
  await put('Engineers', [{ value: user.body.id }])
  await put('Engineers', [])
  await call('DELETE', `/Groups/${group.body.id}`)
}

const reuseToken: Occasion = async ({ app, caller, subOrgId }) => {
  const { session } = await signedInUser(app, caller, subOrgId, newEmail())
  const refresh = () => caller.post('/v1/auth/token/refresh', { refresh_token: session.refresh_token })
  succeeded(await refresh())
  await app.advance(60)
  await refresh()
}

/** What a provider says of itself, with one certificate that is good for so many days. */
async function metadataFor(app: TestApp, days: number): Promise<string> {
  const from = new Date(app.app.platform.clock.now().getTime() + (days - 365) * DAY * 1000)
  const { certificatePem } = await makeCertificate({ commonName: 'idp', years: 1, from })
  const key = certificatePem.replace(/-----[A-Z ]+-----/g, '')
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="urn:acme"><IDPSSODescriptor
    protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo
    xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${key}</X509Certificate></X509Data></KeyInfo>
    </KeyDescriptor><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
    Location="https://idp.acme.example/sso"/></IDPSSODescriptor></EntityDescriptor>`
}

const renewCertificate: Occasion = async ({ app, caller, peer }) => {
  const publish = async (days: number) => {
    const body = await metadataFor(app, days)
    peer.answer = () => ({ status: 200, headers: { 'content-type': 'application/samlmetadata+xml' }, body })
  }
  await publish(90)
  const connection = { name: 'Acme', protocol: 'saml', idp_metadata_url: `${peer.url}/metadata` }
  succeeded(await caller.post('/v1/sso/connections', connection))
  await publish(40)
  await app.advance(2 * DAY)
  await maintainDueConnections.handle(app.app.platform, {}, 1)
  await runJobs(app.app.platform, maintainConnection)
}

const openAndClose: Occasion = async ({ caller }) => {
  const { id } = succeeded(await caller.post('/v1/sso/connections', { name: 'Acme', ...SAML })).connection
  for (const status of ['active', 'draft']) succeeded(await caller.patch(`/v1/sso/connections/${id}`, { status }))
}

const endAndLetIn: Occasion = async ({ tenant, caller, subOrgId }) => {
  const { id } = await newUser(tenant, { subOrgId })
  for (const active of [false, true]) succeeded(await caller.patch(`/v1/users/${id}`, { active }))
}

const stepUp: Occasion = async ({ app, tenant }) => {
  const password = freshPassword()
  const { me } = await signedIn(await ownWorld(app, tenant), { password })
  succeeded(await me.post('/v1/me/step-up/verify', { password }))
}

const goneReceiver: Occasion = async ({ app, tenant, caller, subOrgId, peer }) => {
  succeeded(await caller.post('/v1/webhooks', { name: 'Lake', url: peer.url, events: ['user.*'] }))
  peer.answer = () => ({ status: 410 })
  await newUser(tenant, { subOrgId })
  // The feed holds back what is younger than an open transaction of the server, and other webhooks have deliveries too.
  await until(async () => {
    await fanOut(app.app.platform)
    await deliverDue(app.app.platform)
    return (await app.events({ accountId: tenant.accountId, type: 'webhook.disabled' })).length > 0
  })
}

const expireInvite: Occasion = async ({ app, caller }) => {
  succeeded(await caller.post('/v1/users/invites', { email: newEmail() }))
  await app.advance(30 * DAY)
  await announceExpiredInvites.handle(app.app.platform, {}, 1)
}

async function printMemberLink({ app, tenant }: Place): Promise<void> {
  const { email } = await joinedMember(app, tenant, 'member')
  const { platform } = app.app
  const environment = {
    accountId: tenant.accountId,
    environmentId: tenant.environmentId,
    environmentSlug: 'production',
  }
  const directory = await resolveAccount(platform, { ...environment, organizationId: null }, null)
  await printLink({ platform, account: directory, origin: cliOrigin(), db: platform.db }, email)
}

async function recoverDeployment({ app }: Place): Promise<void> {
  const { platform } = app.app
  await recover(platform, () => undefined)
  await platform.tx((tx) => endHold(platform, tx))
}

/** What raises the types that no route's sample raises. One that raises several stands at each. */
const eraseOrganization: Occasion = ({ app, tenant, subOrgId }) => eraseNow(app, tenant, subOrgId)

const cancelErasure: Occasion = async ({ tenant, subOrgId }) => {
  await requestErasure(tenant, subOrgId)
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' }))
}

export const occasions: Readonly<Record<string, Occasion>> = {
  'audit.erased': eraseOrganization,
  'auth.login.failed': failPassword,
  'auth.step_up.succeeded': stepUp,
  'deployment.recovered': recoverDeployment,
  'domain.verified': loseDomain,
  'domain.verification_lost': loseDomain,
  'impersonation.ended': endImpersonation,
  'invite.expired': expireInvite,
  'invite.resent': async ({ tenant, caller, subOrgId }) => {
    const { id } = await newUser(tenant, { subOrgId })
    for (const _ of [1, 2]) succeeded(await caller.post(`/v1/users/${id}/invite`, {}))
  },
  'member.added': ({ app, tenant }) => joinedMember(app, tenant, 'developer'),
  'member.factors_reset': resetMember,
  'member.link_printed': printMemberLink,
  'mfa.challenge.failed': async (place) => (await makePassing(place)).verify('000000'),
  'mfa.team_policy.updated': changeTeamPolicy,
  'mfa.trusted_device.added': trust,
  'mfa.trusted_device.used': trust,
  'organization.suspended': changeStatus,
  'organization.activated': changeStatus,
  'organization.erased': eraseOrganization,
  'organization.erasure_cancelled': cancelErasure,
  'role.unassigned': takeRole,
  'scim.disabled': async ({ caller }) => {
    for (const enabled of [true, false]) succeeded(await caller.patch('/v1/scim/config', { enabled }))
  },
  'scim.token_expiring': expireToken,
  'scim.user.provisioned': provisionUser,
  'scim.user.updated': provisionUser,
  'scim.user.deprovisioned': provisionUser,
  'scim.group.created': provisionGroup,
  'scim.group.updated': provisionGroup,
  'scim.group.member_added': provisionGroup,
  'scim.group.member_removed': provisionGroup,
  'scim.group.deleted': provisionGroup,
  'session.refresh_reuse_detected': reuseToken,
  'sso.connection.certificate_expiring': renewCertificate,
  'sso.connection.certificate_renewed': renewCertificate,
  'sso.connection.deactivated': openAndClose,
  'user.activated': endAndLetIn,
  'user.deactivated': endAndLetIn,
  'user.moved': async ({ tenant, subOrgId }) => {
    const { id } = await newUser(tenant, { subOrgId })
    succeeded(await tenant.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId: await tenant.organization() }))
  },
  'webhook.disabled': goneReceiver,
}

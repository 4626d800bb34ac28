import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import {
  mailLinkTo,
  type OrganizationLinkType,
  organizationLinkTypes,
  purposeNames,
  redeemBody,
  redeemedAt,
} from '../../../../test/people/mailed-links.ts'
import { recordCountedFailures } from '../../../platform/events/failures.ts'

const app = await startApp()
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'

async function press(type: OrganizationLinkType, email: string, token: string) {
  const body = new URLSearchParams({ token_hash: token, email, type, password: PASSWORD })
  return (await fetch(`${app.baseUrl}/auth/link`, { method: 'POST', body, redirect: 'manual' })).status
}

const refusals = async (organizationId: string) =>
  (await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' }))
    .filter((event) => event.organization_id === organizationId)
    .filter((event) => !JSON.stringify(event.data).includes('no_password'))

const otherType = (type: OrganizationLinkType) => (type === 'recovery' ? 'magiclink' : 'recovery')

test.each(organizationLinkTypes)('%s: a refused link is recorded once, at the API and on the page', async (type) => {
  const { person, link } = await mailLinkTo(app, tenant, type)
  const { subOrgId, email, userId } = person
  const send = (token: string) => tenant.post(redeemedAt[type], { subOrgId, ...redeemBody(type, email, token) })
  // A link that this service issued for another purpose.
  const { link: other } = await mailLinkTo(app, tenant, otherType(type), { subOrgId })
  const [method, wrong] = [purposeNames[type], other.token_hash]
  expect((await send(wrong)).body.code).toBe('token_invalid')
  expect(await press(type, email, wrong)).toBe(400)
  // Without an address in the request, the service cannot tell which user the link was meant for.
  const invalid = { method, reason: 'token_invalid' }
  // No user has the address any more, because its user gave it up.
  const owner = type === 'email_undo' ? null : userId
  expect(await refusals(subOrgId)).toMatchObject([
    { data: invalid, target_id: type === 'invite' ? null : owner, actor_type: 'api_key' },
    { data: invalid, target_id: owner },
  ])
  await app.advance(8 * 24 * 3600)
  expect((await send(link.token_hash)).body.code).toBe('token_expired')
  const expired = { method, reason: 'token_expired' }
  expect((await refusals(subOrgId)).slice(2)).toMatchObject([{ data: expired }])
})

test('refused links on the page cannot fill the stream of events', async () => {
  const subOrgId = await tenant.organization()
  const { person } = await mailLinkTo(app, tenant, 'magiclink', { subOrgId })
  const { link } = await mailLinkTo(app, tenant, 'recovery', { subOrgId })
  for (let i = 0; i < 125; i++) expect(await press('magiclink', person.email, link.token_hash)).toBe(400)
  expect(await refusals(person.subOrgId)).toHaveLength(20)
  await app.advance(301)
  await recordCountedFailures.handle(app.app.platform, {}, 1)
  expect((await refusals(person.subOrgId)).slice(20).map(({ data }) => data)).toEqual([
    expect.objectContaining({ method: 'magic_link', reason: 'token_invalid', count: 105 }),
  ])
})

test('what is sent to somebody inactive, and their right password, are recorded as theirs', async () => {
  const subOrgId = await tenant.organization()
  const { person } = await mailLinkTo(app, tenant, 'magiclink', { subOrgId })
  const { email, userId } = person
  await tenant.put(`/v1/users/${userId}/password`, { subOrgId, password: PASSWORD })
  await tenant.patch(`/v1/users/${userId}`, { subOrgId, active: false })
  const login = await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
  expect([login.status, login.body.code]).toEqual([403, 'user_inactive'])
  for (const path of ['login/otp', 'login/magic-link', 'password/reset', 'signup/otp', 'signup/authenticate-email'])
    expect((await tenant.post(`/v1/auth/${path}/send`, { subOrgId, email })).status).toBe(200)
  const recorded = await refusals(subOrgId)
  const sends = ['password', 'otp', 'magic_link', 'password_reset', 'otp', 'signup']
  expect(recorded.map(({ target_id, data }) => [target_id, data])).toEqual(
    sends.map((method) => [userId, { method, reason: 'user_inactive' }]),
  )
})

test('a right password before the proof that is required is recorded', async () => {
  const subOrgId = await tenant.organization()
  const { person } = await mailLinkTo(app, tenant, 'verification', { subOrgId })
  const { email, userId } = person
  await tenant.put(`/v1/users/${userId}/password`, { subOrgId, password: PASSWORD })
  await tenant.patch('/v1/auth/settings', { subOrgId, require_email_verification: true })
  const login = await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
  expect(login.body.code).toBe('verification_required')
  const data = { method: 'password', reason: 'verification_required' }
  expect(await refusals(subOrgId)).toMatchObject([{ target_id: userId, data }])
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { chainAll, verified } from '../../../../test/people/audit.ts'
import { eraseNow, findTexts } from '../../../../test/people/erasure.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { joinedMember } from '../../../../test/people/team.ts'

const app = await startApp()
const tenant = await app.tenant()
succeeded(await tenant.patch('/v1/otp/settings/defaults', { channel_sms: true, sms_allowed_countries: ['US'] }))

const unerased = () =>
  app.app.platform.db
    .selectFrom('events')
    .select(['id', 'type', 'data'])
    .where('account_id', '=', tenant.accountId)
    .where('actor_type', '<>', 'erased')
    .orderBy('id')
    .execute()
const generate = async (contact: object): Promise<string> =>
  succeeded(await tenant.post('/v1/otp/generate', contact)).otp_id

test('an address that a customer plants erases nothing that is not about their user', async () => {
  const [subOrgId, other] = [await tenant.organization(), await tenant.organization()]
  const [victim, member] = [newEmail(), newEmail()]
  const phone = '+14155550177'
  const before = [await generate({ email: victim }), await generate({ phone })]
  // A person who is invited to the team.
  succeeded(await tenant.post('/v1/members/invites', { email: member, role: 'developer' }))
  await app.advance(60)
  // The customer creates users with these addresses, and writes one of the addresses into everything else.
  succeeded(await tenant.post('/v1/users', { subOrgId, email: victim, phone }))
  succeeded(await tenant.post('/v1/users', { subOrgId, email: member }))
  succeeded(await tenant.post('/v1/users', { subOrgId: other, email: newEmail(), phone }))
  // This address was also on the team once.
  const { membershipId } = succeeded(
    await tenant.post('/v1/members/invites', { email: victim, role: 'developer' }),
  ).member
  succeeded(await tenant.delete(`/v1/members/${membershipId}`))
  const after = [await generate({ email: member }), await generate({ phone })]
  const ofUser = await generate({ email: victim })
  const actor = { 'x-actor-id': 'support', 'x-actor-name': victim }
  succeeded(await tenant.patch(`/v1/organizations/${other}`, { metadata: { email: victim } }, actor))
  succeeded(await tenant.patch(`/v1/organizations/${other}`, { name: `For ${victim}` }))
  const all = await unerased()
  await eraseNow(app, tenant, subOrgId)
  const left = new Set((await unerased()).map(({ id }) => id))
  const gone = JSON.stringify(all.filter(({ id }) => !left.has(id)))
  expect(gone).toContain(subOrgId)
  expect(gone).toContain(ofUser)
  for (const kept of [...before, ...after, other, membershipId]) expect(gone).not.toContain(kept)
  await chainAll(app.app.platform)
  expect((await verified(app.app.platform)).kinds).toEqual([])
})

test('a code of the generator is erased with the user who has its address, on the roster or not', async () => {
  const subOrgId = await tenant.organization()
  const { email } = await joinedMember(app, tenant, 'admin', { subOrgId })
  const phone = '+14155550178'
  succeeded(await tenant.post('/v1/users', { subOrgId, email, phone }))
  for (const contact of [{ email }, { phone }]) await generate(contact)
  await eraseNow(app, tenant, subOrgId)
  expect(await findTexts(app, [email, phone])).toEqual({})
})

test('an action at the account level that names a user as the one acting is erased with that user', async () => {
  const subOrgId = await tenant.organization()
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: newEmail() }))
  const actor = { 'x-actor-id': user.id, 'x-actor-name': 'Ada of the erased' }
  succeeded(await tenant.post('/v1/organizations', { name: 'Made by Ada', slug: 'by-ada' }, actor))
  await eraseNow(app, tenant, subOrgId)
  expect(await findTexts(app, ['Ada of the erased'])).toEqual({})
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'

const app = await startApp()
const tenant = await app.tenant()

test('the ways to sign in are those that work right now, in the order of a sign-in page', async () => {
  const subOrgId = await tenant.organization()
  const ids = async () => {
    const { methods } = (await tenant.get(`/v1/auth/methods?subOrgId=${subOrgId}`)).body
    return methods.map((method: { id: string }) => method.id)
  }
  expect((await tenant.get(`/v1/auth/methods?subOrgId=${subOrgId}`)).body).toEqual({
    methods: [
      { id: 'password', label: 'Password', providers: null, connections: null },
      { id: 'otp', label: 'Email code', providers: null, connections: null },
      { id: 'magic_link', label: 'Magic link', providers: null, connections: null },
      { id: 'passkey', label: 'Passkey', providers: null, connections: null },
    ],
    enforced: false,
  })
  await tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: false })
  expect(await ids()).toEqual(['otp', 'magic_link', 'passkey'])
  await tenant.patch('/v1/otp/settings', { subOrgId, channel_email: false })
  expect(await ids()).toEqual(['magic_link', 'passkey'])
  await tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: null })
  await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: ['auth', 'otp', 'password'] })
  expect(await ids()).toEqual(['password'])
  await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: ['scim'] })
  expect(await ids()).toEqual([])
})

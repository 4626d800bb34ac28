import bcrypt from 'bcryptjs'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedLink, signIn } from '../../../../test/people/sign-in.ts'

// A password set by another person is removed by the first sign-in of an invited user, whichever method they use.

const app = await startApp()
const tenant = await app.tenant()
const GIVEN = 'seven green bottles'
const CHOSEN = 'nine blue bottles'
const HASH = bcrypt.hashSync(GIVEN, 4)

const SET_BY = ['an administrator', 'an import', 'no one'] as const
const PASSWORDS = ['on', 'off'] as const
const WAYS = ['the invitation', 'a magic link', 'a code'] as const
const MAILBOXES = ['unproved', 'proved'] as const

const cases = SET_BY.flatMap((setBy) =>
  MAILBOXES.flatMap((mailbox) => PASSWORDS.flatMap((state) => WAYS.map((way) => ({ setBy, mailbox, state, way })))),
)

test.each(cases)('set by $setBy, $mailbox, passwords $state, by $way', async ({ setBy, mailbox, state, way }) => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const imported = setBy === 'an import' ? { passwordHash: HASH, passwordHashType: 'bcrypt' } : {}
  const users = [{ email, emailVerified: mailbox === 'proved', ...imported }]
  const [{ id }] = succeeded(await tenant.put('/v1/users', { subOrgId, users })).created
  if (setBy === 'an administrator')
    succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: GIVEN }))
  succeeded(await tenant.post('/v1/users/invites', { subOrgId, email }))
  const setPasswords = async (isOn: boolean) =>
    succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: isOn }))
  await setPasswords(state === 'on')

  const password = state === 'on' ? { password: CHOSEN } : {}
  const ways = {
    'the invitation': async () => {
      const { token_hash: token } = await mailedLink(app, email, 'invite')
      return (await tenant.post('/v1/auth/invite/accept', { subOrgId, token, ...password })).body.code ?? 'in'
    },
    'a magic link': async () => succeeded(await signInByLink(tenant, email, { subOrgId })) && 'in',
    'a code': async () => (await signIn(app, tenant, subOrgId, email)) && 'in',
  }
  const signsInAlready = mailbox === 'proved' && setBy !== 'no one'
  const isInvitation = way === 'the invitation'
  expect(await ways[way]()).toBe(isInvitation && signsInAlready ? 'credential_exists' : 'in')

  await setPasswords(true)
  const works = async (password: string) =>
    (await tenant.post('/v1/auth/login/password', { subOrgId, email, password })).status === 200
  const stays = signsInAlready || (setBy === 'an administrator' && !isInvitation)
  expect([await works(GIVEN), await works(CHOSEN)]).toEqual([stays, isInvitation && state === 'on' && !signsInAlready])
})

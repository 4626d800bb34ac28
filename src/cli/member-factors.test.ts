import { expect, test } from 'vitest'
import { startApp, type Tenant } from '../../test/harness.ts'
import { newPasskey } from '../../test/people/authenticator.ts'
import { sentSmsCode, succeeded } from '../../test/people/factors.ts'
import { PAGE } from '../../test/people/passkeys.ts'
import { PASSWORD } from '../../test/people/team.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'
import { snapshot } from '../../test/snapshot.ts'
import { giveApp, signedInMember, steppedUp, teamWorld } from '../../test/walkers/own-world.ts'

const service = await startApp()
const env = settingsOf(service)
const tenant = await service.tenant()
const world = teamWorld(service, tenant)
const cli = (...args: string[]) => runCommand(env, 'members', 'reset-factors', '--account', tenant.accountId, ...args)

const signIn = async (by: Tenant, email: string) =>
  succeeded(await by.post('/v1/auth/login/password', { subOrgId: 'team', email, password: PASSWORD }))

/** A member with an app, a phone and a passkey. */
async function newEnrolled(role: 'owner' | 'admin') {
  const member = await signedInMember(world, role)
  succeeded(await member.me.patch('/v1/me', { locale: 'de' }))
  member.secret = await giveApp(member)
  const strong = await steppedUp(member)
  const phone = '+14155550188'
  succeeded(await strong.me.post('/v1/me/mfa/phone', { phone }))
  succeeded(await strong.me.put('/v1/me/mfa/phone', { code: await sentSmsCode(service, phone) }))
  const { options, challengeId } = succeeded(await strong.me.post('/v1/me/passkeys/options'))
  const credential = newPasskey().make(options, { origin: PAGE })
  succeeded(await strong.me.post('/v1/me/passkeys/verify', { challengeId, credential, deviceName: 'Key' }))
  return strong
}

test('a reset lets the last owner sign in after they lost every factor, and is recorded and mailed', async () => {
  const owner = await newEnrolled('owner')
  const { challenge_token } = await signIn(tenant, owner.email)
  const told = (await service.mails(owner.email)).length
  const done = await cli(owner.email.toUpperCase())
  expect(done).toMatchObject({
    code: 0,
    stdout: `Removed totp, sms, passkey of ${owner.email}, and ended their sessions. A mail notifies them.\n`,
  })
  const mails = (await service.mails(owner.email)).slice(told)
  expect(mails.map(({ kind }) => kind).sort()).toEqual(['mfa_removed', 'mfa_removed', 'passkey_deleted'])
  expect(mails.map(({ subject }) => subject).join()).toMatch(/entfernt/i)
  expect((await owner.me.get('/v1/me')).status).toBe(401)
  const code = { subOrgId: 'team', challenge_token, code: '123456' }
  expect((await tenant.post('/v1/mfa/challenge/verify', code)).body.code).toBe('challenge_expired')
  await service.settled()
  const { events } = succeeded(await tenant.get('/v1/events?types=member.factors_reset'))
  expect(events).toMatchObject([
    {
      actor: { type: 'cli' },
      target: { type: 'user', id: owner.id },
      data: { directoryUserId: owner.id, email: owner.email, methods: ['totp', 'sms', 'passkey'] },
    },
  ])
  // The grace period continues and does not start again.
  const first = await signIn(tenant, owner.email)
  expect([first.session === null, first.mfa?.enrolled]).toEqual([false, false])
  await service.advance(8 * 86_400)
  expect(await signIn(tenant, owner.email)).toMatchObject({ session: null, enrollment_required: true })
})

test('it changes nothing for a member without factors or for a person outside the team', async () => {
  const member = await signedInMember(world, 'admin')
  const stranger = await signedInMember(teamWorld(service, await service.tenant()), 'owner')
  await giveApp(stranger)
  const before = await snapshot(service)
  const none = await cli(member.email, '--json')
  expect([none.code, none.json]).toEqual([0, { directoryUserId: member.id, email: member.email, methods: [] }])
  for (const named of [stranger.email, 'nobody@example.com'])
    expect(await cli(named)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'No member has this address. See `members list`.\n',
    })
  expect(await cli('no address')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^email must be/),
  })
  expect(await snapshot(service)).toEqual(before)
  expect((await member.me.get('/v1/me')).status).toBe(200)
})

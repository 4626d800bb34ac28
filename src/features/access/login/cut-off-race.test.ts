import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { cutOffDuring } from '../../../../test/in-order.ts'
import { codeOf, enrollTotp, makeProvenUser, succeeded } from '../../../../test/people/factors.ts'
import { newHolder, PAGE, signInBy, signInOptions } from '../../../../test/people/passkeys.ts'
import { newPasswordUser, newUser, type Person, sessionRowsOf } from '../../../../test/people/people.ts'
import { mailedCode, mailedLink } from '../../../../test/people/sign-in.ts'

// A sign-in that read the user before a cut-off fails, whatever the proof.

const app = await startApp()
const tenant = await app.tenant()
const { platform } = app.app
const PASSWORD = 'correct horse battery staple'

interface Entry {
  user: Pick<Person, 'id' | 'subOrgId'>
  enter(): Promise<Reply>
}

const isProven = async (subOrgId: string) => ({ ...(await makeProvenUser(tenant, subOrgId)), subOrgId })
const isNew = async (subOrgId: string) => newUser(tenant, { subOrgId })

async function byCode(user: Person): Promise<Entry> {
  const { subOrgId, email } = user
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
  const code = await mailedCode(app, email)
  return { user, enter: () => tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }) }
}

async function byLink(user: Person): Promise<Entry> {
  const { subOrgId, email } = user
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email }))
  const { token_hash } = await mailedLink(app, email, 'magic_link')
  return { user, enter: () => tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash }) }
}

async function byReset(user: Person): Promise<Entry> {
  const { subOrgId, email } = user
  succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }))
  const { token_hash } = await mailedLink(app, email, 'password_reset')
  const body = { subOrgId, email, token_hash, password: 'another sentence altogether' }
  return { user, enter: () => tenant.post('/v1/auth/password/reset/confirm', body) }
}

/** Every sign-in method, up to the request before the last. */
const entries: Record<string, (subOrgId: string) => Promise<Entry>> = {
  'a code': async (subOrgId) => byCode(await isProven(subOrgId)),
  'a code that proves the mailbox': async (subOrgId) => byCode(await isNew(subOrgId)),
  'a link': async (subOrgId) => byLink(await isProven(subOrgId)),
  'a link that proves the mailbox': async (subOrgId) => byLink(await isNew(subOrgId)),
  'a reset': async (subOrgId) => byReset(await isProven(subOrgId)),
  'a reset that proves the mailbox': async (subOrgId) => byReset(await isNew(subOrgId)),
  async 'a password'(subOrgId) {
    const user = await newPasswordUser(tenant, { subOrgId, password: PASSWORD })
    const body = { subOrgId, email: user.email, password: PASSWORD }
    return { user, enter: () => tenant.post('/v1/auth/login/password', body) }
  },
  async 'a password that is being changed'(subOrgId) {
    const user = await newPasswordUser(tenant, { subOrgId, password: PASSWORD, mustChange: true })
    const { email } = user
    const refused = await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
    const body = { subOrgId, email, token_hash: refused.body.token_hash, password: 'another sentence altogether' }
    return { user, enter: () => tenant.post('/v1/auth/password/reset/confirm', body) }
  },
  async 'an invitation'(subOrgId) {
    const { email, id } = await newUser(tenant, { subOrgId })
    succeeded(await tenant.post(`/v1/users/${id}/invite`, { subOrgId }))
    const { token_hash: token } = await mailedLink(app, email, 'invite')
    const enter = () => tenant.post('/v1/auth/invite/accept', { subOrgId, token, password: PASSWORD })
    return { user: { id, subOrgId }, enter }
  },
  async 'a passkey'(subOrgId) {
    const holder = await newHolder(tenant, subOrgId)
    const { email, passkey, userId: id } = holder
    expect((await signInBy(tenant, holder)).status).toBe(200)
    succeeded(await tenant.delete(`/v1/users/${id}/sessions?subOrgId=${subOrgId}`))
    const { options, challengeId } = await signInOptions(tenant, subOrgId, email)
    const body = { subOrgId, email, challengeId, credential: passkey.use(options, { origin: PAGE }) }
    return { user: { id, subOrgId }, enter: () => tenant.post('/v1/auth/login/passkey/verify', body) }
  },
  async 'a second factor'(subOrgId) {
    const user = await isProven(subOrgId)
    const { secret } = await enrollTotp(tenant, user.id, { subOrgId })
    const { enter } = await byLink(user)
    const { challenge_token } = succeeded(await enter())
    const body = { subOrgId, challenge_token, code: codeOf(secret, 1) }
    return { user, enter: () => tenant.post('/v1/mfa/challenge/verify', body) }
  },
}

const liveSessions = async ({ id, subOrgId }: Pick<Person, 'id' | 'subOrgId'>) =>
  succeeded(await tenant.get(`/v1/sessions?subOrgId=${subOrgId}&userId=${id}`)).users

test.each(Object.entries(entries))('%s opens nothing for who was cut off since', async (_, begin) => {
  const { user, enter } = await begin(await tenant.organization())
  const before = (await sessionRowsOf(platform.db, user.id)).length
  const reply = await cutOffDuring(platform, user.id, enter)
  expect([reply.status >= 400 && reply.status < 500, reply.body.session], reply.text).toEqual([true, undefined])
  expect(await sessionRowsOf(platform.db, user.id)).toHaveLength(before)
  expect(await liveSessions(user)).toEqual([])
})

test.each(Object.entries(entries))('%s opens a session for who was not', async (_, begin) => {
  const { user, enter } = await begin(await tenant.organization())
  const reply = succeeded(await enter())
  expect(reply.session.refresh_token).toEqual(expect.any(String))
  expect(await liveSessions(user)).toHaveLength(1)
})

test('a password that is being changed is not, for who was cut off since', async () => {
  const { user, enter } = (await entries['a password that is being changed']?.(await tenant.organization())) ?? fail()
  const hashOf = () =>
    platform.db
      .selectFrom('password_credentials')
      .select(['hash', 'must_change'])
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow()
  const before = await hashOf()
  await cutOffDuring(platform, user.id, enter)
  expect(await hashOf()).toEqual(before)
})

function fail(): never {
  throw new Error('No such way in')
}

import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { codeOf, enrollTotp, makeProvenUser, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { sessionRowsOf } from '../../../../test/people/people.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform
const LIMITS = { magic_link_rate_limit_per_minute: 60, magic_link_rate_limit_per_hour: 600 }
const organization = async () => {
  const by = await tenant.withKey({ subOrgId: await tenant.organization() })
  await by.patch('/v1/auth/settings', LIMITS)
  return by
}
const caller = await organization()
const PASSWORD = 'correct horse battery staple'

async function newEnrolled(by = caller) {
  const user = await makeProvenUser(by)
  return { ...user, ...(await enrollTotp(by, user.id)) }
}

/** The token of a sign-in that waits for its second factor. */
async function challenge(email: string, headers?: Record<string, string>): Promise<string> {
  const reply = succeeded(await signInByLink(caller, email, headers ? { headers } : {}))
  expect(reply.session).toBeNull()
  return reply.challenge_token
}

const verify = (challenge_token: string, code: string, headers?: Record<string, string>, by = caller) =>
  by.post('/v1/mfa/challenge/verify', { challenge_token, code }, headers)

const outcome = (reply: Reply) => [reply.status, reply.body.code]

test('the challenge names the organization that the token has chosen, and goes on there', async () => {
  const slug = fresh()
  const { subOrganization } = succeeded(await tenant.post('/v1/organizations', { name: 'Acme & Söhne', slug }))
  const organization = { subOrgId: subOrganization.id, name: 'Acme & Söhne', slug }
  const by = await tenant.withKey({ subOrgId: organization.subOrgId })
  const { email, secret } = await newEnrolled(by)
  const { url } = succeeded(await by.post('/v1/auth/login/magic-link/send', { email, deliver: false }))
  const token_hash = new URL(url).searchParams.get('token_hash')
  const texts = await recordStatements(async () => {
    const held = succeeded(await tenant.post('/v1/auth/login/magic-link/verify', { email, token_hash }))
    expect(held).toMatchObject({ session: null, sub_org_id: organization.subOrgId, organization })
    const { challenge_token, sub_org_id: subOrgId } = held
    const passed = await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: codeOf(secret, 1) })
    expect(succeeded(passed).session).toMatchObject({ access_token: expect.any(String) })
  })
  // The statement that writes the challenge also returns the organization's name.
  expect(
    texts.filter((text) => /organizations/.test(text) && /name/.test(text) && !/mfa_challenges/.test(text)),
  ).toEqual([])
})

test('a sign-in of an enrolled user answers a challenge, and no session before the code', async () => {
  const { id, email, secret } = await newEnrolled()
  const reply = succeeded(await signInByLink(caller, email))
  expect(reply).toEqual({
    session: null,
    mfa_required: true,
    challenge_token: expect.stringMatching(/^mfa_[0-9A-Za-z]{43}$/),
    challenge_expires_at: expect.any(String),
    directory_user_id: expect.any(String),
    sub_org_id: expect.any(String),
    organization: { subOrgId: reply.sub_org_id, name: expect.any(String), slug: expect.any(String) },
    methods: ['totp', 'backup'],
    enrollment_required: false,
  })
  expect(Date.parse(reply.challenge_expires_at) - Date.now()).toBeGreaterThan(290_000)
  expect(Date.parse(reply.challenge_expires_at) - Date.now()).toBeLessThan(301_000)
  expect(await sessionRowsOf(db, id)).toEqual([])
  expect(succeeded(await caller.get(`/v1/users/${id}`)).user.lastLoginAt).toBeNull()
  const passed = succeeded(await verify(reply.challenge_token, codeOf(secret, 1)))
  expect(Object.keys(passed)).toEqual(['session'])
  const claims = decodeJwt(passed.session.access_token)
  expect([claims['amr'], claims['aal']]).toEqual([['otp', 'mfa'], 'aal2'])
  const { users } = succeeded(await caller.get(`/v1/sessions?userId=${id}`))
  expect(users[0].sessions).toMatchObject([{ auth_method: 'magic_link', amr: ['otp', 'mfa'], aal: 'aal2' }])
  const types = (await app.events({ accountId: tenant.accountId })).filter(
    (event) => event.target_id === id || event.type === 'session.created',
  )
  expect(types.map((event) => event.type).slice(-4)).toEqual([
    'mfa.challenge.created',
    'mfa.challenge.succeeded',
    'session.created',
    'auth.login.succeeded',
  ])
  // Neither the challenge nor the code works again.
  expect(outcome(await verify(reply.challenge_token, codeOf(secret, 1)))).toEqual([400, 'challenge_expired'])
  expect(outcome(await verify(await challenge(email), codeOf(secret, 1)))).toEqual([401, 'mfa_code_invalid'])
})

test('after a password the session says both', async () => {
  const { id, email, secret } = await newEnrolled()
  succeeded(await caller.put(`/v1/users/${id}/password`, { password: PASSWORD }))
  const { challenge_token } = succeeded(await caller.post('/v1/auth/login/password', { email, password: PASSWORD }))
  const { session } = succeeded(await verify(challenge_token, codeOf(secret, 1)))
  expect(decodeJwt(session.access_token)['amr']).toEqual(['pwd', 'otp', 'mfa'])
})

test('a backup code passes once, however it is typed, and the user hears of it', async () => {
  const { id, email, backupCodes } = await newEnrolled()
  const [code = ''] = backupCodes
  succeeded(await verify(await challenge(email), ` ${code.toLowerCase().replaceAll('-', ' ')}`))
  expect(outcome(await verify(await challenge(email), code))).toEqual([401, 'mfa_code_invalid'])
  const { enrollment } = succeeded(await caller.get(`/v1/mfa/totp?userId=${id}`))
  expect(enrollment.backupCodesRemaining).toBe(9)
  const mails = await app.mails(email)
  expect(mails.filter((mail) => mail.kind === 'backup_code_used').map((mail) => mail.text)).toEqual([
    expect.stringContaining('You have 9 backup codes left'),
  ])
})

test('a backup code is right as a whole, and of its user alone', async () => {
  const { id, email, backupCodes } = await newEnrolled()
  const [code = ''] = backupCodes
  const other = code.endsWith('0') ? '1' : '0'
  const stranger = await newEnrolled()
  const theirs = stranger.backupCodes.find((each) => each.startsWith(code.charAt(0))) ?? stranger.backupCodes[0] ?? ''
  for (const wrong of [`${code.slice(0, -1)}${other}`, `${code.slice(0, 2)}${theirs.slice(2)}`])
    expect(outcome(await verify(await challenge(email), wrong))).toEqual([401, 'mfa_code_invalid'])
  const { enrollment } = succeeded(await caller.get(`/v1/mfa/totp?userId=${id}`))
  expect([enrollment.backupCodesRemaining, await sessionRowsOf(db, id)]).toEqual([10, []])
  succeeded(await verify(await challenge(email), code))
})

test('five tries, then the challenge is dead for the right code too', async () => {
  const { email, secret } = await newEnrolled()
  const token = await challenge(email)
  for (let i = 0; i < 5; i++)
    expect(outcome(await verify(token, codeOf(secret, 7 + i)))).toEqual([401, 'mfa_code_invalid'])
  expect(outcome(await verify(token, codeOf(secret, 1)))).toEqual([400, 'challenge_expired'])
  succeeded(await verify(await challenge(email), codeOf(secret, 1)))
  const failed = await app.events({ accountId: tenant.accountId, type: 'mfa.challenge.failed' })
  expect(failed.length).toBeGreaterThanOrEqual(5)
})

test('300 seconds, then it is over', async () => {
  const { email, secret } = await newEnrolled()
  const token = await challenge(email)
  await app.advance(300)
  expect(outcome(await verify(token, codeOf(secret, 0, 300)))).toEqual([400, 'challenge_expired'])
  await app.advance(-300)
})

test('it serves its user in its organization, from where the first factor came', async () => {
  const { email, secret } = await newEnrolled()
  const token = await challenge(email, { 'x-end-user-ip': '198.51.100.7' })
  const elsewhere = await organization()
  const stranger = await (await app.tenant()).withKey({})
  expect(outcome(await verify(token, codeOf(secret, 1), {}, elsewhere))).toEqual([400, 'challenge_expired'])
  expect((await verify(token, codeOf(secret, 1), {}, stranger)).status).toBe(400)
  expect(outcome(await verify(token, codeOf(secret, 1)))).toEqual([400, 'challenge_expired'])
  const moved = await verify(token, codeOf(secret, 1), { 'x-end-user-ip': '203.0.113.7' })
  expect(outcome(moved)).toEqual([400, 'challenge_expired'])
  for (const wrong of ['', 'mfa_', `mfa_${'A'.repeat(43)}`, `${token}x`, token.toLowerCase(), token.slice(4)])
    expect((await verify(wrong, codeOf(secret, 1), { 'x-end-user-ip': '198.51.100.7' })).status).toBe(400)
  // Another user's code is wrong for this challenge.
  const other = await newEnrolled()
  const wrong = await verify(token, codeOf(other.secret, 1), { 'x-end-user-ip': '198.51.100.7' })
  expect(outcome(wrong)).toEqual([401, 'mfa_code_invalid'])
  succeeded(await verify(token, codeOf(secret, 1), { 'x-end-user-ip': '198.51.100.7' }))
})

describe('what cuts the user off ends it', () => {
  const cuts: Record<string, (id: string) => Promise<Reply>> = {
    'a new password': (id) => caller.put(`/v1/users/${id}/password`, { password: PASSWORD }),
    'a new password that leaves the sessions': (id) =>
      caller.put(`/v1/users/${id}/password`, { password: PASSWORD, revokeSessions: false }),
    deactivation: (id) => caller.patch(`/v1/users/${id}`, { active: false }),
    'another address': (id) => caller.patch(`/v1/users/${id}`, { email: `new-${id}@example.com` }),
    deletion: (id) => caller.delete(`/v1/users/${id}`),
    'removal of the factor': (id) => caller.delete(`/v1/mfa/totp?userId=${id}`, {}, {}),
  }
  test.each(Object.keys(cuts))('%s', async (name) => {
    const { id, email, secret } = await newEnrolled()
    const token = await challenge(email)
    const cut = await cuts[name]?.(id)
    expect(cut?.status, cut?.text).toBe(200)
    expect(outcome(await verify(token, codeOf(secret, 1)))).toEqual([400, 'challenge_expired'])
    expect(await sessionRowsOf(db, id)).toEqual([])
  })
})

test('wrong codes of a user are counted over all challenges, and a right first factor does not forget them', async () => {
  const { id, email, secret } = await newEnrolled()
  succeeded(await caller.put(`/v1/users/${id}/password`, { password: PASSWORD }))
  const signIn = async () =>
    succeeded(await caller.post('/v1/auth/login/password', { email, password: PASSWORD })).challenge_token
  let looked = 0
  for (let i = 0; i < 5; i++) {
    const token = await signIn()
    for (let n = 0; n < 3; n++) if ((await verify(token, codeOf(secret, 9 + n))).status === 401) looked++
  }
  expect(looked).toBe(10)
  const refused = await verify(await signIn(), codeOf(secret, 1))
  expect(outcome(refused)).toEqual([429, 'account_locked'])
  expect(refused.headers.get('retry-after')).toBe(String(refused.body.retry_after))
  expect((await app.mails(email)).filter((mail) => mail.kind === 'mfa_locked')).toHaveLength(1)
  succeeded(await caller.post(`/v1/users/${id}/unlock`, {}))
  succeeded(await verify(await signIn(), codeOf(secret, 1)))
})

test('where locks are off five wrong codes in fifteen minutes are the end all the same', async () => {
  const by = await organization()
  await by.patch('/v1/auth/settings', { lockout_enabled: false })
  const { email, secret } = await newEnrolled(by)
  const sign = async () => succeeded(await signInByLink(by, email)).challenge_token
  for (let i = 0; i < 5; i++) expect((await verify(await sign(), codeOf(secret, 9), {}, by)).status).toBe(401)
  expect(outcome(await verify(await sign(), codeOf(secret, 1), {}, by))).toEqual([429, 'account_locked'])
  await app.advance(901)
  succeeded(await verify(await sign(), codeOf(secret, 1, 901), {}, by))
  await app.advance(-901)
})

test('right codes leave no count behind', async () => {
  const { email, backupCodes, secret } = await newEnrolled()
  for (const code of backupCodes.slice(0, 6)) {
    expect((await verify(await challenge(email), codeOf(secret, 99))).status).toBe(401)
    succeeded(await verify(await challenge(email), code))
    await app.advance(61)
  }
  await app.advance(-366)
})

test('an organization that is suspended meanwhile lets nobody in', async () => {
  const subOrgId = await tenant.organization()
  const by = await tenant.withKey({ subOrgId })
  const { id, email, secret } = await newEnrolled(by)
  const { challenge_token } = succeeded(await signInByLink(by, email))
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' }))
  const reply = await verify(challenge_token, codeOf(secret, 1), {}, by)
  expect(outcome(reply)).toEqual([403, 'organization_suspended'])
  expect(await sessionRowsOf(db, id)).toEqual([])
  // The refusal consumed neither the challenge nor the code.
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' }))
  succeeded(await verify(challenge_token, codeOf(secret, 1), {}, by))
})

test('a limit on sessions is met when the challenge is passed', async () => {
  const by = await organization()
  const limits = { max_concurrent_sessions: 1, concurrent_session_policy: 'deny_new' }
  succeeded(await by.patch('/v1/auth/settings', limits))
  const { email, secret, backupCodes } = await newEnrolled(by)
  const [code = ''] = backupCodes
  succeeded(await verify(succeeded(await signInByLink(by, email)).challenge_token, codeOf(secret, 1), {}, by))
  const { challenge_token } = succeeded(await signInByLink(by, email))
  expect(outcome(await verify(challenge_token, code, {}, by))).toEqual([403, 'session_limit_reached'])
  succeeded(await by.patch('/v1/auth/settings', { concurrent_session_policy: 'revoke_oldest' }))
  succeeded(await verify(challenge_token, code, {}, by))
})

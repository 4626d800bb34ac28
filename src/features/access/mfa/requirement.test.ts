import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Caller, startApp, until } from '../../../../test/harness.ts'
import {
  codeOf,
  enrollTotp,
  makeProvenUser,
  sentSmsCode,
  signInByLink,
  succeeded,
} from '../../../../test/people/factors.ts'

const DAY = 86_400
const organization = async (app: Awaited<ReturnType<typeof startApp>>) => {
  const tenant = await app.tenant()
  const caller = await tenant.withKey({ subOrgId: await tenant.organization() })
  const limits = { magic_link_rate_limit_per_minute: 60, magic_link_rate_limit_per_hour: 600 }
  succeeded(await caller.patch('/v1/auth/settings', limits))
  return caller
}
const require = async (caller: Caller, patch: object = {}) =>
  succeeded(await caller.patch('/v1/mfa/policy', { require_mfa: true, ...patch }))

test('grace: a session with its end told, which neither policy nor sign-in nor reset moves', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const { id, email } = await makeProvenUser(caller)
  await require(caller, { grace_period_days: 7 })
  const first = succeeded(await signInByLink(caller, email))
  expect(first.session.access_token).toEqual(expect.any(String))
  expect(first.mfa).toEqual({ required: true, enrolled: false, grace_ends_at: expect.any(String) })
  const endsAt = Date.parse(first.mfa.grace_ends_at)
  expect(Math.abs(endsAt - Date.now() - 7 * DAY * 1000)).toBeLessThan(60_000)
  await app.advance(3 * DAY)
  await require(caller, { require_mfa: false })
  await require(caller, { grace_period_days: 60 })
  succeeded(await caller.put(`/v1/users/${id}/password`, { password: 'correct horse battery staple' }))
  expect(succeeded(await signInByLink(caller, email)).mfa).toEqual(first.mfa)
  await app.advance(4 * DAY + 60)
  const after = succeeded(await signInByLink(caller, email))
  expect(after).toMatchObject({ session: null, mfa_required: true, methods: ['totp'], enrollment_required: true })
})

test('the grace of a user moves along, and is no longer for having been elsewhere', async () => {
  const app = await startApp()
  const tenant = await app.tenant()
  const subOrgIds = [await tenant.organization(), await tenant.organization()]
  const [here, there] = await Promise.all(subOrgIds.map((subOrgId) => tenant.withKey({ subOrgId })))
  if (!here || !there) throw new Error('No callers')
  await require(here, { grace_period_days: 7 })
  await require(there, { grace_period_days: 30 })
  const [{ id, email }, other] = [await makeProvenUser(here), await makeProvenUser(here)]
  const graceOf = async (by: Caller, address = email) => succeeded(await signInByLink(by, address)).mfa.grace_ends_at
  const rowsOf = (userId: string) =>
    app.app.platform.db
      .selectFrom('mfa_grace')
      .innerJoin('directories', 'directories.id', 'mfa_grace.directory_id')
      .select('directories.organization_id as subOrgId')
      .where('user_id', '=', userId)
      .execute()
  const [first, others] = [await graceOf(here), await graceOf(here, other.email)]
  const [from, to] = subOrgIds
  succeeded(await tenant.post(`/v1/users/${id}`, { subOrgId: from, targetSubOrgId: to }))
  expect(await rowsOf(id)).toEqual([{ subOrgId: to }])
  expect(await graceOf(there)).toBe(first)
  // If the user has a row from an earlier stay and one from the move, the earlier end counts.
  const left = sql`update mfa_grace set ends_at = ends_at + interval '9 days' where user_id = ${other.id}`
  await left.execute(app.app.platform.db)
  await sql`insert into mfa_grace (directory_id, user_id, ends_at)
    select d.id, ${other.id}::uuid, ${others}::timestamptz from directories d
    where d.organization_id = ${to} and d.environment_id = ${tenant.environmentId}`.execute(app.app.platform.db)
  succeeded(await tenant.post(`/v1/users/${other.id}`, { subOrgId: from, targetSubOrgId: to }))
  expect([await rowsOf(other.id), await graceOf(there, other.email)]).toEqual([[{ subOrgId: to }], others])
})

test('after the grace the person enrolls on the way in, and the first code is spent with it', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const { id, email } = await makeProvenUser(caller)
  await require(caller, { grace_period_days: 0 })
  const { challenge_token } = succeeded(await signInByLink(caller, email))
  // The user has no factor, so no code can be correct.
  const verify = await caller.post('/v1/mfa/challenge/verify', { challenge_token, code: '000000' })
  expect([verify.status, verify.body.code]).toEqual([401, 'mfa_code_invalid'])
  const { pendingId, secret } = succeeded(await caller.post('/v1/mfa/totp', { userId: id }))
  const body = { userId: id, pendingId, challenge_token }
  const wrong = await caller.put('/v1/mfa/totp', { ...body, code: codeOf(secret, 9) })
  expect([wrong.status, wrong.body.code]).toEqual([400, 'mfa_code_invalid'])
  const code = codeOf(secret)
  const confirmed = succeeded(await caller.put('/v1/mfa/totp', { ...body, code }))
  expect(confirmed.backupCodes).toHaveLength(10)
  const claims = decodeJwt(confirmed.session.access_token)
  expect([claims['directory_user_id'], claims['amr'], claims['aal']]).toEqual([id, ['otp', 'mfa'], 'aal2'])
  const next = succeeded(await signInByLink(caller, email))
  expect(next).toMatchObject({ methods: ['totp', 'backup'], enrollment_required: false })
  const again = await caller.post('/v1/mfa/challenge/verify', { challenge_token: next.challenge_token, code })
  expect([again.status, again.body.code]).toEqual([401, 'mfa_code_invalid'])
  const spent = await caller.put('/v1/mfa/totp', { ...body, code: codeOf(secret, 1) })
  expect([spent.status, spent.body.code]).toEqual([400, 'challenge_expired'])
})

test('a challenge enrolls nobody but its user, and none that asks for a code enrolls at all', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const [ada, bob] = [await makeProvenUser(caller), await makeProvenUser(caller)]
  const { secret } = await enrollTotp(caller, bob.id)
  await require(caller, { grace_period_days: 0 })
  const adas = succeeded(await signInByLink(caller, ada.email)).challenge_token
  const bobs = succeeded(await signInByLink(caller, bob.email)).challenge_token
  const cleo = await makeProvenUser(caller)
  const begun = succeeded(await caller.post('/v1/mfa/totp', { userId: cleo.id }))
  for (const challenge_token of [adas, bobs, `mfa_${'A'.repeat(43)}`]) {
    const body = { userId: cleo.id, pendingId: begun.pendingId, code: codeOf(begun.secret), challenge_token }
    const reply = await caller.put('/v1/mfa/totp', body)
    expect([reply.status, reply.body.code]).toEqual([400, 'challenge_expired'])
  }
  expect(succeeded(await caller.get(`/v1/users/${cleo.id}`)).user.mfaEnrolled).toBe(false)
  // A user with a factor cannot replace it during sign-in.
  expect((await caller.post('/v1/mfa/totp', { userId: bob.id })).body.code).toBe('already_enrolled')
  succeeded(await caller.post('/v1/mfa/challenge/verify', { challenge_token: bobs, code: codeOf(secret, 1) }))
})

test('a refresh after the requirement answers a challenge, and the session stays until it is passed', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const { id, email } = await makeProvenUser(caller)
  const { session } = succeeded(await signInByLink(caller, email))
  const refresh = (refresh_token: string) => caller.post('/v1/auth/token/refresh', { refresh_token })
  const { secret } = await enrollTotp(caller, id, { revokeSessions: false })
  // The user enrolled voluntarily, so a running session does not ask for the factor.
  const kept = succeeded(await refresh(session.refresh_token)).session
  await require(caller, { grace_period_days: 1 })
  const inGrace = succeeded(await refresh(kept.refresh_token)).session
  await app.advance(DAY + 1)
  const asked = succeeded(await refresh(inGrace.refresh_token))
  expect(asked).toMatchObject({ session: null, methods: ['totp', 'backup'], enrollment_required: false })
  const introspect = { token: inGrace.refresh_token }
  expect(succeeded(await caller.post('/v1/auth/token/introspect', introspect)).active).toBe(true)
  const body = { challenge_token: asked.challenge_token, code: codeOf(secret, 0, DAY + 1) }
  const passed = succeeded(await caller.post('/v1/mfa/challenge/verify', body)).session
  expect(decodeJwt(passed.access_token)['aal']).toBe('aal2')
  expect(succeeded(await caller.post('/v1/auth/token/introspect', introspect)).active).toBe(false)
  expect(succeeded(await refresh(passed.refresh_token)).session).not.toBeNull()
})

test('a session whose idle end comes during its refresh is exchanged for no challenge', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const { email } = await makeProvenUser(caller)
  const { session } = succeeded(await signInByLink(caller, email))
  await require(caller, { grace_period_days: 0 })
  const { platform } = app.app
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = platform.tx(async (tx) => {
    await sql`lock table mfa_grace in access exclusive mode`.execute(tx)
    held.resolve()
    await go.promise
  })
  await held.promise
  const refreshing = caller.post('/v1/auth/token/refresh', { refresh_token: session.refresh_token })
  try {
    await until(async () => {
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return (await waiting.execute(platform.db)).rows.length > 0
    })
    await app.advance(7 * DAY + 1)
  } finally {
    go.resolve()
  }
  await holding
  const reply = await refreshing
  expect([reply.status, reply.body.code]).toEqual([401, 'refresh_token_invalid'])
  expect(await platform.db.selectFrom('mfa_challenges').select('id').execute()).toEqual([])
})

test('a refresh in grace tells its end, and after it asks who has no factor to enroll', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const { email } = await makeProvenUser(caller)
  const { session } = succeeded(await signInByLink(caller, email))
  await require(caller, { grace_period_days: 1 })
  const refresh = async (refresh_token: string) =>
    succeeded(await caller.post('/v1/auth/token/refresh', { refresh_token }))
  const inGrace = await refresh(session.refresh_token)
  expect(inGrace.mfa).toMatchObject({ required: true, enrolled: false })
  await app.advance(DAY + 1)
  const after = await refresh(inGrace.session.refresh_token)
  expect(after).toMatchObject({ session: null, enrollment_required: true, methods: ['totp'] })
  expect(await refresh(inGrace.session.refresh_token)).toMatchObject({ session: null })
})

test('a trusted device skips the challenge while it is trusted, and for its user alone', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const { id, email } = await makeProvenUser(caller)
  const { backupCodes } = await enrollTotp(caller, id)
  const pass = async (n: number) => {
    const { challenge_token } = succeeded(await signInByLink(caller, email))
    const body = { challenge_token, code: backupCodes[n], trust_device: true }
    return succeeded(await caller.post('/v1/mfa/challenge/verify', body, { 'x-end-user-agent': 'Firefox' }))
  }
  // Trusted devices are off by default.
  expect(Object.keys(await pass(0))).toEqual(['session'])
  succeeded(await caller.patch('/v1/auth/settings', { trusted_device_days: 30 }))
  const { trusted_device_token, trusted_device_expires_at } = await pass(1)
  expect(trusted_device_token).toMatch(/^td_[0-9A-Za-z]{43}$/)
  expect(Math.abs(Date.parse(trusted_device_expires_at) - Date.now() - 30 * DAY * 1000)).toBeLessThan(60_000)
  const headers = { 'x-trusted-device': trusted_device_token }
  const signIn = async (of = email) => succeeded(await signInByLink(caller, of, { headers }))
  const { session } = await signIn()
  expect(decodeJwt(session.access_token)['aal']).toBe('aal1')
  const other = await makeProvenUser(caller)
  await enrollTotp(caller, other.id)
  expect((await signIn(other.email)).session).toBeNull()
  // If the policy covers everyone, a trusted device is still enough for a member.
  await require(caller, { grace_period_days: 0 })
  const refreshed = succeeded(await caller.post('/v1/auth/token/refresh', { refresh_token: session.refresh_token }))
  expect(refreshed.session).not.toBeNull()
  await require(caller, { enforce_for_roles: ['member'] })
  expect((await signIn()).session).toBeNull()
  succeeded(await caller.patch('/v1/auth/settings', { trusted_devices_for_enforced_roles: true }))
  expect((await signIn()).session).not.toBeNull()
  await app.app.platform.db.updateTable('users').set({ role: 'admin' }).where('id', '=', id).execute()
  succeeded(await caller.patch('/v1/auth/settings', { trusted_devices_for_enforced_roles: false }))
  await require(caller, { enforce_for_roles: [] })
  expect((await signIn()).session).toBeNull()
  succeeded(await caller.patch('/v1/auth/settings', { trusted_devices_for_enforced_roles: true }))
  expect((await signIn()).session).not.toBeNull()
  const { devices, ...page } = succeeded(await caller.get(`/v1/mfa/trusted-devices?userId=${id}`))
  expect(page).toEqual({ has_more: false, next_cursor: null })
  expect(devices).toMatchObject([{ user_agent: 'Firefox' }])
  succeeded(await caller.delete(`/v1/mfa/trusted-devices/${devices[0].id}`))
  expect((await signIn()).session).toBeNull()
  const stale = { refresh_token: refreshed.session.refresh_token }
  expect(succeeded(await caller.post('/v1/auth/token/refresh', stale)).session).toBeNull()
  const gone = await caller.delete(`/v1/mfa/trusted-devices/${devices[0].id}`)
  expect(gone.body.code).toBe('trusted_device_not_found')
  const events = await app.app.platform.db
    .selectFrom('events')
    .select(['type', 'target_type', 'target_id', 'data'])
    .where('type', 'like', 'mfa.trusted_device.%')
    .orderBy('id')
    .execute()
  expect(events.map(({ type }) => type.slice('mfa.trusted_device.'.length))).toEqual([
    'added',
    'used',
    'used',
    'used',
    'removed',
  ])
  for (const { target_type, target_id, data } of events) {
    expect([target_type, target_id]).toEqual(['trusted_device', devices[0].id])
    expect(data).toEqual({ id: devices[0].id, directory_user_id: id, user_agent: 'Firefox' })
  }
})

test('a trusted device ends with its days, with fewer days, and with a new password', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const { id, email } = await makeProvenUser(caller)
  const { backupCodes } = await enrollTotp(caller, id)
  const setDays = async (days: number) =>
    succeeded(await caller.patch('/v1/auth/settings', { trusted_device_days: days }))
  await setDays(30)
  const trust = async (n: number) => {
    const { challenge_token } = succeeded(await signInByLink(caller, email))
    const body = { challenge_token, code: backupCodes[n], trust_device: true }
    return succeeded(await caller.post('/v1/mfa/challenge/verify', body)).trusted_device_token
  }
  const isSkipped = async (token: string) =>
    succeeded(await signInByLink(caller, email, { headers: { 'x-trusted-device': token } })).session !== null
  const first = await trust(0)
  await app.advance(20 * DAY)
  expect(await isSkipped(first)).toBe(true)
  await setDays(10)
  expect(await isSkipped(first)).toBe(false)
  await setDays(0)
  expect(await isSkipped(first)).toBe(false)
  await setDays(30)
  await app.advance(10 * DAY + 1)
  expect(await isSkipped(first)).toBe(false)
  const second = await trust(1)
  expect(await isSkipped(second)).toBe(true)
  succeeded(await caller.put(`/v1/users/${id}/password`, { password: 'correct horse battery staple' }))
  expect(await isSkipped(second)).toBe(false)
  for (const wrong of ['', 'td_', `td_${'A'.repeat(43)}`]) expect(await isSkipped(wrong)).toBe(false)
})

test('a phone: a code confirms it, and another passes a challenge', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const phone = '+14155550123'
  const { id, email } = await makeProvenUser(caller)
  const begin = () => caller.post('/v1/mfa/sms', { userId: id, phone })
  expect((await begin()).body.code).toBe('method_disabled')
  succeeded(await caller.patch('/v1/mfa/policy', { allowed_methods: ['totp', 'backup', 'sms'] }))
  expect((await begin()).body.code).toBe('method_disabled')
  succeeded(await caller.patch('/v1/otp/settings', { sms_allowed_countries: ['US'] }))
  expect(succeeded(await begin())).toEqual({ delivery_hint: '+•••••23', expires_at: expect.any(String) })
  const wrong = await caller.put('/v1/mfa/sms', { userId: id, code: 'abcdef' })
  expect([wrong.status, wrong.body.code]).toEqual([400, 'mfa_code_invalid'])
  succeeded(await caller.put('/v1/mfa/sms', { userId: id, code: await sentSmsCode(app, phone) }))
  expect((await begin()).body.code).toBe('already_enrolled')
  const { enrollment } = succeeded(await caller.get(`/v1/mfa/totp?userId=${id}`))
  expect(enrollment.sms).toEqual({ enrolled: true, enrolledAt: expect.any(String), phone: '+•••••23' })
  const { challenge_token, methods } = succeeded(await signInByLink(caller, email))
  expect(methods).toEqual(['sms'])
  const verify = (code: string) => caller.post('/v1/mfa/challenge/verify', { challenge_token, code })
  expect((await verify(await sentSmsCode(app, phone))).body.code).toBe('mfa_code_invalid')
  for (const path of ['/v1/auth/mfa/challenge/send', '/v1/mfa/challenge/send']) {
    const sent = await caller.post(path, { challenge_token, method: 'sms' })
    expect(succeeded(sent)).toEqual({ delivery_hint: '+•••••23' })
  }
  const { session } = succeeded(await verify(await sentSmsCode(app, phone)))
  expect(decodeJwt(session.access_token)['amr']).toEqual(['otp', 'sms', 'mfa'])
  const spent = await caller.post('/v1/mfa/challenge/send', { challenge_token, method: 'sms' })
  expect(spent.body.code).toBe('challenge_expired')
  // A factor that the policy no longer allows is still better than none.
  succeeded(await caller.patch('/v1/mfa/policy', { allowed_methods: ['totp', 'backup'] }))
  expect(succeeded(await signInByLink(caller, email))).toMatchObject({ session: null, methods: ['sms'] })
  expect(succeeded(await caller.delete(`/v1/mfa/sms?userId=${id}`))).toEqual({ success: true, required: false })
  expect(succeeded(await signInByLink(caller, email)).session).not.toBeNull()
  const nobody = await caller.post('/v1/mfa/sms', { userId: randomUUID(), phone })
  expect(nobody.body.code).toBe('user_not_found')
})

test('a policy of another process holds at once', async () => {
  const app = await startApp()
  const caller = await organization(app)
  const { email } = await makeProvenUser(caller)
  expect(succeeded(await signInByLink(caller, email)).session).not.toBeNull()
  // Written as another process would, before its NOTIFY arrives here.
  const row = await app.app.platform.db.selectFrom('users').select('directory_id').executeTakeFirstOrThrow()
  await app.app.platform.db
    .insertInto('mfa_policies')
    .values({
      directory_id: row.directory_id,
      require_mfa: true,
      grace_period_days: 0,
      allowed_methods: ['totp'],
      enforce_for_roles: [],
      required_since: new Date('2020-01-01'),
    })
    .execute()
  const sessions = () => app.app.platform.db.selectFrom('sessions').select('id').execute()
  const before = await sessions()
  const reply = await signInByLink(caller, email)
  expect([reply.status, reply.body.code]).toEqual([400, 'token_invalid'])
  expect(await sessions()).toEqual(before)
})

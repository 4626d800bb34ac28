import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail, newUser } from '../people/people.ts'
import { joinedMember } from '../people/team.ts'

const app = await startApp()

type Ask = (email: string, headers?: Record<string, string>) => Promise<Reply>

/** An organization with these settings, and every way in which a stranger has something sent to an address. */
async function settle(settings: object) {
  const owner = await app.tenant()
  const subOrgId = await owner.organization()
  succeeded(await owner.patch('/v1/otp/settings', { subOrgId, ...settings }))
  const ask =
    (path: string, more: object = {}): Ask =>
    (email, headers) =>
      owner.post(`/v1/auth/${path}`, { subOrgId, email, ...more }, headers)
  const ways: Record<string, Ask> = {
    code: ask('login/otp/send'),
    link: ask('login/magic-link/send'),
    reset: ask('password/reset/send'),
    'sign-up code': ask('signup/otp/send', { openSignup: false }),
    'sign-up link': ask('signup/authenticate-email/send', { openSignup: false }),
  }
  return { owner, subOrgId, ways, ask, person: async () => (await newUser(owner, { subOrgId })).email }
}

const RATE = ['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'x-ratelimit-remaining']

/** What a client can compare of two answers; seconds to wait go on between them. */
function lookOf({ status, body, headers }: Reply) {
  const shape = Object.entries(body).map(([name, value]) => [name, typeof value])
  const shown = RATE.map((name) => headers.get(name)?.replace(/t=\d+/, 't'))
  return { status, shape, code: body.code, detail: String(body.detail).replace(/\d+ s/, 's'), shown }
}

test.each(['organization', 'key'])(
  'addresses that nobody has use up nothing of what one %s may send; once mails have, all are refused alike',
  async (whose) => {
    const { owner, subOrgId, ways, person } = await settle({ [`send_limit_per_hour_${whose}`]: 2 })
    for (const [name, ask] of Object.entries(ways))
      for (let n = 0; n < 3; n++) expect((await ask(newEmail())).status, name).toBe(200)
    const [first, second, late] = [await person(), await person(), await person()]
    for (const email of [first, second]) expect(succeeded((await ways['code']?.(email)) as Reply).otp_id).toBeTruthy()
    const mailsBefore = (await app.mails()).length
    for (const [name, ask] of Object.entries(ways)) {
      const [unknown, known] = [lookOf(await ask(newEmail())), lookOf(await ask(late))]
      expect(known, name).toEqual(unknown)
      expect([known.status, known.code], name).toEqual([429, 'rate_limited'])
      expect(known.shown[1], name).toBe(`"${whose}";q=2;w=3600`)
    }
    expect(await app.mails()).toHaveLength(mailsBefore)
    // What was refused has not left either: a raised ceiling leaves the rest, less the one that was stopped first.
    const body = { subOrgId, [`send_limit_per_hour_${whose}`]: 4 }
    succeeded(await owner.patch('/v1/otp/settings', body))
    expect((await ways['link']?.(await person()))?.status).toBe(200)
  },
)

test('a member of the team has the limit of a key, over all organizations that the session reaches', async () => {
  const { owner, subOrgId } = await settle({ send_limit_per_hour_key: 2 })
  const other = await owner.organization()
  succeeded(await owner.patch('/v1/otp/settings', { subOrgId: other, send_limit_per_hour_key: 2 }))
  const [one, another] = [await joinedMember(app, owner, 'admin'), await joinedMember(app, owner, 'admin')]
  const inviteAs = (headers: Record<string, string>, into: string) =>
    app.as(null).post('/v1/users/invites', { subOrgId: into, email: newEmail() }, headers)
  for (const into of [subOrgId, other]) expect((await inviteAs(one.headers, into)).status).toBe(200)
  const before = await app.mails()
  for (const into of [subOrgId, other]) {
    const look = lookOf(await inviteAs(one.headers, into))
    expect([look.status, look.code, look.shown[1]]).toEqual([429, 'rate_limited', '"user";q=2;w=3600'])
  }
  expect(await app.mails()).toEqual(before)
  expect((await inviteAs(another.headers, subOrgId)).status).toBe(200)
  expect((await owner.post('/v1/users/invites', { subOrgId, email: newEmail() })).status).toBe(200)
})

test('with one message left, known and unknown addresses are answered alike, before and after', async () => {
  const { ways, person } = await settle({ send_limit_per_hour_organization: 1 })
  const [known, unknown] = [await person(), newEmail()]
  const link = ways['link'] as Ask
  expect(lookOf(await link(unknown))).toEqual(lookOf(await link(known)))
  const [again, other] = [await person(), newEmail()]
  expect(lookOf(await link(again))).toEqual(lookOf(await link(other)))
  expect((await link(again)).status).toBe(429)
})

test('what is not mailed uses nothing up: a code already on its way, a link the caller mails, a taken address', async () => {
  const { owner, subOrgId, ways, ask, person } = await settle({ send_limit_per_hour_organization: 2 })
  const email = await person()
  for (let n = 0; n < 3; n++) expect((await ways['code']?.(email))?.status).toBe(200)
  const own = ask('login/magic-link/send', { deliver: false })
  for (let n = 0; n < 3; n++) expect((await own(await person())).status).toBe(200)
  for (let n = 0; n < 3; n++)
    expect((await ask('signup', { openSignup: true })(email)).body.code).toBe('verification_required')
  const { count } = await app.app.platform.db
    .selectFrom('rate_counters')
    .innerJoin('directories', 'directories.id', 'rate_counters.directory_id')
    .select('count')
    .where('organization_id', '=', subOrgId)
    .where('bucket', '=', 'send.organization')
    .executeTakeFirstOrThrow()
  expect(count).toBe(1)
  succeeded(await owner.post('/v1/users/invites', { subOrgId, email: newEmail() }))
  expect((await owner.post('/v1/users/invites', { subOrgId, email: newEmail() })).body.code).toBe('rate_limited')
})

test('people of one network are limited together, known and unknown alike, and use nothing up for others', async () => {
  const { ways, person } = await settle({ send_limit_per_hour_network: 3, send_limit_per_hour_organization: 4 })
  const code = ways['code'] as Ask
  const here = { 'x-end-user-ip': '2001:db8:0:1::7' }
  const known = await person()
  expect(lookOf(await code(known, here))).toEqual(lookOf(await code(newEmail(), here)))
  expect((await code(newEmail(), { 'x-end-user-ip': '2001:db8:0:1:ffff::1' })).status).toBe(200)
  for (let n = 0; n < 3; n++) {
    const [refused, unknown] = [lookOf(await code(await person(), here)), lookOf(await code(newEmail(), here))]
    expect(refused).toEqual(unknown)
    expect([refused.status, refused.shown[1]]).toEqual([429, '"network";q=3;w=3600'])
  }
  for (let n = 0; n < 3; n++) expect((await code(await person(), { 'x-end-user-ip': '203.0.113.7' })).status).toBe(200)
})

test('text messages that are withheld use up nothing of what mails need', async () => {
  const { owner, subOrgId, ways, person } = await settle({
    channel_sms: true,
    sms_allowed_countries: ['US'],
    sms_daily_limit: 1,
    send_limit_per_hour_organization: 2,
  })
  for (let n = 0; n < 5; n++)
    expect((await owner.post('/v1/otp/generate', { subOrgId, phone: `+1415555012${n}` })).status).toBe(200)
  expect((await ways['code']?.(await person()))?.status).toBe(200)
  expect((await ways['code']?.(await person()))?.status).toBe(429)
})

test('a key that sets passwords and addresses mails no more notices than an address may get', async () => {
  const { owner, subOrgId, ways, person } = await settle({ send_limit_per_hour_organization: 20 })
  const { user } = succeeded(await owner.post('/v1/users', { subOrgId, email: newEmail() }))
  const set = (id: string) => owner.put(`/v1/users/${id}/password`, { subOrgId, password: 'seven green bottles' })
  const move = (id: string) => owner.patch(`/v1/users/${id}`, { subOrgId, email: newEmail() })
  for (let n = 0; n < 60; n++) expect((await set(user.id)).status).toBe(200)
  const before = await app.mails(user.email)
  for (const reply of [await set(user.id), await move(user.id)])
    expect([reply.status, reply.body.code]).toEqual([429, 'rate_limited'])
  expect((await app.mails(user.email)).length).toBe(before.length)
  expect(succeeded(await owner.get(`/v1/users/${user.id}?subOrgId=${subOrgId}`)).user.email).toBe(user.email)
  // What is the same address, in another spelling, mails nothing.
  succeeded(await owner.patch(`/v1/users/${user.id}`, { subOrgId, email: user.email.toUpperCase() }))
  // Other addresses have their own limit, and the notices use up nothing of what codes need.
  const other = succeeded(await owner.post('/v1/users', { subOrgId, email: newEmail() })).user.id
  for (const change of [set, move]) expect((await change(other)).status).toBe(200)
  expect((await ways['code']?.(await person()))?.status).toBe(200)
  await app.advance(3601)
  expect((await move(user.id)).status).toBe(200)
})

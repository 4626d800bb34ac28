import { expect, test } from 'vitest'
import { freshPassword } from '../../../../test/fresh.ts'
import { startApp, until } from '../../../../test/harness.ts'
import {
  LAPTOP,
  lookAtSignIns,
  on,
  PHONE,
  signInFromTwo,
  signInOn,
  type TestDevice,
} from '../../../../test/people/devices.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { type Mailbox, newUser, type Person } from '../../../../test/people/people.ts'
import { mailedLink, signIn } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { bearing } from '../../../../test/walkers/own-world.ts'
import { jobs } from '../../../wiring/jobs.ts'
import { cleanUpDevices } from './cleanup.ts'

const app = await startApp()
const tenant = await app.tenant()
const { platform } = app.app
const DAY = 86_400

const password = freshPassword()

/** A user with a proved mailbox who signs in with a password. */
async function newPerson(): Promise<Person> {
  const person = await newUser(tenant)
  const { subOrgId, id, email } = person
  await signIn(app, tenant, subOrgId, email)
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, sign_in_rate_limit_per_minute: 1000 }))
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password }))
  return person
}

const enter = async ({ subOrgId, email }: Mailbox, device: TestDevice) =>
  succeeded(await on(device, tenant).post('/v1/auth/login/password', { subOrgId, email, password }))

const notices = async ({ email }: Mailbox) => (await app.mails(email)).filter(({ kind }) => kind === 'new_device')

/** Counts the mails about new devices that a person got, after the job has processed every sign-in. */
async function toldOf(person: Mailbox): Promise<number> {
  await lookAtSignIns(app)
  return (await notices(person)).length
}

const rowsOf = ({ id }: Person) =>
  platform.db.selectFrom('known_devices').selectAll().where('user_id', '=', id).orderBy('first_seen_at').execute()

test('the first sign-in from another device is told once, with when, from where, by what, and how to end it', async () => {
  const [person, bystander] = [await newPerson(), await newPerson()]
  await enter(person, LAPTOP)
  await enter(bystander, LAPTOP)
  expect(await toldOf(person)).toBe(0)
  await enter(person, PHONE)
  expect(await toldOf(person)).toBe(1)
  const [mail] = await notices(person)
  expect(mail?.text).toMatch(
    /\d{1,2} \w+ \d{4} at \d\d:\d\d UTC\n\nSafari on iPhone, from the address 2001:db8:1:2::3\n/,
  )
  expect(mail?.text).toContain('/auth/link?token_hash=')
  for (const device of [PHONE, LAPTOP]) await enter(person, device)
  expect([await toldOf(person), await toldOf(bystander)]).toEqual([1, 0])
  expect(await rowsOf(person)).toMatchObject([{ is_first: true }, { is_first: false }])
})

test('a version and an address nearby make no other device; another program or network does', async () => {
  const person = await newPerson()
  const { userAgent = '' } = LAPTOP
  await enter(person, LAPTOP)
  await enter(person, { ip: '203.0.113.250', userAgent: userAgent.replaceAll('143', '150') })
  expect(await toldOf(person)).toBe(0)
  await enter(person, { ...LAPTOP, ip: '203.0.114.7' })
  expect(await toldOf(person)).toBe(1)
  await enter(person, { ...LAPTOP, userAgent: `${userAgent} Edg/143.0` })
  expect(await toldOf(person)).toBe(2)
  await enter(person, PHONE)
  await enter(person, { ...PHONE, ip: '2001:db8:1:ffff::9' })
  expect(await toldOf(person)).toBe(3)
  await enter(person, { ...PHONE, ip: '2001:db8:2::1' })
  expect(await toldOf(person)).toBe(4)
})

test('a device is known for 90 days after it was last seen; whoever was away longer is told even of the first', async () => {
  const person = await newPerson()
  await enter(person, LAPTOP)
  for (const days of [89, 89]) {
    await app.advance(days * DAY)
    await enter(person, LAPTOP)
    expect(await toldOf(person)).toBe(0)
  }
  await app.advance(91 * DAY)
  await cleanUpDevices.handle(platform, {}, 1)
  await enter(person, LAPTOP)
  expect(await toldOf(person)).toBe(1)
})

test('what was not seen for 90 days is forgotten, but for the first', async () => {
  const person = await newPerson()
  for (const device of [LAPTOP, PHONE]) await enter(person, device)
  await toldOf(person)
  await app.advance(89 * DAY)
  await cleanUpDevices.handle(platform, {}, 1)
  expect(await rowsOf(person)).toHaveLength(2)
  await app.advance(2 * DAY)
  await cleanUpDevices.handle(platform, {}, 1)
  expect(await rowsOf(person)).toMatchObject([{ is_first: true }])
})

test('nobody is told where the organization does not want it, and its devices are known all the same', async () => {
  const [person, other] = [await newPerson(), await newPerson()]
  const { subOrgId } = person
  const set = (value: boolean) =>
    tenant.patch('/v1/auth/settings', { subOrgId, notify_new_device: value }).then(succeeded)
  expect((await set(false)).settings.notify_new_device).toBe(false)
  for (const each of [person, other]) for (const device of [LAPTOP, PHONE]) await enter(each, device)
  expect([await toldOf(person), await toldOf(other)]).toEqual([0, 1])
  await set(true)
  await enter(person, PHONE)
  expect(await toldOf(person)).toBe(0)
})

test('without a word of the caller about the device nothing is known, and nobody is told', async () => {
  const person = await newPerson()
  for (const device of [LAPTOP, {}]) await enter(person, device)
  expect(await toldOf(person)).toBe(0)
  expect(await rowsOf(person)).toHaveLength(1)
  await enter(person, { ip: '198.51.100.1' })
  const [mail] = (await toldOf(person)) === 1 ? await notices(person) : []
  expect(mail?.text).toContain('\nan unknown program, from the address 198.51.100.1\n')
})

test('what a program calls itself is not in the mail, unless by a name of ours', async () => {
  const person = await newPerson()
  await enter(person, LAPTOP)
  await enter(person, { ip: '198.51.100.1', userAgent: 'Call +1 900 555 0100 to keep your account/1.0 (Android)' })
  expect(await toldOf(person)).toBe(1)
  const [mail] = await notices(person)
  expect(mail?.text).toContain('\nAn app on Android, from the address 198.51.100.1\n')
  expect(mail?.text).not.toContain('900')
})

test('before the mailbox is proved nothing is told or known, whoever proves it meanwhile', async () => {
  const subOrgId = await tenant.organization()
  const email = 'early@example.com'
  const stranger = on(LAPTOP, tenant)
  succeeded(await stranger.post('/v1/auth/signup/password', { subOrgId, email, password, openSignup: true }))
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${email}`))
  const person = { subOrgId, email, id: users[0].id }
  expect(await toldOf(person)).toBe(0)
  expect(await rowsOf(person)).toEqual([])
  succeeded(await stranger.post('/v1/auth/login/password', { subOrgId, email, password }))
  await signInOn(app, tenant, person, PHONE)
  expect(await toldOf(person)).toBe(0)
  expect(await rowsOf(person)).toHaveLength(1)
})

test('whoever acts for somebody is no device of theirs', async () => {
  const person = await newPerson()
  const { subOrgId, id } = person
  await enter(person, LAPTOP)
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, impersonation_enabled: true }))
  const support = on(PHONE, tenant)
  const body = { subOrgId, reason: 'Ticket 4711', actor: 'grace' }
  succeeded(await support.post(`/v1/users/${id}/impersonate`, body))
  expect(await toldOf(person)).toBe(0)
  expect(await rowsOf(person)).toHaveLength(1)
})

test('of two processes that look at the same sign-ins one mails', async () => {
  const person = await newPerson()
  for (const device of [LAPTOP, PHONE]) await enter(person, device)
  const { app: second } = await startSecondApp(app)
  await lookAtSignIns(app, [second.platform, platform, second.platform])
  expect(await toldOf(person)).toBe(1)
})

test('a program that calls itself something else each time fills neither the mailbox nor the table', async () => {
  const person = await newPerson()
  for (let i = 0; i < 60; i++) {
    if (i % 8 === 0) await app.advance(3600)
    await enter(person, { ip: `203.0.${i}.1` })
  }
  expect(await toldOf(person)).toBe(9)
  const rows = await rowsOf(person)
  expect([rows.length, rows.filter(({ is_first }) => is_first).length]).toEqual([50, 1])
})

test('the link ends every session, outlives a new password, works once, and the device is told of again', async () => {
  const person = await newPerson()
  await signInFromTwo(app, tenant, person)
  const { token_hash } = await mailedLink(app, person.email, 'new_device')
  const { subOrgId, email, id } = person
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password }))
  const me = bearing(app, (await enter(person, LAPTOP)).session.access_token)
  expect((await me.get('/v1/me')).status).toBe(200)
  const disown = () => tenant.post('/v1/auth/devices/disown', { subOrgId, email, token_hash })
  const said = await Promise.all([1, 2, 3].map(disown))
  expect(said.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect((await me.get('/v1/me')).status).toBe(401)
  const events = await app.events({ accountId: tenant.accountId, type: 'auth.login.disowned' })
  expect(events.filter(({ target_id }) => target_id === id)).toHaveLength(1)
  const ended = await app.events({ accountId: tenant.accountId, type: 'session.revoked' })
  expect(ended.at(-1)).toMatchObject({ data: { reason: 'sign_in_disowned' } })
  // Signing in from either device sends a mail again, because both were new when the first mail was sent.
  await enter(person, LAPTOP)
  expect(await toldOf(person)).toBe(2)
  await enter(person, PHONE)
  expect(await toldOf(person)).toBe(3)
})

const TABLET: TestDevice = { ...PHONE, ip: '2001:db8:7::1' }
const OFFICE: TestDevice = { ...LAPTOP, ip: '198.51.100.9' }

/** The link of the mail about the newest device. */
async function noticeLink(person: Mailbox) {
  await toldOf(person)
  return (await mailedLink(app, person.email, 'new_device')).token_hash
}

const disownAs = ({ subOrgId, email }: Mailbox, token_hash: string) =>
  tenant.post('/v1/auth/devices/disown', { subOrgId, email, token_hash })

test('whoever signs in from two devices is put out by the mail about either, and told of at both', async () => {
  for (const which of [0, 1]) {
    const person = await newPerson()
    await enter(person, LAPTOP)
    expect(await toldOf(person)).toBe(0)
    await app.advance(8 * DAY)
    const links = []
    for (const device of [PHONE, TABLET]) {
      await enter(person, device)
      links.push(await noticeLink(person))
    }
    // A third device of the person's own.
    await enter(person, OFFICE)
    expect(await toldOf(person)).toBe(3)
    succeeded(await disownAs(person, links[which] ?? ''))
    // The device that the person has used for longer stays known.
    await enter(person, LAPTOP)
    expect(await toldOf(person)).toBe(3)
    for (const [i, device] of [PHONE, TABLET, OFFICE].entries()) {
      await enter(person, device)
      expect(await toldOf(person)).toBe(4 + i)
    }
    // The other links are void too, because the sessions that they report have ended.
    const late = await disownAs(person, links[1 - which] ?? '')
    expect([late.status, late.body.code]).toEqual([400, 'token_invalid'])
  }
})

test('a link of days ago forgets what was new before and since, and nothing older', async () => {
  const person = await newPerson()
  await enter(person, LAPTOP)
  await toldOf(person)
  await app.advance(3 * DAY)
  await enter(person, OFFICE)
  expect(await toldOf(person)).toBe(1)
  await app.advance(5 * DAY)
  await enter(person, PHONE)
  const token_hash = await noticeLink(person)
  await app.advance(6 * DAY)
  await enter(person, TABLET)
  expect(await toldOf(person)).toBe(3)
  succeeded(await disownAs(person, token_hash))
  await enter(person, LAPTOP)
  expect(await toldOf(person)).toBe(3)
  for (const [i, device] of [OFFICE, PHONE, TABLET].entries()) {
    await enter(person, device)
    expect(await toldOf(person)).toBe(4 + i)
  }
})

test('a job of the service does this each minute', async () => {
  const job = jobs.find(({ name }) => name === 'devices.notice')
  expect(job?.cron).toBe('* * * * *')
  const person = await newPerson()
  for (const device of [LAPTOP, PHONE]) await enter(person, device)
  await until(async () => {
    await job?.handle(platform, {}, 1)
    return (await notices(person)).length === 1
  })
})

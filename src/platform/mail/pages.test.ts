import { expect, test } from 'vitest'
import { startApp, type TestApp } from '../../../test/harness.ts'
import { workIn } from '../../../test/work.ts'
import { newId } from '../ids.ts'
import { decoyReasonOf } from '../outbox/decoy.ts'
import { queueSms } from '../sms/outbox.ts'
import { accountDirectory } from '../tenancy/directory.ts'
import { inTx } from '../work.ts'
import { defineMail, mailKinds } from './kinds.ts'
import { queueMail } from './outbox.ts'

const mailKind = mailKinds().find((kind) => kind === 'login_otp') ?? defineMail('login_otp')

const development = await startApp()
const production = await startApp({ env: { NODE_ENV: 'production' } })
const withServer = await startApp({
  env: {
    SMTP_URL: 'smtp://127.0.0.1:1',
    WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>',
    WATCHWORD_SMS_URL: 'https://AC12:token@sms.example/Messages.json?From=Acme',
  },
})

async function queue(
  { app, tenant }: TestApp,
  to: string,
  subject: string,
  { decoy = false, paragraph = 'Type this code.' } = {},
) {
  const { accountId, environmentId } = await tenant()
  const { platform } = app
  const directory = await accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
  const content = { heading: 'Sign in', paragraphs: [paragraph], code: 'amber falcon', footer: 'Bye.' }
  const reader = { email: to, locale: null }
  const reason = decoy ? decoyReasonOf(null) : null
  const message = { kind: mailKind, to: reader, write: () => ({ subject, content }), decoy: reason }
  await inTx(workIn(platform, directory), (work) => queueMail(work, message, 60))
  const row = await platform.db.selectFrom('mail_outbox').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
  return row.id
}

test('lists the mails of development, the newest first, and of decoys why nothing was sent', async () => {
  const first = await queue(development, 'ada@example.com', 'First <b>')
  const second = await queue(development, 'grace@example.com', 'Second')
  const decoy = await queue(development, 'decoy@example.com', 'Third', { decoy: true })
  const { status, headers, text } = await development.as(null).get('/dev/mail')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'/)
  expect(text).not.toContain('http-equiv="refresh"')
  expect(text).toContain('First &lt;b&gt;')
  expect(text).toContain('ada@example.com')
  expect(text.indexOf(second)).toBeGreaterThan(0)
  expect(text.indexOf(second)).toBeLessThan(text.indexOf(first))
  expect(text).toContain('Not sent: no user of this organization has this address')
  expect(text).toContain('decoy@example.com')
  expect(text).not.toContain('Third')
  expect(text).not.toContain(`/dev/mail/${decoy}`)
  expect(text).not.toContain('amber falcon')
  expect((await development.as(null).get(`/dev/mail/${decoy}`)).status).toBe(404)
})

test('answers scripts in JSON, of one recipient, and nothing of what is not sent', async () => {
  const [to, decoyTo] = [`${newId()}@example.com`, `${newId()}@example.com`]
  const first = await queue(development, to, 'First')
  const second = await queue(development, to, 'Second')
  const decoy = await queue(development, decoyTo, 'Third', { decoy: true })
  const read = async (address: string) =>
    (await development.as(null).get(`/dev/mail?to=${address}`, { accept: 'application/json' })).body
  expect(await read(to.toUpperCase())).toEqual({
    messages: [second, first].map((id, n) => ({
      ...{ id, kind: 'login_otp', to, created_at: expect.any(String), subject: ['Second', 'First'][n] },
      ...{ text: expect.stringContaining('amber falcon'), links: [], withheld: null },
    })),
  })
  const withheld = 'no user of this organization has this address'
  expect((await read(decoyTo)).messages).toMatchObject([{ id: decoy, subject: null, text: null, links: [], withheld }])
  const page = (await development.as(null).get(`/dev/mail?to=${decoyTo}`)).text
  expect([page.includes(decoy), page.includes(first)]).toEqual([true, false])
})

test('answers scripts with the links of a message, and text messages', async () => {
  const { platform } = development.app
  const tenant = await development.tenant()
  const directory = await accountDirectory(platform, { ...tenant, environmentSlug: 'production' })
  const to = `${newId()}@example.com`
  const links = ['https://acme.example/in?token_hash=ab-c&type=magic_link', 'http://localhost:3000/help']
  await queue(development, to, 'Links', { paragraph: `Open <${links[0]}>, or ask at "${links[1]}".` })
  const phone = '+14155550199'
  const text = `Your code: amber falcon ${links[0]}`
  const sms = { kind: 'otp', to: { phone, locale: null }, write: () => text }
  await inTx(workIn(platform, directory), (work) => queueSms(work, sms, 60))
  const read = async (address: string) => {
    const path = `/dev/mail?to=${encodeURIComponent(address)}`
    return (await development.as(null).get(path, { accept: 'application/json' })).body.messages
  }
  expect(await read(to)).toMatchObject([{ kind: 'login_otp', subject: 'Links', links, withheld: null }])
  const stamp = { id: expect.any(String), created_at: expect.any(String) }
  expect(await read(phone)).toEqual([
    { ...stamp, kind: 'otp', to: phone, subject: null, text, links: links.slice(0, 1), withheld: null },
  ])
})

test('finds a message to one recipient behind hundreds of later ones', async () => {
  const to = `${newId()}@example.com`
  const id = await queue(development, to, 'Long ago')
  for (let n = 0; n < 201; n++) await queue(development, 'many@example.com', `Later ${n}`)
  const read = async (query: string) =>
    (await development.as(null).get(`/dev/mail${query}`, { accept: 'application/json' })).body.messages
  expect(await read(`?to=${to}`)).toMatchObject([{ id, subject: 'Long ago' }])
  const subjects = (await read('?to=many@example.com')).map(({ subject }: { subject: string }) => subject)
  expect(subjects).toEqual(Array.from({ length: 100 }, (_, n) => `Later ${200 - n}`))
  expect((await read('')).map(({ subject }: { subject: string }) => subject)).toEqual(subjects)
})

test('shows one mail, its HTML in a sandbox', async () => {
  const id = await queue(development, 'ada@example.com', '"><script>alert(1)</script>')
  const { status, text } = await development.as(null).get(`/dev/mail/${id}`)
  expect(status).toBe(200)
  expect(text).toContain('login_otp')
  expect(text).toMatch(/<dt>From<\/dt><dd>[^<]*Watchword[^<]*&lt;[^<]*@[^<]*&gt;<\/dd>/)
  expect(text).toMatch(
    /<iframe [^>]*sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="&lt;!doctype html&gt;/,
  )
  expect(text).toMatch(/<pre>[^<]*\namber falcon\n/)
  expect(text).not.toContain('<script')
})

test('lists text messages among the mails, and shows one', async () => {
  const { platform } = development.app
  const tenant = await development.tenant()
  const directory = await accountDirectory(platform, { ...tenant, environmentSlug: 'production' })
  const older = await queue(development, 'ada@example.com', 'Older')
  const to = { phone: '+14155550123', locale: null }
  const sms = { kind: 'otp', to, write: () => 'Your code: <b>amber falcon</b>' }
  await inTx(workIn(platform, directory), (work) => queueSms(work, sms, 60))
  const newer = await queue(development, 'ada@example.com', 'Newer')
  const list = (await development.as(null).get('/dev/mail')).text
  expect(list).toMatch(/<b>SMS<\/b>[\s\S]*\+14155550123/)
  expect(list).not.toContain('amber')
  const id = /\/dev\/mail\/([0-9a-f-]{36})"><strong>Text message/.exec(list)?.[1] ?? ''
  expect(id).not.toBe('')
  const order = [newer, id, older].map((each) => list.indexOf(each))
  expect(order).toEqual([...order].sort((one, other) => one - other))
  const { status, text } = await development.as(null).get(`/dev/mail/${id}`)
  expect(status).toBe(200)
  expect(text).toContain('<pre>Your code: &lt;b&gt;amber falcon&lt;/b&gt;</pre>')
})

test.each([newId(), 'nonsense'])('there is no mail %s', async (id) => {
  const { status, body } = await development.as(null).get(`/dev/mail/${id}`)
  expect([status, body.code]).toEqual([404, 'not_found'])
})

test.each([
  ['in production', production],
  ['with a mail server and an SMS provider', withServer],
])('there are no such pages %s', async (_, service) => {
  const id = await queue(service, 'ada@example.com', 'Your code')
  for (const path of ['/dev/mail', `/dev/mail/${id}`]) {
    const { status, body } = await service.as(null).get(path)
    expect([status, body.code]).toEqual([404, 'not_found'])
  }
})

// Each sign is tested alone, because together one could hide that the others are not checked.
const OUTSIDE: [string, { remoteAddress?: string; headers: Record<string, string> }][] = [
  ['from another machine', { remoteAddress: '203.0.113.9', headers: { host: 'localhost:4000' } }],
  ['from another machine that names this one', { remoteAddress: '192.168.1.7', headers: { host: '127.0.0.1' } }],
  ['by a name that foreign DNS points here', { headers: { host: 'rebound.evil.example:4000' } }],
  ['by a name that begins as ours', { headers: { host: 'localhost.evil.example' } }],
  ['by a name that begins as our address', { headers: { host: '127.0.0.1.evil.example' } }],
  ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'].map((name): (typeof OUTSIDE)[number] => [
    `by way of a proxy that says so in ${name}`,
    { headers: { host: 'localhost', [name]: '127.0.0.1' } },
  ]),
]

test.each(OUTSIDE)('nobody sees them %s', async (_, { remoteAddress = '127.0.0.1', headers }) => {
  const id = await queue(development, 'ada@example.com', 'Your code')
  for (const url of ['/dev/mail', `/dev/mail/${id}`]) {
    const { server } = development.app
    const refused = await server.inject({ url, remoteAddress, headers })
    expect([refused.statusCode, refused.body.includes('Your code')]).toEqual([404, false])
    const shown = await server.inject({ url, remoteAddress: '127.0.0.1', headers: { host: 'localhost:4000' } })
    expect([shown.statusCode, shown.body.includes('Your code')]).toEqual([200, true])
  }
})

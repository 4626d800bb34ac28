import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { freshPassword } from '../../../../../test/fresh.ts'
import { startApp } from '../../../../../test/harness.ts'
import { succeeded } from '../../../../../test/people/factors.ts'
import { newEmail } from '../../../../../test/people/people.ts'
import { joinedMember } from '../../../../../test/people/team.ts'
import { ofRequests, recordStatements } from '../../../../../test/rules/sql-recorder.ts'
import { startSecondApp } from '../../../../../test/second-app.ts'
import { mailKinds } from '../../../../platform/mail/kinds.ts'

const app = await startApp()
const second = await startSecondApp(app)
const { platform } = app.app
const tenant = await app.tenant()

const LOGIN = '/v1/mail/templates/login_otp/en'
const NOTICE = '/v1/mail/templates/password_changed/en'
const TEXTS = {
  subject: 'Your words for {brand}',
  heading: 'Hello from {brand}',
  body: ['Enter these words within {expires_in}:', '{code}', 'See you soon.'],
  footer: 'Not you? Ignore this email.',
}
const NOTHING = { subject: null, heading: null, body: null, button: null, footer: null }
const STANDARD = {
  subject: 'Your sign-in code',
  heading: 'Your sign-in code',
  body: ['Enter these words to sign in.', 'If you are asked for digits, enter {digits} instead.', '{code}'],
  button: null,
  footer: 'They work once, within {expires_in}. If you did not ask for them, ignore this email and do not share them.',
}

const put = async (subOrgId: string, texts: object, path = LOGIN) =>
  succeeded(await tenant.put(path, { subOrgId, ...texts }))
const read = async (subOrgId: string, path = LOGIN) => succeeded(await tenant.get(`${path}?subOrgId=${subOrgId}`))
const preview = async (subOrgId: string, texts: object = {}, path = LOGIN) =>
  succeeded(await tenant.post(`${path}/preview`, { subOrgId, ...texts }))

/** Mails a sign-in code to a user with this language. */
async function codeMail(subOrgId: string, locale: string | null = null, caller: Pick<typeof tenant, 'post'> = tenant) {
  const email = newEmail()
  succeeded(await tenant.post('/v1/users', { subOrgId, email, locale }))
  succeeded(await caller.post('/v1/auth/login/otp/send', { subOrgId, email }))
  const mail = (await app.mails(email)).at(-1)
  if (!mail) throw new Error(`No mail to ${email}`)
  return mail
}

const codeIn = (text: string) => /^[a-z]+ [a-z]+$/m.exec(text)?.[0] ?? 'no code'

test('texts that are set reach the mail, in both parts', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/mail/settings', { subOrgId, brand_name: 'Acme <b>' }))
  const { template, inherited, problems } = await put(subOrgId, TEXTS)
  expect([template, inherited, problems]).toEqual([
    { kind: 'login_otp', language: 'en', button: null, ...TEXTS },
    STANDARD,
    [],
  ])
  const { subject, text, html } = await codeMail(subOrgId)
  expect(subject).toBe('Your words for Acme <b>')
  expect(text).toBe(
    `Hello from Acme <b>\n\nEnter these words within 5 minutes:\n\n${codeIn(text)}\n\nSee you soon.\n\nNot you? Ignore this email.\n\n-- \nAcme <b>\n`,
  )
  expect(html).toContain('<title>Hello from Acme &lt;b&gt;</title>')
  expect(html).toContain(`>${codeIn(text)}</p>`)
  expect(html.indexOf('See you soon.')).toBeGreaterThan(html.indexOf(`>${codeIn(text)}<`))
  expect(html).not.toContain('<b>')
})

test('each part that is left out is inherited: of the environment, or else the standard text', async () => {
  const subOrgId = await tenant.organization()
  const other = await app.tenant()
  const others = await other.organization()
  succeeded(await tenant.put(`${LOGIN}/defaults`, { subject: 'By default', footer: 'Default footer' }))
  try {
    await put(subOrgId, { subject: 'Own subject' })
    const { template, inherited } = await read(subOrgId)
    expect(template).toEqual({ kind: 'login_otp', language: 'en', ...NOTHING, subject: 'Own subject' })
    expect(inherited).toEqual({ ...STANDARD, subject: 'By default', footer: 'Default footer' })
    const mail = await codeMail(subOrgId)
    expect(mail.subject).toBe('Own subject')
    expect(mail.text).toContain('Enter these words to sign in.')
    expect(mail.text).toContain('Default footer')
    expect(mail.text).not.toContain('They work once')
    const sibling = await codeMail(await tenant.organization())
    expect([sibling.subject, sibling.text.includes('Default footer')]).toEqual(['By default', true])
    const staging = await tenant.withKey({ environment: 'staging' })
    expect((await staging.get(LOGIN)).body).toMatchObject({ template: NOTHING, inherited: STANDARD })
    expect((await other.get(`${LOGIN}?subOrgId=${others}`)).body).toMatchObject({ inherited: STANDARD })
    expect((await tenant.get(LOGIN)).body).toMatchObject({
      template: { ...NOTHING, subject: 'By default', footer: 'Default footer' },
      inherited: STANDARD,
    })
    const { kinds } = succeeded(await tenant.get(`/v1/mail/templates?subOrgId=${subOrgId}`))
    const { changed } = kinds.find(({ kind }: { kind: string }) => kind === 'login_otp')
    expect(changed).toEqual([
      { language: 'en', source: 'directory', problems: [] },
      { language: 'en', source: 'account', problems: [] },
    ])
  } finally {
    succeeded(await tenant.delete(`${LOGIN}/defaults`))
  }
  expect((await codeMail(await tenant.organization())).subject).toBe('Your sign-in code')
})

test('texts of one language are not shown to readers of another', async () => {
  const subOrgId = await tenant.organization()
  await put(subOrgId, { subject: 'Ihre Wörter' }, '/v1/mail/templates/login_otp/de')
  const subjects = await Promise.all(
    ['de-AT', 'fr', 'nl', null].map(async (locale) => (await codeMail(subOrgId, locale)).subject),
  )
  expect(subjects).toEqual(['Ihre Wörter', 'Votre code de connexion', 'Your sign-in code', 'Your sign-in code'])
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { locale: 'de' }))
  expect((await codeMail(subOrgId)).subject).toBe('Ihre Wörter')
})

test('the subject of a template counts before one of the settings, of the same place; the nearer place counts first', async () => {
  const account = await app.tenant()
  const subOrgId = await account.organization()
  const subject = async () => {
    const { body } = await account.post(`${LOGIN}/preview`, { subOrgId })
    return body.subject
  }
  const steps: [() => Promise<unknown>, string][] = [
    [() => account.patch('/v1/mail/settings/defaults', { subjects: { login_otp: 'S of all' } }), 'S of all'],
    [() => account.put(`${LOGIN}/defaults`, { subject: 'T of all' }), 'T of all'],
    [() => account.patch('/v1/mail/settings', { subOrgId, subjects: { login_otp: 'S of one' } }), 'S of one'],
    [() => account.put(LOGIN, { subOrgId, subject: 'T of one' }), 'T of one'],
    [() => account.put(LOGIN, { subOrgId, footer: 'Bye.' }), 'S of one'],
    [() => account.patch('/v1/mail/settings', { subOrgId, subjects: { login_otp: null } }), 'T of all'],
    [() => account.delete(`${LOGIN}/defaults`), 'S of all'],
    [() => account.patch('/v1/mail/settings/defaults', { subjects: null }), 'Your sign-in code'],
  ]
  for (const [step, expected] of steps) {
    await step()
    expect(await subject()).toBe(expected)
  }
})

test('settings and texts are changed without one another', async () => {
  const subOrgId = await tenant.organization()
  await put(subOrgId, TEXTS)
  await put(subOrgId, { subject: 'Einladung' }, '/v1/mail/templates/invite/de')
  succeeded(await tenant.patch('/v1/mail/settings', { subOrgId, brand_name: 'Acme', subjects: { otp: 'Code' } }))
  expect((await read(subOrgId)).template).toMatchObject(TEXTS)
  const { settings } = succeeded(await tenant.get(`/v1/mail/settings?subOrgId=${subOrgId}`))
  expect(settings).toMatchObject({ brand_name: 'Acme', subjects: { otp: 'Code' } })
  expect(settings).not.toHaveProperty('templates')
  const reply = await tenant.patch('/v1/mail/settings', { subOrgId, templates: {} })
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
  succeeded(await tenant.delete(`${LOGIN}?subOrgId=${subOrgId}`))
  expect((await read(subOrgId, '/v1/mail/templates/invite/de')).template.subject).toBe('Einladung')
  expect(succeeded(await tenant.get(`/v1/mail/settings?subOrgId=${subOrgId}`)).settings).toEqual(settings)
})

test('a change and a reset are recorded with who made them, and a reset of nothing is not', async () => {
  const subOrgId = await tenant.organization()
  const key = await tenant.withKey({ subOrgId })
  succeeded(await key.put(LOGIN, TEXTS))
  succeeded(await key.put(LOGIN, { subject: TEXTS.subject }))
  succeeded(await key.delete(LOGIN))
  succeeded(await key.delete(LOGIN))
  const events = (await app.events({ accountId: tenant.accountId })).filter(
    ({ organization_id, type }) => organization_id === subOrgId && type.startsWith('mail.'),
  )
  const of = { kind: 'login_otp', language: 'en' }
  const { subject, ...rest } = TEXTS
  expect(events.map(({ type, actor_type, data, previous }) => ({ type, actor_type, data, previous }))).toEqual([
    {
      ...{ type: 'mail.template.updated', actor_type: 'api_key' },
      ...{
        data: { ...of, ...NOTHING, ...TEXTS },
        previous: { subject: null, heading: null, body: null, footer: null },
      },
    },
    {
      ...{ type: 'mail.template.updated', actor_type: 'api_key' },
      ...{ data: { ...of, ...NOTHING, subject }, previous: rest },
    },
    {
      ...{ type: 'mail.template.reset', actor_type: 'api_key' },
      ...{ data: { ...of, ...NOTHING, subject }, previous: null },
    },
  ])
})

test('a paragraph whose placeholder has no value is left out, and a line falls back to the next text', async () => {
  const subOrgId = await tenant.organization('first-customer')
  await put(
    subOrgId,
    {
      subject: '{inviter} asks you to join {organization}',
      body: ['{inviter} says hello.', 'Join {organization} within {expires_in}.', 'Click here: {link}'],
      button: 'Join {organization}',
    },
    '/v1/mail/templates/invite/en',
  )
  const invite = async (fields: object) => {
    const email = newEmail()
    succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, ...fields }))
    const [mail] = await app.mails(email)
    if (!mail) throw new Error('No mail')
    return mail
  }
  const { name } = succeeded(await tenant.get(`/v1/organizations/${subOrgId}`)).subOrganization
  const full = await invite({ invitedBy: 'Ada {code} evil.example <b>' })
  expect(full.subject).toMatch(/^Ada \{code\} evil\u2060\.\u2060example <b> asks you to join /)
  expect(full.text).toContain('{code} evil\u2060.\u2060example <b> says hello.')
  expect(full.html).toContain('&lt;b&gt; says hello.')
  expect(full.text).toContain(`Join ${name} within 7 days.\n\nClick here:\n\nJoin ${name}:\nhttp`)
  const bare = await invite({})
  expect(bare.subject).toBe(`You are invited to ${name}`)
  expect(bare.text).not.toContain('says hello')
  expect(bare.text).toContain(`Join ${name}:\nhttp`)
})

test('a code keeps its place and gets the standard line where the own one has no value', async () => {
  const subOrgId = await tenant.organization()
  await put(
    subOrgId,
    { body: ['{standard}', '{link}', 'Or type {digits} or this: {code}'] },
    '/v1/mail/templates/magic_link/en',
  )
  const email = newEmail()
  succeeded(await tenant.post('/v1/users', { subOrgId, email }))
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email }))
  const [mail] = await app.mails(email)
  const text = mail?.text ?? ''
  expect(text).toContain(`Or enter this code, within 5 minutes:\n\n${codeIn(text)}\n`)
  expect(text).not.toContain('Or type')
})

describe('refuses, and changes nothing', () => {
  const LINK = '/v1/mail/templates/password_reset/en'
  test.each([
    [LOGIN, { body: ['Enter the words that you got.'] }, 'body', 'placeholder_missing'],
    [LINK, { body: ['{standard}'] }, 'body', 'placeholder_missing'],
    [LINK, { body: ['{link}', 'Again: {link}'] }, 'body', 'placeholder_repeated'],
    ['/v1/mail/templates/magic_link/en', { body: ['{link}'] }, 'body', 'placeholder_missing'],
    ['/v1/mail/templates/email_change_otp/en', { body: ['{link}', '{code}'] }, 'body', 'placeholder_missing'],
    [
      '/v1/mail/templates/email_change_otp/en',
      { body: ['{account_address} asks, by {digits}.', '{link}', '{code}'] },
      'body',
      'placeholder_missing',
    ],
    [
      '/v1/mail/templates/email_change_otp/en',
      { body: ['{account_address} asks: {link}', '{code}'] },
      'body',
      'placeholder_missing',
    ],
    [NOTICE, { body: ['Our spring offers are here.'] }, 'body', 'placeholder_missing'],
    [NOTICE, { subject: 'Your parcel is here' }, 'subject', 'placeholder_first'],
    [NOTICE, { subject: '{brand}: {standard}' }, 'subject', 'placeholder_first'],
    [NOTICE, { subject: '{standard}com' }, 'subject', 'placeholder_first'],
    [NOTICE, { subject: '{standard} {standard}' }, 'subject', 'placeholder_first'],
    [NOTICE, { heading: 'Hello' }, 'heading', 'placeholder_first'],
    [NOTICE, { footer: 'This is a test of ours. Ignore it.' }, 'footer', 'placeholder_first'],
    [NOTICE, { footer: 'Ignore this: {standard}' }, 'footer', 'placeholder_first'],
    [NOTICE, { footer: '{standard} See evil.example' }, 'footer', 'link'],
    [NOTICE, { body: ['This is a test of ours.', '{standard}'] }, 'body', 'placeholder_first'],
    [NOTICE, { body: ['{standard} Ignore it.'] }, 'body.0', 'placeholder_misplaced'],
    [NOTICE, { button: '{standard}' }, 'button', 'unused'],
    ['/v1/mail/templates/new_device/en', { button: 'Win a prize' }, 'button', 'placeholder_first'],
    ['/v1/mail/templates/invite/en', { heading: 'You have won' }, 'heading', 'placeholder_missing'],
    [LOGIN, { subject: 'Your code is {code}' }, 'subject', 'placeholder_misplaced'],
    [LOGIN, { subject: '{digits}' }, 'subject', 'placeholder_misplaced'],
    [LOGIN, { heading: '{digits}' }, 'heading', 'placeholder_misplaced'],
    [LOGIN, { footer: '{code}' }, 'footer', 'placeholder_misplaced'],
    [LINK, { button: 'Open {link}' }, 'button', 'placeholder_misplaced'],
    [LINK, { subject: '{standard}' }, 'subject', 'placeholder_misplaced'],
    [LOGIN, { body: ['{code} is your code.'] }, 'body.0', 'placeholder_misplaced'],
    [LOGIN, { body: ['Hello. {standard}', '{code}'] }, 'body.0', 'placeholder_misplaced'],
    [LOGIN, { body: ['{standard}', '{standard}', '{code}'] }, 'body', 'placeholder_repeated'],
    [LOGIN, { subject: 'For {name}' }, 'subject', 'placeholder'],
    [LOGIN, { subject: 'For {constructor}' }, 'subject', 'placeholder'],
    [LOGIN, { heading: '{link}' }, 'heading', 'placeholder'],
    [LOGIN, { subject: 'A } of {brand}' }, 'subject', 'placeholder'],
    [LOGIN, { subject: '{{brand}}' }, 'subject', 'placeholder'],
    [LOGIN, { button: 'Open' }, 'button', 'unused'],
    [LOGIN, { subject: 'Code\r\nBcc: eve@example.org' }, 'subject', 'pattern'],
    [LOGIN, { footer: 'See \u202egnp.exe' }, 'footer', 'pattern'],
    [LOGIN, { footer: 'e\u2060vil' }, 'footer', 'invisible_character'],
    [LOGIN, { footer: 'evil\u{e0041}' }, 'footer', 'invisible_character'],
    [LOGIN, { footer: 'Go to https://evil.example' }, 'footer', 'link'],
    [LOGIN, { footer: 'Go to evil.example now' }, 'footer', 'link'],
    [LOGIN, { footer: 'Go to {brand}.com' }, 'footer', 'link'],
    [LOGIN, { footer: 'Go to evil.{brand} now' }, 'footer', 'link'],
    [LOGIN, { footer: 'Go to evil\uff0eexample' }, 'footer', 'link'],
    [LOGIN, { footer: 'evil\u3002com' }, 'footer', 'link'],
    [LOGIN, { footer: 'Write to eve@{brand}' }, 'footer', 'link'],
    [LOGIN, { footer: 'javascript:alert(1)' }, 'footer', 'link'],
    [LOGIN, { footer: 'Open 203.0.113.7' }, 'footer', 'link'],
    [LOGIN, { body: ['{code}', 'www.evil.example'] }, 'body.1', 'link'],
    [LOGIN, { subject: 'a'.repeat(151) }, 'subject', 'maxLength'],
    [LOGIN, { body: [] }, 'body', 'minItems'],
    [LOGIN, { body: Array.from({ length: 21 }, () => 'a') }, 'body', 'maxItems'],
    [LOGIN, { body: '{code}' }, 'body', 'type'],
    [LOGIN, { html: '<p>' }, 'html', 'unknown_property'],
  ])('%s %j', async (path, texts, field, code) => {
    const subOrgId = await tenant.organization()
    for (const reply of [
      await tenant.put(path, { subOrgId, ...texts }),
      await tenant.put(`${path}/defaults`, texts),
      await tenant.post(`${path}/preview`, { subOrgId, ...texts }),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
      expect(reply.body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ field, code })]))
    }
    expect((await read(subOrgId, path)).template).toMatchObject(NOTHING)
  })

  test.each([
    ['Open shop.example, or write to help@{brand}', '"shop.example,", "help@{brand}"'],
    ['a.bb c.dd e.ff g.hh', '"a.bb", "c.dd", "e.ff"'],
    [`${'a'.repeat(70)}.example`, `"${'a'.repeat(60)}"`],
  ])('and the answer names the words that are links: %j', async (footer, words) => {
    const subOrgId = await tenant.organization()
    const message = `footer must not contain what email programs turn into a link: ${words}`
    const reply = await tenant.put(LOGIN, { subOrgId, footer })
    expect(reply.body).toMatchObject({ detail: `${message}.`, errors: [{ field: 'footer', code: 'link', message }] })
    const subjects = await tenant.patch('/v1/mail/settings', { subOrgId, subjects: { login_otp: 'See evil.example' } })
    expect(subjects.body.detail).toBe(
      'subjects.login_otp must not contain what email programs turn into a link: "evil.example".',
    )
  })

  test.each([
    'z. B. mit 2.5 Litern, e.g. this. And that.',
    'これは説明です。次の文です。',
    '1. Open the app',
    'Price: 3.50 €',
    'It’s 5 o’clock & <b>fine</b>',
  ])('but accepts %j', async (footer) => {
    const subOrgId = await tenant.organization()
    await put(subOrgId, { footer })
    expect((await preview(subOrgId)).text).toContain(footer)
  })

  test.each([
    '/v1/mail/templates/webhook_disabled/en',
    '/v1/mail/templates/nothing/en',
    '/v1/mail/templates/login_otp/nl',
    '/v1/mail/templates/login_otp/EN',
    '/v1/mail/templates/constructor/en',
  ])('%s', async (path) => {
    const subOrgId = await tenant.organization()
    for (const reply of [
      await tenant.get(`${path}?subOrgId=${subOrgId}`),
      await tenant.put(path, { subOrgId, subject: 'Hello' }),
      await tenant.delete(`${path}?subOrgId=${subOrgId}`),
      await tenant.post(`${path}/preview`, { subOrgId }),
    ])
      expect([reply.status, reply.body.code]).toEqual([404, 'mail_template_not_found'])
  })

  test('more than 100 000 characters in all', async () => {
    const subOrgId = await tenant.organization()
    const body = [...Array.from({ length: 19 }, () => 'a'.repeat(500)), '{code}']
    const kinds = ['otp', 'login_otp', 'signup_otp', 'step_up_otp', 'discovery_otp']
    const paths = kinds.flatMap((kind) =>
      ['en', 'de', 'fr'].map((language) => `/v1/mail/templates/${kind}/${language}`),
    )
    const replies = []
    for (const path of paths) replies.push(await tenant.put(path, { subOrgId, body }))
    const refused = replies.filter(({ status }) => status !== 200)
    expect(replies.findIndex(({ status }) => status !== 200)).toBe(10)
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [409, 'mail_templates_too_large']),
    )
    expect((await read(subOrgId, paths[10])).template.body).toBe(null)
    succeeded(await tenant.delete(`${paths[0]}?subOrgId=${subOrgId}`))
    await put(subOrgId, { body }, paths[10])
  })
})

test('texts that another release stored, and that lack the code, are not used and are reported', async () => {
  const subOrgId = await tenant.organization()
  await put(subOrgId, TEXTS)
  const store = (template: unknown) =>
    sql`
    update mail_settings set settings = jsonb_set(settings, '{templates,login_otp/en}', ${JSON.stringify(template)}::jsonb)
    where directory_id in (select id from directories where organization_id = ${subOrgId})`.execute(platform.db)
  const changed = async () => {
    // Any change makes every process read the row again.
    await put(subOrgId, { subject: 'x' }, '/v1/mail/templates/otp/ja')
    const { kinds } = succeeded(await tenant.get(`/v1/mail/templates?subOrgId=${subOrgId}`))
    return kinds.find(({ kind }: { kind: string }) => kind === 'login_otp').changed
  }
  await store({ subject: 'Still here?', body: ['Type the words.'] })
  expect(await changed()).toMatchObject([
    { language: 'en', problems: [{ field: 'body', code: 'placeholder_missing' }] },
  ])
  expect(await codeMail(subOrgId)).toMatchObject({
    subject: 'Your sign-in code',
    text: expect.stringContaining('Enter these words to sign in.'),
  })
  expect((await read(subOrgId)).problems).toMatchObject([{ code: 'placeholder_missing' }])
  for (const unreadable of [7, ['a'], { body: 'a' }, { subject: 'A\nB' }, { subject: {} }]) {
    await store(unreadable)
    expect(await changed()).toMatchObject([{ problems: [{ code: 'unreadable' }] }])
    expect((await codeMail(subOrgId)).subject).toBe('Your sign-in code')
  }
  succeeded(await tenant.delete(`${LOGIN}?subOrgId=${subOrgId}`))
  expect(await changed()).toEqual([])
})

test('what is set here counts in every process at once, and a mail costs no statement more for it', async () => {
  const subOrgId = await tenant.organization()
  const people = [newEmail(), newEmail(), newEmail()]
  for (const email of people.slice(0, 2)) succeeded(await tenant.post('/v1/users', { subOrgId, email }))
  const send = (email: string) => tenant.post('/v1/auth/login/otp/send', { subOrgId, email })
  await codeMail(subOrgId)
  const before = ofRequests(await recordStatements(() => send(people[0] ?? '')))
  await put(subOrgId, TEXTS)
  const there = second.as(tenant.key)
  expect((await codeMail(subOrgId, null, there)).subject).toBe('Your words for Watchword')
  await codeMail(subOrgId)
  const known = ofRequests(await recordStatements(() => send(people[1] ?? '')))
  const unknown = ofRequests(await recordStatements(() => send(people[2] ?? '')))
  expect(before.length).toBeGreaterThan(3)
  expect([known, unknown]).toEqual([before, before])
})

/** Changes a user's password. Returns the notice. */
async function notice(subOrgId: string) {
  const email = newEmail()
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email }))
  succeeded(await tenant.put(`/v1/users/${user.id}/password`, { subOrgId, password: freshPassword() }))
  const [mail] = await app.mails(email)
  if (!mail) throw new Error(`No mail to ${email}`)
  return mail
}

test('in a notice own words follow what happened, in every part', async () => {
  const subOrgId = await tenant.organization()
  const texts = {
    subject: '{standard} – {brand}',
    heading: '{standard}!',
    body: ['{standard}', 'Questions? Call us.'],
    footer: '{standard} Our office is open all day.',
  }
  const refused = await tenant.put(NOTICE, { subOrgId, ...texts })
  expect(refused.body.errors).toEqual([expect.objectContaining({ field: 'heading', code: 'placeholder_first' })])
  const { inherited } = await put(subOrgId, { ...texts, heading: '{standard} today' }, NOTICE)
  const standard = { subject: '{standard}', heading: '{standard}', footer: '{standard}' }
  expect(inherited).toEqual({ ...standard, body: ['{standard}'], button: null })
  const { subject, text } = await notice(subOrgId)
  expect(subject).toBe('Your password was changed – Watchword')
  expect(text).toMatch(
    /^Your password was changed today\n\nAn administrator .*\n\nQuestions\? Call us\.\n\nIf .* Our office is open all day\./,
  )
})

test('a subject of the settings does not hide what a notice says, nor do texts of another release', async () => {
  const subOrgId = await tenant.organization()
  const settings = (subject: string) =>
    tenant.patch('/v1/mail/settings', { subOrgId, subjects: { password_changed: subject } })
  for (const [subject, code] of [
    ['Your parcel is here', 'placeholder_first'],
    ['{brand}: {standard}', 'placeholder_first'],
    ['{standard} {standard}', 'placeholder'],
    ['{standard} evil.example', 'link'],
  ] as const)
    expect((await settings(subject)).body.errors).toMatchObject([{ field: 'subjects.password_changed', code }])
  expect((await notice(subOrgId)).subject).toBe('Your password was changed')
  succeeded(await settings('{standard} at {brand}'))
  expect((await notice(subOrgId)).subject).toBe('Your password was changed at Watchword')
  const login = await tenant.patch('/v1/mail/settings', { subOrgId, subjects: { login_otp: '{standard}' } })
  expect([login.status, login.body.errors[0].code]).toEqual([400, 'placeholder'])

  await sql`update mail_settings set settings = settings
    || '{"subjects": {"password_changed": "Your parcel is here"},
      "templates": {"password_changed/en": {"heading": "You have won", "footer": "Ignore this."}}}'
    where directory_id in (select id from directories where organization_id = ${subOrgId})`.execute(platform.db)
  // Any change makes every process read the row again.
  await put(subOrgId, { subject: 'x' })
  const { subject, text } = await notice(subOrgId)
  expect(subject).toBe('Your password was changed')
  expect(text).toMatch(/^Your password was changed\n/)
  expect(text).not.toContain('Ignore this.')
  expect((await read(subOrgId, NOTICE)).problems).toMatchObject([
    { field: 'footer', code: 'placeholder_first' },
    { field: 'heading', code: 'placeholder_first' },
  ])
})

test('no notice of a change to the account loses what it says, and no invitation who invites', async () => {
  const { kinds } = succeeded(await tenant.get('/v1/mail/templates'))
  type Flag = 'required' | 'required_in_heading' | 'required_first'
  type Listed = { kind: string; placeholders: ({ name: string } & Record<Flag, boolean>)[] }
  const having = (name: string, flag: Flag) =>
    kinds
      .filter(({ placeholders }: Listed) => placeholders.some((each) => each.name === name && each[flag]))
      .map(({ kind }: Listed) => kind)
  expect(having('standard', 'required')).toEqual([
    ...['account_locked', 'backup_code_used', 'email_changed', 'identity_linked', 'impersonation_started'],
    ...['mfa_enrolled', 'mfa_locked', 'mfa_removed', 'new_device', 'own_email_changed', 'passkey_deleted'],
    ...['passkey_registered', 'password_changed'],
  ])
  expect(having('standard', 'required_first')).toEqual(having('standard', 'required'))
  expect(having('organization', 'required_in_heading')).toEqual(['invite'])
})

test('a name and the text beside it make no link together, in the brand and in subjects neither', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/mail/settings', { subOrgId, brand_name: 'evil.example' }))
  await put(subOrgId, { heading: '{inviter}com invites you to {organization}' }, '/v1/mail/templates/invite/en')
  const email = newEmail()
  succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, invitedBy: 'evil.' }))
  const [invitation] = await app.mails(email)
  expect(invitation?.text).toMatch(/^evil\.\u2060com invites you/)
  const code = await codeMail(subOrgId)
  for (const part of [code.subject, code.text, code.html, invitation?.text, invitation?.html])
    expect(part).not.toMatch(/evil\.(?:example|com)/)
  expect(code.text).toContain('evil\u2060.\u2060example')
  for (const [subject, problem] of [
    ['Go to evil.example', 'link'],
    ['Go to {brand}.com', 'link'],
    ['Go to evil.{brand}', 'link'],
    ['Hel\u2061lo', 'invisible_character'],
  ])
    for (const [path, of] of [
      ['/v1/mail/settings', { subOrgId }],
      ['/v1/mail/settings/defaults', {}],
    ] as const) {
      const reply = await tenant.patch(path, { ...of, subjects: { login_otp: subject } })
      expect([reply.status, reply.body.errors]).toEqual([
        400,
        [expect.objectContaining({ field: 'subjects.login_otp', code: problem })],
      ])
    }
  expect((await codeMail(subOrgId)).subject).toBe('Your sign-in code')
})

test('mails to the team keep the texts of the service', async () => {
  const account = await app.tenant()
  const subOrgId = await account.organization()
  const texts = { subject: 'Own', body: ['Own words.', '{link}'] }
  for (const path of ['/v1/mail/templates/invite/en', '/v1/mail/templates/invite/en/defaults'])
    succeeded(await account.put(path, path.endsWith('defaults') ? texts : { subOrgId, ...texts }))
  const invited = newEmail()
  succeeded(await account.post('/v1/members/invites', { email: invited, role: 'member', subOrgId }))
  const [mail] = await app.mails(invited)
  expect(mail).toMatchObject({ kind: 'invite', subject: expect.stringContaining('team of') })
  expect(mail?.text).not.toContain('Own words.')
  for (const reply of [
    await account.put('/v1/mail/templates/invite/en', { subOrgId: 'team', ...texts }),
    await account.get('/v1/mail/templates/invite/en?subOrgId=team'),
  ])
    expect([reply.status, reply.body.code]).toEqual([404, 'organization_not_found'])
})

test.each(['suspended', 'archived'])('in an organization that is %s, texts change as settings do', async (status) => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status }))
  const settings = await tenant.patch('/v1/mail/settings', { subOrgId, brand_name: 'Acme' })
  const texts = await tenant.put(LOGIN, { subOrgId, ...TEXTS })
  expect([texts.status, texts.body.code]).toEqual([settings.status, settings.body.code])
})

test('a member of the account edits texts by their role', async () => {
  const account = await app.tenant()
  const subOrgId = await account.organization()
  const { headers } = await joinedMember(app, account, 'admin')
  succeeded(await app.as(null).put(LOGIN, { subOrgId, subject: 'By an admin' }, headers))
  expect((await account.get(`${LOGIN}?subOrgId=${subOrgId}`)).body.template.subject).toBe('By an admin')
})

test('the list has every kind but those to the team, and every placeholder has an example', async () => {
  const { kinds, languages } = succeeded(await tenant.get('/v1/mail/templates'))
  expect(kinds.map(({ kind }: { kind: string }) => kind)).toEqual(
    mailKinds().filter((kind) => kind !== 'webhook_disabled'),
  )
  expect(languages).toEqual(['en', 'de', 'fr', 'es', 'pt-BR', 'ja'])
  const named = (kind: string) => kinds.find((each: { kind: string }) => each.kind === kind).placeholders
  const short = (kind: string) =>
    named(kind).map(({ name, example, required, only_in_body }: Record<string, unknown>) => [
      name,
      example,
      required,
      only_in_body,
    ])
  expect(short('magic_link')).toEqual([
    ['brand', 'Acme', false, false],
    ['digits', '204618', false, true],
    ['code_expires_in', '5 minutes', false, false],
    ['expires_in', '10 minutes', false, false],
    ['standard', null, false, true],
    ['code', 'amber falcon', true, true],
    ['link', 'https://auth.example.com/auth/link?token=example', true, true],
  ])
  expect(short('single_sign_on')).toEqual([
    ['brand', 'Acme', false, false],
    ['standard', null, false, true],
  ])
})

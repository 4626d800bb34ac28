import { expect, test } from 'vitest'
import { findDirectory } from '../src/platform/http/directory.ts'
import { mailOutbox } from '../src/platform/mail/outbox.ts'
import { findWaiting } from '../src/platform/outbox/waiting.ts'
import { listKeptSms } from '../src/platform/sms/outbox.ts'
import { makeProvenUser, succeeded } from './factors.ts'
import { startApp, until } from './harness.ts'
import { newEmail } from './people.ts'
import { startSecondApp } from './second-app.ts'
import { mailedCode } from './sign-in.ts'
import { recordStatements } from './sql-recorder.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const { platform } = app.app

const make = async (subOrgId: string, fields: { locale?: string | null } = {}) => {
  const email = newEmail()
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email, ...fields }))
  return { subOrgId, email, id: String(user.id) }
}
const sendCode = async (person: { subOrgId: string; email: string }, caller: Pick<typeof tenant, 'post'> = tenant) =>
  succeeded(await caller.post('/v1/auth/login/otp/send', { subOrgId: person.subOrgId, email: person.email }))
const newest = async (email: string) => {
  const mail = (await app.mails(email)).at(-1)
  if (!mail) throw new Error(`No mail to ${email}`)
  return mail
}
const subjectFor = async (person: { subOrgId: string; email: string }) => {
  await sendCode(person)
  return (await newest(person.email)).subject
}
// What caches read anew after a while, and what jobs send, is of no request.
const isOfRequest = (text: string) => !/graphile_worker\.|update api_keys|^select.*_settings|directories/s.test(text)
const PRODUCTION = (await tenant.get('/v1/environments')).body.environments[0].id
const ofEnvironment = (locale: string | null) => tenant.patch(`/v1/environments/${PRODUCTION}`, { locale })

test('a mail is in the language of its reader, whole, and the words stay the code', async () => {
  const person = await make(await tenant.organization(), { locale: 'de-AT' })
  const { otp_id } = await sendCode(person)
  const { subject, text, html } = await newest(person.email)
  expect(subject).toBe('Ihr Anmeldecode')
  expect(text).toContain('Geben Sie diese Wörter ein, um sich anzumelden.')
  expect(text).toContain('5 Minuten lang gültig')
  expect(html).toContain('<html lang="de">')
  expect(html).toContain('<title>Ihr Anmeldecode</title>')
  expect(`${text}${html}`).not.toMatch(/Enter|They work|Need help/)
  const code = await mailedCode(app, person.email)
  succeeded(await tenant.post('/v1/auth/login/otp/verify', { ...person, id: undefined, otp_id, code }))
})

test('who has no locale reads the language of the organization, or else of the environment, or else English', async () => {
  const subOrgId = await tenant.organization()
  const path = `/v1/organizations/${subOrgId}`
  const [none, own, dutch] = [
    await make(subOrgId),
    await make(subOrgId, { locale: 'es-MX' }),
    await make(subOrgId, { locale: 'nl' }),
  ]
  expect(await subjectFor(none)).toBe('Your sign-in code')
  // At once, though the organization is known here.
  succeeded(await tenant.patch(path, { locale: 'fr-CA' }))
  const people = [
    await make(subOrgId),
    await make(subOrgId, { locale: 'es-MX' }),
    await make(subOrgId, { locale: 'nl' }),
  ]
  expect(await Promise.all(people.map(subjectFor))).toEqual([
    ...['Votre code de connexion', 'Su código para iniciar sesión', 'Votre code de connexion'],
  ])
  succeeded(await tenant.patch(path, { locale: null }))
  await app.advance(120)
  expect(await subjectFor(dutch)).toBe('Your sign-in code')
  expect(await subjectFor(own)).toBe('Su código para iniciar sesión')
  succeeded(await ofEnvironment('pt-PT'))
  try {
    const [late, other] = [await tenant.organization(), await tenant.organization()]
    succeeded(await tenant.patch(`/v1/organizations/${other}`, { locale: 'ja' }))
    expect(await subjectFor(await make(late))).toBe('Seu código de acesso')
    expect(await subjectFor(await make(late, { locale: 'fil' }))).toBe('Seu código de acesso')
    expect(await subjectFor(await make(other))).toBe('ログインコードのお知らせ')
  } finally {
    succeeded(await ofEnvironment(null))
  }
})

test('a change of the locale of an organization reaches another process at once', async () => {
  const subOrgId = await tenant.organization()
  const person = await make(subOrgId)
  const there = second.as(tenant.key)
  await sendCode(person, there)
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { locale: 'de' }))
  const next = await make(subOrgId)
  await until(async () => {
    await sendCode(next, there)
    await app.advance(600)
    return (await newest(next.email)).subject === 'Ihr Anmeldecode'
  }, 4000)
})

test('a subject that the organization has set wins, and the rest is in the language of the reader', async () => {
  const subOrgId = await tenant.organization()
  const person = await make(subOrgId, { locale: 'fr' })
  succeeded(
    await tenant.patch('/v1/mail/settings', {
      subOrgId,
      brand_name: 'Acme <b>',
      support_email: 'help@acme.example',
      subjects: { magic_link: 'Hi from {brand}' },
    }),
  )
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email: person.email }))
  const { subject, text, html } = await newest(person.email)
  expect(subject).toBe('Hi from Acme <b>')
  expect(text).toContain('Besoin d’aide ? Écrivez à help@acme.example')
  expect(html).toMatch(/Besoin d’aide \? Écrivez à <a href="mailto:help@acme.example"[^>]*>help@acme.example<\/a>/)
  expect(html).toMatch(/Ou ouvrez ce lien : http:[^<]*&amp;type=magiclink/)
  expect(html).not.toContain('<b>')
})

test('who has a locale costs no statement more than a stranger', async () => {
  const subOrgId = await tenant.organization()
  const people = [await make(subOrgId), await make(subOrgId, { locale: 'de' }), { subOrgId, email: newEmail() }]
  await sendCode(await make(subOrgId))
  const sent: string[][] = []
  for (const person of people) sent.push((await recordStatements(() => sendCode(person))).filter(isOfRequest))
  expect(sent[0]?.length).toBeGreaterThan(3)
  expect(sent).toEqual(sent.map(() => sent[0]))
})

test('a mail to nobody is written as others are, in the language of the organization', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { locale: 'ja' }))
  const email = newEmail()
  await sendCode({ subOrgId, email })
  expect(await app.mails(email)).toEqual([])
  const { id, directory_id } = await platform.db
    .selectFrom('mail_outbox')
    .select(['id', 'directory_id'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const directory = await findDirectory(platform, directory_id)
  expect(directory && (await findWaiting(platform, mailOutbox, directory, id))).toMatchObject({
    ...{ to: email, decoy: true, subject: 'ログインコードのお知らせ' },
    html: expect.stringContaining('<html lang="ja">'),
  })
})

test('a text message is in the language of the owner of the phone', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, channel_sms: true, sms_allowed_countries: ['US'] }))
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, allowed_methods: ['totp', 'backup', 'sms'] }))
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { locale: 'pt-BR' }))
  const textTo = async (phone: string) => (await listKeptSms(platform, 200)).find(({ to }) => to === phone)?.text
  const person = await makeProvenUser(tenant, subOrgId)
  succeeded(await tenant.patch(`/v1/users/${person.id}`, { subOrgId, locale: 'es-AR' }))
  succeeded(await tenant.post('/v1/mfa/sms', { subOrgId, userId: person.id, phone: '+14155550142' }))
  expect(await textTo('+14155550142')).toMatch(/^Su clave es \d{6}\. Vale 10 minutos\. No la comparta\.$/)
  succeeded(await tenant.post('/v1/otp/generate', { subOrgId, phone: '+14155550143' }))
  expect(await textTo('+14155550143')).toMatch(/^Use uma vez: .*\. Vale por \d+ minutos\. Mantenha em segredo\.$/)
})

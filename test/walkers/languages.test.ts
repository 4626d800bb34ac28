import { expect, test } from 'vitest'
import { provisionSignup } from '../../src/features/sign-in/signup/pending.ts'
import { mailOutbox } from '../../src/platform/mail/outbox.ts'
import { findWaiting } from '../../src/platform/outbox/waiting.ts'
import { listKeptSms } from '../../src/platform/sms/outbox.ts'
import { findDirectory } from '../../src/platform/tenancy/directory.ts'
import { startApp, until } from '../harness.ts'
import { makeProvenUser, succeeded } from '../people/factors.ts'
import { runJobs } from '../people/jobs.ts'
import { newEmail, usersAt } from '../people/people.ts'
import { type MailedLink, mailedCode, mailedLink, signIn } from '../people/sign-in.ts'
import { ofRequests, recordStatements } from '../rules/sql-recorder.ts'
import { startSecondApp } from '../second-app.ts'

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
  for (const person of people) sent.push(ofRequests(await recordStatements(() => sendCode(person))))
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
  const textTo = async (phone: string) =>
    (await listKeptSms(platform, { limit: 200, to: null })).find(({ to }) => to === phone)?.text
  const person = await makeProvenUser(tenant, subOrgId)
  succeeded(await tenant.patch(`/v1/users/${person.id}`, { subOrgId, locale: 'es-AR' }))
  succeeded(await tenant.post('/v1/mfa/sms', { subOrgId, userId: person.id, phone: '+14155550142' }))
  expect(await textTo('+14155550142')).toMatch(/^Su clave es \d{6}\. Vale 10 minutos\. No la comparta\.$/)
  succeeded(await tenant.post('/v1/otp/generate', { subOrgId, phone: '+14155550143' }))
  expect(await textTo('+14155550143')).toMatch(/^Use uma vez: .*\. Vale por \d+ minutos\. Mantenha em segredo\.$/)
})

test('a sign-up and an invitation name the language of whoever is no user yet, and of nobody else', async () => {
  const subOrgId = await tenant.organization()
  const known = await make(subOrgId, { locale: 'fr' })
  const named = { subOrgId, openSignup: true, locale: 'ES-mx' }
  const subjectsTo = async (path: string, fields: object) => {
    const email = newEmail()
    for (const to of [email, known.email]) succeeded(await tenant.post(path, { ...fields, email: to }))
    return { email, subjects: [(await newest(email)).subject, (await newest(known.email)).subject] }
  }
  const localeAt = async (email: string) => (await usersAt(tenant, subOrgId, email))[0]?.locale
  const byCode = await subjectsTo('/v1/auth/signup/otp/send', named)
  expect(byCode.subjects).toEqual(['Confirme su dirección de correo electrónico', 'Confirmez votre adresse e-mail'])
  const byLink = await subjectsTo('/v1/auth/signup/authenticate-email/send', named)
  expect(byLink.subjects).toEqual(['Confirme su dirección de correo electrónico', 'Votre lien de connexion'])
  const { email, token_hash } = await mailedLink(app, byLink.email, 'signup_link')
  succeeded(await tenant.post('/v1/auth/signup/authenticate-email/verify', { subOrgId, email, token_hash }))
  expect(await localeAt(email)).toBe('es-MX')
  const invited = await subjectsTo('/v1/users/invites', { subOrgId, locale: 'ja' })
  const { name } = (await tenant.get(`/v1/organizations/${subOrgId}`)).body.subOrganization
  expect(invited.subjects).toEqual([`${name} への招待`, `Vous êtes invité à rejoindre ${name}`])
  const direct = newEmail()
  const password = 'richtig langes Pferd mit Klammern'
  succeeded(await tenant.post('/v1/auth/signup/password', { ...named, email: direct, password, locale: 'pt' }))
  expect((await newest(direct)).subject).toBe('Confirme seu endereço de e-mail')
  expect([await localeAt(invited.email), await localeAt(direct), await localeAt(known.email)]).toEqual([
    'ja',
    'pt',
    'fr',
  ])
  expect(await tenant.post('/v1/auth/signup/otp/send', { ...named, email: newEmail(), locale: '!' })).toMatchObject({
    status: 400,
  })
})

test('a sign-up by code keeps the language that was named, of the code that was entered, for whom it signs up alone', async () => {
  const subOrgId = await tenant.organization()
  const localeAt = async (email: string) => (await usersAt(tenant, subOrgId, email))[0]?.locale
  const send = async (email: string, locale?: string) => {
    const sent = await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email, openSignup: true, locale })
    return { subOrgId, email, otp_id: succeeded(sent).otp_id, code: await mailedCode(app, email) }
  }
  const enter = async (sent: object) => succeeded(await tenant.post('/v1/auth/signup/otp/verify', sent))
  const provision = () => runJobs(platform, provisionSignup)
  const [soon, late, silent, known] = [newEmail(), newEmail(), newEmail(), await make(subOrgId, { locale: 'fr' })]
  await enter(await send(soon, 'de-at'))
  expect(await localeAt(soon)).toBe('de-AT')
  await enter(await send(silent))
  expect(await localeAt(silent)).toBe(null)

  await send(late, 'ja')
  await provision()
  expect(await localeAt(late)).toBe('ja')
  await app.advance(61)
  const again = await send(late, 'es')
  expect((await newest(late)).subject).toBe('Confirme su dirección de correo electrónico')
  await enter(again)
  expect(await localeAt(late)).toBe('es')

  await enter(await send(known.email, 'ja'))
  await provision()
  expect(await localeAt(known.email)).toBe('fr')
  // Nor of whoever has come to the address since.
  const taken = newEmail()
  const sent = await send(taken, 'ja')
  succeeded(await tenant.post('/v1/users', { subOrgId, email: taken, locale: 'pt' }))
  await enter(sent)
  expect(await localeAt(taken)).toBe('pt')
})

test('what a stranger said of the language goes with the first proof by anything else', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  succeeded(await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email, openSignup: true, locale: 'ja' }))
  await runJobs(platform, provisionSignup)
  await signIn(app, tenant, subOrgId, email)
  expect((await usersAt(tenant, subOrgId, email))[0]).toMatchObject({ locale: null, emailVerified: true })
})

/** The page of a link, as a browser of these languages shows it. */
async function open({ url }: Pick<MailedLink, 'url'>, acceptLanguage?: string) {
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
  const response = await fetch(url.replace('http://localhost:4000', app.baseUrl), { headers })
  return read(response)
}

async function read(response: Response) {
  const html = await response.text()
  const [lang, title] = [/<html lang="(.*?)" dir="ltr">/.exec(html)?.[1], /<h1>(.*?)<\/h1>/.exec(html)?.[1]]
  return { status: response.status, lang, title, html }
}

async function linkTo(person: { subOrgId: string; email: string }): Promise<MailedLink> {
  const { subOrgId, email } = person
  succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }))
  return mailedLink(app, email, 'password_reset')
}

test('a page is in the language of whose link it is, or else of the organization, or else of the browser', async () => {
  const [subOrgId, french] = [await tenant.organization(), await tenant.organization()]
  succeeded(await tenant.patch(`/v1/organizations/${french}`, { locale: 'fr' }))
  const shown = async (link: MailedLink, accept?: string) => {
    const { status, lang, title, html } = await open(link, accept)
    expect(html.includes(`<title>${title} · Watchword</title>`)).toBe(true)
    return [status, lang, title]
  }
  const german = await linkTo(await make(subOrgId, { locale: 'de-CH' }))
  expect(await shown(german, 'ja, en;q=0.5')).toEqual([200, 'de', 'Wählen Sie ein neues Passwort'])
  const plain = await linkTo(await make(subOrgId))
  expect(await shown(plain)).toEqual([200, 'en', 'Choose a new password'])
  expect(await shown(plain, 'nl, es-MX;q=0.3, pt;q=0.8, ja;q=0')).toEqual([200, 'pt-BR', 'Escolha uma nova senha'])
  expect(await shown(plain, `${'x'.repeat(5000)},;q=,*;q=1`)).toEqual([200, 'en', 'Choose a new password'])
  const ofFrench = await linkTo(await make(french))
  expect(await shown(ofFrench, 'ja')).toEqual([200, 'fr', 'Choisissez un nouveau mot de passe'])
  const dutch = await linkTo(await make(french, { locale: 'nl' }))
  expect(await shown(dutch, 'ja')).toEqual([200, 'fr', 'Choisissez un nouveau mot de passe'])
})

test('who does not have the link of somebody does not learn their language', async () => {
  const subOrgId = await tenant.organization()
  const [german, other] = [await make(subOrgId, { locale: 'de' }), await make(subOrgId)]
  const { url } = await linkTo(other)
  const foreign = url.replace(encodeURIComponent(other.email), encodeURIComponent(german.email))
  expect(foreign).not.toBe(url)
  expect(await open({ url: foreign }, 'es')).toMatchObject({
    status: 400,
    lang: 'es',
    title: 'Este enlace no funciona',
  })
  const madeUp = url.replace(/token_hash=.{20}/, `token_hash=${'A'.repeat(20)}`)
  expect(await open({ url: madeUp }, 'ja')).toMatchObject({ lang: 'ja', title: 'このリンクは使用できません' })
  expect(await open({ url: '/auth/link'.replace('/', `${app.baseUrl}/`) })).toMatchObject({ status: 400, lang: 'en' })
})

test('what went wrong on a page is said in its language, and to the backend in English', async () => {
  const person = await make(await tenant.organization(), { locale: 'de' })
  const link = await linkTo(person)
  const post = async (password: string) => {
    const { token_hash, email, type } = link
    const body = new URLSearchParams({ token_hash, email, type, password })
    return read(await fetch(`${app.baseUrl}/auth/link`, { method: 'POST', body, headers: { 'accept-language': 'ja' } }))
  }
  const short = await post('kurz')
  expect(short).toMatchObject({ status: 422, lang: 'de', title: 'Wählen Sie ein neues Passwort' })
  expect(short.html).toContain('role="alert">Verwenden Sie mindestens 8 Zeichen.</p>')
  expect(short.html).toContain('Mindestens 8 Zeichen; Leerzeichen sind erlaubt.')
  expect((await post('password1234')).html).toMatch(/role="alert">(Dieses Passwort steht auf|Verwenden Sie mehr als)/)
  const { subOrgId, email } = person
  const body = { subOrgId, email, token_hash: link.token_hash, password: 'kurz' }
  const refused = await tenant.post('/v1/auth/password/reset/confirm', body, { 'accept-language': 'de' })
  expect(refused.body).toMatchObject({ code: 'weak_password', detail: 'Use at least 8 characters.' })
  expect(await post('richtig langes Pferd mit Klammern')).toMatchObject({
    status: 200,
    title: 'Ihr Passwort wurde geändert',
  })
  // Of a link that is used nothing is told but what the browser asks for.
  expect(await post('noch eins, und länger')).toMatchObject({ lang: 'ja', title: 'このリンクはすでに使用されています' })
})

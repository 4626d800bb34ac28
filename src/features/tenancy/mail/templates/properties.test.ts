import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startApp, until } from '../../../../../test/harness.ts'
import { startSmtpPeer } from '../../../../../test/peers/smtp-peer.ts'
import { succeeded } from '../../../../../test/people/factors.ts'
import { newEmail } from '../../../../../test/people/people.ts'
import { getWorkIn } from '../../../../../test/work.ts'
import { startWorker, type Worker } from '../../../../platform/jobs/worker.ts'
import { composeMail } from '../../../../platform/mail/compose.ts'
import { escapeHtml } from '../../../../platform/mail/html.ts'
import { mailJobs } from '../../../../platform/mail/jobs.ts'
import { editableKinds, exampleOf } from '../../../../platform/mail/kinds.ts'
import { oneLine } from '../../../../platform/mail/layout.ts'
import type { MailKind } from '../../../../platform/mail/message.ts'
import { queueMail } from '../../../../platform/mail/outbox.ts'
import { placeholdersOf } from '../../../../platform/mail/placeholders.ts'
import { LANGUAGES, type Language } from '../../../../platform/messages/language.ts'
import { inTx } from '../../../../platform/work.ts'

const peer = await startSmtpPeer({ withoutStarttls: true })
afterAll(() => peer.stop())
const service = await startApp({
  env: { SMTP_URL: `smtp://127.0.0.1:${peer.port}`, WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>' },
})
const { platform } = service.app
const tenant = await service.tenant()
const subOrgId = await tenant.organization()
succeeded(await tenant.patch('/v1/mail/settings', { subOrgId, brand_name: 'A&B "{code}" <i>' }))

let worker: Worker | null = null
afterEach(async () => {
  await worker?.stop(5000)
  worker = null
  peer.deliveries.length = 0
})

const kinds = editableKinds()
const cases = kinds.flatMap((kind) => LANGUAGES.map((language) => ({ kind, language })))
const pathOf = ({ kind, language }: Case) => `/v1/mail/templates/${kind}/${language}`
interface Case {
  kind: MailKind
  language: Language
}

async function preview(of: Case, texts: object = {}): Promise<{ subject: string; text: string; html: string }> {
  return succeeded(await tenant.post(`${pathOf(of)}/preview`, { subOrgId, ...texts }))
}

/** The code and the link in the example of a kind, which mails show as separate blocks. */
function blocksOf(kind: MailKind): { code: string | null; link: string | null } {
  const find = (name: string) => placeholdersOf(kind).find((each) => each.name === name)?.example ?? null
  return { code: find('code'), link: find('link') }
}

const countIn = (text: string, part: string) => text.split(part).length - 1

/**
 * Checks that a mail has only the layout's tags and attributes, the code once, and the link as one button with its
 * address below.
 */
function assertSound(kind: MailKind, { subject, text, html }: { subject: string; text: string; html: string }) {
  const { code, link } = blocksOf(kind)
  const lines = text.split('\n')
  expect(lines.filter((line) => line === code)).toHaveLength(code === null ? 0 : 1)
  expect(lines.filter((line) => line === link)).toHaveLength(link === null ? 0 : 1)
  if (code !== null)
    expect([countIn(text, code), countIn(html, `>${code}</p>`), countIn(html, code)]).toEqual([1, 1, 1])
  const href = link === null ? '' : `href="${escapeHtml(link)}"`
  if (link !== null) expect([countIn(html, href), countIn(html, escapeHtml(link))]).toEqual([1, 2])
  expect(countIn(html, '<a ')).toBe(link === null ? 0 : 1)
  const tags = new Set([...html.matchAll(/<([^\s>]*)/g)].map(([, name = '']) => name.replace(/^\//, '')))
  const known = ['!doctype', 'html', 'head', 'meta', 'title', 'style', 'body', 'table', 'tr', 'td', 'h1', 'p', 'a']
  expect([...tags].filter((name) => !known.includes(name))).toEqual([])
  expect(html).not.toMatch(/<[^>]*\son\w+=/)
  expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
  for (const secret of [code, link]) if (secret !== null) expect(subject).not.toContain(secret)
}

/** Checks that subject, heading, body and footer begin with the standard text about what happened. */
function assertTold(mail: { subject: string; text: string }, standard: { subject: string; text: string }) {
  expect(mail.subject.startsWith(standard.subject)).toBe(true)
  const [heading = '', told = ''] = standard.text.split('\n\n')
  expect(mail.text.startsWith(heading)).toBe(true)
  expect(mail.text.split('\n\n')[1]).toBe(told)
  const footer = standard.text.split('\n\n-- \n')[0]?.split('\n\n').at(-1) ?? ''
  expect(mail.text).toContain(`\n\n${footer}`)
}

describe('what an author writes', () => {
  const plain = fc.constantFrom(
    ...['Hello', 'こんにちは。', 'ça va ?', '{brand}', '$&', '$1', '%s', '\\n', '🎉', '&', "'", '</td>', '&lt;b&gt;'],
    ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<a href="x">', '-->', ']]>', '<!doctype'],
  )
  const wrong = fc.constantFrom(
    ...['{expires_in}', '{digits}', '{code}', '{link}', '{standard}', '{inviter}', '{account_address}', '{codes_left}'],
    ...['{constructor}', '{__proto__}', '{', '}', '{{code}}', '{ code }', '{CODE}', '{c\u2060ode}', '{code}{link}'],
    ...[
      '\r\nBcc: eve@example.org',
      '\u2028',
      '\u202e',
      '\u2060',
      '\0',
      '\ud800',
      'evil.example',
      'https://evil.example',
    ],
  )
  const words = (word: fc.Arbitrary<string>) =>
    fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
  const line = fc.oneof({ weight: 6, arbitrary: words(plain) }, { weight: 1, arbitrary: words(fc.oneof(plain, wrong)) })
  const part = fc.option(line, { nil: null, freq: 2 })

  test.each(kinds)('%s: is refused, with the fields, or gives a sound mail', async (kind) => {
    const [ends, starts] = [endsOf(kind), startsOf(kind)]
    const start = fc.oneof({ weight: 3, arbitrary: fc.constant(starts) }, { weight: 1, arbitrary: fc.subarray(starts) })
    const end = fc.oneof({ weight: 3, arbitrary: fc.constant(ends) }, { weight: 1, arbitrary: fc.subarray(ends) })
    const body = fc.tuple(start, fc.array(line, { maxLength: 3 }), end).map((parts) => parts.flat())
    const own = fc.tuple(start, part).map(([start, text]) => text && [...start, text].join(' '))
    const heading = own.map((text) => text && `${text}${headingEnd(kind)}`)
    const texts = fc.record({ subject: own, heading, body: fc.option(body, { nil: null }), footer: own })
    let accepted = 0
    const run = fc.asyncProperty(fc.constantFrom(...LANGUAGES), texts, async (language, given) => {
      const reply = await tenant.post(`${pathOf({ kind, language })}/preview`, { subOrgId, ...given })
      if (reply.status === 200) {
        accepted += 1
        assertSound(kind, reply.body)
        if (starts.length > 0) assertTold(reply.body, await preview({ kind, language }))
        return
      }
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
      for (const { field } of reply.body.errors ?? [])
        expect(field).toMatch(/^(subject|heading|body|button|footer)(\.\d+)?$/)
    })
    await fc.assert(run, { numRuns: 50 })
    expect(accepted).toBeGreaterThan(10)
  })
})

const isRequired = (kind: MailKind, name: string) =>
  placeholdersOf(kind).some((each) => each.name === name && (each.required || each.required_in_heading))

/** The end that a heading of the kind must have. */
const headingEnd = (kind: MailKind) => (isRequired(kind, 'organization') ? ' {organization}' : '')

/** The beginning that every part of the kind must have. */
const startsOf = (kind: MailKind) => (isRequired(kind, 'standard') ? ['{standard}'] : [])
const startOf = (kind: MailKind) => startsOf(kind).map((start) => `${start} `)[0] ?? ''

/** The paragraphs that a body of the kind must have. */
function endsOf(kind: MailKind): string[] {
  const { code, link } = blocksOf(kind)
  return [
    ...(kind === 'email_change_otp' ? ['{account_address} asks.'] : []),
    ...(link === null ? [] : ['{link}']),
    ...(code === null ? [] : ['Code: {code}']),
  ]
}

const withStandard = (kind: MailKind) => ['{standard}', ...endsOf(kind)]

describe('what the values are', () => {
  const hostile = fc.constantFrom(
    ...['{code}', '{brand}', '{link}', '{standard}', '$&', '{__proto__}', '<b>"\'&', '\r\nBcc: eve@example.org'],
    ...['\u202egnp', 'https://evil.example', '</td><script>', '🎉', ''],
  )

  test.each(cases)(
    '$kind in $language: they are shown as they are, once, and never read',
    async ({ kind, language }) => {
      const directory = await directoryOf()
      const names = placeholdersOf(kind)
        .filter(({ name, only_in_body }) => !only_in_body && name !== 'brand')
        .map(({ name }) => name)
      const shown = ['To {brand}', ...names.map((name) => `{${name}}`)].join(' | ')
      const own = `${startOf(kind)}${shown}`
      const [standard = '', ...ends] = withStandard(kind)
      const template = { subject: own, heading: own, body: [standard, shown, ...ends], footer: own }
      const run = fc.asyncProperty(
        fc.array(hostile, { minLength: names.length, maxLength: names.length }),
        async (values) => {
          const example = exampleOf(kind)
          if (!example) throw new Error(`${kind} has no example`)
          const given = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
          const message = {
            ...example,
            to: { email: newEmail(), locale: language },
            values: (...at: [Language, string]) => ({ ...example.values?.(...at), ...given }),
          }
          const mail = await composeMail(directory, message, template)
          const expected = oneLine(['To A&B "{code}" <i>', ...names.map((name) => given[name])].join(' | '))
          const lines = [mail.subject, mail.text.split('\n')[0] ?? '']
          const own = startOf(kind) === '' ? lines : lines.map((line) => line.slice(-expected.length))
          expect(own).toEqual([expected, expected])
          expect(countIn(mail.html, escapeHtml(expected))).toBe(4)
          assertSound(kind, mail)
        },
      )
      await fc.assert(run, { numRuns: 8 })
    },
  )
})

async function directoryOf() {
  const { platform } = service.app
  const { id } = await platform.db
    .selectFrom('directories')
    .select('id')
    .where('organization_id', '=', subOrgId)
    .executeTakeFirstOrThrow()
  return getWorkIn(platform, id)
}

const ownTexts = (kind: MailKind) => ({
  subject: `${startOf(kind)}{brand}: ✉ <b> Grüße`,
  heading: `${startOf(kind)}{brand} “1”${headingEnd(kind)}`,
  footer: `${startOf(kind)}Bis bald & {brand}`,
})

test('a preview is the mail as it arrives, in every kind and language, with own texts and without', async () => {
  const work = await directoryOf()
  worker = await startWorker(platform, mailJobs)
  for (const hasOwn of [false, true]) {
    const expected = new Map<string, object>()
    for (const { kind, language } of cases) {
      const email = newEmail()
      const own = { subOrgId, ...ownTexts(kind), body: withStandard(kind) }
      if (hasOwn) succeeded(await tenant.put(pathOf({ kind, language }), own))
      expected.set(email, await preview({ kind, language }))
      const example = exampleOf(kind)
      if (!example) throw new Error(`${kind} has no example`)
      const message = { ...example, to: { email, locale: language } }
      await inTx(work, (work) => queueMail(work, message, 600))
    }
    await until(async () => expected.size === peer.deliveries.length, 30_000)
    for (const { to, email } of peer.deliveries) {
      const { subject, text, html } = email
      expect({ subject, text: text?.trimEnd(), html: html?.trimEnd() }).toEqual(trimmed(expected.get(to[0] ?? '')))
    }
    peer.deliveries.length = 0
  }
}, 120_000)

/** Mail transport adds line breaks to the end of a part. */
function trimmed(mail: object | undefined) {
  return Object.fromEntries(Object.entries({ ...mail }).map(([name, text]) => [name, String(text).trimEnd()]))
}

test('a reset brings the standard mail back, byte for byte', async () => {
  const clean = await tenant.organization()
  const on = async (of: Case) => succeeded(await tenant.post(`${pathOf(of)}/preview`, { subOrgId: clean }))
  for (const of of cases) {
    const before = await on(of)
    succeeded(await tenant.put(pathOf(of), { subOrgId: clean, ...ownTexts(of.kind) }))
    expect(await on(of)).not.toEqual(before)
    succeeded(await tenant.delete(`${pathOf(of)}?subOrgId=${clean}`))
    expect(await on(of)).toEqual(before)
  }
}, 60_000)

test('the standard texts, set as they are shown, give the standard mail', async () => {
  const clean = await tenant.organization()
  for (const of of cases) {
    const { inherited } = succeeded(await tenant.get(`${pathOf(of)}?subOrgId=${clean}`))
    const standard = succeeded(await tenant.post(`${pathOf(of)}/preview`, { subOrgId: clean }))
    const same = succeeded(await tenant.post(`${pathOf(of)}/preview`, { subOrgId: clean, ...inherited }))
    expect(same).toEqual(standard)
  }
}, 60_000)

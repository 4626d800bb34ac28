import { type Static, Type } from 'typebox'
import { type FieldError, invalidField } from '../errors.ts'
import type { Platform } from '../platform.ts'
import { named, nullable } from '../schema.ts'
import { defineSettings } from '../settings/settings.ts'
import type { Work } from '../work.ts'
import { requireEmail } from './address.ts'
import { beginsWithStandard, findHidden, STANDARD } from './hidden.ts'
import { isNotice, mailKinds } from './kinds.ts'
import type { MailKind } from './message.ts'
import { domainOf, maySendAs, readSender } from './sender.ts'

// Excludes control characters, which could start another header, and characters that change the text direction. Some
// are written literally, because `\\x` covers only two digits and patterns in the contract must compile in every
// language.
const UNSEEN = '\\x00-\\x1f\\x7f-\\x9f\u061c\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff'
const ONE_LINE = `^[^\\s${UNSEEN}][^${UNSEEN}]*$`

/** One line of text for a mail. */
export function textLine(maxLength: number, example?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    ...(example === undefined ? {} : { examples: [example] }),
    pattern: ONE_LINE,
    'x-form': 'one line of text, without marks that change its direction',
  })
}

function nullableLine(maxLength: number, description: string) {
  return nullable(textLine(maxLength), description)
}

const Subject = named(
  'MailSubject',
  nullable(textLine(150), 'The subject line. Null: the standard subject in the language of the reader.'),
)

function nullableText(maxLength: number, description: string) {
  return nullable(Type.String({ maxLength }), description)
}

const fields = {
  brand_name: nullableLine(
    100,
    'The name of your brand, shown at the top of emails and pages and as the name of the sender.',
  ),
  logo_url: nullableText(2048, 'The https URL of an image, shown 40 pixels high instead of the brand name.'),
  support_email: nullableText(254, 'The email address for help, shown at the end of emails and pages.'),
  accent_color: nullable(
    Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#0b5fff'], 'x-form': 'a color such as #0b5fff' }),
    'The color of buttons and links on hosted pages. Where it is hard to see, they keep the color of text.',
  ),
  from_name: nullableLine(100, 'Name of the sender, if different from the brand.'),
  from_address: nullableText(254, 'Address of the sender, in the domain of WATCHWORD_MAIL_FROM.'),
  reply_to: nullableText(254, 'Address that replies go to.'),
}

/** How mails and hosted pages look, and who sends them. Null means the deployment's value. */
export type MailSettings = Static<typeof MailSettings>
const MailSettings = Type.Object({
  ...fields,
  subjects: Type.Record(Type.String(), nullable(Type.String())),
})

/**
 * The settings family with a subject for each kind of mail. Created at first use, when every feature has defined its
 * kinds.
 */
export function mailSettings() {
  family ??= define()
  return family
}

let family: ReturnType<typeof define> | null = null

function define() {
  const subjects = Type.Object(Object.fromEntries(mailKinds().map((kind) => [kind, Subject])), {
    additionalProperties: false,
    description:
      'Subjects by kind of email. Null: the standard subject. {brand} stands for the name of the brand. The subject of a notice of a change to the account must begin with {standard}, which stands for the standard subject.',
  })
  const schema = named(
    'MailSettings',
    Type.Object(
      { ...fields, subjects: named('MailSubjects', subjects) },
      { description: 'How emails and hosted pages look, and who sends the emails.' },
    ),
  )
  const help = 'The brand and mail settings of an organization, or the defaults of its environment, were changed.'
  const settings = defineSettings('mail_settings', help, schema, {
    brand_name: null,
    logo_url: null,
    support_email: null,
    accent_color: null,
    from_name: null,
    from_address: null,
    reply_to: null,
    subjects: Object.fromEntries(mailKinds().map((kind) => [kind, null])),
  })
  return { ...settings, schema }
}

/**
 * Changes settings. In `subjects`, only the named kinds change. Null resets a field or a subject to the inherited
 * value. Throws `invalid_request` for an invalid address, an image URL that is not https, or a sender of another
 * domain.
 */
export async function changeMailSettings(work: Work, patch: Record<string, unknown>): Promise<MailSettings> {
  const changes = { ...patch }
  for (const [field, read] of Object.entries(READERS)) {
    const value = patch[field]
    if (typeof value === 'string') changes[field] = read(field, value, work.platform)
  }
  refuseSubjects(patch['subjects'])
  return mailSettings().update(work, changes)
}

type Reader = (field: string, value: string, platform: Platform) => string

const READERS: Record<string, Reader> = {
  logo_url: readLogoUrl,
  support_email: readAddress,
  from_address: readFromAddress,
  reply_to: readAddress,
}

function readLogoUrl(field: string, value: string): string {
  const url = URL.parse(value)
  // A host may contain a semicolon (WHATWG URL), which would end the directive of a page's policy that allows it.
  if (url?.protocol !== 'https:' || url.username || url.password || !/^[a-z\d.[\]:-]+$/.test(url.host))
    throw invalidField(field, 'url', `${field} must be an https URL of a host name, without credentials`)
  return url.href
}

function readAddress(field: string, value: string): string {
  return requireEmail(value, field).email
}

function readFromAddress(field: string, value: string, { config }: Platform): string {
  const address = readAddress(field, value)
  if (maySendAs(config, address)) return address
  const domain = domainOf(readSender(config.mailFrom).address)
  throw invalidField(
    field,
    'domain',
    `${field} must be an address at ${domain}, the domain that this deployment sends from`,
  )
}

function refuseSubjects(subjects: unknown): void {
  if (typeof subjects !== 'object' || subjects === null) return
  for (const [kind, subject] of Object.entries(subjects)) {
    if (typeof subject !== 'string') continue
    const [found] = findSubjectProblems(kind, subject)
    if (found) throw invalidField(found.field, found.code, found.message)
  }
}

function findSubjectProblems(kind: string, subject: string): FieldError[] {
  const field = `subjects.${kind}`
  const own = isNotice(kind) ? subject.replace(STANDARD, '') : subject
  return [
    ...(/[{}]/.test(own.replaceAll('{brand}', ''))
      ? [{ field, code: 'placeholder', message: `${field} may contain no placeholder but {brand}` }]
      : []),
    ...(isNotice(kind) && !beginsWithStandard(subject)
      ? [{ field, code: 'placeholder_first', message: `${field} must begin with {standard}` }]
      : []),
    ...findHidden(field, subject),
  ]
}

/** The directory's own subject for a kind of mail, or null. */
export function ownSubject(settings: MailSettings, kind: MailKind): string | null {
  const subject = settings.subjects[kind] ?? null
  // An earlier release may have stored a subject that this release refuses.
  return subject === null || findSubjectProblems(kind, subject).length > 0 ? null : subject
}

import { type Static, Type } from 'typebox'
import { httpErrors } from '../errors.ts'
import type { Platform } from '../platform.ts'
import { defineSettings } from '../settings.ts'
import type { Work } from '../work.ts'
import { requireEmail } from './address.ts'
import { MAIL_KINDS, type MailKind } from './kinds.ts'
import { domainOf, maySendAs, readSender } from './sender.ts'

// Neither control characters, which could start another header, nor those that turn the direction of writing.
const UNSEEN = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff'
const ONE_LINE = `^[^\\s${UNSEEN}][^${UNSEEN}]*$`

function nullableLine(maxLength: number, description?: string) {
  const line = Type.String({ minLength: 1, maxLength, pattern: ONE_LINE, 'x-form': 'one line of text' })
  return Type.Union([line, Type.Null()], description === undefined ? {} : { description })
}

function nullableText(maxLength: number, description: string) {
  return Type.Union([Type.String({ maxLength }), Type.Null()], { description })
}

const subjects = Object.fromEntries(MAIL_KINDS.map((kind) => [kind, nullableLine(150)]))

/** How mails and hosted pages look and who sends them. What is null is the deployment's. */
export const MailSettings = Type.Object({
  brand_name: nullableLine(100, 'Shown on top of mails and pages, and as the name of the sender.'),
  logo_url: nullableText(2048, 'An https address of an image, shown 40 pixels high in place of the name.'),
  support_email: nullableText(254, 'Where the last line of mails and pages sends those who need help.'),
  from_name: nullableLine(100, 'Name of the sender, where it is not the brand.'),
  from_address: nullableText(254, 'Address of the sender: of the domain of WATCHWORD_MAIL_FROM.'),
  reply_to: nullableText(254, 'Address that answers go to.'),
  subjects: Type.Object(subjects, {
    additionalProperties: false,
    description: 'Subjects by the kind of mail, null: the standard one. {brand} stands for the brand.',
  }),
})

export type MailSettings = Static<typeof MailSettings>

export const mailSettings = defineSettings('mail_settings', MailSettings, {
  brand_name: null,
  logo_url: null,
  support_email: null,
  from_name: null,
  from_address: null,
  reply_to: null,
  subjects: Object.fromEntries(MAIL_KINDS.map((kind) => [kind, null])),
})

/**
 * Changes settings, of `subjects` those that are named; null returns a field, or one subject, to what is inherited.
 * Throws `invalid_request` for what is no address, no https image, or a sender of another domain.
 */
export async function changeMailSettings(work: Work, patch: Record<string, unknown>): Promise<MailSettings> {
  const changes = { ...patch }
  for (const [field, read] of Object.entries(READERS)) {
    const value = patch[field]
    if (typeof value === 'string') changes[field] = read(field, value, work.platform)
  }
  refuseUnknownPlaceholders(patch['subjects'])
  return mailSettings.update(work, changes)
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
  if (url?.protocol !== 'https:' || url.username || url.password)
    throw refusal(field, 'url', `${field} must be an https address without a password`)
  return url.href
}

function readAddress(field: string, value: string): string {
  return requireEmail(value, field).email
}

function readFromAddress(field: string, value: string, { config }: Platform): string {
  const address = readAddress(field, value)
  if (maySendAs(config, address)) return address
  const domain = domainOf(readSender(config.mailFrom).address)
  throw refusal(field, 'domain', `${field} must be an address of ${domain}, for which this deployment sends mail`)
}

function refuseUnknownPlaceholders(subjects: unknown): void {
  if (typeof subjects !== 'object' || subjects === null) return
  for (const [kind, subject] of Object.entries(subjects))
    if (typeof subject === 'string' && /[{}]/.test(subject.replaceAll('{brand}', '')))
      throw refusal(`subjects.${kind}`, 'placeholder', `subjects.${kind} may hold no placeholder but {brand}`)
}

function refusal(field: string, code: string, message: string) {
  return httpErrors.invalidRequest({ detail: `${message}.`, errors: [{ field, code, message }] })
}

/** The subject that the directory has given a kind of mail, or null. */
export function ownSubject(settings: MailSettings, kind: MailKind): string | null {
  return settings.subjects[kind] ?? null
}

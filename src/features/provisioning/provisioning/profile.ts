import { type EmailAddress, parseVouchedEmail } from '../../../platform/mail/address.ts'
import { foreignLocale } from '../../../platform/messages/locale.ts'
import type { UserRow } from '../../directory/users/users.ts'
import { ENTERPRISE_USER_SCHEMA } from '../language/core-schemas.ts'
import { isObject, isSame, own, type ScimObject, type ScimValue } from '../language/json.ts'

/** A resource's data about a user, in the form of the user columns. */
export interface Profile {
  displayName: string | null
  firstName: string | null
  lastName: string | null
  phone: string | null
  jobTitle: string | null
  department: string | null
  locale: string | null
}

const LINE_LENGTH = 200
const PHONE = /^\+?[ ()./-]*([0-9][ ()./-]*){4,}$/

function text(value: ScimValue | undefined, length = LINE_LENGTH): string | null {
  if (typeof value !== 'string') return null
  const line = value
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
    .trim()
    .slice(0, length)
    .toWellFormed()
  return line === '' ? null : line
}

const part = (value: ScimValue | undefined, name: string) => (isObject(value) ? own(value, name) : undefined)

/** The values of a multi-valued attribute: the primary one first, then those of type work, then the others. */
export function inOrder(values: ScimValue | undefined): ScimObject[] {
  const rank = (value: ScimObject) => (value['primary'] === true ? 0 : value['type'] === 'work' ? 1 : 2)
  return (Array.isArray(values) ? values.filter(isObject) : []).toSorted((a, b) => rank(a) - rank(b))
}

export function toProfile(resource: ScimObject): Profile {
  const phone = text(inOrder(resource['phoneNumbers'])[0]?.['value'], 32)
  const { name } = resource
  return {
    displayName: text(resource['displayName']) ?? text(part(name, 'formatted')),
    firstName: text(part(name, 'givenName')),
    lastName: text(part(name, 'familyName')),
    phone: phone !== null && PHONE.test(phone) ? phone : null,
    jobTitle: text(resource['title']),
    department: text(part(resource[ENTERPRISE_USER_SCHEMA], 'department')),
    // RFC 7643 §4.1.1: the preferred language for mails, or else the locale for dates and numbers.
    locale: foreignLocale(resource['preferredLanguage']) ?? foreignLocale(resource['locale']),
  }
}

/**
 * The user's mailbox: the main address in `emails`, or else the userName. It must be written as it is stored, because
 * an address that is folded here may belong to another person at the client.
 */
export function findAddress({ emails, userName = null }: ScimObject): EmailAddress | null {
  for (const value of [...inOrder(emails).map(({ value }) => value), userName]) {
    const address = readAddress(value)
    if (address) return address
  }
  return null
}

function readAddress(value: ScimValue | undefined): EmailAddress | null {
  return typeof value === 'string' ? parseVouchedEmail(value.replaceAll(/^ +| +$/g, '')) : null
}

/** The resource with the values that an administrator has forced. PATCH operations apply to it. */
export function overlay(resource: ScimObject, row: UserRow): ScimObject {
  const said = toProfile(resource)
  const shown = { ...resource }
  const set = (holder: ScimObject, name: string, value: string | null) => {
    if (value === null) delete holder[name]
    else holder[name] = value
  }
  if (said.displayName !== row.display_name) set(shown, 'displayName', row.display_name)
  if (said.jobTitle !== row.job_title) set(shown, 'title', row.job_title)
  const names = isObject(shown['name']) ? { ...shown['name'] } : {}
  if (said.firstName !== row.first_name) set(names, 'givenName', row.first_name)
  if (said.lastName !== row.last_name) set(names, 'familyName', row.last_name)
  if (Object.keys(names).length > 0) shown['name'] = names
  if (said.department !== row.department) {
    const extension = shown[ENTERPRISE_USER_SCHEMA]
    const work = isObject(extension) ? { ...extension } : {}
    set(work, 'department', row.department)
    shown[ENTERPRISE_USER_SCHEMA] = work
  }
  const { emails } = shown
  if (Array.isArray(emails) && findAddress(resource)?.norm !== row.email_norm)
    shown['emails'] = forceAddress(emails, row.email)
  if (said.phone !== row.phone && row.phone === null) delete shown['phoneNumbers']
  if (said.phone !== row.phone && row.phone !== null)
    shown['phoneNumbers'] = forcePhone(shown['phoneNumbers'], row.phone)
  return shown
}

/**
 * The part of a patched resource that is stored. An attribute that the operations did not change stays as the client
 * sent it, even if an administrator has forced another value, which is in `shown`.
 */
export function keepSaid(patched: ScimObject, { said, shown }: { said: ScimObject; shown: ScimObject }): ScimObject {
  const isKept = (name: string) => isSame(own(patched, name) ?? null, own(shown, name) ?? null)
  const kept = Object.keys({ ...said, ...shown }).filter(isKept)
  const changed = Object.entries(patched).filter(([name]) => !kept.includes(name))
  return Object.fromEntries([...Object.entries(said).filter(([name]) => kept.includes(name)), ...changed])
}

/** Replaces the main number and keeps the others. */
function forcePhone(numbers: ScimValue | undefined, phone: string): ScimObject[] {
  const [main, ...others] = inOrder(numbers)
  return [{ ...(main ?? { type: 'work' }), value: phone }, ...others.filter(({ value }) => value !== phone)]
}

/** Replaces the main address and keeps the secondary ones. */
function forceAddress(emails: ScimValue[], email: string): ScimObject[] {
  const main = inOrder(emails).find((one) => readAddress(one['value']) !== null)
  if (!main) return [derivedEmail(email)]
  const norm = email.toLowerCase()
  const others = emails.filter(isObject).filter((one) => one !== main && readAddress(one['value'])?.norm !== norm)
  return [{ ...main, value: email }, ...others]
}

/** Adds the address of a user whose client sends no `emails`. It is derived from the userName and never stored. */
export function showAddress(resource: ScimObject, { email }: UserRow): ScimObject {
  return Array.isArray(resource['emails']) ? resource : { ...resource, emails: [derivedEmail(email)] }
}

const derivedEmail = (value: string): ScimObject => ({ value, type: 'work', primary: true })

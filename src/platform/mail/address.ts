import { domainToASCII, domainToUnicode } from 'node:url'
import { Type } from 'typebox'
import { invalidField } from '../errors.ts'
import { named } from '../schema.ts'

/** An email address in a request body. */
export const Email = named(
  'EmailAddress',
  Type.String({
    minLength: 3,
    maxLength: 320,
    description: 'Email address of the user. Case does not matter.',
    examples: ['ada@acme.example'],
  }),
)

/** A mail address that has been validated. */
export interface EmailAddress {
  /** The form to store, show and mail: pure ASCII, in the original case. */
  email: string
  /** The form to compare and index: the address in lower case. */
  norm: string
}

// Leaves room for spaces around an address. Longer input is not worth parsing.
const MAX_INPUT = 320
// RFC 5321 §4.5.3.1, with RFC 3696 erratum 1690.
const MAX_ADDRESS = 254
const MAX_LOCAL = 64
// A dot-atom (RFC 5321 §4.1.2) without the routing characters `%` and `!`: some mail servers deliver
// `eve%evil.com@victim.com` to evil.com. Quoted local parts are refused with it (GHSA-7rqj-j65f-68wh).
const LOCAL = /^[a-z0-9#$&'*+/=?^_`{|}~-]+(\.[a-z0-9#$&'*+/=?^_`{|}~-]+)*$/i
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const NON_ASCII = /[^\0-\x7f]/

/**
 * Parses one bare address, or returns null if it is not safe to mail. Compatibility characters are folded first and
 * everything is checked afterwards, so that no later reader can find a different address in the result (full-width
 * `＠`, comments, lists, display names).
 */
export function parseEmail(text: string): EmailAddress | null {
  if (text.length > MAX_INPUT || INVISIBLE.test(text)) return null
  const address = text.normalize('NFKC').replaceAll(/^ +| +$/g, '')
  const [local, domain, ...more] = address.split('@')
  if (local === undefined || domain === undefined || more.length > 0) return null
  // Decoders turn an encoded word (RFC 2047) in the local part into other characters, including `@`.
  if (local.length > MAX_LOCAL || !LOCAL.test(local) || local.includes('=?')) return null
  const ascii = readDomain(domain)
  if (ascii === null) return null
  const email = `${local}@${ascii === domain.toLowerCase() ? domain : ascii}`
  return email.length > MAX_ADDRESS ? null : { email, norm: email.toLowerCase() }
}

/**
 * Parses an address that an identity provider vouches for. Apart from case, it must be written as it is stored,
 * because two spellings that are equal here may be two people at the provider.
 */
export function parseVouchedEmail(text: string): EmailAddress | null {
  const address = parseEmail(text)
  if (!address || text !== text.normalize('NFKC')) return null
  const [local, domain = ''] = address.norm.split('@')
  const [said, at] = text.toLowerCase().split('@')
  return said === local && (at === domain || at === domainToUnicode(domain)) ? address : null
}

/** Whether an address, in the form for comparison, belongs to one of these domains. */
export function isOfDomain(emailNorm: string, domains: readonly string[]): boolean {
  const domain = emailNorm.slice(emailNorm.lastIndexOf('@') + 1)
  return domains.some((each) => domainToASCII(each) === domain)
}

/** Parses an address in a request. Throws `invalid_request`, naming the field. */
export function requireEmail(text: string, field = 'email'): EmailAddress {
  const address = parseEmail(text)
  if (address) return address
  throw invalidField(field, 'email', `${field} must be a single email address, without a display name`)
}

/** Returns the domain in ASCII and lower case (IDNA, UTS #46), or null. */
function readDomain(domain: string): string | null {
  // Checked before the conversion, which would read `%2e` and addresses such as `0x7f.1` like the host of a URL.
  if (domain.split('.').some((label) => !NON_ASCII.test(label) && !LABEL.test(label))) return null
  const ascii = domainToASCII(domain)
  const labels = ascii.split('.')
  const top = labels.at(-1) ?? ''
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null
  // Malformed punycode passes the conversion, and lenient decoders turn it into other characters, including `@`.
  const unicode = domainToUnicode(ascii)
  if (unicode.includes('xn--') || domainToASCII(unicode) !== ascii) return null
  // Resolvers treat a domain with a numeric last label as an IPv4 address.
  return /^(\d+|0x[\da-f]*)$/.test(top) ? null : ascii
}

/**
 * A hint such as `a•••@example.com`. It is derived only from the input and has a fixed number of bullets, so it
 * reveals neither whether a user has the address nor how long the address is.
 */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, Math.min(1, Math.max(at, 0)))}•••${at < 0 ? '' : email.slice(at)}`
}

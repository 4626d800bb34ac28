import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { getDomain, getPublicSuffix } from 'tldts'
import { invalidField } from '../../../platform/errors.ts'
import { RECORD_PREFIX } from './challenge.ts'
import { domainErrors } from './errors.ts'
import { PUBLIC_MAIL } from './public-mail.ts'

// The name of the DNS record is longer than the domain, and must still be a valid DNS name (RFC 1035 §2.3.4).
const MAX_LENGTH = 253 - `${RECORD_PREFIX}.`.length
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
// Domains below which others can register names, such as github.io, count as public suffixes, too.
const SUFFIXES = { allowPrivateDomains: true }

/**
 * Normalizes a domain to ASCII and lower case. Throws `invalid_request` if it is not a domain name, and
 * `domain_not_allowed` if no organization can own it.
 */
export function readDomain(text: string): string {
  const wrong = faultOf(text)
  if (wrong !== null) throw invalid(wrong)
  const name = domainToASCII(text)
  if (isIP(name)) throw invalid('an IP address is no domain')
  const labels = name.split('.')
  // `domainToUnicode` returns invalid Punycode unchanged.
  const isReadable = !/(^|\.)xn--/.test(domainToUnicode(name))
  if (!isReadable || !labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1) ?? ''))
    throw invalid('it is no domain name, such as acme.com')
  if (labels.length === 1) throw invalid('one word alone is no domain: give it with its ending, such as acme.com')
  if (name.length > MAX_LENGTH) throw invalid(`it is longer than ${MAX_LENGTH} characters`)
  refuseShared(name)
  return name
}

/** Why the text cannot be a domain, from its characters alone; null if it may be one. */
function faultOf(text: string): string | null {
  if (text.includes('://')) return 'give the name alone, without a scheme such as https://'
  if (text.includes('@')) return 'give what follows the @ of an address alone'
  if (text.includes('*')) return 'a wildcard is not possible: give the domain itself'
  if (isIP(text.replace(/^\[(.*)\]$/, '$1'))) return 'an IP address is no domain'
  if (text.includes(':')) return 'give the name alone, without a port'
  if (/[/?#\\]/.test(text)) return 'give the name alone, without a path'
  if (/[.\u3002\uff0e\uff61]$/.test(text)) return 'leave out the dot at the end'
  // Checked here because `domainToASCII` would decode or drop these characters.
  if (/[%\s\p{Cc}\p{Cf}]/u.test(text)) return 'it has characters that no domain has'
  return null
}

function invalid(reason: string) {
  return invalidField('domain', 'domain', `domain: ${reason}`)
}

function refuseShared(name: string): void {
  if (getPublicSuffix(name, SUFFIXES) === name)
    throw domainErrors.notAllowed({
      detail: `Anyone can register names below ${name}. Send a domain that the organization owns.`,
    })
  const registered = getDomain(name, SUFFIXES) ?? name
  if (PUBLIC_MAIL.has(registered))
    throw domainErrors.notAllowed({
      detail: `Anyone can have an address at ${registered}. Send a domain that the organization owns.`,
    })
}

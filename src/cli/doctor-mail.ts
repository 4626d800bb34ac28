import { createPublicKey } from 'node:crypto'
import { getDomain } from 'tldts'
import type { Config } from '../platform/config/config.ts'
import { domainOf, readSender } from '../platform/mail/sender.ts'
import { lookUpTxt } from '../platform/outbound/dns.ts'

interface Finding {
  check: string
  state: 'ok' | 'warning'
  detail: string
}

/** Domains that mail servers neither send from nor deliver to (RFC 2606, RFC 6761, RFC 6762). */
const RESERVED = /(^|\.)(test|example|invalid|localhost|local|internal|example\.(com|net|org))$/

/**
 * Checks the DNS records of the domain that mails are sent from: SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489).
 * Other mail servers use them to decide whether to accept the mails.
 */
export async function examineMailDomain(config: Config): Promise<Finding[]> {
  if (config.smtpUrl === null) return []
  const domain = domainOf(readSender(config.mailFrom).address)
  if (RESERVED.test(domain)) {
    const detail = `Not checked: ${domain} is for tests, and no mail server accepts mails from it.`
    return [{ check: 'mail domain', state: 'ok', detail }]
  }
  const look = (name: string) => lookUpTxt({ config, strict: false }, name)
  return Promise.all([
    examineSpf(look, domain),
    examineDkim(look, domain, config.mailDkimSelector),
    examineDmarc(look, domain),
  ])
}

type Look = (name: string) => ReturnType<typeof lookUpTxt>

const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail })
const warn = (check: string, detail: string): Finding => ({ check, state: 'warning', detail })
const unanswered = (check: string, name: string) =>
  warn(check, `The DNS does not answer for the TXT records of ${name}: try again, or check WATCHWORD_DNS_SERVER.`)

async function examineSpf(look: Look, domain: string): Promise<Finding> {
  const check = 'SPF'
  const { texts } = await look(domain)
  if (texts === null) return unanswered(check, domain)
  const [record, ...more] = texts.filter((text) => /^v=spf1( |$)/i.test(text))
  if (record === undefined)
    return warn(check, `${domain} has no TXT record v=spf1: add the one that your mail provider names.`)
  // RFC 7208 §4.5: a permanent error.
  if (more.length > 0)
    return warn(check, `${domain} has ${more.length + 1} TXT records v=spf1, so none counts: merge them into one.`)
  if (/\s\+?all(\s|$)/i.test(record))
    return warn(
      check,
      `The SPF record of ${domain} ends in +all, which lets every server send for it: use ~all or -all.`,
    )
  if (/\s\?all(\s|$)/i.test(record))
    return warn(
      check,
      `The SPF record of ${domain} ends in ?all, which says nothing about other servers: use ~all or -all.`,
    )
  // RFC 7208 §4.6: without any of these, no server is allowed to send.
  if (!/\s[+?~]?(a|mx|ptr|ip4|ip6|include|exists)([:/\s]|$)|\sredirect=/i.test(record))
    return warn(check, `The SPF record of ${domain} lets no server send for it: add the servers of your mail provider.`)
  return ok(check, `${domain} has one record.`)
}

async function examineDkim(look: Look, domain: string, selector: string | null): Promise<Finding> {
  const check = 'DKIM'
  if (selector === null)
    return warn(
      check,
      'Not checked: set WATCHWORD_MAIL_DKIM_SELECTOR to the selector that your mail server signs with (s= in DKIM-Signature of a mail).',
    )
  const name = `${selector}._domainkey.${domain}`
  const { texts } = await look(name)
  if (texts === null) return unanswered(check, name)
  const tags = texts.map((text) => readTags(text)).find((found) => found.has('p'))
  const key = tags?.get('p')
  if (tags === undefined || key === undefined)
    return warn(check, `${name} has no key: add the record that your mail provider names.`)
  // RFC 6376 §3.6.1
  if (key === '') return warn(check, `The key at ${name} is revoked (p= is empty): set another selector, or add a key.`)
  const problem = findKeyProblem(key, tags.get('k') ?? 'rsa')
  if (problem !== null) return warn(check, `The key at ${name} ${problem}.`)
  // RFC 6376 §3.6.1
  if (tags.get('t')?.split(':').includes('y'))
    return warn(check, `The key at ${name} says t=y: other servers may ignore the signature. Remove it.`)
  return ok(check, `${name} has a key.`)
}

const LEAST_RSA_BITS = 2048
const ED25519_BYTES = 32

function findKeyProblem(key: string, type: string): string | null {
  const bytes = Buffer.from(key, 'base64')
  // RFC 8463 §3
  if (type.toLowerCase() === 'ed25519') return bytes.length === ED25519_BYTES ? null : 'cannot be read: set it anew'
  const whole = bitsOf(bytes, 'spki')
  // RFC 6376 §3.6.1 names this form, but servers such as OpenDKIM read only the other form.
  const bits = whole ?? bitsOf(bytes, 'pkcs1')
  if (bits === null) return 'cannot be read: set it anew'
  // RFC 8301 §3.2
  if (bits < LEAST_RSA_BITS) return `has ${bits} bits: use one of ${LEAST_RSA_BITS}`
  if (whole !== null) return null
  return 'is an RSAPublicKey (PKCS #1), which some mail servers cannot read: publish it as `openssl rsa -pubout` writes it'
}

function bitsOf(key: Buffer, type: 'spki' | 'pkcs1'): number | null {
  try {
    return createPublicKey({ key, format: 'der', type }).asymmetricKeyDetails?.modulusLength ?? 0
  } catch {
    return null
  }
}

async function examineDmarc(look: Look, domain: string): Promise<Finding> {
  const check = 'DMARC'
  // RFC 7489 §6.6.3: without its own record, the domain uses the record of the registered domain.
  for (const named of new Set([domain, getDomain(domain) ?? domain])) {
    const name = `_dmarc.${named}`
    const { texts } = await look(name)
    if (texts === null) return unanswered(check, name)
    const records = texts.filter((text) => /^v=DMARC1\s*(;|$)/.test(text))
    if (records.length > 1) return warn(check, `${name} has ${records.length} records, so none counts: keep one.`)
    const [record] = records
    if (record !== undefined) return checkPolicy(check, name, policyOf(readTags(record), named === domain))
  }
  return warn(
    check,
    `_dmarc.${domain} has no TXT record: add one, such as v=DMARC1; p=none; rua=mailto:dmarc@${domain}`,
  )
}

/** The tag that applies: `sp` for domains below the one with the record (RFC 7489 §6.3). */
function policyOf(tags: Map<string, string>, isOwn: boolean): { tag: string; policy: string } {
  const tag = !isOwn && tags.has('sp') ? 'sp' : 'p'
  return { tag, policy: tags.get(tag) ?? '' }
}

function checkPolicy(check: string, name: string, { tag, policy }: { tag: string; policy: string }): Finding {
  if (['quarantine', 'reject'].includes(policy.toLowerCase())) return ok(check, `${name} says ${tag}=${policy}.`)
  if (policy.toLowerCase() === 'none')
    return ok(
      check,
      `${name} says ${tag}=none: forged mails are reported, not refused. Use ${tag}=quarantine once reports are clean.`,
    )
  return warn(check, `${name} has no valid policy: set ${tag} to none, quarantine or reject.`)
}

/** Reads the tags of a record, such as `v=DKIM1; p=…`, by name. */
function readTags(text: string): Map<string, string> {
  return new Map(
    text.split(';').flatMap((tag) => {
      const [, name = '', value = ''] = /^\s*([a-z]+)\s*=\s*(.*?)\s*$/is.exec(tag) ?? []
      return name === '' ? [] : [[name.toLowerCase(), value.replaceAll(/\s/g, '')] as const]
    }),
  )
}

import { domainToASCII } from 'node:url'
import { type Config, ConfigError } from '../config/config.ts'
import { parseEmail } from './address.ts'

export interface Sender {
  name: string
  address: string
}

/** Parses `Acme <login@acme.com>` or a bare address. Throws ConfigError. */
export function readSender(text: string): Sender {
  const named = /^"?([^"<>\r\n]*?)"?\s*<([^<>\s]+)>$/.exec(text)
  const address = named?.[2] ?? text
  if (!/^[^\s@<>",;:()]+@[^\s@<>",;:()]+$/.test(address))
    throw new ConfigError(`WATCHWORD_MAIL_FROM is ${text}: use a sender such as Acme <login@acme.com>.`)
  return { name: named?.[1] ?? '', address }
}

/** The domain of an address in ASCII and lower case. */
export function domainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1))
}

/**
 * Whether mails may show the address as their sender. The mail server signs only for the deployment's own domain
 * (DMARC, RFC 7489 §3.1). This also prevents a tenant from pretending to be another company.
 */
export function maySendAs(config: Config, address: string): boolean {
  return domainOf(address) === domainOf(readSender(config.mailFrom).address)
}

/**
 * The sender that a mail shows, given the directory's settings. An address that this deployment may not use, or may no
 * longer use, is replaced by the deployment's own.
 */
export function senderOf(config: Config, from: { name: string | null; address: string | null }): Sender {
  const own = readSender(config.mailFrom)
  const address = from.address === null ? null : parseEmail(from.address)
  const allowed = address !== null && maySendAs(config, address.email)
  return { name: from.name ?? own.name, address: allowed ? address.email : own.address }
}

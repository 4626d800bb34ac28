import { deflateRawSync } from 'node:zlib'
import { brandOf } from '../../../platform/mail/brand.ts'
import { acceptedLocales, chooseLanguage } from '../../../platform/messages/language.ts'
import type { RenderedPage } from '../../../platform/pages/card.ts'
import { renderFormPage } from '../../../platform/pages/form-page.ts'
import type { Work } from '../../../platform/work.ts'
import { signQuery, writeQuery } from '../xml/query-signatures.ts'
import type { SigningPair } from './metadata.ts'
import { signMessage } from './threads.ts'

/** A message on its way to a provider. */
export interface OutgoingMessage {
  /** The name of the field that has the message. */
  field: 'SAMLRequest' | 'SAMLResponse'
  xml: string
  relayState: string | null
  /** Null: the message is not signed. */
  pair: SigningPair | null
}

/** The URL of a provider with a message in the query (SAML bindings §3.4). */
export function redirectUrl(target: string, { field, xml, relayState, pair }: OutgoingMessage): string {
  const fields: [string, string][] = [[field, deflateRawSync(xml).toString('base64')]]
  if (relayState !== null) fields.push(['RelayState', relayState])
  const url = new URL(target)
  url.hash = ''
  const query = pair ? signQuery(fields, pair.privateKeyPem) : writeQuery(fields)
  return `${url.href}${url.search === '' ? '?' : '&'}${query}`
}

/** The fields of a form that sends a message (SAML bindings §3.5). */
export async function postFields(
  work: Pick<Work, 'platform' | 'directory'>,
  { field, xml, relayState, pair }: OutgoingMessage,
): Promise<[string, string][]> {
  const signed = pair ? await signMessage(work, xml, pair) : xml
  const fields: [string, string][] = [[field, Buffer.from(signed).toString('base64')]]
  return relayState === null ? fields : [...fields, ['RelayState', relayState]]
}

type PageWork = Pick<Work, 'platform' | 'directory'> & { acceptLanguage?: string }

/** The brand and language of a page whose user is not known yet: the language of the organization or of the browser. */
export async function brandAndLanguage({ platform, directory, acceptLanguage = '' }: PageWork) {
  const language = chooseLanguage(directory.locale, ...acceptedLocales(acceptLanguage))
  return { brand: await brandOf({ platform, directory }), language }
}

/** The page with a form that sends a logout message to a provider. */
export async function logoutPage(work: PageWork, target: string, message: OutgoingMessage): Promise<RenderedPage> {
  return renderFormPage(await brandAndLanguage(work), {
    target,
    fields: await postFields(work, message),
    purpose: 'signOut',
  })
}

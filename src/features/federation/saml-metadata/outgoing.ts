import { deflateRawSync } from 'node:zlib'
import { brandOf } from '../../../platform/mail/brand.ts'
import { acceptedLocales, chooseLanguage } from '../../../platform/messages/language.ts'
import { renderFormPage } from '../../../platform/pages/form-page.ts'
import type { RenderedPage } from '../../../platform/pages/page-layout.ts'
import type { Work } from '../../../platform/work.ts'
import { signQuery, writeQuery } from '../xml/query-signatures.ts'
import type { SigningPair } from './metadata.ts'
import { signMessage } from './threads.ts'

/** A message on its way to a provider. */
export interface OutgoingMessage {
  /** The field that has it. */
  field: 'SAMLRequest' | 'SAMLResponse'
  xml: string
  relayState: string | null
  /** Null: it is not signed. */
  pair: SigningPair | null
}

/** The address that takes a message along in its query (SAML bindings §3.4). */
export function redirectUrl(target: string, { field, xml, relayState, pair }: OutgoingMessage): string {
  const fields: [string, string][] = [[field, deflateRawSync(xml).toString('base64')]]
  if (relayState !== null) fields.push(['RelayState', relayState])
  const url = new URL(target)
  url.hash = ''
  const query = pair ? signQuery(fields, pair.privateKeyPem) : writeQuery(fields)
  return `${url.href}${url.search === '' ? '?' : '&'}${query}`
}

/** The fields of a form that takes a message along (SAML bindings §3.5). */
export async function postFields(
  work: Pick<Work, 'platform' | 'directory'>,
  { field, xml, relayState, pair }: OutgoingMessage,
): Promise<[string, string][]> {
  const signed = pair ? await signMessage(work, xml, pair) : xml
  const fields: [string, string][] = [[field, Buffer.from(signed).toString('base64')]]
  return relayState === null ? fields : [...fields, ['RelayState', relayState]]
}

type PageWork = Pick<Work, 'platform' | 'directory'> & { acceptLanguage?: string }

/** The brand of a page for a browser of which no person is known yet, and the language of the organization or the browser. */
export async function brandAndLanguage({ platform, directory, acceptLanguage = '' }: PageWork) {
  const language = chooseLanguage(directory.locale, ...acceptedLocales(acceptLanguage))
  return { brand: await brandOf({ platform, directory }), language }
}

/** The page that takes a message of a logout to a provider in a form. */
export async function logoutPage(work: PageWork, target: string, message: OutgoingMessage): Promise<RenderedPage> {
  return renderFormPage(await brandAndLanguage(work), {
    target,
    fields: await postFields(work, message),
    purpose: 'signOut',
  })
}

import { deflateRawSync } from 'node:zlib'
import { signQuery, writeQuery } from '../../platform/xml/query-signatures.ts'
import { signMessage } from './signature.ts'

/** What signs for the service. */
export interface SigningPair {
  certificatePem: string
  privateKeyPem: string
}

/** A message on its way to a provider. */
export interface Outgoing {
  /** The field that has it. */
  field: 'SAMLRequest' | 'SAMLResponse'
  xml: string
  relayState: string | null
  /** Null: it is not signed. */
  pair: SigningPair | null
}

/** The address that takes a message along in its query (SAML bindings §3.4). */
export function redirectUrl(target: string, { field, xml, relayState, pair }: Outgoing): string {
  const fields: [string, string][] = [[field, deflateRawSync(xml).toString('base64')]]
  if (relayState !== null) fields.push(['RelayState', relayState])
  const url = new URL(target)
  url.hash = ''
  const query = pair ? signQuery(fields, pair.privateKeyPem) : writeQuery(fields)
  return `${url.href}${url.search === '' ? '?' : '&'}${query}`
}

/** The fields of a form that takes a message along (SAML bindings §3.5). */
export async function postFields({ field, xml, relayState, pair }: Outgoing): Promise<[string, string][]> {
  const signed = pair ? await signMessage(xml, pair) : xml
  const fields: [string, string][] = [[field, Buffer.from(signed).toString('base64')]]
  return relayState === null ? fields : [...fields, ['RelayState', relayState]]
}

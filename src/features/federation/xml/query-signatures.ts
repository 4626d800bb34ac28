import { createSign } from 'node:crypto'
import { RSA_SHA1, RSA_SHA256, RSA_SHA512 } from './names.ts'
import { XmlRefusal } from './refusal.ts'
import { findSigner, type SignedOctets } from './signers.ts'

const QUERY_METHODS = [RSA_SHA256, RSA_SHA512]

/** A signed query (SAML bindings §3.4.4.1). The signature covers the octets exactly as they are sent. */
export function signQuery(fields: [string, string][], privateKeyPem: string): string {
  const signed = writeQuery([...fields, ['SigAlg', RSA_SHA256]])
  const signature = createSign('RSA-SHA256').update(signed).sign(privateKeyPem, 'base64')
  return `${signed}&${writeQuery([['Signature', signature]])}`
}

/** Writes a query with these fields, in this order. */
export function writeQuery(fields: [string, string][]): string {
  return fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
}

/** Verifies the signature of a query. `octets` is the result of `signedOctets`. Throws XmlRefusal. */
export function verifyQuery(
  { octets, ...signature }: Omit<SignedOctets, 'octets'> & { octets: string | null },
  certificates: string[],
  allowSha1: boolean,
): void {
  if (octets === null)
    throw new XmlRefusal('malformed', 'The query writes the name of a field in another way than the signature covers.')
  const signed = { ...signature, octets }
  if (!(allowSha1 ? [...QUERY_METHODS, RSA_SHA1] : QUERY_METHODS).includes(signed.algorithm))
    throw new XmlRefusal('algorithm', 'The query is signed by an algorithm that is not accepted.')
  if (findSigner(signed, certificates) === null)
    throw new XmlRefusal('signature', 'The signature does not fit any certificate of the connection.')
}

/**
 * The octets of a query that its signature covers (SAML bindings §3.4.4.1): the signed fields exactly as received, in
 * this order. Null if any field name is percent-encoded, because the query parser would decode this name and use a
 * field that the signature does not cover.
 */
export function signedOctets(query: string, field: 'SAMLRequest' | 'SAMLResponse'): string | null {
  const fields = query.split('&')
  if (fields.some((one) => /^[^=]*%/.test(one))) return null
  const find = (name: string) => fields.find((field) => field.startsWith(`${name}=`))
  return [field, 'RelayState', 'SigAlg']
    .map(find)
    .filter((field) => field !== undefined)
    .join('&')
}

import type { Signed } from '../xml/canonical.ts'
import { decryptElement } from '../xml/decryption.ts'
import { type Message, parseMessage, readUtf8 } from '../xml/message.ts'
import { attributeOf, onlyChild, type XmlElement } from '../xml/read.ts'
import { ns, SUCCESS } from '../xml/saml-names.ts'
import { signatureOf } from '../xml/signatures.ts'
import { type Assertion, checkInResponseTo, checkIssuer, type Expected, readAssertion, shown } from './assertion.ts'
import { SamlRefusal } from './refusal.ts'
import { verifySigned } from './signature.ts'
import { checkResponseStructure, checkSoleStructure } from './structure.ts'

/** What a connection trusts and requires. */
export interface Trust {
  /** The provider's certificates (PEM). Any of them may have signed. */
  certificates: string[]
  /** This service's private keys (PEM). Any of them may decrypt. */
  decryptionKeys: string[]
  allowSha1: boolean
  /** Whether to refuse an assertion that was not encrypted. */
  requireEncryption: boolean
}

/**
 * Checks a response and reads its assertion from the signed bytes only. Data outside of them is compared if it is
 * present, but never trusted. Throws SamlRefusal.
 */
export async function readResponse({ text, root }: Message, expected: Expected, trust: Trust): Promise<Assertion> {
  checkResponseStructure(root, trust)
  checkEnvelope(root, expected)
  const outer = signatureOf(root) ? await verifySigned(text, 'document', root, trust.certificates) : null
  // Parsed again, since only these bytes were signed.
  if (outer) checkEnvelope(outer.root, expected)
  const { which, message, assertion } = openAssertion(outer ?? { text, root }, trust)
  if (!signatureOf(assertion)) {
    if (!outer) throw new SamlRefusal('not_signed', 'Neither the response nor the assertion is signed.')
    return readAssertion(assertion, expected, trust.decryptionKeys)
  }
  const signed = await verifySigned(message.text, which, assertion, trust.certificates)
  return readAssertion(signed.root, expected, trust.decryptionKeys)
}

/** The assertion of a response, decrypted if necessary, and the message that contains it. */
function openAssertion(response: Message, trust: Trust): { which: Signed; message: Message; assertion: XmlElement } {
  const plain = onlyChild(response.root, ns.assertion, 'Assertion')
  if (plain && trust.requireEncryption)
    throw new SamlRefusal('not_encrypted', 'The assertion is not encrypted, which the connection requires.')
  if (plain) return { which: 'assertion', message: response, assertion: plain }
  const encrypted = onlyChild(response.root, ns.assertion, 'EncryptedAssertion')
  if (!encrypted) throw new SamlRefusal('structure', 'The response has no assertion.')
  const message = parseMessage(readUtf8(decryptElement(encrypted, trust.decryptionKeys)))
  const { namespace, name } = message.root
  if (namespace !== ns.assertion || name !== 'Assertion')
    throw new SamlRefusal('structure', 'What was encrypted is no assertion.')
  checkSoleStructure(message.root, trust)
  return { which: 'document', message, assertion: message.root }
}

function checkEnvelope(response: XmlElement, expected: Expected): void {
  if (attributeOf(response, 'Version') !== '2.0')
    throw new SamlRefusal('structure', 'The response is not one of SAML 2.0.')
  checkStatus(response)
  checkIssuer(response, expected)
  checkInResponseTo(response, expected)
  const destination = attributeOf(response, 'Destination')
  if (destination === null || !expected.acsUrls.includes(destination))
    throw new SamlRefusal(
      'destination',
      `The destination is ${shown(destination)}, and not ${shown(expected.acsUrls[0])}.`,
    )
}

// `RequestDenied`: "Able to process the request but has chosen not to respond" (SAML core §3.2.2.2), for example if
// the user cancels. `AuthnFailed` does not show that the user canceled, since it may have any cause.
const REQUEST_DENIED = 'urn:oasis:names:tc:SAML:2.0:status:RequestDenied'

/**
 * Throws SamlRefusal with the status codes if the provider did not sign a user in, or did not do what the request
 * asked.
 */
export function checkStatus(message: XmlElement): void {
  const status = onlyChild(message, ns.protocol, 'Status')
  const code = status && onlyChild(status, ns.protocol, 'StatusCode')
  const value = code && attributeOf(code, 'Value')
  if (value === SUCCESS) return
  const second = code && onlyChild(code, ns.protocol, 'StatusCode')
  const text = status && onlyChild(status, ns.protocol, 'StatusMessage')?.text
  const said = [value, second && attributeOf(second, 'Value'), text].filter((one) => typeof one === 'string')
  // Refusals need not be signed, so anyone can send one. Its text is therefore shortened to one line, which says that
  // the response may be unsigned.
  const line = said
    .join(', ')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .slice(0, 500)
  throw new SamlRefusal(
    said.includes(REQUEST_DENIED) ? 'denied' : 'status',
    `The response, which may be unsigned, answered: ${line}`,
  )
}

import { elementsOf, onlyChild, type XmlElement } from '../xml/read.ts'
import { ns } from '../xml/saml-names.ts'
import { checkSignatures, type SignatureRules } from '../xml/signatures.ts'
import { SamlRefusal } from './refusal.ts'

/**
 * Refuses every structure in which a signature could cover elements other than the ones that are read (XML signature
 * wrapping). There may be one assertion, directly in the response. Only the response and the assertion may be signed,
 * and each signature must have one reference, to its own parent. Throws SamlRefusal.
 */
export function checkResponseStructure(root: XmlElement, rules: SignatureRules): void {
  if (root.namespace !== ns.protocol || root.name !== 'Response') throw misshapen('it is no response')
  const isKnown = (child: XmlElement) =>
    (child.namespace === ns.assertion && /^(Issuer|Assertion|EncryptedAssertion)$/.test(child.name)) ||
    (child.namespace === ns.signature && child.name === 'Signature') ||
    (child.namespace === ns.protocol && child.name === 'Status')
  if (!root.children.every(isKnown)) throw misshapen('the response has an element that is not known')
  if (!onlyChild(root, ns.protocol, 'Status')) throw misshapen('the response has not one status')
  const all = elementsOf(root)
  const assertions = all.filter(({ name }) => name === 'Assertion' || name === 'EncryptedAssertion')
  const [assertion] = assertions
  if (assertions.length > 1) throw misshapen('it has several assertions')
  if (assertion && !root.children.includes(assertion)) throw misshapen('the assertion is elsewhere')
  checkSignatures(all, assertion ? [root, assertion] : [root], rules)
}

/**
 * Checks a document that is a single signed element, such as a decrypted assertion or a logout message. Throws
 * SamlRefusal.
 */
export function checkSoleStructure(root: XmlElement, rules: SignatureRules): void {
  const all = elementsOf(root)
  const assertions = all.filter((one) => one !== root && /^(Encrypted)?Assertion$/.test(one.name))
  if (assertions.length > 0) throw misshapen('it has several assertions')
  checkSignatures(all, [root], rules)
}

function misshapen(why: string): SamlRefusal {
  return new SamlRefusal('structure', `The message is not built as it should be: ${why}.`)
}

import { elementsOf, onlyChild, type XmlElement } from '../xml/read.ts'
import { ns } from '../xml/saml-names.ts'
import { checkSignatures, type SignatureRules } from '../xml/signatures.ts'
import { SamlRefusal } from './refusal.ts'

/**
 * Refuses every shape in which a signature could cover something else than what is read (XML signature wrapping): one
 * assertion at the one place for it, no signature but those of the response and of the assertion, each with one
 * reference, to its own parent. Throws SamlRefusal.
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

/** The same for a document that is one signed element: a decrypted assertion, or a message of a logout. */
export function checkSoleStructure(root: XmlElement, rules: SignatureRules): void {
  const all = elementsOf(root)
  const assertions = all.filter((one) => one !== root && /^(Encrypted)?Assertion$/.test(one.name))
  if (assertions.length > 0) throw misshapen('it has several assertions')
  checkSignatures(all, [root], rules)
}

function misshapen(why: string): SamlRefusal {
  return new SamlRefusal('structure', `The message is not built as it should be: ${why}.`)
}

import { readQueried } from '../xml/message.ts'
import { attributeOf, onlyChild, trimXml } from '../xml/read.ts'
import { XmlRefusal } from '../xml/refusal.ts'
import { ns } from '../xml/saml-names.ts'

// Runs only in the threads of the message pool.

/** The content of a service provider's request (SAML core §3.2.1). */
export interface ReadRequest {
  /** `AuthnRequest` or `LogoutRequest`. */
  name: string
  id: string
  issuer: string
  acsUrl: string | null
  /** The name of the requested person. */
  nameId: string | null
}

/** Reads the `SAMLRequest` of a query. Null if it is not a request. */
export function readRequest(text: string): ReadRequest | null {
  try {
    const { root } = readQueried(text)
    const id = attributeOf(root, 'ID')
    const issuer = onlyChild(root, ns.assertion, 'Issuer')
    if (root.namespace !== ns.protocol || id === null || !issuer) return null
    const subject = onlyChild(root, ns.assertion, 'Subject')
    const nameId = subject && onlyChild(subject, ns.assertion, 'NameID')
    return {
      name: root.name,
      id,
      issuer: trimXml(issuer.text),
      acsUrl: attributeOf(root, 'AssertionConsumerServiceURL'),
      nameId: nameId && trimXml(nameId.text),
    }
  } catch (error) {
    if (error instanceof XmlRefusal) return null
    throw error
  }
}

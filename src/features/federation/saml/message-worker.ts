import type { NameId } from '../saml-metadata/saml-metadata.ts'
import { type Message, readPosted, readQueried, SHORT_MESSAGE } from '../xml/message.ts'
import { verifyQuery } from '../xml/query-signatures.ts'
import { attributeOf, type XmlElement } from '../xml/read.ts'
import { ns } from '../xml/saml-names.ts'
import { signatureOf } from '../xml/signatures.ts'
import { toVerdict, type Verdict } from '../xml/verdict.ts'
import { type Assertion, type Expected, readNameId } from './assertion.ts'
import type { PostedLogout } from './posted-logout.ts'
import { SamlRefusal } from './refusal.ts'
import { readResponse, type Trust } from './response.ts'
import { verifySigned } from './signature.ts'
import { checkSoleStructure } from './structure.ts'

// Runs only in the threads of the message pool: parsing, canonicalizing, verifying and decrypting a provider's
// message takes up to half a second of CPU time.

/** Judges a posted response. */
export function verifyResponse({
  response,
  expected,
  trust,
}: {
  response: string
  expected: Expected
  trust: Trust
}): Promise<Verdict<Assertion>> {
  return toVerdict(() => readResponse(readPosted(response), expected, trust))
}

export interface LogoutTask extends Pick<PostedLogout, 'message' | 'query'> {
  name: 'LogoutRequest' | 'LogoutResponse'
  trust: Trust
}

/** Verifies a logout message. For a request, also reads the NameID. */
export function verifyLogout({
  trust,
  ...posted
}: LogoutTask): Promise<Verdict<{ root: XmlElement; nameId: NameId | null }>> {
  return toVerdict(async () => {
    const root = await verified(trust, posted)
    return { root, nameId: posted.name === 'LogoutRequest' ? readNameId(root, trust.decryptionKeys) : null }
  })
}

/** The verified message. Either the message itself is signed, or the query that contains it. */
async function verified({ certificates, allowSha1 }: Trust, posted: Omit<LogoutTask, 'trust'>): Promise<XmlElement> {
  const message: Message = posted.query
    ? readQueried(posted.message, SHORT_MESSAGE)
    : readPosted(posted.message, SHORT_MESSAGE)
  const { root } = message
  if (root.namespace !== ns.protocol || root.name !== posted.name || attributeOf(root, 'Version') !== '2.0')
    throw new SamlRefusal('structure', `It is no ${posted.name}.`)
  checkSoleStructure(root, { allowSha1 })
  if (posted.query) {
    verifyQuery(posted.query, certificates, allowSha1)
    return root
  }
  if (!signatureOf(root)) throw new SamlRefusal('not_signed', 'The message is not signed.')
  return (await verifySigned(message.text, 'document', root, certificates)).root
}

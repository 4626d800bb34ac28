import { type Message, readPosted, readQueried, SHORT_MESSAGE } from '../../platform/xml/message.ts'
import { verifyQuery } from '../../platform/xml/query-signatures.ts'
import { attributeOf, type XmlElement } from '../../platform/xml/read.ts'
import { signatureOf } from '../../platform/xml/signatures.ts'
import type { KnownConnection } from '../connections/connections.ts'
import { ns } from '../descriptors/descriptors.ts'
import { checkIssuer, checkWindow, timeOf } from './assertion.ts'
import { expectedOf, spellingsOf, trustOf } from './partner.ts'
import { SamlRefusal } from './refusal.ts'
import type { Trust } from './response.ts'
import { verifySigned } from './signature.ts'
import { checkSoleStructure } from './structure.ts'

/** A message of a logout, as a provider has a browser bring it: by a form, or by a query that is signed as it was sent. */
export interface PostedLogout {
  connectionId: string
  message: string
  relayState: string | null
  query: { octets: string | null; algorithm: string; signature: string } | null
}

/** For how long a message is taken after it was made. */
export const MAX_AGE_MS = 300_000

type LogoutWork = Parameters<typeof trustOf>[0]

/**
 * Judges a message of a logout by what both kinds have in common: shape, signature, issuer, address and age. One that is
 * not signed is refused, as is any for a connection without a certificate. Throws XmlRefusal, FederationFailure.
 */
export async function readLogoutMessage(
  work: LogoutWork,
  connection: KnownConnection,
  { name, ...posted }: Pick<PostedLogout, 'message' | 'query'> & { name: 'LogoutRequest' | 'LogoutResponse' },
): Promise<{ root: XmlElement; id: string; issuer: string; issuedAt: number; decryptionKeys: string[] }> {
  const trust = await trustOf(work, connection)
  const root = await verified(trust, { name, ...posted })
  const expected = expectedOf(work.platform, connection)
  const urls = spellingsOf(work.platform, `/v1/auth/login/sso/saml/slo/${connection.id}`)
  const issuer = checkIssuer(root, expected)
  const [id, issuedAt] = [attributeOf(root, 'ID'), timeOf(root, 'IssueInstant')]
  if (issuer === null || id === null || issuedAt === null)
    throw new SamlRefusal('structure', 'The message lacks its issuer, ID or time.')
  if (!urls.includes(attributeOf(root, 'Destination') ?? ''))
    throw new SamlRefusal('destination', 'The message was made for another address.')
  checkWindow('The message', { from: issuedAt, until: issuedAt + MAX_AGE_MS }, expected)
  return { root, id, issuer, issuedAt, decryptionKeys: trust.decryptionKeys }
}

/** What the provider signed: the message itself, or with the query that has it. */
async function verified(
  { certificates, allowSha1 }: Trust,
  posted: Parameters<typeof readLogoutMessage>[2],
): Promise<XmlElement> {
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

import type { KnownConnection } from '../connections/known/known.ts'
import type { NameId } from '../saml-metadata/saml-metadata.ts'
import { attributeOf, type XmlElement } from '../xml/read.ts'
import { checkIssuer, checkWindow, timeOf } from './assertion.ts'
import { expectedOf, spellingsOf, trustOf } from './partner.ts'
import type { PostedLogout } from './posted-logout.ts'
import { SamlRefusal } from './refusal.ts'
import { verifyLogout } from './threads.ts'

/** How old a message may be. */
export const MAX_AGE_MS = 300_000

type LogoutWork = Parameters<typeof trustOf>[0]

/**
 * Checks what logout requests and responses have in common: shape, signature, issuer, address and age. Refuses
 * unsigned messages, and all messages for a connection without a certificate. Throws XmlRefusal, FederationFailure,
 * and `unavailable` if too many messages wait.
 */
export async function readLogoutMessage(
  work: LogoutWork,
  connection: KnownConnection,
  { name, ...posted }: Pick<PostedLogout, 'message' | 'query'> & { name: 'LogoutRequest' | 'LogoutResponse' },
): Promise<{ root: XmlElement; nameId: NameId | null; id: string; issuer: string; issuedAt: number }> {
  const trust = await trustOf(work, connection)
  const { message, query } = posted
  const { root, nameId } = await verifyLogout(work, { name, message, query, trust })
  const expected = expectedOf(work.platform, connection)
  const urls = spellingsOf(work.platform, `/v1/auth/login/sso/saml/slo/${connection.id}`)
  const issuer = checkIssuer(root, expected)
  const [id, issuedAt] = [attributeOf(root, 'ID'), timeOf(root, 'IssueInstant')]
  if (issuer === null || id === null || issuedAt === null)
    throw new SamlRefusal('structure', 'The message lacks its issuer, ID or time.')
  if (!urls.includes(attributeOf(root, 'Destination') ?? ''))
    throw new SamlRefusal('destination', 'The message was made for another address.')
  checkWindow('The message', { from: issuedAt, until: issuedAt + MAX_AGE_MS }, expected)
  return { root, nameId, id, issuer, issuedAt }
}

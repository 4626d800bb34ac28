import type { Work } from '../../../platform/work.ts'
import { hashLogout, keysOfLogout, keysOfSignIn } from '../../access/federated-sessions/federated-sessions.ts'
import type { KnownConnection } from '../connections/known/known.ts'
import type { ProviderLogout } from '../federation/federation.ts'
import { partsOfName } from '../saml-metadata/saml-metadata.ts'
import { type Assertion, MAX_AGE_MS } from './assertion.ts'
import { insertLogoutRows } from './store.ts'

// As long as an assertion may be presented after it was issued, plus the allowed difference of clocks.
const KEPT_MS = MAX_AGE_MS + 120_000

// If a request names more sessions, all sessions of the person end instead, so that one message cannot create a
// thousand rows.
const MAX_SESSIONS = 20

/** Stores a logout for assertions that arrive after it (SAML core §3.7.3.1). */
export async function noteLogout(work: Work, said: ProviderLogout, issuedAt: number): Promise<void> {
  const { names, sessions } = said
  const meant = { names, sessions: sessions.length > MAX_SESSIONS ? [] : [...new Set(sessions)] }
  await insertLogoutRows(work.db, work.directory, {
    connection_id: said.source,
    hashes: keysOfLogout(hashLogout(work, said, meant)),
    expires_at: new Date(issuedAt + KEPT_MS),
  })
}

/** The hashes that invalidate an assertion: its person or session was signed out after it was issued. */
export function signedOutCheck(
  { platform }: Pick<Work, 'platform'>,
  { id }: Pick<KnownConnection, 'id'>,
  { assertion, spEntityId }: { assertion: Assertion; spEntityId: string },
): { hashes: Buffer[]; after: Date } {
  const { issuer, nameId, sessionIndex: session, issuedAt } = assertion
  const named = { name: partsOfName(nameId, { idpEntityId: issuer, spEntityId }), session }
  const hashes = keysOfSignIn(platform.keyring, { source: id, issuer }, named)
  return { hashes, after: new Date(issuedAt.getTime() + KEPT_MS) }
}

import type { UsedBeside } from '../../../platform/joined/proofs.ts'
import type { Work } from '../../../platform/work.ts'
import { sessionSettings } from '../sessions/sessions.ts'
import { type HashedProviderNames, hashNames, type ProviderNames } from './names.ts'
import { federatedSessionCopied, federatedSessionInserted, findFederatedSessionRow } from './store.ts'

/** The link of a session to the session at the provider that it came from. */
export interface FederatedSession extends HashedProviderNames {
  identityId: string
  /** The sealed data that the provider needs for a logout. Null if it needs none. */
  logoutSealed: string | null
  /** When the provider ends the session. Null if the provider sets no end. */
  sessionEndsAt: Date | null
}

// Of the identity: whatever is made of the sign-in, a code, a challenge or a session, has the same.
const place = (accountId: string, identityId: string) => ({
  table: 'federated_sessions',
  column: 'logout_sealed',
  row: identityId,
  accountId,
})

/** A session may begin with a challenge, minutes after the sign-in. */
const MARGIN_SECONDS = 3600
// The hint is part of the URL of a logout, and servers accept URLs of about 8000 characters.
const MAX_HINT = 4096

/**
 * Returns, for a sign-in by an identity, the data that a logout at the provider needs, and the names in a logout that
 * the provider starts.
 */
export async function makeFederatedSession(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  identity: { id: string; source: string; issuer: string },
  {
    logoutHint = '',
    providerNames = {},
    sessionEndsAt = null,
  }: { logoutHint?: string; providerNames?: Partial<ProviderNames>; sessionEndsAt?: Date | null },
): Promise<FederatedSession> {
  const { keyring } = platform
  const isKept = logoutHint !== '' && logoutHint.length <= MAX_HINT
  const sealed = isKept ? keyring.seal(place(directory.accountId, identity.id), logoutHint) : null
  const hashes = hashNames(keyring, identity, providerNames)
  return { identityId: identity.id, logoutSealed: await sealed, ...hashes, sessionEndsAt }
}

/** Writes the link with the session, or with the challenge whose id the session will have. */
export async function insertFederatedSession(work: Work, federated: FederatedSession): Promise<UsedBeside> {
  return federatedSessionInserted({
    federated_identity: federated.identityId,
    federated_logout: federated.logoutSealed,
    federated_name: federated.nameHash,
    federated_session: federated.sessionHash,
    federated_end: federated.sessionEndsAt?.toISOString() ?? null,
    federated_seconds: await retentionSeconds(work),
  })
}

/** Copies the link of a session to a challenge that will replace this session with another. */
export async function copyFederatedSession(work: Work, session: { id: string; method: string }): Promise<UsedBeside[]> {
  const isFederated = session.method === 'sso' || session.method === 'social'
  return isFederated
    ? [federatedSessionCopied({ kept_session: session.id, kept_seconds: await retentionSeconds(work) })]
    : []
}

async function retentionSeconds(work: Work): Promise<number> {
  return (await sessionSettings.effective(work)).session_max_lifetime_seconds + MARGIN_SECONDS
}

/**
 * The identity that a session came from, and the data that the provider needs for a logout. Null for a session of
 * another kind.
 */
export async function findFederatedSession(work: Work, sessionId: string) {
  const { platform, db, directory } = work
  const row = await findFederatedSessionRow(db, directory, sessionId)
  if (!row) return null
  const { identity_id: id, logout_sealed: sealed, ...identity } = row
  const hint = sealed === null ? null : await platform.keyring.open(place(directory.accountId, id), sealed)
  return { ...identity, hint }
}

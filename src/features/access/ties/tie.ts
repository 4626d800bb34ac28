import type { UsedBeside } from '../../../platform/joined/proofs.ts'
import type { Work } from '../../../platform/work.ts'
import { sessionSettings } from '../sessions/sessions.ts'
import { type HashedNames, hashNames, type NamedThere } from './names.ts'
import { findTieRow, sessionTied, tieKept } from './store.ts'

/** What ties a session to the sign-in at a provider that it came from. */
export interface Tie extends HashedNames {
  identityId: string
  /** What the provider takes for a logout, sealed; null where it takes none. */
  logoutSealed: string | null
  /** The end that the provider sets for the session; null for none. */
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
// It travels in the address of a logout, where servers take eight thousand.
const MAX_HINT = 4096

/** For a sign-in by an identity: the data that a logout at the provider needs, and the names in a logout that the provider starts. */
export async function makeTie(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  identity: { id: string; source: string; issuer: string },
  {
    logoutHint = '',
    namedThere = {},
    sessionEndsAt = null,
  }: { logoutHint?: string; namedThere?: Partial<NamedThere>; sessionEndsAt?: Date | null },
): Promise<Tie> {
  const { keyring } = platform
  const isKept = logoutHint !== '' && logoutHint.length <= MAX_HINT
  const sealed = isKept ? keyring.seal(place(directory.accountId, identity.id), logoutHint) : null
  const hashes = hashNames(keyring, identity, namedThere)
  return { identityId: identity.id, logoutSealed: await sealed, ...hashes, sessionEndsAt }
}

/** Writes the tie with the session, or with the challenge whose id the session will have. */
export async function writeTie(work: Work, tie: Tie): Promise<UsedBeside> {
  return sessionTied({
    tied_identity: tie.identityId,
    tied_logout: tie.logoutSealed,
    tied_name: tie.nameHash,
    tied_session: tie.sessionHash,
    tied_end: tie.sessionEndsAt?.toISOString() ?? null,
    tied_seconds: await tieSeconds(work),
  })
}

/** For a challenge by which a session goes on as another one: the tie of the first goes along. */
export async function keepTie(work: Work, session: { id: string; method: string }): Promise<UsedBeside[]> {
  const isFederated = session.method === 'sso' || session.method === 'social'
  return isFederated ? [tieKept({ kept_session: session.id, kept_seconds: await tieSeconds(work) })] : []
}

async function tieSeconds(work: Work): Promise<number> {
  return (await sessionSettings.effective(work)).session_max_lifetime_seconds + MARGIN_SECONDS
}

/** By which identity a session came, and what its provider takes for a logout; null for a session of another kind. */
export async function findTie(work: Work, sessionId: string) {
  const { platform, db, directory } = work
  const row = await findTieRow(db, directory, sessionId)
  if (!row) return null
  const { identity_id: id, logout_sealed: sealed, ...identity } = row
  const hint = sealed === null ? null : await platform.keyring.open(place(directory.accountId, id), sealed)
  return { ...identity, hint }
}

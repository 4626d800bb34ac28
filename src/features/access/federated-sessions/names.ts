import { createHash } from 'node:crypto'
import { hashPurpose, type Keyring } from '../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'

const names = hashPurpose('provider-session')

/** The names that a provider uses for a person and a session, at a sign-in and at a logout. */
export interface ProviderNames {
  /** The parts of the name. */
  name: readonly string[]
  /** Null if the provider does not name the session. */
  session: string | null
}

/** The hashes that are stored instead of the names. */
export interface HashedProviderNames {
  nameHash: Buffer | null
  sessionHash: Buffer | null
}

/** The provider that the names belong to. The same names mean other people at another connection or issuer. */
export interface NamingProvider {
  /** The id of the connection. */
  source: string
  issuer: string
}

export function hashNames(
  keyring: Keyring,
  provider: NamingProvider,
  named: Partial<ProviderNames>,
): HashedProviderNames {
  const hash = (use: string, parts: readonly string[]) =>
    keyedHash(keyring.hashKey(names), use, provider.source, provider.issuer, ...parts)
  const { name, session = null } = named
  return {
    nameHash: name === undefined ? null : hash('name', name),
    sessionHash: session === null ? null : hash('session', [session]),
  }
}

/** The user or session that a logout refers to, as hashes: of a name for all sessions, or of name and session. */
export function keysOfLogout({ names, sessions }: { names: Buffer[]; sessions: Buffer[] }): Buffer[] {
  return sessions.length === 0 ? names : names.flatMap((name) => sessions.map((session) => both(name, session)))
}

/** The keys by which a logout can refer to the session of this sign-in. */
export function keysOfSignIn(keyring: Keyring, provider: NamingProvider, named: ProviderNames): Buffer[] {
  const { nameHash, sessionHash } = hashNames(keyring, provider, named)
  return [nameHash, nameHash && sessionHash && both(nameHash, sessionHash)].filter((key) => key !== null)
}

const both = (name: Buffer, session: Buffer) => createHash('sha256').update(name).update(session).digest()

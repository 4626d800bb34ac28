import { createHash } from 'node:crypto'
import { hashPurpose, type Keyring } from '../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'

const names = hashPurpose('provider-session')

/** How a provider names a person and a session there: at a sign-in, and when it signs them out. */
export interface ProviderNames {
  /** The parts of the name. */
  name: readonly string[]
  /** Null where it does not say. */
  session: string | null
}

/** What is kept of that. */
export interface HashedProviderNames {
  nameHash: Buffer | null
  sessionHash: Buffer | null
}

/** Whose names these are: the same ones mean others at another connection, or of another issuer. */
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

/** Those by which a sign-in would be meant. */
export function keysOfSignIn(keyring: Keyring, provider: NamingProvider, named: ProviderNames): Buffer[] {
  const { nameHash, sessionHash } = hashNames(keyring, provider, named)
  return [nameHash, nameHash && sessionHash && both(nameHash, sessionHash)].filter((key) => key !== null)
}

const both = (name: Buffer, session: Buffer) => createHash('sha256').update(name).update(session).digest()

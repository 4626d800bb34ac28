import { hashPurpose, type Keyring } from '../../../../platform/crypto/keyring.ts'
import {
  ID_LENGTH,
  keyedHash,
  packId,
  randomBase62,
  SECRET_LENGTH,
  sameHash,
  tagOf,
  unpackId,
} from '../../../../platform/crypto/tokens.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'

const states = hashPurpose('federation-state')

/**
 * Shorter than other tags, because a provider need not keep more than 80 bytes of a RelayState (SAML bindings
 * §3.4.3).
 */
const TAG_LENGTH = 11
const BODY_LENGTH = ID_LENGTH + SECRET_LENGTH

/**
 * A token that the browser brings back: its directory, 256 random bits, and a tag. Without a valid tag nothing is
 * looked up.
 */
export function makeToken(keyring: Keyring, directory: Directory): string {
  const body = packId(directory.id) + randomBase62()
  return body + shortTag(keyring, body)
}

/** The directory in a token. Null if this service did not make the token. */
export function directoryOfToken(keyring: Keyring, token: string): string | null {
  if (token.length !== BODY_LENGTH + TAG_LENGTH || !/^[0-9A-Za-z]+$/.test(token)) return null
  const body = token.slice(0, BODY_LENGTH)
  const isOurs = sameHash(Buffer.from(shortTag(keyring, body)), Buffer.from(token.slice(BODY_LENGTH)))
  return isOurs ? unpackId(body.slice(0, ID_LENGTH)) : null
}

/** The stored hash of a token, which depends on the token's use. */
export function hashToken(keyring: Keyring, use: 'state' | 'code', token: string): Buffer {
  return keyedHash(keyring.hashKey(states), use, token)
}

/**
 * Secrets of a sign-in in progress: the OpenID Connect nonce and the PKCE verifier (RFC 7636 §4.1). They are derived
 * from the state instead of stored.
 */
export function secretsOf(keyring: Keyring, state: string): { nonce: string; codeVerifier: string } {
  const derive = (use: string) => keyedHash(keyring.hashKey(states), use, state).toString('base64url')
  return { nonce: derive('nonce'), codeVerifier: derive('verifier') }
}

const shortTag = (keyring: Keyring, body: string) => tagOf(keyring.hashKey(states), body).slice(0, TAG_LENGTH)

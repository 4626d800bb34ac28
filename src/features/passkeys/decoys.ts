import { keyedHash } from '../../platform/crypto/tokens.ts'
import type { Work } from '../../platform/work.ts'
import type { Descriptor } from './schema.ts'

/** How long the credential ids of common authenticators are. */
const ID_BYTES = [20, 32, 32, 16, 64]

/**
 * Passkeys that nobody has, for an address that has none (WebAuthn L3 §14.6.2): one, seldom two, the same whenever the
 * address is asked about and on every process, and another in every directory.
 */
export function decoysOf(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  emailNorm: string,
  rpId: string,
): Descriptor[] {
  const key = platform.keyring.hashKey('decoy')
  const draw = (...about: string[]) => keyedHash(key, 'passkey', directory.id, rpId, emailNorm, ...about)
  const count = draw('count').readUInt8(0) < 192 ? 1 : 2
  return Array.from({ length: count }, (_, n) => {
    const length = ID_BYTES[draw('make', String(n)).readUInt8(0) % ID_BYTES.length]
    const bytes = Buffer.concat([draw('id', String(n)), draw('more', String(n))])
    return {
      type: 'public-key',
      id: bytes.subarray(0, length).toString('base64url'),
    }
  })
}

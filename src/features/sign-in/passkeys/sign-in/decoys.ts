import { hashPurpose } from '../../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../../platform/crypto/tokens.ts'
import type { Work } from '../../../../platform/work.ts'
import type { Descriptor } from '../schema.ts'

const decoys = hashPurpose('decoy')

/** Lengths of credential ids in common authenticators. */
const ID_BYTES = [20, 32, 32, 16, 64]

/**
 * Fake passkeys for an address that has none (WebAuthn L3 §14.6.2): usually one, sometimes two. They are the same at
 * any time and in every process, but different in every directory.
 */
export function decoysOf(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  emailNorm: string,
  rpId: string,
): Descriptor[] {
  const key = platform.keyring.hashKey(decoys)
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

import type { Work } from '../../platform/work.ts'
import { verifyPassword } from './hash.ts'
import { weakPassword } from './policy.ts'
import { findRecentPasswords } from './store.ts'

export type { HashedPassword } from '../../platform/crypto/password-format.ts'
export { credentialErrors } from './errors.ts'
export { hashPassword, needsRehash, verifyNothing, verifyPassword } from './hash.ts'
export { parseImportedHash } from './imported-hash.ts'
export { assertPasswordAllowed, type PasswordContext, type PasswordPolicy } from './policy.ts'
export {
  findPassword,
  hasPassword,
  passwordProof,
  type StoredPassword,
  storePassword,
  upgradeHash,
} from './store.ts'

/**
 * Throws `weak_password` with the reason `reused` when the password is one of the user's last `count`, including the
 * current one. Computes up to `count` hashes in sequence: do not call it inside a transaction.
 */
export async function assertNotReused(
  { platform, directory, db }: Work,
  { userId, password, count }: { userId: string; password: string; count: number },
): Promise<void> {
  if (count < 1) return
  for (const stored of await findRecentPasswords(db, directory, userId, count))
    if (await verifyPassword(platform, stored, password)) throw weakPassword(['reused'])
}

import type { HashedPassword } from '../../../platform/crypto/password-format.ts'
import { withPasswordPlace } from '../../../platform/crypto/password-pool.ts'
import type { Db } from '../../../platform/db/pool.ts'
import type { Work } from '../../../platform/work.ts'
import type { UserRow } from '../../directory/users/users.ts'
import { hashPassword, isAffordable, verifyPassword } from './hash.ts'
import { assertPasswordAllowed, weakPassword } from './policy.ts'
import { hashParameters, type PasswordSettings } from './settings.ts'
import { findRecentPasswords } from './store.ts'

/** The user the password is for. */
export type PasswordOwner = Pick<UserRow, 'id' | 'email' | 'first_name' | 'last_name' | 'display_name'>

/**
 * Checks a new password, then hashes it. Must run outside any transaction, because hashing takes time. Throws
 * `weak_password`, `password_breached`, `unavailable` when too many hashes wait.
 */
export async function hashNewPassword(
  work: Work,
  settings: PasswordSettings,
  owner: PasswordOwner,
  password: string,
): Promise<HashedPassword> {
  const { platform, directory } = work
  const organization = await organizationNames(platform.db, directory.organizationId)
  const names = [owner.first_name, owner.last_name, owner.display_name, ...organization]
  const { password_min_length, password_max_length } = settings
  // If an organization's own maximum is below the minimum that it inherits, the password must have exactly the minimum
  // length.
  const policy = { ...settings, password_max_length: Math.max(password_min_length, password_max_length) }
  await assertPasswordAllowed(platform, password, policy, {
    email: owner.email,
    names: names.filter((name) => name !== null),
  })
  return withPasswordPlace(work, async () => {
    if (settings.password_history > 0)
      await assertNotReused(work, { userId: owner.id, password, count: settings.password_history })
    return hashPassword(work, password, hashParameters(work, settings))
  })
}

/**
 * Throws `weak_password` with the reason `reused` when the password is one of the user's last `count`, including the
 * current one. Computes up to `count` hashes in sequence.
 */
export async function assertNotReused(
  work: Work,
  { userId, password, count }: { userId: string; password: string; count: number },
): Promise<void> {
  if (count < 1) return
  for (const stored of await findRecentPasswords(work.db, work.directory, userId, count))
    if (isAffordable(work, stored) && (await verifyPassword(work, stored, password))) throw weakPassword(['reused'])
}

async function organizationNames(db: Db, organizationId: string | null): Promise<string[]> {
  if (organizationId === null) return []
  const row = await db
    .selectFrom('organizations')
    .select(['name', 'slug'])
    .where('id', '=', organizationId)
    .executeTakeFirst()
  return row ? [row.name, row.slug] : []
}

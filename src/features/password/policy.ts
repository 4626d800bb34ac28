import type { HashedPassword } from '../../platform/crypto/password-format.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { ValuesOf } from '../../platform/settings.ts'
import type { Work } from '../../platform/work.ts'
import { authSettings, loginErrors, type SignInMethod } from '../login/login.ts'
import type { UserRow } from '../users/users.ts'
import { hashPassword } from './hash.ts'
import { assertNotReused, assertPasswordAllowed } from './strength.ts'

export type PasswordSettings = ValuesOf<typeof authSettings>

export const passwordMethod: SignInMethod = {
  id: 'password',
  offer: {
    label: 'Password',
    service: 'password',
    isOn: async (work) => (await authSettings.effective(work)).email_password_enabled,
  },
}

/** Throws `method_disabled` where passwords are off. */
export async function passwordSettings(work: Work): Promise<PasswordSettings> {
  const settings = await authSettings.effective(work)
  if (!settings.email_password_enabled)
    throw loginErrors.methodDisabled({ detail: 'email_password_enabled is off here.' })
  return settings
}

/** The cost of argon2id. */
export function hashParameters(settings: PasswordSettings) {
  return {
    memoryKib: settings.password_hash_memory_kib,
    iterations: settings.password_hash_iterations,
    parallelism: settings.password_hash_parallelism,
  }
}

/** The user the password is for. */
export type PasswordOwner = Pick<UserRow, 'id' | 'email' | 'first_name' | 'last_name' | 'display_name'>

/**
 * Judges a new password, then hashes it; outside any transaction, because a hash takes a while.
 * Throws `weak_password`, `password_breached`, `unavailable` when too many hashes wait.
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
  // If an organization's own maximum is less than the minimum it inherits, exactly that minimum is required.
  const policy = { ...settings, password_max_length: Math.max(password_min_length, password_max_length) }
  await assertPasswordAllowed(platform, password, policy, {
    email: owner.email,
    names: names.filter((name) => name !== null),
  })
  if (settings.password_history > 0)
    await assertNotReused(work, { userId: owner.id, password, count: settings.password_history })
  return hashPassword(platform, password, hashParameters(settings))
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

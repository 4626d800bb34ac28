import { Type } from 'typebox'
import { costOfArgon2, withinLimit } from '../../../platform/crypto/password-cost.ts'
import type { PasswordParameters } from '../../../platform/crypto/password-format.ts'
import { invalidField } from '../../../platform/errors.ts'
import { defineSettingsPart, type ValuesOf } from '../../../platform/settings/settings.ts'
import type { Tenant } from '../../../platform/settings/settings-rows.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import { loginErrors } from '../../access/login/login.ts'

const DAY = 24 * 3600

/** The rules for passwords, how they are hashed, and how long a reset link is valid. */
export const passwordSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    email_password_enabled: Type.Boolean({ description: 'Whether users may sign in and up with a password.' }),
    password_reset_enabled: Type.Boolean({ description: 'Whether forgotten passwords may be reset by email.' }),
    password_reset_ttl_seconds: Type.Integer({
      minimum: 300,
      maximum: DAY,
      description: 'Lifetime of a reset link, in seconds.',
    }),
    password_min_length: Type.Integer({
      minimum: 8,
      maximum: 128,
      description: 'Minimum length of a new password, in characters.',
    }),
    password_max_length: Type.Integer({
      minimum: 64,
      maximum: 1024,
      description: 'Maximum length of a new password, in characters.',
    }),
    password_breach_check: Type.Boolean({
      description: 'Whether common and breached passwords are refused. The service contains the list.',
    }),
    password_history: Type.Integer({
      minimum: 0,
      maximum: 24,
      description: 'How many of the user’s last passwords, including the current password, may not be used again.',
    }),
    password_hash_memory_kib: Type.Integer({
      minimum: 19_456,
      maximum: 262_144,
      description:
        'Memory of argon2id, in KiB. A stored password is hashed again at the user’s next sign-in. Memory multiplied by passes must not exceed the limit of the deployment.',
    }),
    password_hash_iterations: Type.Integer({ minimum: 2, maximum: 10, description: 'Passes of argon2id.' }),
    password_hash_parallelism: Type.Integer({ minimum: 1, maximum: 4, description: 'Lanes of argon2id.' }),
  }),
  {
    email_password_enabled: true,
    password_reset_enabled: true,
    password_reset_ttl_seconds: 1800,
    password_min_length: 8,
    password_max_length: 128,
    password_breach_check: true,
    password_history: 0,
    password_hash_memory_kib: 19_456,
    password_hash_iterations: 2,
    password_hash_parallelism: 1,
  },
  (work, patch, present) => {
    const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null))
    const wanted = { ...present, ...given }
    assertLengthsFit(wanted)
    if (COST_FIELDS.some((field) => field in given)) assertAffordable(work, wanted)
  },
)
export type PasswordSettings = ValuesOf<typeof passwordSettings>

type Lengths = Record<'password_min_length' | 'password_max_length', number>

function assertLengthsFit({ password_min_length: min, password_max_length: max }: Lengths): void {
  if (min <= max) return
  throw invalidField('password_min_length', 'range', 'password_min_length must not exceed password_max_length')
}

/** Returns the settings if passwords are on. Throws `method_disabled` otherwise. */
export async function getPasswordSettings(work: Work): Promise<PasswordSettings> {
  const settings = await passwordSettings.effective(work)
  if (!settings.email_password_enabled)
    throw loginErrors.methodDisabled({ detail: 'The setting email_password_enabled is off.' })
  return settings
}

/** Returns the settings if passwords and their service are on, or null. */
export async function findPasswordSettings(work: Work): Promise<PasswordSettings | null> {
  const settings = await passwordSettings.effective(work)
  return settings.email_password_enabled && (await isServiceEnabled(work, 'password')) ? settings : null
}

const COST_FIELDS = ['password_hash_memory_kib', 'password_hash_iterations'] as const

function assertAffordable({ platform }: Tenant, wanted: Record<(typeof COST_FIELDS)[number], number>): void {
  const { passwordCostLimit: limit } = platform.config
  const cost = { memoryKib: wanted.password_hash_memory_kib, iterations: wanted.password_hash_iterations }
  if (costOfArgon2(cost) <= limit) return
  const rule = `password_hash_memory_kib × password_hash_iterations must not exceed ${limit * 1024} in this deployment`
  throw invalidField([...COST_FIELDS], 'range', rule)
}

/** The cost of argon2id. A cost that was set before the operator lowered the limit is reduced to the limit. */
export function hashParameters({ platform }: Pick<Work, 'platform'>, settings: PasswordSettings): PasswordParameters {
  const { password_hash_memory_kib: memoryKib, password_hash_iterations: iterations } = settings
  const wanted = { memoryKib, iterations, parallelism: settings.password_hash_parallelism }
  // Test option: tests hash at a low cost.
  return platform.hashCost ?? withinLimit(wanted, platform.config.passwordCostLimit)
}

import type { ValuesOf } from '../../platform/settings.ts'
import type { Work } from '../../platform/work.ts'
import { authSettings, loginErrors, type SignInMethod } from '../login/login.ts'

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

import type { Work } from '../../../platform/work.ts'
import { assertMethodOn } from '../../access/login/method-on/method-on.ts'
import { findPasswordSettings, getPasswordSettings, type PasswordSettings } from '../password/password.ts'

/**
 * Returns the rules for the first password that accepts an invitation, or null if passwords are off and the link alone
 * accepts. Throws `method_disabled` if an invited user could not sign in by any method.
 */
export async function firstPasswordSettings(work: Work): Promise<PasswordSettings | null> {
  // Team members always choose a password.
  if (work.directory.kind === 'console') return getPasswordSettings(work)
  await assertMethodOn(work)
  return findPasswordSettings(work)
}

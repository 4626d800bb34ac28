import type { Work } from '../../../platform/work.ts'
import { assertMethodOn } from '../../access/login/method-on/method-on.ts'
import { findPasswordSettings, getPasswordSettings, type PasswordSettings } from '../password/password.ts'

/**
 * The rules of the first password by which an invitation is accepted; null where passwords are off, so that the link alone
 * accepts. Throws `method_disabled` where an invited user could not sign in by any method.
 */
export async function firstPasswordSettings(work: Work): Promise<PasswordSettings | null> {
  // The team chooses passwords.
  if (work.directory.kind === 'console') return getPasswordSettings(work)
  await assertMethodOn(work)
  return findPasswordSettings(work)
}

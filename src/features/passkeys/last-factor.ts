import type { Directory } from '../../platform/http/directory.ts'
import type { Platform } from '../../platform/platform.ts'
import { policyOf, requiresOf } from '../mfa/mfa.ts'
import { isServiceEnabled } from '../services/services.ts'
import type { Removal } from './passkeys.ts'

/** What whoever removed a passkey should know: that the user has no factor left, and that the policy asks for one. */
export async function tellLastFactor(
  platform: Platform,
  directory: Directory,
  { user, left }: Removal,
): Promise<{ last_factor?: true; mfa_required?: true }> {
  if (left > 0 || user.mfa_enrolled) return {}
  const isAsked = requiresOf(await policyOf(platform, directory), user.role)
  const isRequired = isAsked && (await isServiceEnabled(platform, directory, 'mfa'))
  return { last_factor: true, ...(isRequired ? { mfa_required: true } : {}) }
}

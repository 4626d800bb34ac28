import type { Work } from '../../platform/work.ts'
import { policyOf, requiresOf } from '../mfa/mfa.ts'
import { isServiceEnabled } from '../services/services.ts'
import type { Removal } from './passkeys.ts'

/** Tells the remover of a passkey that the user has no factor left, and whether the policy requires one. */
export async function describeFactorsLeft(
  work: Work,
  { user, left }: Removal,
): Promise<{ last_factor?: true; mfa_required?: true }> {
  if (left > 0 || user.mfa_enrolled) return {}
  const isAsked = requiresOf(await policyOf(work), user.role)
  const isRequired = isAsked && (await isServiceEnabled(work, 'mfa'))
  return { last_factor: true, ...(isRequired ? { mfa_required: true } : {}) }
}

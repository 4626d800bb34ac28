import type { Work } from '../../platform/work.ts'
import { lacksFactor } from '../mfa/mfa.ts'
import type { Removal } from './passkeys.ts'

/** Tells the remover of a passkey that the user has no factor left, and whether the policy requires one. */
export async function describeFactorsLeft(
  work: Work,
  { user, left }: Removal,
): Promise<{ last_factor?: true; mfa_required?: true }> {
  if (left > 0 || user.mfa_enrolled) return {}
  const isRequired = await lacksFactor(work, { ...user, passkey_count: left })
  return { last_factor: true, ...(isRequired ? { mfa_required: true } : {}) }
}

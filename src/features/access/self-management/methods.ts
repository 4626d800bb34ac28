import { ApiError } from '../../../platform/errors.ts'
import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import { askGates, loginErrors, methodsOfStepUp, type SignInFacts } from '../login/login.ts'
import { methodsToPass } from '../mfa/mfa.ts'
import { STEP_UP_METHODS, type StepUpMethod } from './errors.ts'
import { findSecondFactors } from './store.ts'

/**
 * By what a user steps up: by a second factor if they have one, or a passkey, and otherwise by what they sign in with. Where
 * only single sign-on is a way in, by a second factor or a new sign-in.
 */
export async function methodsToStepUp(work: OwnWork, facts: SignInFacts): Promise<StepUpMethod[]> {
  const second = await secondFactorsOf(work, facts)
  if (await isSsoOnly(work, facts)) return second.length > 0 ? second : ['sso']
  const first = second.length > 0 ? [] : await firstFactorsOf(work, facts)
  const passkey = facts.passkey_count > 0 && (await isServiceEnabled(work, 'passkeys'))
  return [...first, ...second, ...(passkey ? (['passkey'] as const) : [])]
}

async function secondFactorsOf(work: OwnWork, { mfa_enrolled, user_id }: SignInFacts): Promise<StepUpMethod[]> {
  if (!mfa_enrolled || !(await isServiceEnabled(work, 'mfa'))) return []
  const { amr, aal } = work.caller
  const has = await findSecondFactors(work.db, work.directory, user_id)
  // A session that the phone alone has opened wants another factor beside it.
  return methodsToPass(work, { ...has, sms: has.sms && !(aal === 'aal1' && amr.includes('sms')) })
}

async function firstFactorsOf(work: Work, { user_id: userId }: SignInFacts): Promise<StepUpMethod[]> {
  const methods = await methodsOfStepUp(work, userId)
  return STEP_UP_METHODS.filter((method) => methods.includes(method))
}

/** Whether no way in is left but single sign-on. */
async function isSsoOnly(work: Work, facts: SignInFacts): Promise<boolean> {
  try {
    await askGates(work, { facts, method: 'otp', amr: [], aal: 'aal2', session: null }, null)
    return false
  } catch (error) {
    if (error instanceof ApiError && error.definition.code === loginErrors.ssoRequired.code) return true
    throw error
  }
}

import { ApiError } from '../../../platform/errors.ts'
import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import { askGates, loginErrors, methodsOfStepUp, type SignInFacts } from '../login/login.ts'
import { methodsToPass } from '../mfa/mfa.ts'
import { STEP_UP_METHODS, type StepUpMethod } from './errors.ts'
import { findSecondFactors } from './store.ts'

/**
 * The methods with which a user can step up: their second factors or a passkey, and if they have no second factor,
 * the methods that they sign in with. If only single sign-on is allowed, a second factor or a new sign-in.
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
  // A text message does not suffice for a session that began with a text message only: a different factor is
  // required.
  return methodsToPass(work, { ...has, sms: has.sms && !(aal === 'aal1' && amr.includes('sms')) })
}

async function firstFactorsOf(work: Work, { user_id: userId }: SignInFacts): Promise<StepUpMethod[]> {
  const methods = await methodsOfStepUp(work, userId)
  return STEP_UP_METHODS.filter((method) => methods.includes(method))
}

/** Whether the user may sign in only with single sign-on. */
async function isSsoOnly(work: Work, facts: SignInFacts): Promise<boolean> {
  try {
    await askGates(work, { facts, method: 'otp', amr: [], aal: 'aal2', session: null }, null)
    return false
  } catch (error) {
    if (error instanceof ApiError && error.definition.code === loginErrors.ssoRequired.code) return true
    throw error
  }
}

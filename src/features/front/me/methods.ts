import { ApiError } from '../../../platform/errors.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import { askGates, loginErrors, type SignInFacts } from '../../access/login/login.ts'
import { methodsToPass } from '../../access/mfa/mfa.ts'
import { readEnrollment } from '../../sign-in/factors/factors.ts'
import { findPassword, getPasswordSettings } from '../../sign-in/password/password.ts'
import type { StepUpMethod } from './errors.ts'
import type { OwnWork } from './own-work.ts'
import { mailedCodeSettings } from './step-up-code.ts'

/**
 * By what a user proves again who they are: by a second factor if they have one, or a passkey, and otherwise by what they
 * sign in with. Where only single sign-on is a way in, a second factor or a new sign-in.
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
  const has = await readEnrollment(work, user_id)
  return methodsToPass(work, {
    totp: has.totp_confirmed_at !== null,
    backup: has.backup_codes > 0,
    // A session that the phone alone has opened wants another factor beside it.
    sms: has.phone_confirmed_at !== null && !(aal === 'aal1' && amr.includes('sms')),
  })
}

async function firstFactorsOf(work: Work, { user_id: userId }: SignInFacts): Promise<StepUpMethod[]> {
  const password = (await isOn(work, 'password', getPasswordSettings)) && (await mayStepUpByPassword(work, userId))
  const otp = await isOn(work, 'otp', mailedCodeSettings)
  return [...(password ? (['password'] as const) : []), ...(otp ? (['otp'] as const) : [])]
}

async function isOn(work: Work, service: 'password' | 'otp', settings: (work: Work) => Promise<object>) {
  if (!(await isServiceEnabled(work, service))) return false
  return refuses(settings(work), loginErrors.methodDisabled.code).then((refused) => !refused)
}

function isSsoOnly(work: Work, facts: SignInFacts): Promise<boolean> {
  const entry = { facts, method: 'otp', amr: [], aal: 'aal2', session: null }
  return refuses(askGates(work, entry, null), loginErrors.ssoRequired.code)
}

function refuses(asked: Promise<object>, code: string): Promise<boolean> {
  return asked.then(
    () => false,
    (error: unknown) => {
      if (error instanceof ApiError && error.definition.code === code) return true
      throw error
    },
  )
}

/** Whether a user has a password that proves who they are, and not one that only allows choosing another. */
export async function mayStepUpByPassword({ db, directory }: Work, userId: string): Promise<boolean> {
  const stored = await findPassword(db, directory, userId)
  return stored !== null && !stored.must_change
}

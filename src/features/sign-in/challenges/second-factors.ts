import type { UsedProof } from '../../../platform/joined/proofs.ts'
import { defineSlot } from '../../../platform/platform.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import type { SignInFacts } from '../../access/login/login.ts'
import { type MfaMethod, methodsToPass } from '../../access/mfa/mfa.ts'
import type { ChallengeRow, FactorsOf } from './store.ts'

/** A kind of code that passes a challenge. Each feature folder that has codes of a kind defines the kind. */
export interface SecondFactor {
  method: MfaMethod
  /** Codes are either six digits or text. Checking text costs a hash. */
  form: 'digits' | 'text'
  /** Checks a code without consuming it. Returns null if the code is wrong. */
  verify(work: Work, challenge: ChallengeRow, code: string): Promise<RightCode | null>
  /** Sends a code to the user and voids the earlier one. Throws `method_disabled`, `rate_limited`. */
  send?(work: Work, challenge: ChallengeRow, to: Pick<SignInFacts, 'locale'>): Promise<{ deliveryHint: string }>
}

/** A code that was right when it was checked. */
export interface RightCode {
  method: MfaMethod
  /** The values (RFC 8176) that the second factor adds to the session's `amr`. */
  amr: string[]
  /** The proofs that are consumed together with the challenge. */
  spends: UsedProof[]
  /** Extra work in the transaction that consumes the code. Returns false if it was already consumed. */
  also?(work: TxWork, user: SignInFacts): Promise<boolean>
}

// Slot: factors import challenges, and a register lists the factors in their order.
/** The second factors of this deployment, in the order in which they are tried with a code. */
export const secondFactors = defineSlot<readonly SecondFactor[]>('the second factors')

/** Whether the input is a code of six digits; otherwise it is text, such as a backup code. */
export function isDigits(typed: string): boolean {
  return /^\d{6}$/.test(typed.replaceAll(/\s/g, ''))
}

/**
 * Removes the factor that was used as the first one, by its `amr`. A phone cannot be both the first and the second
 * factor.
 */
export function factorsAfter(amr: readonly string[], has: FactorsOf): FactorsOf {
  return { ...has, sms: has.sms && !amr.includes('sms') }
}

/** The factors that may answer a challenge. */
export async function listOffered(work: Work, challenge: ChallengeRow): Promise<SecondFactor[]> {
  const has = { totp: challenge.totp !== null, backup: challenge.backup_codes > 0, sms: challenge.phone !== null }
  const methods = await methodsToPass(work, factorsAfter(challenge.amr, has))
  return secondFactors.of(work.platform).filter(({ method }) => methods.includes(method))
}

/** Checks the input against the factors that are offered, and consumes nothing. Returns null if no factor matches. */
export async function verifyCode(work: Work, challenge: ChallengeRow, typed: string): Promise<RightCode | null> {
  const code = typed.replaceAll(/\s/g, '')
  const form = isDigits(code) ? 'digits' : 'text'
  for (const factor of await listOffered(work, challenge)) {
    const right = factor.form === form ? await factor.verify(work, challenge, code) : null
    if (right) return right
  }
  return null
}

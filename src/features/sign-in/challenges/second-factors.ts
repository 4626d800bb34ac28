import type { UsedProof } from '../../../platform/joined/proofs.ts'
import { defineSlot } from '../../../platform/platform.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import type { SignInFacts } from '../../access/login/login.ts'
import { type MfaMethod, methodsToPass } from '../../access/mfa/mfa.ts'
import type { ChallengeRow, FactorsOf } from './store.ts'

/** A kind of code that passes a challenge, which its noun brings in. */
export interface SecondFactor {
  method: MfaMethod
  /** Its codes are six digits, or else text, which costs a hash to judge. */
  form: 'digits' | 'text'
  /** Matches a code; consumes nothing. Returns null when it is wrong. */
  verify(work: Work, challenge: ChallengeRow, code: string): Promise<RightCode | null>
  /** Sends the user a code; a newer one voids the older. Throws `method_disabled`, `rate_limited`. */
  send?(work: Work, challenge: ChallengeRow, to: Pick<SignInFacts, 'locale'>): Promise<{ deliveryHint: string }>
}

/** A code that was right when it was looked at. */
export interface RightCode {
  method: MfaMethod
  /** RFC 8176: what the session adds for the second factor. */
  amr: string[]
  /** Burnt with the challenge. */
  spends: UsedProof[]
  /** Extra work in the transaction that consumes the code. Returns false if it was already consumed. */
  also?(work: TxWork, user: SignInFacts): Promise<boolean>
}

// Slot: factors import challenges, and a register lists them in their order.
/** Those of this deployment, in the order in which a code is tried. */
export const secondFactors = defineSlot<readonly SecondFactor[]>('the second factors')

/** Whether the input is a code of six digits; otherwise it is text, such as a backup code. */
export function isDigits(typed: string): boolean {
  return /^\d{6}$/.test(typed.replaceAll(/\s/g, ''))
}

/** The factors that can follow a first one, by its `amr`: the phone that was that cannot be the second as well. */
export function factorsAfter(amr: readonly string[], has: FactorsOf): FactorsOf {
  return { ...has, sms: has.sms && !amr.includes('sms') }
}

/** What may answer a challenge. */
export async function listOffered(work: Work, challenge: ChallengeRow): Promise<SecondFactor[]> {
  const has = { totp: challenge.totp !== null, backup: challenge.backup_codes > 0, sms: challenge.phone !== null }
  const methods = await methodsToPass(work, factorsAfter(challenge.amr, has))
  return secondFactors.of(work.platform).filter(({ method }) => methods.includes(method))
}

/** Matches the input against what is offered; consumes nothing. Returns null when it is wrong. */
export async function verifyCode(work: Work, challenge: ChallengeRow, typed: string): Promise<RightCode | null> {
  const code = typed.replaceAll(/\s/g, '')
  const form = isDigits(code) ? 'digits' : 'text'
  for (const factor of await listOffered(work, challenge)) {
    const right = factor.form === form ? await factor.verify(work, challenge, code) : null
    if (right) return right
  }
  return null
}

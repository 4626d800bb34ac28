import type { SecondFactor } from '../features/sign-in/challenges/challenges.ts'
import { backupCodeFactor, smsFactor, totpFactor } from '../features/sign-in/factors/factors.ts'

/** Every kind of code that passes a challenge, in the order in which a code is tried. */
export const secondFactors: readonly SecondFactor[] = [totpFactor, smsFactor, backupCodeFactor]

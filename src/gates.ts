import { mfaGate } from './features/challenges/challenges.ts'
import { activeGate, type Gate, lockGate, organizationGate } from './features/login/login.ts'

/** What everyone who asks for a session passes, in this order. */
export const gates: readonly Gate[] = [organizationGate, lockGate, activeGate, mfaGate]

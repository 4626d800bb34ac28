import { activeGate, type Gate, lockGate, organizationGate } from './features/login/login.ts'
import { mfaGate } from './features/mfa/mfa.ts'

/** What everyone who asks for a session passes, in this order. */
export const gates: readonly Gate[] = [organizationGate, lockGate, activeGate, mfaGate]

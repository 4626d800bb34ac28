import { lockGate } from './features/lockout/lockout.ts'
import { activeGate, type Gate, organizationGate } from './features/login/login.ts'
import { mfaGate } from './features/mfa/mfa.ts'

/** What everyone who asks for a session passes, in this order. */
export const gates: readonly Gate[] = [organizationGate, lockGate, activeGate, mfaGate]

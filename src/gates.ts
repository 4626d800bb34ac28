import { mfaGate } from './features/challenges/challenges.ts'
import { lockGate } from './features/lockout/lockout.ts'
import { activeGate, type Gate, organizationGate } from './features/login/gates.ts'
import { teamGate } from './features/members/joining.ts'
import { ssoGate } from './features/sso/sso.ts'

/** What everyone who asks for a session passes, in this order. */
export const gates: readonly Gate[] = [organizationGate, lockGate, activeGate, teamGate, ssoGate, mfaGate]

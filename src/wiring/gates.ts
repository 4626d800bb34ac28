import { activeGate, type Gate, organizationGate } from '../features/access/login/gates.ts'
import { ssoGate } from '../features/federation/sso/sso.ts'
import { mfaGate } from '../features/sign-in/challenges/gate.ts'
import { lockGate } from '../features/sign-in/lockout/gate.ts'
import { teamGate } from '../features/tenancy/members/joining.ts'

/** The gates that every request for a session passes, in this order. */
export const gates: readonly Gate[] = [organizationGate, lockGate, activeGate, teamGate, ssoGate, mfaGate]

import { federatedSessionBelongings } from '../features/access/federated-sessions/belongings.ts'
import { mfaBelongings } from '../features/access/mfa/belongings.ts'
import { sessionBelongings } from '../features/access/sessions/belongings.ts'
import { roleBelongings } from '../features/directory/roles/belongings.ts'
import { federationBelongings } from '../features/federation/federation/belongings.ts'
import { groupBelongings } from '../features/provisioning/groups/belongings.ts'
import { provisioningBelongings } from '../features/provisioning/provisioning/belongings.ts'
import { challengeBelongings } from '../features/sign-in/challenges/belongings.ts'
import { deviceBelongings } from '../features/sign-in/devices/belongings.ts'
import { factorBelongings } from '../features/sign-in/factors/belongings.ts'
import { impersonationBelongings } from '../features/sign-in/impersonation/belongings.ts'
import { endedInvites } from '../features/sign-in/invites/ended.ts'
import { linkBelongings } from '../features/sign-in/links/belongings.ts'
import { otpBelongings } from '../features/sign-in/otp/belongings.ts'
import { passkeyBelongings } from '../features/sign-in/passkeys/belongings.ts'
import { passwordBelongings } from '../features/sign-in/password/belongings.ts'
import type { Belonging } from '../platform/lifecycle/belongings.ts'

/** All tables whose rows belong to a user. */
export const belongings: Belonging[] = [
  ...sessionBelongings,
  ...deviceBelongings,
  ...federatedSessionBelongings,
  ...impersonationBelongings,
  ...passwordBelongings,
  ...factorBelongings,
  ...challengeBelongings,
  ...mfaBelongings,
  ...passkeyBelongings,
  ...otpBelongings,
  ...linkBelongings(endedInvites),
  ...federationBelongings,
  ...provisioningBelongings,
  ...groupBelongings,
  ...roleBelongings,
]

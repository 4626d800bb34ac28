import { challengeBelongings } from './features/challenges/belongings.ts'
import { deviceBelongings } from './features/devices/belongings.ts'
import { factorBelongings } from './features/factors/belongings.ts'
import { federationBelongings } from './features/federation/belongings.ts'
import { groupBelongings } from './features/groups/belongings.ts'
import { impersonationBelongings } from './features/impersonation/belongings.ts'
import { endedInvites } from './features/invites/ended.ts'
import { linkBelongings } from './features/links/belongings.ts'
import { mfaBelongings } from './features/mfa/belongings.ts'
import { otpBelongings } from './features/otp/belongings.ts'
import { passkeyBelongings } from './features/passkeys/belongings.ts'
import { passwordBelongings } from './features/password/belongings.ts'
import { provisioningBelongings } from './features/provisioning/belongings.ts'
import { roleBelongings } from './features/roles/belongings.ts'
import { sessionBelongings } from './features/sessions/belongings.ts'
import { tieBelongings } from './features/ties/belongings.ts'
import type { Belonging } from './platform/belongings.ts'

/** Everything that hangs on a user. */
export const belongings: Belonging[] = [
  ...sessionBelongings,
  ...deviceBelongings,
  ...tieBelongings,
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

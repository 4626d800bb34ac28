import { Type } from 'typebox'
import { defineEvents } from '../../platform/events.ts'
import { named } from '../../platform/schema.ts'
import { DeviceTrust } from '../login/login.ts'
import { MFA_METHODS, MfaPolicy } from './schema.ts'

const Id = Type.String({ format: 'uuid' })
const Method = Type.Enum(MFA_METHODS)

const FactorChange = named('FactorChange', Type.Object({ directory_user_id: Id, method: Method }))

export const mfaEvents = defineEvents({
  policyUpdated: ['mfa.policy.updated', 'The MFA policy was changed.', MfaPolicy],
  enrolled: ['mfa.enrolled', 'A user confirmed a second factor.', FactorChange],
  removed: [
    'mfa.removed',
    'A second factor of a user was removed, with every trusted device and, for an app, its backup codes.',
    FactorChange,
  ],
  backupCodesRegenerated: [
    'mfa.backup_codes.regenerated',
    'The backup codes were replaced by new ones.',
    Type.Object({ directory_user_id: Id, codes: Type.Integer({ description: 'How many.', examples: [10] }) }),
  ],
  challengeSucceeded: [
    'mfa.challenge.succeeded',
    'A right code passed a challenge.',
    Type.Object({ id: Id, directory_user_id: Id, method: Method }),
  ],
  challengeFailed: [
    'mfa.challenge.failed',
    'A wrong code was sent for a challenge.',
    Type.Object({
      id: Id,
      directory_user_id: Id,
      reason: Type.Enum(['wrong_code']),
      locked: Type.Boolean({ description: 'It was one too many: the second step is locked for a while.' }),
    }),
  ],
  trustedDeviceAdded: [
    'mfa.trusted_device.added',
    'A user passed a challenge and had the device trusted.',
    DeviceTrust,
    { target: 'trusted_device' },
  ],
  trustedDeviceRemoved: [
    'mfa.trusted_device.removed',
    'One trusted device was removed. Those that end with a factor, a password or the user are not listed one by one.',
    DeviceTrust,
    { target: 'trusted_device' },
  ],
})

/** Target and data of an event about a user and their factors. */
export function aboutUser<const T extends object>(userId: string, data: T) {
  return { target: { type: 'user', id: userId }, data: { directory_user_id: userId, ...data } }
}

/** Target and data of an event about a trusted device. */
export function aboutDevice(device: { id: string; user_id: string; user_agent: string | null }) {
  const { id, user_id, user_agent } = device
  return { target: { type: 'trusted_device', id }, data: { id, directory_user_id: user_id, user_agent } }
}

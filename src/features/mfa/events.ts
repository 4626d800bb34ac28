import { Type } from 'typebox'
import { defineEvents } from '../../platform/events.ts'
import { named, nullable } from '../../platform/schema.ts'
import { MFA_METHODS, MfaPolicy } from './schema.ts'

const Id = Type.String({ format: 'uuid' })
const Method = Type.Enum(MFA_METHODS)

const FactorChange = named('FactorChange', Type.Object({ directory_user_id: Id, method: Method }))

const DeviceTrust = named(
  'DeviceTrust',
  Type.Object({
    id: Id,
    directory_user_id: Id,
    user_agent: nullable(
      Type.String({ description: 'Of the device, when it was trusted.', examples: ['Mozilla/5.0'] }),
    ),
  }),
)

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
  challengeCreated: [
    'mfa.challenge.created',
    'A first factor was right and a second is required: there is no session yet.',
    Type.Object({
      id: Id,
      directory_user_id: Id,
      auth_method: Type.String({ description: 'Of the first factor.', examples: ['password'] }),
      enrollment_required: Type.Boolean({ description: 'The user has no factor and must enroll one to sign in.' }),
    }),
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
  trustedDeviceUsed: [
    'mfa.trusted_device.used',
    'A trusted device replaced the second factor of a sign-in.',
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

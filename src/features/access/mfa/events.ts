import { defineEvents } from '../../../platform/events/events.ts'
import { loginEvents } from '../login/login.ts'
import { MfaPolicy } from './schema.ts'

const DeviceTrust = loginEvents.trustedDeviceUsed.data

export const mfaEvents = defineEvents({
  policyUpdated: [
    'mfa.policy.updated',
    'The MFA policy of an organization, or the default of its environment, was changed.',
    MfaPolicy,
  ],
  teamPolicyUpdated: [
    'mfa.team_policy.updated',
    'An owner changed the MFA policy of the account’s own team.',
    MfaPolicy,
  ],
  trustedDeviceAdded: ['mfa.trusted_device.added', 'A user passed a challenge and trusted the device.', DeviceTrust],
  trustedDeviceRemoved: [
    'mfa.trusted_device.removed',
    'One trusted device was removed. The event is not recorded when all trusted devices are removed because a factor was removed, the password changed or the user was deleted.',
    DeviceTrust,
  ],
})

/** Target and data of an event about a user's factors. */
export function aboutUser<const T extends object>(userId: string, data: T) {
  return { target: { type: 'user', id: userId }, data: { directory_user_id: userId, ...data } }
}

/** Target and data of an event about a trusted device. */
export function aboutDevice(device: { id: string; user_id: string; user_agent: string | null }) {
  const { id, user_id, user_agent } = device
  return { target: { type: 'trusted_device', id }, data: { id, directory_user_id: user_id, user_agent } }
}

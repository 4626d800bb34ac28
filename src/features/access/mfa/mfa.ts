export { type Demand, demandAtRefresh, demandFactor } from './demand.ts'
export { forgetDevices } from './device-store.ts'
export { forgetDeviceOf, listDevicesOf, trustDeviceOf } from './devices.ts'
export { mfaErrors } from './errors.ts'
export { aboutUser, mfaEvents } from './events.ts'
export { mfaHashes } from './hash-purpose.ts'
export {
  assertMethodAllowed,
  currentRole,
  isMethodAllowed,
  lacksFactor,
  methodsToPass,
  requiresFactors,
  teamRoles,
} from './policy.ts'
export { DevicesReply, FactorUserId, MFA_METHODS, type MfaMethod } from './schema.ts'
export { trustedDeviceSettings } from './settings.ts'

export { deprovisionUser, patchUser, replaceUser } from './change.ts'
export { provisioningEvents } from './events.ts'
export { provisionUser } from './provision.ts'

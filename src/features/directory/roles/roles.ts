export { roleErrors } from './errors.ts'
export { roleEvents } from './events.ts'
export { giveRoles, isNamed, isSystemRole, lockRoles } from './give.ts'

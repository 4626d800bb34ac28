export { roleErrors } from './errors.ts'
export { roleEvents } from './events.ts'
export { giveRoles, holdRoles, isNamed, isSystemRole } from './give.ts'

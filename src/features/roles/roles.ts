export { roleEvents } from './events.ts'
export { giveRoles, holdRoles, isNamed, isSystemRole } from './give.ts'
export { assertGroups, assertMayMap, assertMayUseMapping, mapGroups, type RoleMapping } from './mapping.ts'
export {
  giveGroupRoles,
  hasGrant,
  holdGroupRoles,
  narrowToMapping,
  withdrawConnectionRoles,
  withdrawUserRoles,
} from './sso.ts'
export { grantOfIdentity, type KnownGrant } from './sso-store.ts'

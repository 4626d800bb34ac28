export { roleEvents } from './events.ts'
export { giveRoles, holdRoles, isNamed, isSystemRole } from './give.ts'
export {
  assertGroups,
  assertMayGiveAll,
  assertMayMap,
  assertMayUseMapping,
  mapGroups,
  type RoleMapping,
} from './mapping.ts'
export {
  giveGroupRoles,
  hasGrant,
  holdGroupRoles,
  narrowToMapping,
  withdrawConnectionRoles,
  withdrawSsoRoles,
  withdrawUserRoles,
} from './sso.ts'
export { grantOfIdentity, type KnownGrant } from './sso-store.ts'

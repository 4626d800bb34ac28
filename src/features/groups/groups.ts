export { groupEvents } from './events.ts'
export { settleAllRoles } from './roles.ts'
export { createGroup, deleteGroup, patchGroup, replaceGroup } from './write.ts'

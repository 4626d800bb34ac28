export { settleAllRoles } from './roles.ts'

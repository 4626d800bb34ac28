export { type HeldRole, heldRolesText, permissionsOf } from './role-claims.ts'
export { accountOfTeam } from './team-audience.ts'
export { audienceOf, exampleTokens, grantsInTeam, issueAccessToken, issueTokens, SessionTokens } from './tokens.ts'

import { type KnownPermission, permissionScopes, permissions } from '../../../contract/permissions.ts'
import { httpErrors } from '../../../platform/errors.ts'
import { isWithin } from '../../../platform/outbound/addresses.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { ENVIRONMENT_HEADER } from '../../../platform/tenancy/chosen-environment.ts'
import { allows } from '../../../platform/tenancy/scopes.ts'

/** What a key may do, and for how long. */
export interface KeyRights {
  scopes: readonly string[]
  organizationId: string | null
  environmentSlug: string
  expiresAt: Date | null
  requestsPerSecond: number | null
  /** Null: any address. */
  allowedIps: readonly string[] | null
}

/**
 * Refuses to give the caller a key that can do more than the caller: more scopes, a permission that the caller's role
 * lacks, another organization or environment, a later expiry, a higher rate limit, or more addresses.
 * `deploymentCeiling` is the rate limit of callers and keys that have none of their own. Throws
 * `privilege_escalation`.
 */
export function refuseEscalation(caller: ManagerCaller, power: KeyRights, deploymentCeiling: number | null): void {
  const { organizationId, grants } = caller
  const { expiresAt, requestsPerSecond, allowedIps: from } = caller.bounds
  if (!grants.coversScopes(power.scopes)) refuse(`its scopes must be among those of your ${ownerOfScopes(caller)}`)
  if (exceedsRole(caller, power.scopes)) refuse('its scopes would allow what your role may not do')
  if (organizationId !== null && power.organizationId !== organizationId) refuse('it must belong to your organization')
  if (power.environmentSlug !== caller.environmentSlug) refuse(environmentRuleOf(caller))
  if (expiresAt && (power.expiresAt === null || power.expiresAt > expiresAt)) refuse('it must not outlive your key')
  const ceiling = requestsPerSecond ?? deploymentCeiling
  const asked = power.requestsPerSecond ?? (requestsPerSecond === null ? deploymentCeiling : null)
  if (from && !power.allowedIps?.every((network) => isWithin(network, from)))
    refuse('its allowedIps must be within those of your key')
  if (ceiling !== null && (asked === null || asked > ceiling))
    refuse(
      `its requestsPerSecond must not exceed that of ${requestsPerSecond === null ? 'the deployment' : 'your key'}`,
    )
}

/**
 * If the caller has its own rate limit, refuses to give it the secret of another key: each key has a separate rate
 * limit, so the caller would get both. A previous secret of the same key shares the key's rate limit. Throws
 * `privilege_escalation`.
 */
export function assertKeepsRate({ kind, credentialId, bounds }: ManagerCaller, keyId: string | null): void {
  if (bounds.requestsPerSecond === null || (kind === 'key' && keyId === credentialId)) return
  throw httpErrors.privilegeEscalation({
    detail:
      'Your key has requestsPerSecond, so it cannot create keys and can rotate only itself. Use a key without requestsPerSecond, the session of a team member, or the command line (`npx watchword keys`).',
  })
}

/**
 * Refuses to change or revoke a key with scopes that the caller lacks, since this could lock the team out. Only
 * scopes are compared, so a key with `*` and an expiry may still revoke a key with `*` and none. Throws
 * `privilege_escalation`.
 */
export function assertMayManage(caller: ManagerCaller, { scopes }: Pick<KeyRights, 'scopes'>): void {
  if (caller.grants.coversScopes(scopes) && !exceedsRole(caller, scopes)) return
  const lacking = `This key has more rights than your ${ownerOfScopes(caller)}.`
  throw httpErrors.privilegeEscalation({
    detail: `${lacking} An owner, a key with the scope * or the command line (\`npx watchword keys\`) can change and revoke it.`,
  })
}

/**
 * Whether the scopes would allow something that the caller's role lacks. A key has scopes only, and a scope can cover
 * more permissions than the role has.
 */
function exceedsRole({ grants }: ManagerCaller, scopes: readonly string[]): boolean {
  return permissions.some((permission) => carries(scopes, permission) && !grants.has(permission))
}

/** A member can work in any environment, a key only in its own. The error explains the rule that applies. */
function environmentRuleOf({ kind, environmentSlug }: ManagerCaller): string {
  if (kind === 'key') return 'it must belong to the environment of your key'
  return `this request works in ${environmentSlug}. Send the id of another environment in ${ENVIRONMENT_HEADER}`
}

const ownerOfScopes = ({ kind }: ManagerCaller) => (kind === 'member' ? 'role' : 'key')

function carries(scopes: readonly string[], permission: KnownPermission): boolean {
  const scope = permissionScopes[permission]
  return scope !== null && allows(scopes, scope)
}

function refuse(rule: string): never {
  throw httpErrors.privilegeEscalation({ detail: `The key cannot be issued: ${rule}.` })
}

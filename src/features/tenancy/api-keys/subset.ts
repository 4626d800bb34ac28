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
  /** Null for everywhere. */
  allowedIps: readonly string[] | null
}

/**
 * Refuses to give the caller a key that can do more than the caller: more scopes, a permission that its role lacks,
 * another organization or environment, a longer lifetime, a higher rate limit, or more addresses. `deploymentCeiling`
 * applies to callers and keys without a rate limit of their own. Throws `privilege_escalation`.
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
 * Refuses a caller with a rate a secret of another key: each key has its own rate, and the rates would add up. A previous
 * secret of its own counts against the same rate. Throws `privilege_escalation`.
 */
export function assertKeepsRate({ kind, credentialId, bounds }: ManagerCaller, keyId: string | null): void {
  if (bounds.requestsPerSecond === null || (kind === 'key' && keyId === credentialId)) return
  throw httpErrors.privilegeEscalation({
    detail:
      'Your key has requestsPerSecond, so it creates no keys and rotates only itself. ' +
      'Use a key without requestsPerSecond, the session of a member, or the command line (`npx watchword keys`).',
  })
}

/**
 * Refuses to change or revoke a key with scopes that the caller lacks: this could lock the team out. Compares scopes only,
 * so a key with `*` and an expiry may still revoke one without. Throws `privilege_escalation`.
 */
export function assertMayManage(caller: ManagerCaller, { scopes }: Pick<KeyRights, 'scopes'>): void {
  if (caller.grants.coversScopes(scopes) && !exceedsRole(caller, scopes)) return
  const lacking = `This key can do more than your ${ownerOfScopes(caller)}.`
  throw httpErrors.privilegeEscalation({
    detail: `${lacking} An owner, a key with the scope * or the command line (\`npx watchword keys\`) can change and revoke it.`,
  })
}

/** A key has scopes only: a permission that a role lacks within a scope would come back with the key. */
function exceedsRole({ grants }: ManagerCaller, scopes: readonly string[]): boolean {
  return permissions.some((permission) => carries(scopes, permission) && !grants.has(permission))
}

/** A member works in any environment; a key in its own. */
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

import type { Scope } from '../../contract/contract.ts'
import { httpErrors } from '../errors.ts'
import type { ManagerCaller } from './caller.ts'
import { type Grant, OWNERSHIP } from './grants.ts'
import { TEAM } from './named-organization.ts'

const ANY_CALLER = ['any key', 'any key or member'] as const

/** What a route may ask for instead of a scope (`authorize`). */
export type AnyCaller = (typeof ANY_CALLER)[number]

/** Whether a route asks for no scope of a key. */
export function isAnyCaller(wanted: Scope | AnyCaller): wanted is AnyCaller {
  return ANY_CALLER.some((one) => one === wanted)
}

/**
 * Refuses a caller without the route's scope. `any key`: every valid key passes, and every member with `auth.login`.
 * `any key or member`: every caller passes.
 */
export function authorize(caller: ManagerCaller, wanted: Scope | AnyCaller): void {
  if (wanted === 'any key or member' || (wanted === 'any key' && caller.kind === 'key')) return
  const scope = wanted === 'any key' ? 'auth.login' : wanted
  if (caller.grants.has(scope)) return
  throw httpErrors.insufficientScope({
    detail: `This requires the scope ${scope}.`,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    extra: { scope },
  })
}

/** The part of a route that says whether it serves the team. */
interface TeamRoute {
  method: string
  team?: boolean | 'own'
}

/** Whether a member reads a record of their own team (`Route.team`), which requires no scope. */
export function mayReadOwnTeam({ method, team }: TeamRoute, { kind }: ManagerCaller, subOrgId: string | null): boolean {
  return team === 'own' && method === 'GET' && kind === 'member' && subOrgId === TEAM
}

/** Admits only owners of the account, by the session of the member. Throws `insufficient_scope`. */
export function assertOwner(caller: ManagerCaller): void {
  if (caller.kind !== 'member' || caller.organizationId !== null)
    throw httpErrors.insufficientScope({
      detail: 'Only an owner of the account may do this. Send the access token of their session.',
    })
  assertHas(caller, OWNERSHIP)
}

/**
 * Requires a right that the route's scope does not imply: a role may have the scope and lack the permission. Throws
 * `insufficient_scope`.
 */
export function assertHas({ grants }: ManagerCaller, right: Exclude<Grant, Scope>): void {
  if (!grants.has(right))
    throw httpErrors.insufficientScope({
      detail: right === OWNERSHIP ? 'Only an owner may do this.' : `Your role lacks the permission ${right}.`,
    })
}

/** Names a bound of the credential that a team member would not have; null if it has none. */
export function describeBound({ bounds: { expiresAt, allowedIps, requestsPerSecond } }: ManagerCaller): string | null {
  if (expiresAt !== null) return 'an expiry'
  if (allowedIps) return 'a list of addresses'
  return requestsPerSecond === null ? null : 'a rate limit'
}

/**
 * Decides who may sign team members in. The caller receives the sessions of owners, so it must be able to do everything
 * already, without a bound: a key with the scope `*`. Scopes listed one by one are not enough: they make no
 * owners and lack the scopes of later releases. Throws `insufficient_scope`, `privilege_escalation`.
 */
export function assertSignsTeamIn(caller: ManagerCaller): void {
  if (caller.kind !== 'key')
    throw httpErrors.privilegeEscalation({ detail: 'Team members are signed in by an API key, not by another member.' })
  if (!caller.grants.has(OWNERSHIP))
    throw httpErrors.insufficientScope({
      detail: 'Signing team members in requires the scope *.',
      extra: { scope: '*' },
    })
  const bound = describeBound(caller)
  if (bound !== null)
    throw httpErrors.privilegeEscalation({
      detail: `This key has ${bound}, which the session of a team member would not have. Use a key without bounds.`,
    })
}

import type { Scope } from '../../contract/contract.ts'
import { httpErrors } from '../errors.ts'
import type { ManagerCaller } from './caller.ts'
import { type Grant, OWNERSHIP } from './grants.ts'
import { TEAM } from './named-organization.ts'

const ANY_CALLER = ['any key', 'any key or member'] as const

/** What a route may require instead of a scope (see `authorize`). */
export type AnyCaller = (typeof ANY_CALLER)[number]

/** Whether a route requires no scope of a key. */
export function isAnyCaller(wanted: Scope | AnyCaller): wanted is AnyCaller {
  return ANY_CALLER.some((one) => one === wanted)
}

/**
 * Refuses a caller without the route's scope. `any key` admits every valid key, and every member with `auth.login`.
 * `any key or member` admits every caller.
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

/** Admits only members who own the account, in their own session. Throws `insufficient_scope`. */
export function assertOwner(caller: ManagerCaller): void {
  if (caller.kind !== 'member' || caller.organizationId !== null)
    throw httpErrors.insufficientScope({
      detail: 'Only an owner of the account may do this. Send the access token of an owner’s session.',
    })
  assertHas(caller, OWNERSHIP)
}

/**
 * Requires a right that the route's scope does not imply, because a role may have the scope and lack the permission.
 * Throws `insufficient_scope`.
 */
export function assertHas({ grants }: ManagerCaller, right: Exclude<Grant, Scope>): void {
  if (!grants.has(right))
    throw httpErrors.insufficientScope({
      detail: right === OWNERSHIP ? 'Only an owner may do this.' : `Your role lacks the permission ${right}.`,
    })
}

/** Names a limit of the credential that a team member would not have. Null if it has none. */
export function describeBound({ bounds: { expiresAt, allowedIps, requestsPerSecond } }: ManagerCaller): string | null {
  if (expiresAt !== null) return 'an expiry'
  if (allowedIps) return 'a list of addresses'
  return requestsPerSecond === null ? null : 'a rate limit'
}

/**
 * Decides whether a caller may sign in team members. The caller receives the sessions of owners, so it must already be
 * able to do everything without a limit: only a key with the scope `*` may. A list of all scopes is not enough,
 * because it cannot make owners and lacks the scopes of later releases. Throws `insufficient_scope`,
 * `privilege_escalation`.
 */
export function assertSignsTeamIn(caller: ManagerCaller): void {
  if (caller.kind !== 'key')
    throw httpErrors.privilegeEscalation({
      detail: 'Only an API key can sign team members in. A team member cannot sign another member in.',
    })
  if (!caller.grants.has(OWNERSHIP))
    throw httpErrors.insufficientScope({
      detail: 'To sign team members in, a key must have the scope *.',
      extra: { scope: '*' },
    })
  const bound = describeBound(caller)
  if (bound !== null)
    throw httpErrors.privilegeEscalation({
      detail: `This key has ${bound}, which the session of a team member would not have. Use a key without an expiry, address list and rate limit.`,
    })
}

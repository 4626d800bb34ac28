import type { Scope } from '../../contract.ts'
import { httpErrors } from '../errors.ts'
import type { KeyCaller } from './caller.ts'
import { allows } from './scopes.ts'

/**
 * Refuses a caller without the route's scope. `any key`: every valid key passes, and of the team who may sign users in.
 */
export function authorize(caller: KeyCaller, wanted: Scope | 'any key'): void {
  if (wanted === 'any key' && caller.kind === 'key') return
  const scope = wanted === 'any key' ? 'auth.login' : wanted
  if (allows(caller.scopes, scope)) return
  throw httpErrors.insufficientScope({
    detail: `This requires the scope ${scope}.`,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    extra: { scope },
  })
}

/** Refuses a member of the team whose role may not do this, although it has the scope. Throws `insufficient_scope`. */
export function assertNotWithheld({ lacks = [] }: KeyCaller, permission: string): void {
  if (lacks.includes(permission))
    throw httpErrors.insufficientScope({ detail: `Your role lacks the permission ${permission}.` })
}

import { httpErrors } from '../errors.ts'
import type { Principal } from './authenticate.ts'
import { allows, type Scope } from './scopes.ts'

/** Refuses a key without the route's scope. `any key`: every valid key passes. */
export function authorize(principal: Principal, scope: Scope | 'any key'): void {
  if (scope === 'any key' || allows(principal.scopes, scope)) return
  throw httpErrors.insufficientScope({
    detail: `This route needs the scope ${scope}.`,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    extra: { scope },
  })
}

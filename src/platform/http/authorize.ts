import type { Scope } from '../../contract.ts'
import { httpErrors } from '../errors.ts'
import type { KeyCaller } from './caller.ts'
import { allows } from './scopes.ts'

/** Refuses a key without the route's scope. `any key`: every valid key passes. */
export function authorize(caller: KeyCaller, scope: Scope | 'any key'): void {
  if (scope === 'any key' || allows(caller.scopes, scope)) return
  throw httpErrors.insufficientScope({
    detail: `This requires the scope ${scope}.`,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    extra: { scope },
  })
}

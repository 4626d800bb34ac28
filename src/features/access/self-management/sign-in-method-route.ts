import type { TProperties, TSchema } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import type { Statuses } from '../../../platform/http/answer.ts'
import { defineOwnRoute, type OwnRouteSpec } from '../../../platform/http/own-route.ts'
import type { Route } from '../../../platform/http/route.ts'
import { doorRoutes, loginErrors } from '../login/login.ts'
import { selfManagementErrors } from './errors.ts'
import { assertMethodUsable, assertRecent } from './freshness.ts'

/**
 * Defines a route with which users change their own sign-in methods. It requires a recent step-up before anything
 * else. `signInMethod` is the method that is set or changed: if users may not sign in with it, the route is refused.
 */
export function defineSignInMethodRoute<
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TProperties = Record<never, never>,
  R extends TSchema = TSchema,
  S extends Statuses = Record<never, never>,
>({ signInMethod = null, ...spec }: OwnRouteSpec<P, Q, B, R, S> & { signInMethod?: string | null }): Route {
  const gates = [httpErrors.organizationSuspended, loginErrors.accountLocked, ...doorRoutes.barred]
  return defineOwnRoute<P, Q, B, R, S>({
    ...spec,
    errors: [
      selfManagementErrors.stepUpRequired,
      ...gates,
      ...(signInMethod ? [loginErrors.ssoRequired] : []),
      ...(spec.errors ?? []),
    ],
    async handle(work, input) {
      const facts = await assertRecent(work)
      if (signInMethod) await assertMethodUsable(work, facts, signInMethod)
      return spec.handle(work, input, undefined)
    },
  })
}

import type { TProperties, TSchema } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import type { Statuses } from '../../../platform/http/answer.ts'
import { type CallerRouteSpec, defineRoute, type Route } from '../../../platform/http/route.ts'
import { doorRoutes, loginErrors } from '../../access/login/login.ts'
import { meErrors } from './errors.ts'
import { assertIsWayIn, assertRecent } from './freshness.ts'

/**
 * A route that users and members of the team call about themselves, with an access token, from the pages that their directory
 * allows. The session of the token is looked up.
 */
export function defineOwnRoute<
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TProperties = Record<never, never>,
  R extends TSchema = TSchema,
  S extends Statuses = Record<never, never>,
>(spec: OwnRouteSpec<P, Q, B, R, S>): Route {
  return defineRoute({ ...spec, auth: 'user', cors: 'origins', team: true, tag: 'End user' })
}

type OwnRouteSpec<
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
  S extends Statuses,
> = Omit<CallerRouteSpec<'user', P, Q, B, R, S>, 'auth' | 'cors' | 'tag' | 'team'>

/**
 * One that changes a way in: before anything else it wants a recent proof of who is there, and, where `wayIn` names what is
 * set or changed, that people may come in by it.
 */
export function defineWayInRoute<
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TProperties = Record<never, never>,
  R extends TSchema = TSchema,
  S extends Statuses = Record<never, never>,
>({ wayIn = null, ...spec }: OwnRouteSpec<P, Q, B, R, S> & { wayIn?: string | null }): Route {
  const gates = [httpErrors.organizationSuspended, loginErrors.accountLocked, ...doorRoutes.barred]
  return defineOwnRoute<P, Q, B, R, S>({
    ...spec,
    errors: [meErrors.stepUpRequired, ...gates, ...(wayIn ? [loginErrors.ssoRequired] : []), ...(spec.errors ?? [])],
    async handle(work, input) {
      const facts = await assertRecent(work)
      if (wayIn) await assertIsWayIn(work, facts, wayIn)
      return spec.handle(work, input, undefined)
    },
  })
}

import type { TProperties, TSchema } from 'typebox'
import type { Statuses } from './answer.ts'
import { type CallerRouteSpec, defineRoute, type Route } from './route.ts'

/**
 * A route with which users and team members manage themselves. It needs an access token, may be called from pages that
 * their directory allows, and looks up the token's session.
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

export type OwnRouteSpec<
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
  S extends Statuses,
> = Omit<CallerRouteSpec<'user', P, Q, B, R, S>, 'auth' | 'cors' | 'tag' | 'team'>

import { ApiError } from '../errors.ts'
import type { Origin } from '../events/origin.ts'
import { errorsOf } from '../openapi/openapi-errors.ts'
import type { Platform } from '../platform.ts'
import type { Route } from './route.ts'

/** Refuses to send a status that the route does not declare. */
export function assertDeclared(route: Route, code: number): void {
  if (!(code in route.replies))
    throw new Error(`${route.method} ${route.path} answered ${code}, which it does not declare`)
}

/** In tests: checks that a route records only events that it declares, and those that it must. */
export function checkEvents(route: Route, platform: Platform, origin: Origin): void {
  if (!platform.strict) return
  const always = route.events.map(({ type }) => type)
  const declared = new Set([...always, ...route.maybeEvents.map(({ type }) => type)])
  const missing = always.length > 0 && !always.some((type) => origin.recorded.includes(type))
  const foreign = origin.recorded.filter((type) => !declared.has(type))
  if (missing || foreign.length)
    throw new Error(
      `${route.method} ${route.path} declares ${[...declared].join()} and recorded ${origin.recorded.join()}`,
    )
}

/** In tests: checks that a route throws only errors that it declares. */
export function asDeclaredError(route: Route, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { code } = error.definition
  if (errorsOf(route).some((factory) => factory.code === code)) return error
  return new Error(`${route.method} ${route.path} threw ${code}, which it does not declare`, { cause: error })
}

import type { Route } from '../http/route.ts'
import type { JsonObject } from './openapi-schemas.ts'

/** The query parameters that accept `next_cursor`, in order of preference. */
const CURSORS = ['cursor', 'after']

/**
 * OpenAPI extensions of an operation that client generators read:
 * - `x-alias`: another path or operation does the same, so clients need only one method.
 * - `x-idempotent`: a repeated request has no second effect. This is a GET, a POST that declares it, or a write with
 * an `Idempotency-Key`, which the repeated request must send again.
 * - `x-pagination`: the field with the rows of a page, and the query parameter that accepts `next_cursor`.
 */
export function describeMarkers(route: Route, { isAlias }: { isAlias: boolean }): JsonObject {
  const pagination = paginationOf(route)
  return {
    ...(isAlias || route.sameAs ? { 'x-alias': true } : {}),
    ...(isRepeatable(route) ? { 'x-idempotent': true } : {}),
    ...(pagination ? { 'x-pagination': pagination } : {}),
  }
}

/** A GET that redirects completes a sign-in at a provider, which consumes a code, so it is not repeatable. */
const isRepeatable = ({ method, idempotency, repeatable, redirects }: Route) =>
  (method === 'GET' && !redirects) || idempotency || repeatable

function paginationOf(route: Route): JsonObject | null {
  const reply = Object(route.replies[200]).properties ?? {}
  const cursor = CURSORS.find((name) => name in route.query.properties)
  if (!('has_more' in reply) || cursor === undefined) return null
  const lists = Object.keys(reply).filter((name) => Object(reply[name]).type === 'array')
  const items = route.rows ?? lists[0]
  if (items === undefined || (lists.length > 1 && !route.rows))
    throw new Error(`${route.operation}: \`rows\` must name the list that its pages are of`)
  return { items, cursor }
}

import { type ErrorFactory, httpErrors } from '../errors.ts'
import { crossSiteErrors } from './cross-site.ts'
import type { Route } from './route.ts'

/** The errors of a route: its own, and those of the pipeline steps it passes through. */
export function errorsOf(route: Route): ErrorFactory[] {
  const keyed = route.auth === 'key'
  const scoped = keyed && route.scope !== 'any key'
  const takesBody = route.method !== 'GET'
  const steps: (readonly [boolean, ErrorFactory[]])[] = [
    [true, [httpErrors.invalidRequest, httpErrors.internal, httpErrors.unavailable]],
    [!route.tolerant, [httpErrors.notAcceptable]],
    [
      keyed,
      [httpErrors.apiKeyMissing, httpErrors.apiKeyInvalid, httpErrors.apiKeyExpired, httpErrors.credentialConflict],
    ],
    [keyed, [httpErrors.rateLimited, httpErrors.subOrgMismatch, httpErrors.organizationNotFound]],
    [route.auth === 'user', [httpErrors.accessTokenMissing, httpErrors.accessTokenInvalid]],
    [route.cors === 'origins', [httpErrors.originNotAllowed]],
    [scoped, [httpErrors.insufficientScope]],
    [keyed && route.directory === 'one' && takesBody, [httpErrors.subOrgRequired]],
    [route.service !== null, [httpErrors.serviceDisabled]],
    [keyed && route.body !== null, [httpErrors.subOrgConflict]],
    [takesBody, [httpErrors.payloadTooLarge, httpErrors.unsupportedMediaType]],
    [takesBody && route.media !== 'form', [httpErrors.invalidJson]],
    [takesBody && route.media === 'form' && !route.crossSite, [crossSiteErrors.crossSite]],
    [route.idempotency, [httpErrors.idempotencyInProgress, httpErrors.idempotencyKeyReused]],
  ]
  const all = [...steps.flatMap(([applies, factories]) => (applies ? factories : [])), ...route.errors]
  return [...new Map(all.map((factory) => [factory.code, factory])).values()]
}

import { type ErrorFactory, httpErrors } from '../errors.ts'
import { crossSiteErrors } from '../http/cross-site.ts'
import type { Route } from '../http/route.ts'
import { callerKindOf } from '../tenancy/caller-kinds.ts'
import { requiresOrganization } from '../tenancy/resolve-directory.ts'

/** A step of the pipeline, and the errors with which it refuses requests. */
export interface Step {
  /** Part of the names in the contract for sets of shared refusals. */
  name: string
  errors: ErrorFactory[]
  /** The name of the schema for all of the step's errors, if many routes have them. */
  set?: string | undefined
}

/**
 * The steps that a route's requests pass through. Clients of the contract send no body to a route that has none, so
 * only routes with a body have the refusals of parsing.
 */
export function stepsOf(route: Route): Step[] {
  const kind = callerKindOf(route)
  const keyed = route.auth === 'key'
  const takesBody = route.body !== null
  const isForm = route.media === 'form'
  const steps: [applies: boolean, name: string, errors: ErrorFactory[], set?: string | undefined][] = [
    [true, '', [httpErrors.invalidRequest, httpErrors.internal]],
    [!route.probe, '', [httpErrors.unavailable]],
    // Limits of a network: for requests that need no credential, and for wrong credentials.
    [!route.probe && !keyed, 'Network', [httpErrors.rateLimited]],
    [!route.tolerant && !isForm, '', [httpErrors.notAcceptable]],
    [kind !== null, kind?.name ?? '', kind?.errors ?? [], kind === null ? undefined : `${kind.name}CredentialProblem`],
    [
      keyed,
      'Key',
      [httpErrors.rateLimited, httpErrors.subOrgMismatch, httpErrors.organizationNotFound],
      'KeyReachProblem',
    ],
    [route.cors === 'origins', 'Origin', [httpErrors.originNotAllowed]],
    [keyed, 'Scope', [httpErrors.insufficientScope]],
    [keyed && route.team !== false, 'Team', [httpErrors.privilegeEscalation]],
    [takesBody, 'Body', [httpErrors.payloadTooLarge, httpErrors.unsupportedMediaType], 'BodyProblem'],
    [takesBody && !isForm, 'Body', [httpErrors.invalidJson]],
    [takesBody && isForm && !route.crossSite, 'Form', [crossSiteErrors.crossSite]],
    [takesBody && keyed, 'Key', [httpErrors.subOrgConflict]],
    [keyed && (requiresOrganization(route) || route.organizationToken !== null), 'Write', [httpErrors.subOrgRequired]],
    [route.service !== null && route.directory !== 'account', 'Service', [httpErrors.serviceDisabled]],
    [
      route.idempotency,
      'Idempotency',
      [httpErrors.idempotencyInProgress, httpErrors.idempotencyKeyReused],
      'IdempotencyProblem',
    ],
  ]
  return steps.flatMap(([applies, name, errors, set]) => (applies ? [{ name, errors, set }] : []))
}

/** The errors of a route: its own, and those of its pipeline steps. */
export function errorsOf(route: Route): ErrorFactory[] {
  const all = [...stepsOf(route).flatMap(({ errors }) => errors), ...route.errors]
  return [...new Map(all.map((factory) => [`${factory.code} ${factory.status}`, factory])).values()]
}

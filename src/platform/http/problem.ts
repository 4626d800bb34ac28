import type { FastifyRequest } from 'fastify'
import { isDatabaseUnavailable, isPoolExhausted } from '../db/failure.ts'
import { ApiError, busy, httpErrors, readErrorField } from '../errors.ts'
import { noteRefusedByLoad } from '../limits/refused-by-load.ts'
import { traceOf } from '../observability/trace.ts'
import type { Platform } from '../platform.ts'

/** The status, headers and body of an error response (RFC 9457). */
export interface Problem {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** The only form of errors. For an unexpected failure, only the request id is sent. */
export function toProblem(error: unknown, baseUrl: string, requestId: string): Problem {
  const { definition, details } = asApiError(error)
  const { detail, errors, headers, extra } = details
  return {
    status: definition.status,
    headers: headers ?? {},
    body: {
      type: `${baseUrl}/docs/errors#${definition.code}`,
      title: definition.title,
      status: definition.status,
      detail: detail ?? definition.help,
      code: definition.code,
      request_id: requestId,
      ...(errors ? { errors } : {}),
      ...extra,
    },
  }
}

/**
 * Returns the problem of a refused or failed request. Stores its code for the request log, and logs failures of the
 * service.
 */
export function noteProblem(platform: Platform, error: unknown, request: FastifyRequest): Problem {
  const route = routeNameOf(request)
  const isCutOff = hasHungUp(error, request)
  if (isCutOff) platform.log.debug({ requestId: request.id, route, error }, 'The client hung up')
  const refusal = isCutOff ? httpErrors.invalidRequest({ detail: 'The body is incomplete.' }) : asApiError(error)
  // Base URL: the type of a problem is a URL in the documentation.
  const problem = toProblem(refusal, platform.config.baseUrl, request.id)
  if (request.state) request.state.code = refusal.definition.code
  const { cause, limit } = refusal.details
  platform.metrics.refusals.inc({ code: refusal.definition.code })
  if (limit !== undefined) platform.metrics.limits.inc({ limit })
  if (problem.status === 503 && cause === undefined) noteRefusedByLoad(platform, route)
  else if (problem.status >= 500)
    platform.log.error(
      { requestId: request.id, ...traceOf(request.headers), route, error: cause ?? refusal },
      refusal.definition.title,
    )
  return problem
}

/**
 * Whether the client disconnected while sending its body. That is not an error of the service, and the client reads no
 * response.
 */
function hasHungUp(error: unknown, { raw }: FastifyRequest): boolean {
  if (readErrorField(error, 'code') !== 'ECONNRESET' || isDatabaseUnavailable(error)) return false
  return raw.destroyed && !raw.complete
}

/** The name of a request's route in logs and metrics: its path with parameter names. */
export function routeNameOf({ routeOptions, state }: FastifyRequest): string {
  return (routeOptions?.config.route ?? state?.otherMethodOf)?.path ?? routeOptions?.url ?? 'none'
}

/** Converts any thrown value to a refusal: our own, the HTTP layer's, the database's, or `internal_error`. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isPoolExhausted(error)) return busy()
  if (isDatabaseUnavailable(error))
    return httpErrors.unavailable({
      cause: error,
      detail: 'The database cannot be reached at the moment. Try again.',
      headers: { 'retry-after': '1' },
    })
  switch (readErrorField(error, 'code')) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return httpErrors.payloadTooLarge()
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return httpErrors.unsupportedMediaType({ detail: 'Send the body as application/json.' })
    case 'FST_ERR_BAD_URL':
    // A parameter that is longer than any id names nothing.
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return httpErrors.notFound()
    // The method is a valid HTTP method that no route has.
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return httpErrors.notFound()
    default:
      return httpErrors.internal({
        cause: error,
        detail: 'The service failed. The request id identifies the failed request in the log of the service.',
      })
  }
}

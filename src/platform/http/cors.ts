import type { FastifyReply, FastifyRequest } from 'fastify'
import { httpErrors } from '../errors.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { Cors } from './route.ts'

/** Whether a directory allows pages of this origin to call the API for its users. */
export type IsOriginAllowed = (directory: Directory, origin: string) => Promise<boolean>

// Response headers that pages may read.
const EXPOSED = 'x-request-id, retry-after, etag, link'

/**
 * Allows the page to read the response. Which origins a directory allows is known only after its token was verified.
 * Until then every page may read a refusal, so that scripts can recognize an expired token.
 */
export function allowReading(cors: Cors, request: FastifyRequest, reply: FastifyReply): void {
  if (cors === 'none') return
  const origin = originOf(request)
  if (cors === 'origins') reply.header('vary', 'origin')
  if (origin === null) return
  reply.header('access-control-allow-origin', cors === 'any' ? '*' : origin)
  reply.header('access-control-expose-headers', EXPOSED)
}

/** Refuses a page whose origin the end user's directory does not allow. Throws `origin_not_allowed`. */
export async function assertOriginAllowed(
  request: FastifyRequest,
  directory: Directory,
  own: string,
  isAllowed: IsOriginAllowed,
): Promise<void> {
  const origin = originOf(request)
  if (origin === null || origin === own || (await isAllowed(directory, origin))) return
  throw httpErrors.originNotAllowed({ extra: { origin } })
}

/**
 * Responds to a preflight (Fetch standard §3.2.2). A preflight names no directory, so the response reveals nothing
 * about one.
 */
export function answerPreflight(cors: Cors, methods: string, request: FastifyRequest, reply: FastifyReply): void {
  allowReading(cors, request, reply)
  reply
    .headers({
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'authorization, content-type, if-match',
      'access-control-max-age': '600',
    })
    .code(204)
    .send()
}

/** The origin of the calling page. Null if the client is not a browser or the page has an opaque origin. */
function originOf(request: FastifyRequest): string | null {
  const { origin } = request.headers
  return origin !== undefined && origin !== 'null' && URL.parse(origin)?.origin === origin ? origin : null
}

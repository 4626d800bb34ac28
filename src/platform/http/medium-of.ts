import type { FastifyRequest } from 'fastify'
import type { MediaName } from './media.ts'
import type { Route } from './route.ts'

/** Returns the medium in which a request is read and refused. */
export type MediumOf = (request: FastifyRequest) => MediaName

/**
 * Returns the medium of the request's route. Without a route, SCIM clients get a SCIM error (RFC 7644 §3.12): they are
 * recognized by the folder of all SCIM routes. People with a browser get a page.
 */
export function findMedia(routes: Route[]): MediumOf {
  const folder = folderOf(routes.filter(({ media }) => media === 'scim').map(({ path }) => path))
  return ({ url, routeOptions, state, headers: { accept = '' } }) => {
    const known = (routeOptions?.config.route ?? state?.otherMethodOf)?.media
    if (known) return known
    if (folder !== null && url.startsWith(folder)) return 'scim'
    return /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept) ? 'form' : 'json'
  }
}

/** The folder that contains all paths, or null if that is the root or there are no paths. */
function folderOf(paths: string[]): string | null {
  const [first, ...others] = paths.map((path) => path.split('/').slice(0, -1))
  if (!first) return null
  const end = first.findIndex((part, at) => others.some((other) => other[at] !== part))
  const common = end < 0 ? first : first.slice(0, end)
  return common.length > 1 ? `${common.join('/')}/` : null
}

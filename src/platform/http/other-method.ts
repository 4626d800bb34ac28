import { type ApiError, httpErrors } from '../errors.ts'
import type { Method, Route } from './route.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** What a path answers, and one of its routes. */
interface Served {
  methods: Set<Method>
  route: Route
}

/** Finds what is answered where the method of a request is not: a route of its path, and the refusal. */
export type FindOther = (request: { method: string; url: string }) => { route: Route; refusal: ApiError } | null

/**
 * 405 with `Allow` where the path is known (RFC 9110 §15.5.6). Asked only where no route was found: a route for each
 * refused method of each path would take as long to register as all the others.
 */
export function otherMethods(routes: Route[]): FindOther {
  let paths: [RegExp, Served][] | null = null
  return ({ method, url }) => {
    paths ??= indexPaths(routes)
    const path = METHODS.includes(method) ? pathOf(url) : null
    const served = path === null ? undefined : paths.find(([pattern]) => pattern.test(path))?.[1]
    if (!served) return null
    const allow = allowOf(served)
    return {
      route: served.route,
      refusal: httpErrors.methodNotAllowed({ headers: { allow }, detail: `Use ${allow}.` }),
    }
  }
}

/** The path as the router reads it: to the query or a fragment. Null where it cannot be decoded. */
function pathOf(url: string): string | null {
  const [path = ''] = url.split(/[?#]/, 1)
  try {
    return decodeURI(path).replace(/(?<=.)\/$/, '')
  } catch {
    return null
  }
}

/** Patterns of all paths: as in the router, a name in its place comes before a parameter. */
function indexPaths(routes: Route[]): [RegExp, Served][] {
  const paths = [...methodsByPath(routes)].map(([path, served]) => {
    const parts = path.split('/').map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').split(/\{\w+\}/))
    return { parts, pattern: new RegExp(`^${parts.map((texts) => texts.join('[^/]+')).join('/')}$`), served }
  })
  const rank = (parts: string[][]) => parts.map((texts) => (texts.length > 1 ? '1' : '0')).join('')
  paths.sort((a, b) => rank(a.parts).localeCompare(rank(b.parts)))
  return paths.map(({ pattern, served }) => [pattern, served])
}

/** Every path with what it answers. Throws where the routes of a path have different rules for web pages. */
export function methodsByPath(routes: Route[]): Map<string, Served> {
  const taken = new Map<string, Served>()
  for (const route of routes)
    for (const path of routedPaths(route)) {
      const served = taken.get(path) ?? { methods: new Set(), route }
      if (served.route.cors !== route.cors) throw new Error(`${path} has routes with different rules for web pages`)
      served.methods.add(route.method)
      taken.set(path, served)
    }
  return taken
}

/** The methods of a path, as `Allow` names them: a preflight is answered where pages may call. */
export function allowOf({ methods, route }: Served): string {
  const taken = [...methods].flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method]))
  return [...taken, ...(route.cors === 'none' ? [] : ['OPTIONS'])].join(', ')
}

/** The paths of a route that the router knows. Versioned ones answer below `/api` too (`routedUrl`). */
export function routedPaths(route: Route): string[] {
  return [route.path, ...route.aliases]
}

/**
 * What the router is asked for a URL: its path and query, without the authority that may stand before them (RFC 9112
 * §3.2.2), and versioned paths at the root, since to register each of them twice takes twice as long. Letters may come as
 * escapes, which the router reads likewise.
 */
export function routedUrl(url: string): string {
  // As nearly all are.
  if (url.startsWith('/v1/')) return url
  return url
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*\/?/i, '/')
    .replace(/^\/(?:a|%61)(?:p|%70)(?:i|%69)(?=\/(?:v|%76)(?:1|%31)\/)/, '')
}

/** A path of the contract as the router takes it. */
export function urlOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

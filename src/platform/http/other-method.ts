import { type ApiError, httpErrors } from '../errors.ts'
import type { Method, Route } from './route.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** What a path answers, and one of its routes. */
interface Served {
  methods: Set<Method>
  route: Route
}

/** Finds the response to a request whose method its path does not have: a route of the path, and the refusal. */
export type FindOther = (request: { method: string; url: string }) => { route: Route; refusal: ApiError } | null

/**
 * Refuses with 405 and `Allow` if the path exists (RFC 9110 §15.5.6). Called only if no route was found: registering a
 * route for each refused method of each path would take as long as registering all other routes.
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

/** The path as the router reads it, up to the query or fragment. Null if it cannot be decoded. */
function pathOf(url: string): string | null {
  const [path = ''] = url.split(/[?#]/, 1)
  try {
    return decodeURI(path).replace(/(?<=.)\/$/, '')
  } catch {
    return null
  }
}

/** Patterns of all paths, in the router's order of precedence: a fixed name before a parameter. */
function indexPaths(routes: Route[]): [RegExp, Served][] {
  const paths = [...methodsByPath(routes)].map(([path, served]) => {
    const parts = path.split('/').map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').split(/\{\w+\}/))
    return { parts, pattern: new RegExp(`^${parts.map((texts) => texts.join('[^/]+')).join('/')}$`), served }
  })
  const rank = (parts: string[][]) => parts.map((texts) => (texts.length > 1 ? '1' : '0')).join('')
  paths.sort((a, b) => rank(a.parts).localeCompare(rank(b.parts)))
  return paths.map(({ pattern, served }) => [pattern, served])
}

/** Every path with its methods. Throws if the routes of a path have different rules for web pages. */
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

/** The methods of a path for `Allow`. Includes the preflight's method if pages may call the path. */
export function allowOf({ methods, route }: Served): string {
  const taken = [...methods].flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method]))
  return [...taken, ...(route.cors === 'none' ? [] : ['OPTIONS'])].join(', ')
}

/** The paths of a route in the router. Versioned paths also exist below `/api` (`routedUrl`). */
export function routedPaths(route: Route): string[] {
  return [route.path, ...route.aliases]
}

/**
 * Converts a request URL to the URL that the router looks up: path and query, without an authority in front (RFC 9112
 * §3.2.2). Versioned paths lose the prefix `/api`, because registering each of them twice would take twice as long.
 * Letters may be percent-encoded, which the router decodes in the same way.
 */
export function routedUrl(url: string): string {
  // The common case.
  if (url.startsWith('/v1/')) return url
  return url
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*\/?/i, '/')
    .replace(/^\/(?:a|%61)(?:p|%70)(?:i|%69)(?=\/(?:v|%76)(?:1|%31)\/)/, '')
}

/** The router's form of a path in the contract. */
export function urlOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

import { type ErrorDefinition, errorCatalogue } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/route.ts'
import { errorsOf } from '../../../platform/openapi/openapi-errors.ts'
import { type Html, html, url } from '../../../platform/pages/html.ts'
import { renderProse } from './prose.ts'

/** An error code and the routes that return it. */
interface CatalogueEntry extends ErrorDefinition {
  /** Such as `POST /v1/users`. Null if more than a quarter of all routes return the code. */
  routes: string[] | null
}

const STATUS_NAMES: Record<number, string> = {
  400: 'Bad request',
  401: 'Not authenticated',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  409: 'Conflict',
  412: 'Precondition failed',
  413: 'Too large',
  415: 'Unsupported media type',
  422: 'Cannot be processed',
  429: 'Too many requests',
  500: 'Server error',
  501: 'Not implemented',
  503: 'Unavailable',
}

const INTRODUCTION =
  'Every error response is `application/problem+json` (RFC 9457) with a stable `code`. Branch on `code`. `detail` is ' +
  'written for developers, so show your users your own text. `request_id` identifies the request in the log of the ' +
  'service. The list below an error names the operations that return it. An error without a list can come from many ' +
  'operations.'

/** All codes that the loaded routes define, by status. */
function catalogueOf(routes: Route[]): Map<number, CatalogueEntry[]> {
  const places = new Map<string, string[]>()
  for (const route of routes.filter(({ path }) => !path.startsWith('/dev/')))
    for (const { code } of errorsOf(route))
      places.set(code, [...(places.get(code) ?? []), `${route.method} ${route.path}`])
  const entries = errorCatalogue().map((definition) => {
    const found = places.get(definition.code) ?? []
    const everywhere = found.length === 0 || found.length > routes.length / 4
    return { ...definition, routes: everywhere ? null : found }
  })
  return Map.groupBy(entries, (entry) => entry.status)
}

function headingOf(status: number): string {
  return `${status} ${STATUS_NAMES[status] ?? ''}`.trim()
}

/** The content of docs/reference/errors.md. Pass all routes of the service, so that every code is included. */
export function errorsMarkdown(routes: Route[]): string {
  const sections = [...catalogueOf(routes)].map(([status, entries]) => {
    const items = entries.map((entry) => {
      const where = entry.routes ? `\n\n${entry.routes.map((route) => `- \`${route}\``).join('\n')}` : ''
      return `### ${entry.code}\n\n${entry.title}. ${entry.help}${where}\n`
    })
    return `## ${headingOf(status)}\n\n${items.join('\n')}`
  })
  return `# Error codes\n\n${INTRODUCTION}\n\n${sections.join('\n')}`
}

/** The catalogue as a page. Each code is an anchor, which the `type` of a problem refers to. */
export function renderErrors(routes: Route[]): Html {
  const sections = [...catalogueOf(routes)].map(
    ([status, entries]) => html`<h2>${headingOf(status)}</h2>\n<dl>\n${entries.map(renderEntry)}</dl>\n`,
  )
  return html`<p>${renderProse(INTRODUCTION)}</p>\n${sections}`
}

function renderEntry({ code, title, help, routes }: CatalogueEntry): Html {
  const places = routes?.map((route) => html`<li><code>${route}</code></li>`) ?? []
  const list = places.length > 0 && html`<ul>${places}</ul>`
  return html`<div id="${code}"><dt><a href="${url(`#${code}`)}"><code>${code}</code></a></dt><dd>${renderProse(`${title}. ${help}`)}${list}</dd></div>\n`
}

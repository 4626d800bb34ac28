import manifest from '../../../package.json' with { type: 'json' }
import { buildOpenApi } from '../../platform/http/openapi.ts'
import { definePage } from '../../platform/http/pages.ts'
import { loadReferenceScript } from '../../platform/http/reference-script.ts'
import type { Route } from '../../platform/http/route.ts'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import { renderErrorPage } from './error-catalogue.ts'
import { renderEventPage } from './event-catalogue.ts'

const documents = perPlatform(() => new WeakMap<Route[], object>())

/** The OpenAPI document of this deployment, built on first use. */
export function describeService(platform: Platform, routes: Route[]): object {
  const known = documents(platform)
  const found = known.get(routes)
  if (found) return found
  const document = buildOpenApi(routes, { baseUrl: platform.config.baseUrl, version: manifest.version })
  known.set(routes, document)
  return document
}

/**
 * The API reference at /docs, and the catalogues of error codes and events. `all` returns every route, once complete.
 */
export function docsPages(all: () => Route[]): Route[] {
  const pages = [
    { path: '/docs', summary: 'The API reference', contentSecurityPolicy: REFERENCE_POLICY, render: renderReference },
    { path: '/docs/reference.js', summary: 'Its script', render: serveReferenceScript },
    { path: '/docs/errors', summary: 'The catalogue of error codes', render: async () => renderErrorPage(all()) },
    { path: '/docs/events', summary: 'The catalogue of events', render: async () => renderEventPage() },
  ] as const
  return pages.flatMap((page) => definePage(page))
}

// The reference injects its style sheets into the page. Everything it loads comes from this origin.
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src data:; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// Disables everything that contacts other hosts: fonts, telemetry, the request proxy, the assistant.
const CONFIGURATION = {
  url: '/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'apiKey' },
}

async function renderReference(): Promise<string> {
  const { version } = await loadReferenceScript()
  const configuration = JSON.stringify(CONFIGURATION).replaceAll('"', '&quot;')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="icon" href="data:,">
<title>Watchword API</title>
</head>
<body>
<script id="api-reference" data-configuration="${configuration}"></script>
<script src="/docs/reference.js?v=${version}"></script>
</body>
</html>
`
}

async function serveReferenceScript() {
  const { gzipped } = await loadReferenceScript()
  return {
    content: gzipped,
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    },
  }
}

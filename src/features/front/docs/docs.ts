import manifest from '../../../../package.json' with { type: 'json' }
import { type KeptAnswer, keepAnswer, keepOnce } from '../../../platform/http/kept.ts'
import { loadReferenceScript } from '../../../platform/http/reference-script.ts'
import type { Route } from '../../../platform/http/route.ts'
import { buildOpenApi, type OpenApiPart } from '../../../platform/openapi/openapi.ts'
import { PAGE_POLICY, pageHeaders } from '../../../platform/pages/page-layout.ts'
import { definePage } from '../../../platform/pages/pages.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { renderErrorPage } from './error-catalogue.ts'
import { renderEventPage } from './event-catalogue.ts'

/** What never changes while the process runs is rendered on first use. */
const keptOf = (make: (platform: Platform, all: () => Route[]) => Promise<KeptAnswer>) =>
  perPlatform((platform) => {
    let all: () => Route[] = () => []
    const kept = keepOnce(() => make(platform, all))
    return (routes: () => Route[]) => {
      all = routes
      return kept()
    }
  })

const keptContract = (part: OpenApiPart) =>
  keptOf(({ config }, all) => {
    // Base URL: names the server in the OpenAPI documents.
    const document = buildOpenApi(all(), { baseUrl: config.baseUrl, version: manifest.version, part })
    return keepAnswer(JSON.stringify(document), { 'content-type': 'application/json; charset=utf-8' })
  })

/** The OpenAPI documents of this deployment. */
export const keptContracts = { api: keptContract('api'), scim: keptContract('scim') }

const keptPage = (render: (all: () => Route[]) => Promise<string>, contentSecurityPolicy = PAGE_POLICY) =>
  keptOf(async (_platform, all) => keepAnswer(await render(all), pageHeaders(contentSecurityPolicy)))

// The reference injects its style sheets into the page. Everything it loads comes from this origin.
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src data:; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// Disables everything that contacts other hosts: fonts, telemetry, the request proxy, the assistant.
const CONFIGURATION = {
  sources: [
    { title: 'API', slug: 'api', url: '/v1/openapi.json', default: true },
    { title: 'SCIM', slug: 'scim', url: '/v1/scim/openapi.json' },
  ],
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

const FOR_GOOD = 'public, max-age=31536000, immutable'

const pages = [
  { path: '/docs', summary: 'The API reference', kept: keptPage(renderReference, REFERENCE_POLICY) },
  {
    path: '/docs/reference.js',
    summary: 'Its script',
    kept: keptOf(async () => {
      const { source } = await loadReferenceScript()
      return keepAnswer(source, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': FOR_GOOD })
    }),
  },
  {
    path: '/docs/errors',
    summary: 'The catalogue of error codes',
    kept: keptPage(async (all) => renderErrorPage(all())),
  },
  { path: '/docs/events', summary: 'The catalogue of events', kept: keptPage(async () => renderEventPage()) },
] as const

/**
 * The API reference at /docs, and the catalogues of error codes and events. `all` returns every route, once complete.
 */
export function docsPages(all: () => Route[]): Route[] {
  return pages.flatMap(({ path, summary, kept }) =>
    definePage({ path, summary, render: ({ platform }) => kept(platform)(all) }),
  )
}

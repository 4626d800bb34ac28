import manifest from '../../../../package.json' with { type: 'json' }
import { type KeptAnswer, keepAnswer, keepOnce } from '../../../platform/http/kept.ts'
import { rootPathOf } from '../../../platform/http/public-url.ts'
import type { Route } from '../../../platform/http/route.ts'
import { partOf } from '../../../platform/openapi/document-parts.ts'
import { buildOpenApi, type OpenApiPart } from '../../../platform/openapi/openapi.ts'
import { writeHtml } from '../../../platform/pages/html.ts'
import { definePage } from '../../../platform/pages/pages.ts'
import { PAGE_POLICY, pageHeaders } from '../../../platform/pages/policy.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { renderErrors } from './error-catalogue.ts'
import { renderEvents } from './event-catalogue.ts'
import { GUIDES, readGuides, readImages, renderGuide } from './guides.ts'
import { referenceMenu, referenceTags, renderOverview, renderTag } from './reference.ts'
import { makeSearch, renderResults } from './search.ts'
import { renderDocsPage } from './site.ts'

/** Makes something on first use and keeps it, since it never changes while the process runs. */
function keptOf<T>(make: (platform: Platform, all: () => Route[]) => Promise<T>) {
  return perPlatform((platform) => {
    let all: () => Route[] = () => []
    const kept = keepOnce(() => make(platform, all))
    return (routes: () => Route[]) => {
      all = routes
      return kept()
    }
  })
}

// Base URL: the OpenAPI documents and the examples in the reference name the server.
const documentOf = ({ config }: Platform, routes: Route[], part: OpenApiPart) =>
  buildOpenApi(routes, { baseUrl: config.baseUrl, version: manifest.version, part })

const keptContract = (part: OpenApiPart) =>
  keptOf((platform, all) =>
    keepAnswer(JSON.stringify(documentOf(platform, all(), part)), {
      'content-type': 'application/json; charset=utf-8',
    }),
  )

/** The OpenAPI documents of this deployment. */
export const keptContracts = { api: keptContract('api'), scim: keptContract('scim') }

const keptReference = keptOf(async (platform, all) => {
  const [document, scim] = (['api', 'scim'] as const).map((part) => partOf(documentOf(platform, all(), part)))
  return { document: partOf(document), tags: referenceTags(partOf(document), partOf(scim)) }
})

const keptGuides = keptOf(readGuides)

const keptSearch = keptOf(async (platform, all) => {
  const [guides, { tags }] = await Promise.all([keptGuides(platform)(all), keptReference(platform)(all)])
  return makeSearch({ guides, tags })
})

const typeOfImage = (name: string) => (name.endsWith('.svg') ? 'image/svg+xml' : 'image/png')

const keptImages = keptOf(async () => {
  const images = [...(await readImages())].map(
    async ([name, image]) => [name, await keepAnswer(image, { 'content-type': typeOfImage(name) })] as const,
  )
  return new Map(await Promise.all(images))
})

/**
 * The parts of a page; null if there is no page at the path. Guides are found first, since building the API document
 * takes long.
 */
async function pageOf(platform: Platform, all: () => Route[], path: string) {
  const guides = await keptGuides(platform)(all)
  const guide = guides.byPath.get(path)
  if (guide) return { title: guide.title, content: renderGuide(guide), menu: guides.menu }
  if (path === '/docs/errors') return { title: 'Error codes', content: renderErrors(all()), menu: guides.menu }
  if (path.startsWith(GUIDES)) return null
  const { document, tags } = await keptReference(platform)(all)
  const menu = referenceMenu(tags)
  if (path === '/docs') return { title: 'API reference', content: renderOverview(document, tags), menu }
  if (path === '/docs/events') return { title: 'Events', content: renderEvents(document), menu: guides.menu }
  const tag = tags.find((each) => each.path === path)
  return tag ? { title: tag.title, content: renderTag(tag), menu } : null
}

/**
 * The pages that were requested so far, by path. Every page is a guide, a tag or a catalogue, so their number is
 * limited.
 */
const keptPages = perPlatform(() => new Map<string, KeptAnswer>())

async function showPage(platform: Platform, all: () => Route[], path: string): Promise<KeptAnswer | null> {
  const pages = keptPages(platform)
  const known = pages.get(path)
  if (known) return known
  const page = await pageOf(platform, all, path)
  if (!page) return null
  const text = writeHtml(renderDocsPage({ ...page, path }), rootPathOf(platform))
  const made = await keepAnswer(text, pageHeaders(PAGE_POLICY))
  pages.set(path, made)
  return made
}

/** Paths are complete literals, so that a text search for a path finds this place. */
const PAGES = [
  { path: '/docs', summary: 'The API reference' },
  { path: '/docs/reference/{tag}', summary: 'The operations of one tag' },
  { path: '/docs/errors', summary: 'The catalogue of error codes' },
  { path: '/docs/events', summary: 'The catalogue of events' },
  { path: '/docs/guides', summary: 'The guides' },
  { path: '/docs/guides/{section}/{guide}', summary: 'A guide' },
] as const

/**
 * The documentation: guides, API reference, catalogues and search. At the first request, `all` must already return
 * every route.
 */
export function docsPages(all: () => Route[]): Route[] {
  const pages = PAGES.map(({ path, summary }) => ({
    path,
    summary,
    async render({ platform }: { platform: Platform }, params: Record<string, string | undefined>) {
      const asked = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
      return showPage(platform, all, asked)
    },
  }))
  return [
    ...pages.flatMap(definePage),
    ...definePage({
      path: '/docs/search',
      summary: 'Search the documentation',
      async render({ platform }, _, { q = '' }) {
        const [search, { menu }] = await Promise.all([keptSearch(platform)(all), keptGuides(platform)(all)])
        const content = renderResults(q, search(q))
        return renderDocsPage({ title: 'Search', path: '/docs/search', menu, content, searched: q })
      },
    }),
    ...definePage({
      path: '/docs/images/{name}',
      summary: 'An image of the guides',
      async render({ platform }, { name = '' }) {
        return (await keptImages(platform)(all)).get(name) ?? null
      },
    }),
  ]
}

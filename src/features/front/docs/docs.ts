import manifest from '../../../../package.json' with { type: 'json' }
import { type KeptAnswer, keepAnswer, keepOnce } from '../../../platform/http/kept.ts'
import type { Route } from '../../../platform/http/route.ts'
import { type Part, partOf } from '../../../platform/openapi/document-parts.ts'
import { buildOpenApi, type OpenApiPart } from '../../../platform/openapi/openapi.ts'
import { pageHeaders, policyOf } from '../../../platform/pages/page-layout.ts'
import { definePage } from '../../../platform/pages/pages.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { renderErrors } from './error-catalogue.ts'
import { renderEvents } from './event-catalogue.ts'
import { GUIDES, type Guides, readGuides, readImages } from './guides.ts'
import { type ReferenceTag, referenceMenu, referenceTags, renderOverview, renderTag } from './reference.ts'
import { makeSearch, renderResults, type Search } from './search.ts'
import { renderDocsPage } from './site.ts'

/** What never changes while the process runs is made on first use. */
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

// Base URL: names the server in the OpenAPI documents, and in the examples of the reference.
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

/** The content of the pages. */
interface Site {
  routes: Route[]
  document: Part
  tags: ReferenceTag[]
  guides: Guides
  search: Search
  images: Map<string, KeptAnswer>
  /** A page by its path, rendered when it is first asked for, or null. */
  page(path: string): Promise<KeptAnswer> | null
}

const keptSite = keptOf(async (platform, all): Promise<Site> => {
  const routes = all()
  const document = partOf(documentOf(platform, routes, 'api'))
  const tags = referenceTags(document, partOf(documentOf(platform, routes, 'scim')))
  const guides = await readGuides()
  const content = { routes, document, tags, guides }
  const pages = new Map<string, Promise<KeptAnswer>>()
  return {
    ...content,
    search: makeSearch(content),
    images: await keepImages(),
    page(path) {
      const known = pages.get(path)
      if (known !== undefined) return known
      const page = contentOf(content, path)
      if (!page) return null
      const made = keepAnswer(renderDocsPage({ ...page, path, menu: menuOf(content, path) }), pageHeaders(POLICY))
      pages.set(path, made)
      return made
    },
  }
})

const typeOfImage = (name: string) => (name.endsWith('.svg') ? 'image/svg+xml' : 'image/png')

async function keepImages(): Promise<Map<string, KeptAnswer>> {
  const images = [...(await readImages())].map(
    async ([name, image]) => [name, await keepAnswer(image, { 'content-type': typeOfImage(name) })] as const,
  )
  return new Map(await Promise.all(images))
}

const POLICY = policyOf("'self' data:", "'self'")

function contentOf({ routes, document, tags, guides }: Omit<Site, 'search' | 'images' | 'page'>, path: string) {
  if (path === '/docs') return { title: 'API reference', content: renderOverview(document, tags) }
  if (path === '/docs/errors') return { title: 'Error codes', content: renderErrors(routes) }
  if (path === '/docs/events') return { title: 'Events', content: renderEvents(document) }
  const tag = tags.find((each) => each.path === path)
  if (tag) return { title: tag.title, content: renderTag(tag) }
  const guide = guides.byPath.get(path)
  return guide ? { title: guide.title, content: guide.html } : null
}

const menuOf = ({ guides, tags }: Pick<Site, 'guides' | 'tags'>, path: string) =>
  path.startsWith(GUIDES) ? guides.menu : referenceMenu(tags)

/** Each path stands as a whole, so that a search for it finds this place. */
const PAGES = [
  { path: '/docs', summary: 'The API reference' },
  { path: '/docs/reference/{tag}', summary: 'The operations of one tag' },
  { path: '/docs/errors', summary: 'The catalogue of error codes' },
  { path: '/docs/events', summary: 'The catalogue of events' },
  { path: '/docs/guides', summary: 'The guides' },
  { path: '/docs/guides/{section}/{guide}', summary: 'A guide' },
] as const

/** The documentation: guides, API reference, catalogues and search. `all` returns every route, once complete. */
export function docsPages(all: () => Route[]): Route[] {
  const pages = PAGES.map(({ path, summary }) => ({
    path,
    summary,
    async render({ platform }: { platform: Platform }, params: Record<string, string | undefined>) {
      const asked = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
      return (await keptSite(platform)(all)).page(asked)
    },
  }))
  return [
    ...pages.flatMap(definePage),
    ...definePage({
      path: '/docs/search',
      summary: 'Search the documentation',
      contentSecurityPolicy: POLICY,
      async render({ platform }, _, { q = '' }) {
        const site = await keptSite(platform)(all)
        const content = renderResults(q, site.search(q))
        return renderDocsPage({ title: 'Search', path: '/docs/search', menu: site.guides.menu, content, searched: q })
      },
    }),
    ...definePage({
      path: '/docs/images/{name}',
      summary: 'An image of the guides',
      async render({ platform }, { name = '' }) {
        return (await keptSite(platform)(all)).images.get(name) ?? null
      },
    }),
  ]
}

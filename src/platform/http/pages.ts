import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { defineErrors, httpErrors } from '../errors.ts'
import type { Origin } from '../events.ts'
import type { Platform } from '../platform.ts'
import { clientAddress } from './client-address.ts'
import { PAGE_POLICY, type RenderedPage, renderRefusal } from './page-layout.ts'
import { noteProblem } from './problem.ts'

/** A page for people, in HTML, or a file that one needs. */
export interface Page {
  path: string
  /** Answers GET, and HEAD, which mail scanners send too: it only looks. Null: there is no such page. */
  render(params: Fields, query: Fields): Promise<string | RenderedPage | PageFile | null>
  /** Answers POST with the form of the page. What it throws becomes a page that says so. */
  submit?(params: Fields, form: Fields, request: PageRequest): Promise<RenderedPage | PageRedirect>
  /** Shown only to a browser on this machine that asked for this machine by name. */
  localOnly?: boolean
  /** Content-Security-Policy, where the strict one of the service does not do. */
  contentSecurityPolicy?: string
}

/** Names and values, none of them twice. */
export type Fields = Record<string, string>

export interface PageFile {
  content: Buffer
  headers: Record<string, string>
}

/** Sends the browser on, with 303. */
export interface PageRedirect {
  /** An absolute http(s) address. Another host needs `leadsTo` of the page that has the form. */
  redirectTo: string
}

/** Who sent a form: a browser, without a key. */
export interface PageRequest {
  ip: string
  userAgent: string | null
  requestId: string
  /** The same for events. */
  origin: Origin
}

const pageErrors = defineErrors({
  crossSite: [
    403,
    'cross_site_request',
    'The form was sent from another site',
    'Forms of hosted pages are taken from the pages themselves: open the link in the mail.',
  ],
})

const FORM_TYPE = 'application/x-www-form-urlencoded'
// The longest password, every byte percent-encoded, and room for the rest.
const FORM_LIMIT = 16 * 1024

/**
 * Adds the pages. In a scope of their own: there forms are read, and nothing but forms, while no route of the API ever
 * sees one; and errors are answered for people.
 */
export function addPages(app: FastifyInstance, pages: Page[], platform: Platform): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(FORM_TYPE, { parseAs: 'string' }, (_request, text, parsed) => parsed(null, text))
    scope.addContentTypeParser('*', (_request, _payload, parsed) =>
      parsed(httpErrors.unsupportedMediaType({ detail: 'Send the form of the page.' })),
    )
    scope.setErrorHandler((error, request, reply) => {
      const { status, headers, body } = noteProblem(platform, error, request)
      const page = renderRefusal(status, body, request.id)
      return answer(reply.headers(headers), page)
    })
    for (const page of pages) addPage(scope, page, platform)
    done()
  })
}

interface PageCall {
  Params: Fields
  Querystring: Record<string, string | string[]>
}

type BrowserRequest = FastifyRequest<PageCall>

function addPage(scope: FastifyInstance, page: Page, platform: Platform): void {
  const { submit } = page
  scope.get<PageCall>(page.path, { exposeHeadRoute: true }, async (request, reply) => {
    const hidden = page.localOnly && !isLocal(request)
    const content = hidden ? null : await page.render({ ...request.params }, once(Object.entries(request.query)))
    if (content === null) return reply.callNotFound()
    if (typeof content !== 'string') return answer(reply, content)
    const contentSecurityPolicy = page.contentSecurityPolicy ?? PAGE_POLICY
    return answer(reply, { status: 200, html: content, contentSecurityPolicy })
  })
  if (!submit) return
  const onRequest = async (request: FastifyRequest) => refuseOtherSites(request, platform.config.baseUrl)
  scope.post<PageCall>(page.path, { bodyLimit: FORM_LIMIT, onRequest }, async (request, reply) => {
    const form = readForm(request.body)
    return answer(reply, await submit({ ...request.params }, form, senderOf(request)))
  })
}

function answer(reply: FastifyReply, content: RenderedPage | PageRedirect | PageFile): FastifyReply {
  if ('content' in content) return reply.headers(content.headers).send(content.content)
  if ('redirectTo' in content) {
    const { protocol, href } = new URL(content.redirectTo)
    if (!/^https?:$/.test(protocol)) throw new Error('A page may lead to http(s) addresses alone')
    return reply.redirect(href, 303)
  }
  return reply
    .code(content.status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', content.contentSecurityPolicy)
    .header('x-frame-options', 'DENY')
    .send(content.html)
}

function readForm(body: unknown): Fields {
  return once(new URLSearchParams(typeof body === 'string' ? body : ''))
}

/** A name that comes twice means one thing to one reader and another to the next (ASVS 15.3.7). */
function once(entries: Iterable<[string, string | string[]]>): Fields {
  const fields = new Map<string, string>()
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || fields.has(name))
      throw httpErrors.invalidRequest({ detail: 'The same field came twice.' })
    if (value.includes('\u0000')) throw httpErrors.invalidRequest({ detail: 'A field holds what is not text.' })
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}

function senderOf(request: BrowserRequest): PageRequest {
  const { origin } = request.state
  const [ip, userAgent] = [clientAddress(request), request.headers['user-agent']?.slice(0, 512) ?? null]
  origin.endUser = { ip, userAgent }
  return { ip, userAgent, requestId: request.id, origin }
}

/**
 * Takes forms only from pages of this service, as far as the browser says where one comes from. Our pages send no
 * referrer, and with that `Origin: null`.
 */
function refuseOtherSites(request: FastifyRequest, baseUrl: string): void {
  const site = request.headers['sec-fetch-site']
  const { origin, host } = request.headers
  const known = origin === undefined || origin === 'null' || origin === new URL(baseUrl).origin
  if ((site === undefined || site === 'same-origin' || site === 'none') && (known || URL.parse(origin)?.host === host))
    return
  throw pageErrors.crossSite({ detail: 'Open the link in the mail, and send the form from there.' })
}

/** From this machine, and not by a name that somebody else's DNS points at it (DNS rebinding). */
function isLocal(request: BrowserRequest): boolean {
  return (
    /^(127\.|::1$)/.test(clientAddress(request)) &&
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(request.host)
  )
}

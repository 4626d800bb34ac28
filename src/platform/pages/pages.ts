import { type TObject, Type } from 'typebox'
import type { ErrorFactory } from '../errors.ts'
import type { EventDefinition } from '../events/events.ts'
import type { Redirect } from '../http/answer.ts'
import type { KeptAnswer } from '../http/kept.ts'
import { type Fields, refuseRepeatedNames } from '../http/media.ts'
import { open } from '../http/object-schemas.ts'
import type { RequestContext, Route } from '../http/route.ts'
import type { RenderedPage } from './card.ts'
import { type Html, isHtml, writeHtml } from './html.ts'
import { PAGE_POLICY, pageHeaders } from './policy.ts'

/** An HTML file that a page needs, or a program that uses it. Not to be stored. */
export interface PageFile {
  status: number
  contentType: string
  content: string
}

/** A page for people, or a file that a page needs. */
interface PageSpec {
  path: `/${string}`
  /**
   * `noun.verb`, or for a page with a form the noun, to which `.get` and `.submit` are added. Absent if the page is
   * not part of the contract.
   */
  operation?: string
  summary: string
  tag?: string
  /** The variable parts of the path, if the page is part of the contract. */
  params?: TObject
  /**
   * Responds to GET, and to HEAD. Mail scanners send both, so it must change nothing. Returns null if there is no such
   * page.
   */
  render(
    work: RequestContext,
    params: Fields,
    query: Fields,
  ): Promise<Html | RenderedPage | KeptAnswer | PageFile | Redirect | null>
  /** Responds to a POST of the page's form. An error that it throws is shown as a page. */
  submit?(work: RequestContext, params: Fields, form: Fields): Promise<RenderedPage | PageFile | Redirect | null>
  /** Shown as a page instead of a problem, but must be declared too. */
  errors?: ErrorFactory[]
  /** Events that the form may record. */
  maybeEvents?: EventDefinition[]
  /** Whether `render` may redirect. `submit` always may. */
  redirects?: boolean
  /** Only for a browser on this machine that used a local host name. */
  localOnly?: boolean
  /** Content-Security-Policy, if the service's strict default does not suffice. */
  contentSecurityPolicy?: string
}

// Room for the longest password with every byte percent-encoded, and for the other fields.
const FORM_LIMIT = 16 * 1024
const anything = open(Type.Object({}))

/** The properties that all pages share. */
const PLAIN = {
  aliases: [],
  description: null,
  auth: 'page',
  scope: null,
  lesserScope: null,
  service: null,
  directory: 'one',
  organizationToken: null,
  writes: null,
  query: anything,
  body: null,
  bodyLimit: FORM_LIMIT,
  media: 'form',
  messageField: null,
  replies: {},
  shows: true,
  events: [],
  cors: 'none',
  crossSite: false,
  tolerant: true,
  probe: false,
  longRunning: false,
  repeatable: false,
  rows: null,
  sameAs: null,
  idempotency: false,
  takesDevice: false,
  team: false,
  etag: false,
  kept: false,
  csv: false,
  downloads: {},
  examples: {},
} satisfies Partial<Route>

/** Declares a page: a route to show it, and a route for its form. */
export function definePage(spec: PageSpec): Route[] {
  const { operation, render, submit } = spec
  const name = operation ?? spec.path
  const page: Omit<Route, 'method' | 'operation' | 'handle'> = {
    ...PLAIN,
    path: spec.path,
    summary: spec.summary,
    tag: spec.tag ?? 'Pages',
    params: spec.params ?? anything,
    redirects: submit !== undefined || spec.redirects === true,
    errors: spec.errors ?? [],
    maybeEvents: spec.maybeEvents ?? [],
    hidden: operation === undefined,
  }
  const look: Route = {
    ...page,
    method: 'GET',
    operation: submit ? `${name}.get` : name,
    async handle(work, { params, query }) {
      if (spec.localOnly && !work.isLocal) return null
      const content = await render(work, fields(params), fields(query))
      if (!isHtml(content)) return content
      return { status: 200, html: content, contentSecurityPolicy: spec.contentSecurityPolicy ?? PAGE_POLICY }
    },
  }
  if (!submit) return [look]
  return [
    look,
    {
      ...page,
      method: 'POST',
      operation: `${name}.submit`,
      body: anything,
      async handle(work, { params, body }) {
        if (spec.localOnly && !work.isLocal) return null
        return submit(work, fields(params), fields(body))
      },
    },
  ]
}

function fields(values: unknown): Fields {
  return refuseRepeatedNames(Object.entries(Object(values)))
}

/** The response that shows a page, or null if there is no page for the request. */
export function readPageAnswer(
  answer: unknown,
  rootPath: string,
): { status: number; headers: Record<string, string>; content: string } | null {
  if (typeof answer !== 'object' || answer === null) return null
  if (isFile(answer)) {
    const { status, contentType, content } = answer
    return { status, headers: { 'content-type': contentType, 'cache-control': 'no-store' }, content }
  }
  if (!isRendered(answer)) throw new Error('A page must return a page, a file, a kept answer, or a redirect')
  const { status, html, contentSecurityPolicy } = answer
  return { status, headers: pageHeaders(contentSecurityPolicy), content: writeHtml(html, rootPath) }
}

function isFile(answer: object): answer is PageFile {
  return 'status' in answer && 'contentType' in answer && 'content' in answer
}

export function isRendered(answer: unknown): answer is RenderedPage {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'html' in answer &&
    isHtml(answer.html) &&
    'status' in answer &&
    'contentSecurityPolicy' in answer
  )
}

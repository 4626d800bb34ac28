import type { Static, TNever, TObject, TProperties, TSchema } from 'typebox'
import type { Scope, ServiceId } from '../../contract/contract.ts'
import type { ErrorFactory } from '../errors.ts'
import type { EventDefinition } from '../events/events.ts'
import { type AccountWrite, accountWriteErrors } from '../tenancy/account-writes.ts'
import type { AnyCaller } from '../tenancy/authorize.ts'
import type { Callers, ManagerCaller } from '../tenancy/caller.ts'
import type { AccountWork, ReachWork, Work } from '../work.ts'
import type { Answer, Statuses } from './answer.ts'
import type { RouteExamples } from './examples.ts'
import type { MediaName } from './media.ts'
import { closed, open } from './object-schemas.ts'
import { type DirectoryMode, tenantFields } from './tenant-fields.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type WorkIn<M extends DirectoryMode> = M extends 'reach' ? ReachWork : M extends 'account' ? AccountWork : Work

/**
 * The web pages from which scripts may call a route (Fetch standard, CORS).
 * - `none` (default): no page, because the customer's backend is the caller.
 * - `any`: every page. Only for public facts.
 * - `origins`: pages that the caller's directory allows. For routes of end users.
 */
export type Cors = 'none' | 'any' | 'origins'

/** The context of a handler without a tenant. */
export interface RequestContext extends Omit<Work, 'directory'> {
  requestId: string
  /** The host name to which the request was sent, in lower case. */
  host(): string
  /** The query exactly as it was sent, for signatures over its bytes. */
  queryText(): string
  /** Headers of the response. */
  headers: Record<string, string>
  /** For pages: whether the browser is on this machine and used a local host name (DNS rebinding). */
  isLocal: boolean
  /** `If-Match` of the request (RFC 9110 §13.1.1). */
  ifMatch: string | null
  /** `Accept` of the request. */
  accept: string
  /** `Accept-Language` of the request. */
  acceptLanguage: string
  /** `If-None-Match` of the request (RFC 9110 §13.1.2). */
  ifNoneMatch: string | null
}

/** The context of a handler that is called with an API key, with parts of the request and of the response. */
export type KeyedContext<M extends DirectoryMode> = RequestContext &
  WorkIn<M> & {
    caller: ManagerCaller
    /**
     * Looks up the caller again if that was done more than a second ago, so that after a wait the caller acts with its
     * current rights. Throws the refusal if the caller has lost its rights.
     */
    renewCaller(): Promise<ManagerCaller>
  }

/** The context for another kind of caller, whose credential names the directory. */
export interface CallerContext<K extends keyof Callers> extends RequestContext, Work {
  caller: Callers[K]
}

interface Input<P, Q, B> {
  params: P
  query: Q
  body: B
}

interface Common<
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
  S extends Statuses,
> {
  method: Method
  /** Starts with the version. Served below `/api` and at the root. */
  path: `/v1/${string}` | `/${string}`
  /** Other paths of the same route. */
  aliases?: string[]
  /** `noun.verb`: the name of the operation in the contract, and of the method in clients. Unique and permanent. */
  operation: string
  /** The first line in the documentation. */
  summary: string
  description?: string
  /** The group of the operation in the documentation. */
  tag: string
  params?: TObject<P>
  query?: TObject<Q>
  /** Accepts only properties that it names, unless it is `open`. */
  body?: TObject<B>
  /** The largest body in bytes. Default 1 MiB. */
  bodyLimit?: number
  /** The format of request bodies, responses and refusals. Default `json`. */
  media?: MediaName
  /** For requests of the type `message/rfc822`: the field that gets the whole body. */
  messageField?: Extract<keyof B, string>
  /** The response with status 200. Undeclared fields are never sent. Absent if there is no such response. */
  reply?: R
  /** Responses with other statuses, which handlers return with `answer(status, body)`. */
  replies?: S
  /** Whether the handler may return `{ redirectTo }`. */
  redirects?: boolean
  /** Whether the handler may return a page. */
  shows?: boolean
  /** Errors of the feature. The pipeline adds its own. In tests, throwing an undeclared error fails. */
  errors?: ErrorFactory[]
  /** Recorded by every successful request. In tests, a route that records none of its events fails. */
  event?: EventDefinition | EventDefinition[]
  /** Recorded by some successful requests, for example by a bulk request that created a user. */
  maybeEvents?: EventDefinition[]
  cors?: Cors
  /** Accepts forms from pages of other sites, such as an identity provider's. */
  crossSite?: boolean
  /** Accepts any query and any `Accept` header, because probes and browsers send arbitrary ones. */
  tolerant?: boolean
  /** Tells orchestrators that the process is alive. Answered from memory under any load, without a rate limit. */
  probe?: boolean
  /** May wait for the database for more than five seconds in total, as exports and bulk requests do. */
  longRunning?: boolean
  /** False to ignore `Idempotency-Key`, as below `/v1/auth/`: a repeated request must be checked again. */
  idempotency?: boolean
  /** The operation that clients call instead, if two paths do the same. */
  sameAs?: string
  /** Clients may repeat this POST, because it changes nothing (such as a check) or nothing more the second time. */
  repeatable?: boolean
  /** The reply field with the rows of a page, if several fields are lists. */
  rows?: string
  /** `X-Trusted-Device` may replace a second factor. */
  takesDevice?: boolean
  /**
   * Whether the route also serves the account's own team. On a sign-in route, members sign in with `subOrgId=team` and
   * a key that may do everything. On a route for end users, members may call it too. `own`: members also reach their
   * own team; any member may send a GET, and only owners of the account other methods.
   */
  team?: boolean | 'own'
  /** Sends `ETag`. */
  etag?: boolean
  /** Returns a `KeptAnswer`, which is compared with `If-None-Match`. */
  kept?: boolean
  /** Whether it may return `asTable(…)` to clients that accept `text/csv`. */
  csv?: boolean
  /** The media types of its `asDownload(…)` responses, with the beginning of such a file as an example. */
  downloads?: Readonly<Record<string, string>>
  examples?: RouteExamples<Static<TObject<B>>, Static<R>>
}

type InputOf<P extends TProperties, Q extends TProperties, B extends TProperties> = Input<
  Static<TObject<P>>,
  Static<TObject<Q>>,
  Static<TObject<B>>
>

type Handle<
  C,
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
  S extends Statuses,
  T = undefined,
> = (work: C, input: InputOf<P, Q, B>, prepared: T) => Promise<Answer<NoInfer<R>, NoInfer<S>>>

/**
 * The rule for a write of the account's records. There is no default: a write with `directory: 'account'` does not
 * compile without a rule. If the rule is `home`, `ownerOf` finds the organization that owns the record, or returns null
 * if the account owns it. For a missing record it throws what the handler throws.
 */
type Writes<M extends DirectoryMode, I> = M extends 'account'
  ?
      | { method: 'GET' }
      | { writes: Exclude<AccountWrite, 'home'> }
      | { writes: 'home'; ownerOf: (work: KeyedContext<'account'>, input: I) => Promise<string | null> }
  : { writes?: never }

interface KeyedRouteFields<
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
  S extends Statuses,
  M extends DirectoryMode,
  T,
> extends Common<P, Q, B, R, S> {
  auth?: 'key'
  /** No default, so that a route for API keys does not compile without a scope. */
  scope: Scope | AnyCaller
  /** Also admits callers without `scope`. The handler requires `scope` unless a proof in the request replaces it. */
  lesserScope?: Scope
  /** Refused if this service is off, or Auth, which it depends on. */
  service?: ServiceId
  directory?: M
  /** The body field with a token. The token identifies the organization if an org-wide key sends no `subOrgId`. */
  organizationToken?: Extract<keyof B, string>
  /**
   * Work that takes long and need not be undone, such as hashing a password or calling another server. It runs before
   * the transaction of a request with an `Idempotency-Key`, because that transaction uses a connection. The handler
   * gets the result.
   */
  prepare?: (work: KeyedContext<M>, input: InputOf<P, Q, B>) => Promise<T>
  handle: Handle<KeyedContext<M>, P, Q, B, R, S, NoInfer<T>>
}

type KeyedRouteSpec<
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
  S extends Statuses,
  M extends DirectoryMode,
  T,
> = KeyedRouteFields<P, Q, B, R, S, M, T> & Writes<M, InputOf<P, Q, B>>

export interface CallerRouteSpec<
  K extends Exclude<keyof Callers, 'key'>,
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
  S extends Statuses,
> extends Common<P, Q, B, R, S> {
  auth: K
  /** Refused if this service is off, or Auth, which it depends on. */
  service?: ServiceId
  handle: Handle<CallerContext<K>, P, Q, B, R, S>
}

export interface PublicRouteSpec<
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
  S extends Statuses,
> extends Common<P, Q, B, R, S> {
  /** No credential: anyone may call. */
  auth: 'public'
  handle: Handle<RequestContext, P, Q, B, R, S>
}

interface RouteFlags {
  redirects: boolean
  shows: boolean
  crossSite: boolean
  tolerant: boolean
  probe: boolean
  longRunning: boolean
  takesDevice: boolean
  etag: boolean
  kept: boolean
  csv: boolean
}

/** A route of any kind, as the pipeline, the documentation and the test over all routes use it. */
export interface Route extends RouteFlags {
  method: Method
  path: string
  aliases: string[]
  operation: string
  summary: string
  description: string | null
  tag: string
  /** The kind of caller. `page` is a person's browser, which gets HTML. */
  auth: keyof Callers | 'public' | 'page'
  scope: Scope | AnyCaller | null
  lesserScope: Scope | null
  service: ServiceId | null
  directory: DirectoryMode
  /** The body field with a mailed token. */
  organizationToken: string | null
  /** The rule for a write of the account's records. */
  writes: AccountWrite | null
  params: TObject
  query: TObject
  body: TObject | null
  bodyLimit: number
  media: MediaName
  messageField: string | null
  replies: Record<number, TSchema>
  errors: ErrorFactory[]
  events: EventDefinition[]
  maybeEvents: EventDefinition[]
  cors: Cors
  idempotency: boolean
  team: boolean | 'own'
  downloads: Readonly<Record<string, string>>
  rows: string | null
  repeatable: boolean
  sameAs: string | null
  /** Left out of the contract, for example a page for development. */
  hidden: boolean
  examples: RouteExamples<unknown, unknown>
  /**
   * Returns the organization that owns the record to be written, or null if the account owns it. Set if `writes` is
   * `home`.
   */
  ownerOf?(work: RequestContext, input: Input<unknown, unknown, unknown>): Promise<string | null>
  prepare?(work: RequestContext, input: Input<unknown, unknown, unknown>): Promise<unknown>
  handle(work: RequestContext, input: Input<unknown, unknown, unknown>, prepared?: unknown): Promise<unknown>
}

const MIB = 1024 * 1024

/**
 * Declares a route. Everything else is derived from the declaration: authentication, scope, tenant, validation, reply
 * filter, documentation and the tests over all routes.
 */
export function defineRoute<
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TProperties = Record<never, never>,
  R extends TSchema = TNever,
  S extends Statuses = Record<never, never>,
  M extends DirectoryMode = 'one',
  T = undefined,
>(
  spec:
    | KeyedRouteSpec<P, Q, B, R, S, M, T>
    | { [K in Exclude<keyof Callers, 'key'>]: CallerRouteSpec<K, P, Q, B, R, S> }[Exclude<keyof Callers, 'key'>]
    | PublicRouteSpec<P, Q, B, R, S>,
): Route {
  const auth = spec.auth ?? 'key'
  const keyed = 'scope' in spec
  const tenant = keyed ? tenantFields(spec.directory) : {}
  // Includes DELETE, because a backend may name the organization in the body of any write.
  const takesBody = keyed && spec.method !== 'GET'
  const { handle } = spec
  const prepare = 'prepare' in spec ? spec.prepare : undefined
  return {
    method: spec.method,
    path: spec.path,
    aliases: spec.aliases ?? [],
    operation: spec.operation,
    summary: spec.summary,
    description: spec.description ?? null,
    tag: spec.tag,
    auth,
    scope: keyed ? spec.scope : null,
    lesserScope: keyed ? (spec.lesserScope ?? null) : null,
    service: 'service' in spec ? (spec.service ?? null) : null,
    directory: keyed ? (spec.directory ?? 'one') : 'one',
    organizationToken: keyed ? (spec.organizationToken ?? null) : null,
    ...ruleOf(spec),
    ...flagsOf(spec),
    params: closed(spec.params, {}),
    query: spec.tolerant ? open(closed(spec.query, tenant)) : closed(spec.query, tenant),
    body: spec.body || takesBody ? closed(spec.body, tenant) : null,
    bodyLimit: spec.bodyLimit ?? MIB,
    media: spec.media ?? 'json',
    messageField: spec.messageField ?? null,
    replies: { ...(spec.reply ? { 200: spec.reply } : {}), ...spec.replies },
    events: spec.event === undefined ? [] : [spec.event].flat(),
    maybeEvents: spec.maybeEvents ?? [],
    cors: spec.cors ?? 'none',
    idempotency: keyed && spec.method !== 'GET' && (spec.idempotency ?? !spec.path.startsWith('/v1/auth/')),
    team: spec.team ?? false,
    downloads: spec.downloads ?? {},
    ...clientHintsOf(spec),
    hidden: false,
    examples: spec.examples ?? {},
    // The pipeline has validated the input against the schemas from which the handler's types are derived.
    ...(prepare ? { prepare: (work, input) => (prepare as NonNullable<Route['prepare']>)(work, input) } : {}),
    handle: (work, input, prepared) => (handle as Route['handle'])(work, input, prepared),
  }
}

function flagsOf(spec: Partial<RouteFlags>): RouteFlags {
  return {
    redirects: spec.redirects ?? false,
    shows: spec.shows ?? false,
    crossSite: spec.crossSite ?? false,
    tolerant: spec.tolerant ?? false,
    probe: spec.probe ?? false,
    longRunning: spec.longRunning ?? false,
    takesDevice: spec.takesDevice ?? false,
    etag: spec.etag ?? false,
    kept: spec.kept ?? false,
    csv: spec.csv ?? false,
  }
}

/** Hints for generated clients, which `../openapi/openapi-markers.ts` describes. */
function clientHintsOf({ rows, sameAs, repeatable }: { rows?: string; sameAs?: string; repeatable?: boolean }) {
  return { rows: rows ?? null, sameAs: sameAs ?? null, repeatable: repeatable ?? false }
}

/** The rule for a write of the account's records, how to find their owner, and all errors of the route. */
function ruleOf({ writes = null, ownerOf, errors = [] }: Partial<Pick<Route, 'writes' | 'ownerOf' | 'errors'>>) {
  return {
    writes,
    errors: [...errors, ...(writes ? accountWriteErrors[writes] : [])],
    ...(ownerOf ? { ownerOf } : {}),
  }
}

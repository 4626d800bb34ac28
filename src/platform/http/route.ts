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
 * From which web pages scripts may call a route (Fetch standard, CORS).
 * - `none` (default): from none; the customer's backend is the caller.
 * - `any`: from every page. Only for public facts.
 * - `origins`: from the pages that the caller's directory allows; for routes of an end user.
 */
export type Cors = 'none' | 'any' | 'origins'

/** What a handler without a tenant works with. */
export interface RequestContext extends Omit<Work, 'directory'> {
  requestId: string
  /** Host name the request was sent to, in lower case. */
  host(): string
  /** The query as it was sent, for signatures over its octets. */
  queryText(): string
  /** Headers of the answer. */
  headers: Record<string, string>
  /** Of a page: whether the browser is on this machine and asked for it by name (DNS rebinding). */
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

/** The work of a handler called with an API key, with parts of the request and of the answer. */
export type KeyedContext<M extends DirectoryMode> = RequestContext &
  WorkIn<M> & {
    caller: ManagerCaller
    /**
     * Looks the caller up again, if that was done more than a second ago: after a wait it acts with the rights that it has then.
     * Throws the refusal of a caller that has lost them.
     */
    renewCaller(): Promise<ManagerCaller>
  }

/** The same for another kind of caller, whose credential names the directory. */
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
  /** Starts with the version; served under `/api` and at the root. */
  path: `/v1/${string}` | `/${string}`
  /** Further paths of the same route. */
  aliases?: string[]
  /**
   * `noun.verb`: the name of the operation in the contract, and of the method in clients. Unique, and never changed.
   */
  operation: string
  /** First line in the documentation. */
  summary: string
  description?: string
  /** Documentation group: the noun. */
  tag: string
  params?: TObject<P>
  query?: TObject<Q>
  /** Accepts no property it does not name, unless it is `open`. */
  body?: TObject<B>
  /** Largest body in bytes; 1 MiB unless told otherwise. */
  bodyLimit?: number
  /** The format of bodies, answers and refusals. Default `json`. */
  media?: MediaName
  /** The field of the body that a request of the type `message/rfc822` is, as a whole. */
  messageField?: Extract<keyof B, string>
  /** The answer with status 200. Undeclared fields are never sent. Absent when there is no such answer. */
  reply?: R
  /** Answers with other statuses, given by `answer(status, body)`. */
  replies?: S
  /** Whether it may return `{ redirectTo }`. */
  redirects?: boolean
  /** Whether it may return a page. */
  shows?: boolean
  /** Errors of the feature; the pipeline adds its own. Throwing an undeclared one fails in tests. */
  errors?: ErrorFactory[]
  /** Recorded by every success. A route that declares one and records none fails in tests. */
  event?: EventDefinition | EventDefinition[]
  /** Recorded by some successes, such as a bulk request that created a user. */
  maybeEvents?: EventDefinition[]
  cors?: Cors
  /** Accepts forms sent by pages of other sites, such as an identity provider's. */
  crossSite?: boolean
  /** Accepts any query and any `Accept`, as probes and browsers send them. */
  tolerant?: boolean
  /** Tells orchestrators that the process lives: answered from memory whatever the load, without a limit. */
  probe?: boolean
  /** May wait for the database for more than five seconds in all while it makes progress, as exports and bulk requests do. */
  longRunning?: boolean
  /** False to ignore `Idempotency-Key`, because a repeated request must be judged again, as all below `/v1/auth/` are. */
  idempotency?: boolean
  /** The operation that clients call instead, where two paths do the same. */
  sameAs?: string
  /** A POST that changes nothing, such as a check, or nothing more the second time: clients may repeat it. */
  repeatable?: boolean
  /** The field of the reply with the rows of a page, where several fields are lists. */
  rows?: string
  /** `X-Trusted-Device` may stand for a second factor. */
  takesDevice?: boolean
  /**
   * The account's own team signs in by this route too: `subOrgId=team`, with a key that may do everything. `own`: members also
   * reach their own team, all of them by a GET, and otherwise only owners of the account. On a route of end users: members call
   * it as well.
   */
  team?: boolean | 'own'
  /** Sends `ETag`. */
  etag?: boolean
  /** Returns a `KeptAnswer`, which `If-None-Match` is compared with. */
  kept?: boolean
  /** Whether it may return `asTable(…)`, to who accepts `text/csv`. */
  csv?: boolean
  /** The media types of what it returns by `asDownload(…)`, with the beginning of such a file. */
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
 * What a route says about its write of the account's records; no default: a write with `directory: 'account'` and without a
 * rule does not compile. With `home` it also finds the organization that owns the record, or null for the account's own;
 * it throws what the handler throws for a record that is not there.
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
  /** No default: a keyed route without a scope must not compile. */
  scope: Scope | AnyCaller
  /** Admits a caller without `scope` as well: the handler asks for `scope` where the proof is missing that replaces it. */
  lesserScope?: Scope
  /** Refused where this service, or Auth, on which it depends, is off. */
  service?: ServiceId
  directory?: M
  /** The field of the body with a token, which identifies the organization if an org-wide key sends no `subOrgId`. */
  organizationToken?: Extract<keyof B, string>
  /**
   * What takes a while and need not be undone, such as the hash of a password or a question to another server: before the
   * transaction of a request with an `Idempotency-Key`, which holds a connection. The handler gets what it returns.
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
  /** Refused where this service, or Auth, on which it depends, is off. */
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

/** A route of any kind, as the pipeline, the documentation and the matrix test see it. */
export interface Route extends RouteFlags {
  method: Method
  path: string
  aliases: string[]
  operation: string
  summary: string
  description: string | null
  tag: string
  /** Who calls; `page` is a person's browser, which gets HTML. */
  auth: keyof Callers | 'public' | 'page'
  scope: Scope | AnyCaller | null
  lesserScope: Scope | null
  service: ServiceId | null
  directory: DirectoryMode
  /** The field with a mailed token. */
  organizationToken: string | null
  /** Of a write of the account's records. */
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
  /** Left out of the contract, such as a page for development. */
  hidden: boolean
  examples: RouteExamples<unknown, unknown>
  /** The organization that owns what it writes, or null for the account's own; where `writes` is `home`. */
  ownerOf?(work: RequestContext, input: Input<unknown, unknown, unknown>): Promise<string | null>
  prepare?(work: RequestContext, input: Input<unknown, unknown, unknown>): Promise<unknown>
  handle(work: RequestContext, input: Input<unknown, unknown, unknown>, prepared?: unknown): Promise<unknown>
}

const MIB = 1024 * 1024

/**
 * Declares a route. Everything else is derived from the declaration: authentication, scope, tenant, validation, reply
 * filter, documentation and the tests that walk all routes.
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
  // Of a DELETE too: a backend may name the organization in the body of whatever it writes.
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
    // The pipeline has validated the input against the schemas that gave the handler its types.
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

/** The rule that a write of the account's records follows, how it finds their owner, and all errors of the route. */
function ruleOf({ writes = null, ownerOf, errors = [] }: Partial<Pick<Route, 'writes' | 'ownerOf' | 'errors'>>) {
  return {
    writes,
    errors: [...errors, ...(writes ? accountWriteErrors[writes] : [])],
    ...(ownerOf ? { ownerOf } : {}),
  }
}

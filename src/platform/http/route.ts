import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { ErrorFactory } from '../errors.ts'
import type { Work } from '../work.ts'
import type { Principal } from './authenticate.ts'
import type { AccountScope, Directory, Reach } from './directory.ts'
import type { Scope } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The ids of `enabledAppIds` that a route can belong to. */
export type ServiceId =
  | 'auth'
  | 'otp'
  | 'password'
  | 'magic_link'
  | 'social'
  | 'passkeys'
  | 'sso'
  | 'mfa'
  | 'rbac'
  | 'scim'
  | 'webhooks'
  | 'sessions'
  | 'admin_portal'

/**
 * Which data a route works on; decides the type of `directory` in its handler.
 * - `one` (default): one directory. An org-wide key names it by `subOrgId`, which a write requires and a read may
 *   leave out to mean the account-level directory.
 * - `one-or-account`: the same, and a write without `subOrgId` means the account-level directory too.
 * - `reach`: a read of one directory, or with an org-wide key of the whole environment.
 * - `account`: organizations, environments and keys, which belong to the account.
 */
export type DirectoryMode = 'one' | 'one-or-account' | 'reach' | 'account'

type DirectoryOf<M extends DirectoryMode> = M extends 'reach' ? Reach : M extends 'account' ? AccountScope : Directory

/** What a handler without a tenant works with. */
export interface RequestContext extends Omit<Work, 'directory'> {
  requestId: string
  /** Name of the host that the request came to, in lower case. */
  host: string
  /** Headers of the answer. */
  headers: Record<string, string>
  /** `If-Match` of the request (RFC 9110 §13.1.1). */
  ifMatch: string | null
}

/** The work of a handler, with what it may want of its request and set of its answer. */
export interface KeyedContext<M extends DirectoryMode> extends RequestContext, Work<DirectoryOf<M>> {
  principal: Principal
}

interface Input<P, Q, B> {
  params: P
  query: Q
  body: B
}

interface Common<P extends TProperties, Q extends TProperties, B extends TProperties, R extends TSchema> {
  method: Method
  /** From the version on: served under `/api` and at the root. */
  path: `/v1/${string}` | `/${string}`
  /** Further paths of the same route. */
  aliases?: string[]
  /** First line in the documentation. */
  summary: string
  description?: string
  /** Documentation group: the noun. */
  tag: string
  params?: TObject<P>
  query?: TObject<Q>
  body?: TObject<B>
  /** Largest body in bytes; 1 MiB unless told otherwise. */
  bodyLimit?: number
  /** The answer. Fields that are not declared never leave. */
  reply: R
  /** Of the feature; the pipeline's own are added. Throwing an undeclared one fails in tests. */
  errors?: ErrorFactory[]
  /** Recorded by every success. A route that declares one and records none fails in tests. */
  event?: string | string[]
  /** Recorded by a success that has reason to, such as a bulk that created somebody. */
  maybeEvents?: string[]
  /** The answer holds tokens or codes: never cached, never stored for idempotent replay. */
  secretReply?: boolean
  examples?: { body?: Static<TObject<B>>; reply?: Static<R> }
}

export interface KeyedRouteSpec<
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
  M extends DirectoryMode,
> extends Common<P, Q, B, R> {
  auth?: 'key'
  /** No default: a keyed route without a scope does not compile. */
  scope: Scope | 'any key'
  /** Refused where this service, or Auth that it depends on, is off. */
  service?: ServiceId
  directory?: M
  handle(
    work: KeyedContext<M>,
    input: Input<Static<TObject<P>>, Static<TObject<Q>>, Static<TObject<B>>>,
  ): Promise<Static<NoInfer<R>>>
}

export interface PublicRouteSpec<P extends TProperties, Q extends TProperties, B extends TProperties, R extends TSchema>
  extends Common<P, Q, B, R> {
  /** No key: whoever calls. */
  auth: 'public'
  handle(
    work: RequestContext,
    input: Input<Static<TObject<P>>, Static<TObject<Q>>, Static<TObject<B>>>,
  ): Promise<Static<NoInfer<R>>>
}

/** A route of any shape, as the pipeline, the documentation and the matrix test see it. */
export interface Route {
  method: Method
  path: string
  aliases: string[]
  summary: string
  description: string | null
  tag: string
  auth: 'key' | 'public'
  scope: Scope | 'any key' | null
  service: ServiceId | null
  directory: DirectoryMode
  params: TObject
  query: TObject
  body: TObject | null
  bodyLimit: number
  reply: TSchema
  errors: ErrorFactory[]
  events: string[]
  maybeEvents: string[]
  secretReply: boolean
  examples: { body?: unknown; reply?: unknown }
  handle(work: RequestContext, input: Input<unknown, unknown, unknown>): Promise<unknown>
}

const MIB = 1024 * 1024
const subOrgId = Type.Optional(Type.String({ description: 'Organization. Required on writes with an org-wide key.' }))

/**
 * Declares a route. Everything else is derived from the declaration: authentication, scope, tenant, validation, reply
 * filter, documentation and the tests that walk all routes.
 */
export function defineRoute<
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TProperties = Record<never, never>,
  R extends TSchema = TSchema,
  M extends DirectoryMode = 'one',
>(spec: KeyedRouteSpec<P, Q, B, R, M> | PublicRouteSpec<P, Q, B, R>): Route {
  const keyed = spec.auth !== 'public'
  const tenant = keyed ? { subOrgId } : {}
  const takesBody = spec.method !== 'GET' && spec.method !== 'DELETE'
  const { handle } = spec
  return {
    method: spec.method,
    path: spec.path,
    aliases: spec.aliases ?? [],
    summary: spec.summary,
    description: spec.description ?? null,
    tag: spec.tag,
    auth: keyed ? 'key' : 'public',
    scope: keyed ? spec.scope : null,
    service: keyed ? (spec.service ?? null) : null,
    directory: keyed ? (spec.directory ?? 'one') : 'one',
    params: closed(spec.params?.properties ?? {}),
    query: closed({ ...spec.query?.properties, ...tenant }),
    body: spec.body || (takesBody && keyed) ? closed({ ...spec.body?.properties, ...tenant }) : null,
    bodyLimit: spec.bodyLimit ?? MIB,
    reply: spec.reply,
    errors: spec.errors ?? [],
    events: spec.event === undefined ? [] : [spec.event].flat(),
    maybeEvents: spec.maybeEvents ?? [],
    secretReply: spec.secretReply ?? false,
    examples: spec.examples ?? {},
    // The pipeline has validated the input against the very schemas that gave the handler its types.
    handle: (work, input) => (handle as Route['handle'])(work, input),
  }
}

/** An object that takes no property it does not name. */
function closed(properties: TProperties): TObject {
  return Type.Object(properties, { additionalProperties: false })
}

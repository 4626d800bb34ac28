import type { IncomingHttpHeaders } from 'node:http'
import type { Origin } from '../events/origin.ts'
import type { Directory } from './directory.ts'
import type { Grants } from './grants.ts'

/** The data of every caller, however authenticated. It comes only from the credential. Ids in a request are targets. */
interface CallerBase {
  /** The actor in events. */
  actor: Origin['actor']
  accountId: string
  environmentId: string
  environmentSlug: string
  /** The only organization that the caller reaches, or null for the whole account. */
  organizationId: string | null
}

/** The data of every credential with management rights. */
interface ManagerBase extends CallerBase {
  /**
   * The id of the credential's record. It is unique only among credentials of one kind, so compare and store it with
   * `credentialOf`.
   */
  credentialId: string
  grants: Grants
  bounds: Bounds
}

/** The limits of a credential itself. Null means no limit. */
export interface Bounds {
  requestsPerSecond: number | null
  expiresAt: Date | null
  /** Addresses and CIDRs from which the credential may be used. */
  allowedIps: readonly string[] | null
}

/** The customer's backend, authenticated by an API key. `credentialId` is the id of the key. */
export interface KeyCaller extends ManagerBase {
  kind: 'key'
  actor: { type: 'api_key'; id: string }
  /**
   * Set for the previous secret of a rotated key: the id of the key itself, so that both secrets share its rate limit.
   */
  rateKeyId: string | null
  /** The client's address. */
  ip: string | null
}

/**
 * A member of the team, authenticated by the access token of a live session. `credentialId` is the id of the
 * membership in use. `actor` is the member's user in the team's directory.
 */
export interface MemberCaller extends ManagerBase {
  kind: 'member'
  actor: { type: 'user'; id: string }
}

/** The caller of a management route. */
export type ManagerCaller = KeyCaller | MemberCaller

/**
 * Identifies a credential among credentials of all kinds. Ids of keys and memberships are unique only within their
 * tables.
 */
export function credentialOf({ kind, credentialId }: Pick<ManagerCaller, 'kind' | 'credentialId'>): string {
  return `${kind}:${credentialId}`
}

/** An end user, authenticated by an access token with a live session. */
export interface UserCaller extends CallerBase {
  kind: 'user'
  directory: Directory
  /** The token's `sub`: the auth account. */
  userId: string
  directoryUserId: string
  sessionId: string
  /** The SAML or OIDC connection with which the session began. */
  connectionId: string | null
  /** Whether this is an impersonation session, which is read-only. */
  isImpersonated: boolean
  amr: readonly string[]
  aal: string
  /** When the user last authenticated before the token was issued, to the second. */
  authenticatedAt: Date
}

/** A provisioning client of an organization, authenticated by its SCIM token. */
export interface ScimCaller extends CallerBase {
  kind: 'scim'
  directory: Directory
}

/**
 * Every kind of caller, by its name in a route's `auth`. A new kind needs a member here, an entry in `caller-kinds.ts`
 * for the contract, and an authenticator in `src/wiring/app.ts`.
 */
export interface Callers {
  key: ManagerCaller
  user: UserCaller
  scim: ScimCaller
}

export type Caller = Callers[keyof Callers]

export function isManager(caller: Caller): caller is ManagerCaller {
  return caller.kind === 'key' || caller.kind === 'member'
}

/** The parts of a request that an authenticator sees. */
export interface Credentials {
  headers: IncomingHttpHeaders
  /** The peer's address. */
  ip: string | null
  /** The organization in the query. */
  subOrgId: string | null
  /** Runs the lookup of a credential that this process does not know yet. Throws `rate_limited`. */
  lookUp<T>(find: () => Promise<T>): Promise<T>
}

/** Authenticates one kind of caller. Throws a refusal with status 401 that names the challenge (RFC 9110 §11.6.1). */
export type Authenticator<C extends Caller> = (credentials: Credentials, now: Date) => Promise<C>

/** The authenticator of each kind of caller. `app.ts` passes them in. */
export type Authenticators = { [K in keyof Callers]: Authenticator<Callers[K]> }

import type { IncomingHttpHeaders } from 'node:http'
import type { Origin } from '../events/origin.ts'
import type { Directory } from './directory.ts'
import type { Grants } from './grants.ts'

/** What every caller has, however authenticated. Comes only from its credential: ids in a request are targets. */
interface CallerBase {
  /** Who acts, in events. */
  actor: Origin['actor']
  accountId: string
  environmentId: string
  environmentSlug: string
  /** The only organization it reaches; null for all of the account. */
  organizationId: string | null
}

/** What every credential with management rights has. */
interface ManagerBase extends CallerBase {
  /** The record of the credential. Unique among credentials of its kind: compare and store it by `credentialOf`. */
  credentialId: string
  grants: Grants
  bounds: Bounds
}

/** The limits of a credential itself; null: none. */
export interface Bounds {
  requestsPerSecond: number | null
  expiresAt: Date | null
  /** Addresses and CIDRs that it may be used from. */
  allowedIps: readonly string[] | null
}

/** The customer's backend, by an API key. `credentialId` is the id of the key. */
export interface KeyCaller extends ManagerBase {
  kind: 'key'
  actor: { type: 'api_key'; id: string }
  /** For the previous secret of a rotated key, the id of that key: its requests count against the rate of the key. */
  rateKeyId: string | null
  /** The client's address. */
  ip: string | null
}

/**
 * A member of the team, by the access token of a live session. `credentialId` is the id of the membership that they act
 * by. `actor` is their user in the directory of the team.
 */
export interface MemberCaller extends ManagerBase {
  kind: 'member'
  actor: { type: 'user'; id: string }
}

/** The caller of a management route. */
export type ManagerCaller = KeyCaller | MemberCaller

/** Identifies a credential among those of all kinds. Key and membership ids are unique within their tables only. */
export function credentialOf({ kind, credentialId }: Pick<ManagerCaller, 'kind' | 'credentialId'>): string {
  return `${kind}:${credentialId}`
}

/** An end user, by an access token whose session is live. */
export interface UserCaller extends CallerBase {
  kind: 'user'
  directory: Directory
  /** The token's `sub`: the auth account. */
  userId: string
  directoryUserId: string
  sessionId: string
  /** The SAML or OIDC connection that the session came from. */
  connectionId: string | null
  /** Whether this is an impersonation session, which is read-only. */
  isImpersonated: boolean
  amr: readonly string[]
  aal: string
  /** When the user last authenticated before the token was issued, to the second. */
  authenticatedAt: Date
}

/** A provisioning client of an organization, by its SCIM token. */
export interface ScimCaller extends CallerBase {
  kind: 'scim'
  directory: Directory
}

/**
 * Every kind of caller, by its name in a route's `auth`. A new kind is a member here, an entry in `caller-kinds.ts` for
 * the contract, and an authenticator in `src/wiring/app.ts`.
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

/** What an authenticator sees of a request. */
export interface Credentials {
  headers: IncomingHttpHeaders
  /** The peer's address. */
  ip: string | null
  /** The organization that the query names. */
  subOrgId: string | null
  /** Runs what finds out about a credential that this process does not know to be right. Throws `rate_limited`. */
  lookUp<T>(find: () => Promise<T>): Promise<T>
}

/** Authenticates one kind of caller. Throws a refusal with status 401 that names the challenge (RFC 9110 §11.6.1). */
export type Authenticator<C extends Caller> = (credentials: Credentials, now: Date) => Promise<C>

/** The authenticator of each kind of caller; `app.ts` passes them in. */
export type Authenticators = { [K in keyof Callers]: Authenticator<Callers[K]> }

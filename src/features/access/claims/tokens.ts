import { type Static, Type } from 'typebox'
import { type Clock, epochSeconds } from '../../../platform/clock.ts'
import { signAccessToken } from '../../../platform/crypto/signing-keys.ts'
import { newId } from '../../../platform/ids.ts'
import { defineSlot } from '../../../platform/platform.ts'
import { named } from '../../../platform/schema.ts'
import type { Work } from '../../../platform/work.ts'
import type { Impersonator } from '../sessions/sessions.ts'
import { customClaims } from './custom-claims.ts'
import { type HeldRole, roleClaims } from './role-claims.ts'
import { audienceOfTeam } from './team-audience.ts'
import { claimSettings } from './token-settings.ts'

export const exampleTokens = {
  access_token:
    'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTk4YjZmMiIsInJvbGUiOiJtZW1iZXIifQ.5rKqv2mXcB8wYd0T',
  refresh_token: 'rt_0H3fK9mQ2xVbT7cLwZ5nRyEaU8sJdGi4PoXqBkM1tWvN6hCe',
  expires_in: 3600,
  refresh_expires_in: 604_800,
  user_id: '0198b6f2-81d0-7b55-8c0e-2f64a9d7b310',
  directory_user_id: '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21',
}

/** A session with its tokens, which are not shown again later. */
export const SessionTokens = named(
  'SessionTokens',
  Type.Object({
    access_token: Type.String({
      description: 'JWT (RFC 9068). Send it to your own API as a Bearer token.',
      examples: [exampleTokens.access_token],
    }),
    refresh_token: Type.String({
      description:
        'Token for POST /v1/auth/token/refresh, which returns a new refresh token. Each refresh token works once.',
      examples: [exampleTokens.refresh_token],
    }),
    expires_in: Type.Integer({
      description: 'Seconds until the access token expires.',
      examples: [exampleTokens.expires_in],
    }),
    refresh_expires_in: Type.Integer({
      description: 'Seconds until the refresh token and its session expire.',
      examples: [exampleTokens.refresh_expires_in],
    }),
    user_id: Type.String({ format: 'uuid', examples: [exampleTokens.user_id] }),
    directory_user_id: Type.String({ format: 'uuid', examples: [exampleTokens.directory_user_id] }),
  }),
)
export type SessionTokens = Static<typeof SessionTokens>

/** The user of the session. */
interface Holder {
  user_id: string
  email: string
  email_verified: boolean
  role: string
  held_roles: HeldRole[] | null
  organization_slug: string | null
}

/** The session that tokens are issued for. */
export interface TokenSubject {
  sessionId: string
  userId: string
  amr: string[]
  aal: string
  authenticatedAt: Date
  /** When the session ends. No access token is valid longer. */
  endsAt: Date
  /** The SAML or OIDC connection that the session came from. */
  connectionId: string | null
  /** The impersonator and the reason (RFC 8693 §4.1). */
  act?: Static<typeof Impersonator>
}

/** The input of `issueAccessToken`. */
interface AccessIssue {
  facts: Holder
  session: TokenSubject
  settings: { access_token_ttl_seconds: number }
}

// Slot: the team belongs to `tenancy`, which may not be imported from here. `src/wiring` fills the slot.
/**
 * The role and permissions that an access token of the account's own team contains, as read in the transaction of
 * `work`.
 */
export const teamGrants = defineSlot<
  (work: Pick<Work, 'directory' | 'db'>, email: string) => Promise<{ role: string; permissions: string[] }>
>('what members of the team may do')

/** Like `teamGrants`, with sorted permissions, as tokens and introspection show them. */
export async function grantsInTeam({ platform, directory, db }: Tenant, email: string) {
  const { role, permissions } = await teamGrants.of(platform)({ directory, db }, email)
  return { role, permissions: permissions.toSorted() }
}

/** The audience of a directory's tokens. */
export async function audienceOf(work: Pick<Work, 'platform' | 'directory'>): Promise<string | string[]> {
  const { kind, accountId } = work.directory
  if (kind === 'console') return audienceOfTeam(accountId)
  return (await claimSettings.effective(work)).audience ?? accountId
}

type Tenant = Pick<Work, 'platform' | 'directory' | 'db'>

/**
 * Signs the access token and builds the session object. `settings` limits how long the refresh token may remain
 * unused.
 */
export async function issueTokens(
  work: Tenant,
  {
    refreshToken,
    ...issue
  }: AccessIssue & { refreshToken: string; settings: { session_idle_timeout_seconds: number } },
): Promise<SessionTokens> {
  const { access_token, expires_in } = await issueAccessToken(work, issue)
  const left = secondsLeft(work.platform.clock, issue.session)
  return {
    access_token,
    refresh_token: refreshToken,
    expires_in,
    refresh_expires_in: Math.max(1, Math.min(issue.settings.session_idle_timeout_seconds, left)),
    user_id: issue.session.userId,
    directory_user_id: issue.facts.user_id,
  }
}

/** Signs an access token, with the claims of RFC 9068 §2.2 and this service's own. */
export async function issueAccessToken(
  { platform, directory, db }: Tenant,
  { facts, session, settings }: AccessIssue,
): Promise<Pick<SessionTokens, 'access_token' | 'expires_in'>> {
  // Process clock: other services compare the claims of a token with their own clocks.
  const issuedAt = epochSeconds(platform.clock)
  const left = secondsLeft(platform.clock, session)
  const expiresIn = Math.max(1, Math.min(settings.access_token_ttl_seconds, left))
  const isTeam = directory.kind === 'console'
  const team = isTeam ? await grantsInTeam({ platform, directory, db }, facts.email) : null
  const claims = isTeam ? null : await claimSettings.effective({ platform, directory })
  const accessToken = await signAccessToken(platform, directory.environmentId, {
    ...(claims ? await customClaims({ db, directory }, facts.user_id, claims) : {}),
    sub: session.userId,
    aud: await audienceOf({ platform, directory }),
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + expiresIn,
    jti: newId(),
    sid: session.sessionId,
    org_id: directory.organizationId,
    org_slug: facts.organization_slug,
    directory_user_id: facts.user_id,
    email: facts.email,
    email_verified: facts.email_verified,
    role: team?.role ?? facts.role,
    ...(team ? { roles: [], permissions: team.permissions } : roleClaims(facts)),
    amr: session.amr,
    aal: session.aal,
    auth_time: Math.floor(session.authenticatedAt.getTime() / 1000),
    env: directory.environmentSlug,
    connection_id: session.connectionId,
    ...(session.act ? { act: session.act } : {}),
  })
  return { access_token: accessToken, expires_in: expiresIn }
}

function secondsLeft(clock: Clock, { endsAt }: TokenSubject): number {
  // Process clock: limits the lifetime of a token, whose claims use the same clock.
  return Math.floor(endsAt.getTime() / 1000) - epochSeconds(clock)
}

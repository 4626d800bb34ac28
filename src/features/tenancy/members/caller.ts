import type { Platform } from '../../../platform/platform.ts'
import { bearerToken } from '../../../platform/tenancy/authenticate.ts'
import type {
  Authenticator,
  Bounds,
  Credentials,
  KeyCaller,
  ManagerCaller,
  MemberCaller,
} from '../../../platform/tenancy/caller.ts'
import {
  assertOwnEnvironment,
  memberEnvironment,
  namedEnvironment,
} from '../../../platform/tenancy/chosen-environment.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { grantsOfRole } from '../../../platform/tenancy/grants.ts'
import type { MemberRow } from './schema.ts'
import { listRowsOfAddress } from './store.ts'
import { addsPermissions, scopesOf, withheldFromAll } from './team-roles/team-roles.ts'

/** A live session of the console directory. */
interface TeamSession {
  directory: Directory
  session: { user_id: string; email: string }
}

type FindTeamSession = (platform: Platform, token: string, lookUp: Credentials['lookUp']) => Promise<TeamSession | null>

/**
 * Authenticates callers of the management routes: API keys, and the access tokens of team members. Session and role
 * are read for each request, so changes take effect at once. Throws what `ofKeys` throws, and
 * `environment_not_found`.
 */
export function managerAuthenticator(
  platform: Platform,
  ofKeys: Authenticator<KeyCaller>,
  findSession: FindTeamSession,
): Authenticator<ManagerCaller> {
  const findMember = async (found: TeamSession, { headers, subOrgId }: Credentials): Promise<MemberCaller | null> => {
    const rows = await listRowsOfAddress(platform.db, found.directory, found.session.email.toLowerCase())
    const member = callerOf(found, rows, subOrgId)
    return member && { ...member, ...(await memberEnvironment(platform, member, namedEnvironment(headers))) }
  }
  return async (credentials, now) => {
    const { headers, lookUp } = credentials
    const token = headers['x-api-key'] === undefined ? bearerToken(headers) : null
    const found = token === null ? null : await findSession(platform, token, lookUp)
    const member = found && (await findMember(found, credentials))
    if (member) return member
    const key = await ofKeys(credentials, now)
    const named = namedEnvironment(headers)
    if (named !== null) assertOwnEnvironment(key, named)
    return key
  }
}

const UNBOUNDED: Bounds = { requestsPerSecond: null, expiresAt: null, allowedIps: null }

/**
 * The caller that a team member acts as. Usually this is their membership of the account. If the query names an
 * organization where they are on the roster, they act by their role there, and within this organization only, if they
 * have no membership of the account or if the role adds permissions.
 */
function callerOf(
  { directory, session }: TeamSession,
  rows: MemberRow[],
  subOrgId: string | null,
): MemberCaller | null {
  const active = rows.filter(({ status }) => status === 'active')
  const account = active.find((row) => row.organization_id === null)
  const named = active.find((row) => row.organization_id !== null && row.organization_id === subOrgId?.toLowerCase())
  const acting = (named && (!account || addsPermissions(account.role, named.role)) ? named : account) ?? active[0]
  if (!acting) return null
  const roles = [...new Set([acting, ...(account ? [account] : [])].map(({ role }) => role))]
  return {
    kind: 'member',
    actor: { type: 'user', id: session.user_id },
    credentialId: acting.id,
    accountId: directory.accountId,
    environmentId: directory.environmentId,
    environmentSlug: directory.environmentSlug,
    organizationId: acting.organization_id,
    grants: grantsOfRole([...new Set(roles.flatMap(scopesOf))], withheldFromAll(roles)),
    bounds: UNBOUNDED,
  }
}

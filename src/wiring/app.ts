import type { FastifyInstance } from 'fastify'
import { teamGrants } from '../features/access/claims/tokens.ts'
import { gates as loginGates } from '../features/access/login/gates.ts'
import { signInMethods } from '../features/access/login/methods.ts'
import { isOriginAllowed } from '../features/access/login/origins.ts'
import { ssoOnly } from '../features/access/login/sso-only/sso-only.ts'
import { lacksFactor } from '../features/access/mfa/mfa.ts'
import { teamRoles } from '../features/access/mfa/policy.ts'
import { memberGuard } from '../features/directory/roles/assign.ts'
import { assignToNewUsers, checkNamedRoles, replaceRoles } from '../features/directory/roles/new-users.ts'
import { nameFollower } from '../features/directory/users/changes/changes.ts'
import { openInvitations } from '../features/directory/users/invited/invited.ts'
import { rolesOfNewUsers } from '../features/directory/users/new-roles/new-roles.ts'
import { requiresFactor } from '../features/directory/users/proof/proof.ts'
import { ssoProtocols } from '../features/federation/connections/connections.ts'
import { deletionFollower, mappingFollower } from '../features/federation/connections/followers.ts'
import { organizationOfCode } from '../features/federation/federation/complete/exchange.ts'
import { socialDiscovery } from '../features/federation/federation/discovered/discovered.ts'
import { provisionedUsers } from '../features/federation/federation/provisioned-users/provisioned-users.ts'
import { ssoOnlyRule } from '../features/federation/sso/sso.ts'
import { closeMessagePool } from '../features/federation/xml/message-pool.ts'
import { discoverByPasskey } from '../features/front/discovery/by-passkey.ts'
import { discoverBySocial } from '../features/front/discovery/by-social.ts'
import { findTeamSession, userAuthenticator } from '../features/oauth/tokens/authenticate.ts'
import { organizationOfRefreshToken } from '../features/oauth/tokens/tokens.ts'
import { settleAllRoles } from '../features/provisioning/groups/roles.ts'
import { followMemberName } from '../features/provisioning/groups/versions.ts'
import { lockIntroduction, matchProvisioned, refuseOtherUser } from '../features/provisioning/provisioning/match.ts'
import { followDeletion } from '../features/provisioning/scim/config.ts'
import { logRequest } from '../features/provisioning/scim/log.ts'
import { limitRequests } from '../features/provisioning/scim/rate.ts'
import { followMapping, roleSettling } from '../features/provisioning/scim/roles.ts'
import { scimAuthenticator } from '../features/provisioning/scim/token.ts'
import { endpointKeeper } from '../features/records/deliveries/keeper.ts'
import { noticeReceivers, webhookKeeper } from '../features/records/webhooks/webhooks.ts'
import { secondFactors as challengeFactors } from '../features/sign-in/challenges/second-factors.ts'
import { teamInvites } from '../features/sign-in/invites/accept.ts'
import {
  acceptOpenInvitations,
  hasOpenInvitation,
  withdrawOpenInvitations,
} from '../features/sign-in/invites/arrival.ts'
import { organizationOfLinkToken } from '../features/sign-in/links/token.ts'
import { otpSettings, toSendCeilings } from '../features/sign-in/otp/otp.ts'
import { passkeyDiscovery } from '../features/sign-in/passkeys/sign-in/sign-in.ts'
import { listTeamAddresses } from '../features/tenancy/accounts/store.ts'
import { setupFacts } from '../features/tenancy/admin-portal/admin-portal.ts'
import { findApiKey } from '../features/tenancy/api-keys/api-keys.ts'
import { flushKeyUses } from '../features/tenancy/api-keys/key-use.ts'
import { erasedTables, recordErasure } from '../features/tenancy/erasure/records.ts'
import { managerAuthenticator } from '../features/tenancy/members/caller.ts'
import { grantsOf, isOnTeam, joinTeam, teamRolesOf } from '../features/tenancy/members/joining.ts'
import { assertMayActOnMember } from '../features/tenancy/members/members.ts'
import { readSwitch } from '../features/tenancy/services/services.ts'
import { type Clock, followDatabase, systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/config.ts'
import { type MakeRsaPair, makeRsaPair } from '../platform/crypto/certificates.ts'
import { openKeyring } from '../platform/crypto/keyring.ts'
import type { MasterKey } from '../platform/crypto/master-key.ts'
import type { PasswordParameters } from '../platform/crypto/password-format.ts'
import { closePasswordPool } from '../platform/crypto/password-pool.ts'
import { openCaches } from '../platform/db/cache.ts'
import { isDistributed } from '../platform/db/distributed.ts'
import { openDatabase, type WaitingBounds } from '../platform/db/pool.ts'
import type { Pooler } from '../platform/db/pooler.ts'
import { transactions } from '../platform/db/tx.ts'
import { buildServer, type ServerParts } from '../platform/http/server.ts'
import { provideBelongings } from '../platform/lifecycle/belongings.ts'
import { mailDelivery } from '../platform/mail/jobs.ts'
import { sendCeilings } from '../platform/mail/limits.ts'
import { createLog, type Log } from '../platform/observability/log.ts'
import { createMetrics, type Metrics, watchConnections } from '../platform/observability/metrics.ts'
import type { Platform } from '../platform/platform.ts'
import { keyAuthenticator } from '../platform/tenancy/authenticate.ts'
import { organizationOfToken } from '../platform/tenancy/resolve-directory.ts'
import { serviceSwitches } from '../platform/tenancy/services.ts'
import { belongings } from './belongings.ts'
import { erasureOfRecords, erasureTables } from './erasure.ts'
import { gates } from './gates.ts'
import { routes } from './routes.ts'
import { secondFactors } from './second-factors.ts'
import { facts } from './setup-facts.ts'
import { methods } from './sign-in-methods.ts'
import { protocols } from './sso-protocols.ts'

export interface AppOptions {
  config: Config
  databaseUrl: string
  /** The pooler to which `databaseUrl` leads, if it is one. */
  pooler?: Pooler | null
  masterKeys: MasterKey[]
  /** In tests: the clock of the process, which then does not follow the database's clock. */
  clock?: Clock
  /** In tests: the clock of the machine. */
  machineClock?: Clock
  log?: Log
  strict?: boolean
  hashCost?: PasswordParameters
  makeRsaPair?: MakeRsaPair
  /** In tests: different limits on waiting for the database. */
  bounds?: Partial<WaitingBounds>
}

export interface App {
  platform: Platform
  metrics: Metrics
  server: FastifyInstance
  /** Stops accepting requests, then closes everything that the process has open. */
  close(): Promise<void>
}

/** Opens and wires what every process of the service and the command line need. The database must be migrated. */
export async function openPlatform(options: AppOptions): Promise<{ platform: Platform; close(): Promise<void> }> {
  const { config, databaseUrl, pooler = null, masterKeys } = options
  const log = options.log ?? createLog(config)
  const database = openDatabase(databaseUrl, { pooler, bounds: options.bounds ?? {} })
  database.distributed = await isDistributed(database.db)
  const keyring = await openKeyring(database.db, masterKeys)
  const clock = followDatabase(options.machineClock ?? systemClock, (line) => log.warn({}, line))
  await clock.compare((text) => database.query({ text }))
  const caches = openCaches(database.directUrl, log, {
    beat: (client) => clock.compare(async (text) => (await client.query<{ ms: number }>(text)).rows),
  })
  // Test option: tests hash at a low cost and reuse key pairs. Nothing that starts the service sets either.
  const platform: Platform = {
    config,
    clock: options.clock ?? clock,
    log,
    metrics: createMetrics(),
    database,
    db: database.db,
    tx: transactions(database.db),
    keyring,
    caches,
    strict: options.strict ?? false,
    hashCost: options.hashCost ?? null,
    makeRsaPair: options.makeRsaPair ?? makeRsaPair,
  }
  watchConnections(platform.metrics, database.poolStates)
  handIn(platform)
  return {
    platform,
    async close() {
      mailDelivery.close(platform)
      await closePasswordPool(platform)
      await closeMessagePool(platform)
      await caches.close()
      await database.close()
    },
  }
}

/** Passes in what features may not import. */
function handIn(platform: Platform): void {
  provideBelongings(platform, belongings)
  recordErasure.provide(platform, erasureOfRecords)
  erasedTables.provide(platform, erasureTables)
  serviceSwitches.provide(platform, (directory, service) => readSwitch(platform, directory, service))
  organizationOfToken.provide(
    platform,
    new Map([
      ['token', organizationOfLinkToken],
      ['token_hash', organizationOfLinkToken],
      ['code', organizationOfCode],
      ['refresh_token', organizationOfRefreshToken],
    ]),
  )
  loginGates.provide(platform, gates)
  requiresFactor.provide(platform, lacksFactor)
  teamRoles.provide(platform, teamRolesOf)
  signInMethods.provide(platform, methods)
  sendCeilings.provide(platform, async (work) => toSendCeilings(await otpSettings(work)))
  challengeFactors.provide(platform, secondFactors)
  setupFacts.provide(platform, facts)
  ssoProtocols.provide(platform, protocols)
  provisionedUsers.provide(platform, { match: matchProvisioned, refuseOther: refuseOtherUser, hold: lockIntroduction })
  mappingFollower.provide(platform, followMapping)
  deletionFollower.provide(platform, followDeletion)
  roleSettling.provide(platform, settleAllRoles)
  nameFollower.provide(platform, followMemberName)
  rolesOfNewUsers.provide(platform, { check: checkNamedRoles, assign: assignToNewUsers, replace: replaceRoles })
  memberGuard.provide(platform, assertMayActOnMember)
  teamInvites.provide(platform, { isOnTeam, join: joinTeam })
  ssoOnly.provide(platform, ssoOnlyRule)
  openInvitations.provide(platform, {
    accept: acceptOpenInvitations,
    withdraw: withdrawOpenInvitations,
    isOpen: hasOpenInvitation,
  })
  noticeReceivers.provide(platform, (accountId) => listTeamAddresses(platform.db, accountId))
  endpointKeeper.provide(platform, webhookKeeper)
  passkeyDiscovery.provide(platform, discoverByPasskey)
  socialDiscovery.provide(platform, discoverBySocial)
}

/** The whole service. Does not listen. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { platform, close } = await openPlatform(options)
  const { metrics } = platform
  teamGrants.provide(platform, grantsOf)
  const server = buildServer(appParts(platform))
  return {
    platform,
    metrics,
    server,
    async close() {
      await server.close()
      await flushKeyUses(platform).catch(() => undefined)
      await close()
    },
  }
}

/** The parts of the HTTP server that come from features. */
export function appParts(platform: Platform): ServerParts {
  return {
    platform,
    routes,
    metrics: platform.metrics,
    authenticators: {
      key: managerAuthenticator(platform, keyAuthenticator(findApiKey(platform)), findTeamSession),
      user: userAuthenticator(platform),
      scim: scimAuthenticator(platform),
    },
    limitScim: ({ directory }) => limitRequests(platform, directory),
    observeScim: (directory, seen) => logRequest(platform, directory, seen),
    isOriginAllowed: (directory, origin) => isOriginAllowed({ platform, directory }, origin),
  }
}

import type { FastifyInstance } from 'fastify'
import { belongings } from './belongings.ts'
import { listTeamAddresses } from './features/accounts/store.ts'
import { setupFacts } from './features/admin-portal/admin-portal.ts'
import { findApiKey } from './features/api-keys/api-keys.ts'
import { flushKeyUses } from './features/api-keys/key-use.ts'
import { secondFactors as challengeFactors } from './features/challenges/challenges.ts'
import { deletionFollower, mappingFollower, ssoProtocols } from './features/connections/connections.ts'
import { providerLogout } from './features/federation/federation.ts'
import { followMemberName, leaveGroups, settleAllRoles } from './features/groups/groups.ts'
import { teamInvites } from './features/invites/accept.ts'
import { gates as loginGates } from './features/login/gates.ts'
import { signInMethods } from './features/login/methods.ts'
import { isOriginAllowed } from './features/login/origins.ts'
import { managerAuthenticator } from './features/members/caller.ts'
import { grantsOf, isOnTeam, joinTeam, teamRolesOf } from './features/members/joining.ts'
import { assertMayActOnMember } from './features/members/members.ts'
import { lacksFactor, teamRoles } from './features/mfa/mfa.ts'
import { codesBySms, otpSettings, toSendCeilings } from './features/otp/otp.ts'
import { sendCodeBySms } from './features/phone-codes/phone-codes.ts'
import { holdIntroduction, matchProvisioned, refuseOtherUser } from './features/provisioning/provisioning.ts'
import { memberGuard } from './features/roles/assign.ts'
import { followDeletion } from './features/scim/config.ts'
import { logRequest } from './features/scim/log.ts'
import { followMapping, groupLeaving, roleSettling } from './features/scim/roles.ts'
import { scimAuthenticator } from './features/scim/token.ts'
import { readSwitch } from './features/services/services.ts'
import { teamGrants } from './features/sessions/tokens.ts'
import { logOutAtProvider } from './features/sso/sso.ts'
import { findTeamSession, userAuthenticator } from './features/tokens/authenticate.ts'
import { nameFollower, requiresFactor } from './features/users/users.ts'
import { noticeReceivers, webhookKeeper } from './features/webhooks/webhooks.ts'
import { gates } from './gates.ts'
import { type Clock, followDatabase, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { type MakeRsaPair, makeRsaPair } from './platform/crypto/certificates.ts'
import { openKeyring } from './platform/crypto/keyring.ts'
import type { MasterKey } from './platform/crypto/master-key.ts'
import type { PasswordParameters } from './platform/crypto/password-format.ts'
import { closePasswordPool } from './platform/crypto/password-pool.ts'
import { openCaches } from './platform/db/cache.ts'
import { isDistributed } from './platform/db/distributed.ts'
import { openDatabase, type WaitingBounds } from './platform/db/pool.ts'
import type { Pooler } from './platform/db/pooler.ts'
import { transactions } from './platform/db/tx.ts'
import { keyAuthenticator } from './platform/http/authenticate.ts'
import { buildServer, type ServerParts } from './platform/http/server.ts'
import { createLog, type Log } from './platform/log.ts'
import { mailDelivery } from './platform/mail/jobs.ts'
import { sendCeilings } from './platform/mail/limits.ts'
import { createMetrics, type Metrics, watchConnections } from './platform/metrics.ts'
import type { Platform } from './platform/platform.ts'
import { provisionedUsers } from './platform/provisioned-users.ts'
import { serviceSwitches } from './platform/services.ts'
import { endpointKeeper } from './platform/webhooks/keeper.ts'
import { closeMessagePool } from './platform/xml/message-pool.ts'
import { routes } from './routes.ts'
import { secondFactors } from './second-factors.ts'
import { facts } from './setup-facts.ts'
import { methods } from './sign-in-methods.ts'
import { protocols } from './sso-protocols.ts'

export interface AppOptions {
  config: Config
  databaseUrl: string
  /** The pooler that `databaseUrl` leads to, if it is one. */
  pooler?: Pooler | null
  masterKeys: MasterKey[]
  /** In tests: the clock of the process, which then does not follow that of the database. */
  clock?: Clock
  /** In tests: the clock of the machine. */
  machineClock?: Clock
  log?: Log
  strict?: boolean
  hashCost?: PasswordParameters
  makeRsaPair?: MakeRsaPair
  /** In tests: other bounds of the waits for the database. */
  bounds?: Partial<WaitingBounds>
}

export interface App {
  platform: Platform
  metrics: Metrics
  server: FastifyInstance
  /** Stops accepting requests, then closes everything the process holds open. */
  close(): Promise<void>
}

/** Opens what every process of the service and the command line need, wired. The database must be migrated. */
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
    belongings,
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

/** Hands to features what they may not import. */
function handIn(platform: Platform): void {
  serviceSwitches.hand(platform, (directory, service) => readSwitch(platform, directory, service))
  loginGates.hand(platform, gates)
  requiresFactor.hand(platform, lacksFactor)
  teamRoles.hand(platform, teamRolesOf)
  signInMethods.hand(platform, methods)
  sendCeilings.hand(platform, async (work) => toSendCeilings(await otpSettings(work)))
  challengeFactors.hand(platform, secondFactors)
  codesBySms.hand(platform, sendCodeBySms)
  setupFacts.hand(platform, facts)
  ssoProtocols.hand(platform, protocols)
  providerLogout.hand(platform, logOutAtProvider)
  provisionedUsers.hand(platform, { match: matchProvisioned, refuseOther: refuseOtherUser, hold: holdIntroduction })
  mappingFollower.hand(platform, followMapping)
  deletionFollower.hand(platform, followDeletion)
  roleSettling.hand(platform, settleAllRoles)
  groupLeaving.hand(platform, leaveGroups)
  nameFollower.hand(platform, followMemberName)
  memberGuard.hand(platform, assertMayActOnMember)
  teamInvites.hand(platform, { isOnTeam, join: joinTeam })
  noticeReceivers.hand(platform, (accountId) => listTeamAddresses(platform.db, accountId))
  endpointKeeper.hand(platform, webhookKeeper)
}

/** The whole service. Does not listen. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { platform, close } = await openPlatform(options)
  const { metrics } = platform
  teamGrants.hand(platform, grantsOf)
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

/** What the HTTP server needs from the features. */
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
    observeScim: (directory, seen) => logRequest(platform, directory, seen),
    isOriginAllowed: (directory, origin) => isOriginAllowed({ platform, directory }, origin),
  }
}

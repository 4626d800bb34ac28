import { changedFrom, record } from '../../../platform/events/events.ts'
import { isId, newId } from '../../../platform/ids.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { assertMayGiveAll, assertMayUseMapping } from '../../directory/roles/sso/sso.ts'
import { forgetProvisioning } from '../../federation/connections/connections.ts'
import { findConnection, knownConnections, readConnection } from '../../federation/connections/known/known.ts'
import { endpointUrl } from './addresses.ts'
import { scimErrors } from './errors.ts'
import { scimEvents } from './events.ts'
import { stageOf } from './expiry.ts'
import { roleSettling } from './roles.ts'
import type { ScimConfig, ScimConfigPatch } from './schema.ts'
import {
  type ConfigRow,
  countProvisioned,
  endTokenRows,
  findConfigRow,
  insertTokenRow,
  listTokenRows,
  lockConfigRow,
  type TokenRow,
  updateConfigRow,
} from './store.ts'
import { forgetToken, hashToken, hintOf, makeToken } from './token.ts'

/** The configuration of a directory. */
export async function readConfig(work: Work): Promise<ScimConfig> {
  return show(work, await findConfigRow(work.db, work.directory))
}

/** Whether provisioning is on and a client may have its token. */
export async function isProvisioned(work: Work): Promise<boolean> {
  const { enabled, tokenSet, currentTokenExpiresAt: end } = await readConfig(work)
  // Process clock: a token has reached the end of its lifetime.
  const hasEnded = end !== null && new Date(end) <= work.platform.clock.now()
  return enabled && tokenSet && !hasEnded
}

async function show(work: Work, row: ConfigRow | undefined): Promise<ScimConfig> {
  const { platform, directory, db } = work
  const [token, previous] = await listTokenRows(db, directory)
  return {
    enabled: row?.enabled ?? false,
    endpointUrl: endpointUrl(platform),
    sso_connection_id: row?.sso_connection_id ?? null,
    subOrgId: directory.organizationId,
    tokenSet: token !== undefined,
    tokenHint: token?.hint ?? null,
    tokenRotatedAt: token?.created_at.toISOString() ?? null,
    tokenExpiresAt: previous ? endOf(previous) : null,
    currentTokenExpiresAt: token?.lifetime_ends_at?.toISOString() ?? null,
    lastRequestAt: row?.last_request_at?.toISOString() ?? null,
    ...(await countProvisioned(db, directory)),
    onDeprovision: row?.on_deprovision ?? 'deactivate',
  }
}

/** When a replaced token ends: after the overlap, or earlier by its own lifetime. */
function endOf({ expires_at, lifetime_ends_at }: TokenRow): string | null {
  const [first] = [expires_at, lifetime_ends_at]
    .flatMap((end) => end ?? [])
    .toSorted((a, b) => a.getTime() - b.getTime())
  return first?.toISOString() ?? null
}

type CallerWork = Work & { caller: ManagerCaller }

/**
 * Changes the configuration. Absent fields do not change. Throws `scim_connection_not_found`. Throws
 * `privilege_escalation` if the linked connection, or connections that would create users for unknown people, give
 * roles that the caller may not grant.
 */
export async function changeConfig(work: CallerWork, patch: ScimConfigPatch): Promise<ScimConfig> {
  return inTx(work, async (work) => {
    const row = await lockConfigRow(work.db, work.directory)
    const before = await show(work, row)
    const { enabled = row.enabled, onDeprovision = row.on_deprovision, sso_connection_id: given } = patch
    const connection = given === undefined ? row.sso_connection_id : await connectionOf(work, row, given)
    if (enabled && !row.enabled && connection === row.sso_connection_id) await assertMayUseLinked(work, connection)
    if (!enabled && row.enabled) await assertMayOpenConnections(work)
    const changes = { enabled, on_deprovision: onDeprovision, sso_connection_id: connection }
    const after = await show(work, await updateConfigRow(work.db, work.directory, changes))
    if (enabled !== row.enabled) await forgetProvisioning(work)
    if (connection !== row.sso_connection_id || enabled !== row.enabled) await roleSettling.of(work.platform)(work)
    await announce(work, before, after)
    return after
  })
}

/**
 * Without provisioning, active connections whose `jit_provisioning` is null create users for unknown people, with
 * their roles. Throws `privilege_escalation` if the caller may not grant these roles.
 */
async function assertMayOpenConnections(work: CallerWork): Promise<void> {
  for (const connection of await knownConnections(work))
    if (connection.status === 'active' && connection.jit_provisioning === null) await assertMayGiveAll(work, connection)
}

async function connectionOf(work: CallerWork, before: ConfigRow, given: string | null): Promise<string | null> {
  if (given === null) return null
  const id = given.toLowerCase()
  const connection = isId(id) ? await readConnection(work, id) : null
  if (!connection) throw scimErrors.connectionNotFound()
  if (id !== before.sso_connection_id) await assertMayUseMapping(work, connection)
  return id
}

/** Unlinks provisioning from a deleted connection. Its groups then give no roles. */
export async function followDeletion(work: TxWork, connectionId: string): Promise<void> {
  const row = await lockConfigRow(work.db, work.directory)
  if (row.sso_connection_id !== connectionId) return
  const before = await show(work, row)
  const after = await show(work, await updateConfigRow(work.db, work.directory, { sso_connection_id: null }))
  await roleSettling.of(work.platform)(work)
  await announce(work, before, after)
}

/**
 * Refuses a caller that may not grant the roles which the provisioning client's groups give, because the caller is
 * about to act as the client. Throws `privilege_escalation`.
 */
export async function assertMayProvision(work: CallerWork): Promise<void> {
  await assertMayUseLinked(work, (await findConfigRow(work.db, work.directory))?.sso_connection_id ?? null)
}

/** Provisioning gives the roles of its groups. Throws `privilege_escalation` if the caller may not grant them. */
async function assertMayUseLinked(work: CallerWork, id: string | null): Promise<void> {
  const linked = id === null ? null : await findConnection(work, id)
  if (linked) await assertMayUseMapping(work, linked)
}

async function announce(work: TxWork, before: ScimConfig, after: ScimConfig): Promise<void> {
  const previous = changedFrom(before, after)
  const changed = Object.keys(previous)
  const details = { target: { type: 'scim_config', id: work.directory.id }, data: after, previous }
  const turned = after.enabled ? scimEvents.enabled : scimEvents.disabled
  const events = [
    ...(changed.includes('enabled') ? [turned(details)] : []),
    ...(changed.some((field) => field !== 'enabled') ? [scimEvents.configUpdated(details)] : []),
  ]
  await record(work, ...events)
}

/**
 * Creates a new token, which works for this many days or without end. The previous token works for the overlap. If
 * there is no overlap, the previous token, and any older token that still overlaps, stop working immediately. Throws
 * `privilege_escalation` if groups give roles that the key may not grant.
 */
export async function rotateToken(
  work: CallerWork,
  { overlapSeconds, days }: { overlapSeconds: number; days: number | null },
): Promise<{ token: string; config: ScimConfig }> {
  return inTx(work, async (work) => {
    const { platform, directory, db } = work
    const row = await lockConfigRow(db, directory)
    // With the token, its client can put users into groups.
    await assertMayUseLinked(work, row.sso_connection_id)
    const before = await show(work, row)
    for (const ended of await endTokenRows(db, directory, overlapSeconds))
      await forgetToken(platform, db, ended.token_hash)
    const token = makeToken()
    const hash = hashToken(platform.keyring, token)
    const told_days = days === null ? null : stageOf(days)
    await insertTokenRow(db, directory, { id: newId(), token_hash: hash, hint: hintOf(token), days, told_days })
    const config = await show(work, row)
    const target = { type: 'scim_config', id: directory.id }
    await record(work, scimEvents.tokenRotated({ target, data: config, previous: changedFrom(before, config) }))
    return { token, config }
  })
}

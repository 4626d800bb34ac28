import type { Static } from 'typebox'
import { makeKey } from '../../../platform/crypto/api-key.ts'
import type { Tx } from '../../../platform/db/pool.ts'
import { httpErrors, invalidField } from '../../../platform/errors.ts'
import { changedFrom, record } from '../../../platform/events/events.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { isNetwork, readNetworks } from '../../../platform/outbound/addresses.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { KeyCaller, ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { isScopePattern } from '../../../platform/tenancy/scopes.ts'
import { type AccountWork, inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { apiKeyCache, cacheKey, createApiKey, secretOf } from './api-keys.ts'
import { apiKeyErrors } from './errors.ts'
import { apiKeyEvents } from './events.ts'
import { type ApiKey, type ApiKeyCreate, type ApiKeyPatch, type CurrentKey, toApiKey } from './schema.ts'
import {
  type ApiKeyRow,
  changeKeyRows,
  endKeyWithin,
  findReachedKey,
  insertApiKeyRow,
  type KeyReach,
  keyOfPreviousSecret,
  lockApiKeyRow,
  previousSecretOf,
  replaceSecret,
  revokeApiKeyRows,
  revokePreviousSecretRows,
} from './store.ts'
import { assertKeepsRate, assertMayManage, type KeyRights, refuseEscalation } from './subset.ts'

/** The work of a request, with the API key that calls. */
interface KeyWork extends AccountWork {
  caller: ManagerCaller
}

/**
 * Creates a key with at most the caller's rights. A key with a rate limit of its own cannot create keys. Throws
 * `privilege_escalation`, `invalid_request`.
 */
export async function mintApiKey(work: KeyWork, body: ApiKeyCreate): Promise<{ apiKey: ApiKey; key: string }> {
  return inTx(work, async (work) => {
    const { platform, caller, account } = work
    assertKeepsRate(caller, null)
    const spec = {
      accountId: account.accountId,
      environmentId: account.environmentId,
      environmentSlug: body.environment ?? account.environmentSlug,
      organizationId: account.organizationId,
      name: body.name,
      scopes: readScopes(body.scopes),
      expiresAt: readExpiry(platform, caller, body.expiresAt),
      requestsPerSecond: body.requestsPerSecond ?? null,
      allowedIps: body.allowedIps === undefined ? caller.bounds.allowedIps : readNetworkList(body.allowedIps),
      createdBy: `${caller.actor.type}:${caller.actor.id}`,
    }
    refuseEscalation(caller, spec, platform.config.keyRequestsPerSecond)
    const { key, row } = await createApiKey(platform, work.db, spec)
    const apiKey = toApiKey(row)
    const target = { type: 'api_key', id: row.id }
    await record({ ...work, directory: account.directory }, apiKeyEvents.created({ target, data: apiKey }))
    return { apiKey, key }
  })
}

/**
 * Gives a key a new secret and keeps its id, name and rights. During the overlap the previous secret works as a
 * separate key. If there is no overlap, the previous secret stops working immediately, and so does any older secret
 * that still overlaps. If no key calls, as on the command line, any key can be rotated. Throws `api_key_not_found`,
 * `api_key_inactive`, and `privilege_escalation`, since the caller receives the secret.
 */
export async function rotateApiKey(
  work: AccountWork & { caller: ManagerCaller | null },
  id: string,
  overlapSeconds: number,
): Promise<{ apiKey: ApiKey; key: string }> {
  return inTx(work, async (work) => {
    const { platform, caller, account, db } = work
    const row = await lockCurrentKey(db, account, id)
    if (caller) {
      assertKeepsRate(caller, row.id)
      refuseEscalation(caller, powerOf(row), platform.config.keyRequestsPerSecond)
    }
    const key = makeKey(row.environment_slug)
    await replaceSecret(db, row.id, secretOf(platform, key))
    await forget(work, [row])
    if (overlapSeconds > 0) await keepPreviousSecret(db, row, overlapSeconds)
    else await forget(work, await revokePreviousSecretRows(db, row.account_id, row.id))
    const apiKey = toApiKey({ ...row, start: secretOf(platform, key).start })
    const target = { type: 'api_key', id: row.id }
    const previous = changedFrom(toApiKey(row), apiKey)
    const event = apiKeyEvents.rotated({ target, data: apiKey, previous })
    await record({ ...work, directory: account.directory }, event)
    return { apiKey, key }
  })
}

/**
 * Changes the name and rights of a key and of its previous secrets; absent fields stay. The caller must have all
 * rights that the key has before and after the change. A key may not exclude its own address. Throws
 * `api_key_not_found`, `api_key_inactive`, `privilege_escalation`, `invalid_request`.
 */
export async function changeApiKey(work: KeyWork, id: string, patch: ApiKeyPatch): Promise<ApiKey> {
  return inTx(work, async (work) => {
    const { platform, caller, account, db } = work
    const before = await lockCurrentKey(db, account, id)
    assertMayManage(caller, before)
    const { name = before.name, scopes, allowedIps } = patch
    const changes = {
      name,
      scopes: scopes === undefined ? before.scopes : readScopes(scopes),
      allowed_ips: allowedIps === undefined ? before.allowed_ips : readNetworkList(allowedIps),
    }
    const after = toApiKey({ ...before, ...changes })
    const previous = changedFrom(toApiKey(before), after)
    if (!Object.keys(previous).length) return after
    if ('scopes' in previous || 'allowedIps' in previous)
      refuseEscalation(caller, powerOf({ ...before, ...changes }), platform.config.keyRequestsPerSecond)
    const changed = await changeKeyRows(db, account, before.id, changes)
    if (caller.kind === 'key' && changed.some((row) => row.id === caller.credentialId))
      assertStaysWithin(caller, changes.allowed_ips)
    await forget(work, changed)
    const target = { type: 'api_key', id: before.id }
    await record({ ...work, directory: account.directory }, apiKeyEvents.updated({ target, data: after, previous }))
    return after
  })
}

function assertStaysWithin({ ip }: KeyCaller, networks: string[] | null): void {
  if (networks === null || (ip !== null && readNetworks(networks)(ip))) return
  throw invalidField(
    'allowedIps',
    'excludes_caller',
    `allowedIps would lock out the calling key, which is used from ${ip}`,
  )
}

/** A key that the caller reaches, revoked or not. Throws `api_key_not_found`. */
export async function getApiKey({ db, account }: AccountWork, text: string): Promise<ApiKey> {
  const id = text.toLowerCase()
  const row = isId(id) ? await findReachedKey(db, account, id) : undefined
  if (!row) throw apiKeyErrors.notFound()
  return toApiKey(row)
}

/** The caller, and what it may do. */
export function describeCaller({ platform, caller }: Pick<KeyWork, 'platform' | 'caller'>): Static<typeof CurrentKey> {
  return {
    kind: caller.kind,
    id: caller.credentialId,
    accountId: caller.accountId,
    environmentId: caller.environmentId,
    environment: caller.environmentSlug,
    subOrgId: caller.organizationId,
    scopes: caller.grants.list(),
    requestsPerSecond: caller.bounds.requestsPerSecond ?? platform.config.keyRequestsPerSecond,
    expiresAt: caller.bounds.expiresAt?.toISOString() ?? null,
  }
}

/**
 * Revokes a key and its overlapping previous secrets: at once in this process, within 5 s in all others. Idempotent.
 * The event is recorded in `work.directory`, the account-level directory of the key's environment. Without a caller,
 * as on the command line, it revokes any key. Throws `api_key_not_found`, and `privilege_escalation` if the key has
 * more rights than the caller.
 */
export async function revokeApiKey(
  work: Work & { caller: ManagerCaller | null },
  reach: KeyReach,
  id: string,
): Promise<void> {
  await inTx(work, async (work) => {
    const before = await lockKey(work.db, reach, id)
    if (work.caller) assertMayManage(work.caller, before)
    const revoked = await revokeApiKeyRows(work.db, reach, before.id)
    await forget(work, revoked)
    const own = revoked.find((row) => row.id === before.id)
    if (!own) return
    const data = toApiKey({ ...own, environment_slug: before.environment_slug })
    const target = { type: 'api_key', id: before.id }
    const previous = changedFrom(toApiKey(before), data)
    await record(work, apiKeyEvents.revoked({ target, data, previous }))
  })
}

async function lockKey(tx: Tx, reach: KeyReach, text: string) {
  const id = text.toLowerCase()
  const row = isId(id) ? await lockApiKeyRow(tx, reach, id) : undefined
  if (!row) throw apiKeyErrors.notFound()
  return row
}

/** Locks a key that works and is not a previous secret. Throws `api_key_not_found`, `api_key_inactive`. */
async function lockCurrentKey(tx: Tx, reach: KeyReach, id: string) {
  const row = await lockKey(tx, reach, id)
  if (row.dead) throw apiKeyErrors.inactive({ detail: 'The key was revoked or has expired. Create a new key.' })
  if (keyOfPreviousSecret(row) !== null)
    throw apiKeyErrors.inactive({
      detail: 'This is the previous secret of a rotated key. Send the id of the rotated key instead.',
    })
  return row
}

function powerOf(row: ApiKeyRow): KeyRights {
  return {
    scopes: row.scopes,
    organizationId: row.organization_id,
    environmentSlug: row.environment_slug,
    expiresAt: row.expires_at,
    requestsPerSecond: row.requests_per_second,
    allowedIps: row.allowed_ips,
  }
}

async function keepPreviousSecret(tx: Tx, row: ApiKeyRow, seconds: number): Promise<void> {
  const id = newId()
  await insertApiKeyRow(tx, {
    id,
    account_id: row.account_id,
    environment_id: row.environment_id,
    organization_id: row.organization_id,
    name: row.name,
    start: row.start,
    key_hash: row.key_hash,
    scopes: row.scopes,
    requests_per_second: row.requests_per_second,
    expires_at: row.expires_at,
    allowed_ips: row.allowed_ips,
    created_by: previousSecretOf(row.id),
  })
  await endKeyWithin(tx, id, seconds)
}

async function forget({ platform, db }: Pick<TxWork, 'platform' | 'db'>, rows: { key_hash: Buffer }[]): Promise<void> {
  for (const row of rows) await apiKeyCache(platform).invalidate(db, cacheKey(row.key_hash))
}

function readScopes(scopes: string[]): string[] {
  const errors = scopes.flatMap((scope, i) =>
    isScopePattern(scope)
      ? []
      : [{ field: `scopes.${i}`, code: 'unknown_scope', message: `scopes.${i} is not a scope` }],
  )
  const [first] = errors
  if (first) throw httpErrors.invalidRequest({ detail: `${first.message}.`, errors })
  return scopes
}

function readNetworkList(networks: string[] | null): string[] | null {
  const wrong = networks?.findIndex((network) => !isNetwork(network)) ?? -1
  if (wrong >= 0)
    throw invalidField(`allowedIps.${wrong}`, 'format', `allowedIps.${wrong} is not an IP address or CIDR range`)
  return networks
}

/** The expiry of a new key. Defaults to the caller's own expiry. */
function readExpiry(platform: Platform, caller: ManagerCaller, text: string | null | undefined): Date | null {
  if (text === undefined) return caller.bounds.expiresAt
  if (text === null) return null
  const at = new Date(text)
  // Process clock: this only refuses an expiry in the past. The database decides whether a key has expired.
  if (at > platform.clock.now()) return at
  throw invalidField('expiresAt', 'past', 'expiresAt must be in the future')
}

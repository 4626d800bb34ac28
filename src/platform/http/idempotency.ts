import { sql } from 'kysely'
import { hashPurpose } from '../crypto/keyring.ts'
import { LOWEST_COST } from '../crypto/password-format.ts'
import { computePassword } from '../crypto/password-pool.ts'
import { keyedHash, sameHash } from '../crypto/tokens.ts'
import { waitUntilDeadline } from '../db/deadline.ts'
import { withoutDeadline } from '../db/lanes.ts'
import type { Db, Tx } from '../db/pool.ts'
import { httpErrors } from '../errors.ts'
import { inTurn, openFairQueue } from '../limits/fair-queue.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { isSecret } from '../schema.ts'
import type { ManagerCaller } from '../tenancy/caller.ts'
import { inTx } from '../work.ts'
import type { Route } from './route.ts'

const requests = hashPurpose('idempotency')

/** The parts of a response that are stored and sent. */
interface SentAnswer {
  status: number
  /** Headers of the response itself, such as its ETag. */
  headers: Record<string, string>
  body: string
}

/** The response to a request with an `Idempotency-Key`. */
export interface SentOnce extends SentAnswer {
  /** Whether the response is the stored response of an earlier request. */
  replayed: boolean
}

interface RepeatableRequest {
  key: string
  url: string
  body: unknown
}

/** The parts of a request's work. */
interface Acting<P> {
  /** Takes long, writes nothing, and uses no connection and no turn. */
  prepare(): Promise<P>
  /** Looks up the caller again after waiting for a turn. Throws if the caller has lost its rights. */
  renewCaller(): Promise<unknown>
  /** The rest of the work, in a transaction. */
  run(tx: Tx, prepared: P): Promise<SentAnswer>
}

// A transaction uses one of ten connections while it runs, and an account can make any number of keys. So an account
// shares its places between its environments and, in each environment, between its own keys and those of each
// organization.
const queue = perPlatform(() =>
  openFairQueue({ turns: 5, turnsOfOne: 3, places: 105, placesOfOne: 32, patienceMs: 3000 }),
)

/**
 * Whether a response has an access token, and perhaps a refresh token. Such a response is not stored: it could be
 * repeated after its session has ended, and storing it would keep usable credentials in readable form.
 */
function bringsSession(route: Route, { body }: SentAnswer): boolean {
  return body.includes(SESSION) && JSON.stringify(route.replies).includes(SESSION)
}

const SESSION = '"access_token":'

/**
 * Runs a request once for each `Idempotency-Key`, and stores its response for 24 hours in the same transaction. A
 * repeated request gets the stored response. A response with a session is not stored. The key is claimed first.
 * `prepare` then runs without a turn, because it may wait for another server. Only the transaction takes a turn. After
 * a deadlock, the transaction and `run` are repeated. Throws what `claimKey` throws, and `unavailable` when too many
 * requests wait.
 */
export async function runOnce<P>(
  context: { platform: Platform; db: Db; caller: ManagerCaller },
  route: Route,
  request: RepeatableRequest,
  { prepare, renewCaller, run }: Acting<P>,
): Promise<SentOnce> {
  const { platform, caller } = context
  const digest = await digestOf(platform, caller, route, request)
  const { claim, kept } = await claimKey(platform, caller, route, { key: request.key, digest })
  if (kept) return { ...kept, replayed: true }
  const owner = { id: caller.accountId, part: `${caller.environmentId} ${caller.organizationId ?? ''}` }
  try {
    const prepared = await prepare()
    const answer = await inTurn(queue(platform), owner, async () => {
      await renewCaller()
      return inTx(context, async ({ db }) => {
        const answer = await run(db, prepared)
        const isOurs = bringsSession(route, answer) ? await release(db, claim) : await keep(platform, db, claim, answer)
        // The claim expired and a repeated request took it over, so this request is rolled back.
        if (!isOurs) throw inProgress()
        return answer
      })
    })
    return { ...answer, replayed: false }
  } catch (error) {
    // The claim is released even if the request has no time left. Otherwise a repeated request would be refused for a
    // minute.
    const releasing = withoutDeadline(() => release(platform.db, claim))
    await waitUntilDeadline(releasing).catch(() => undefined)
    throw error
  }
}

const MAX_KEY_LENGTH = 255
// A process that died leaves its claim behind. No request runs longer than this.
const CLAIM_SECONDS = 60

/** Identifies a repeated request. */
interface Digest {
  /** The hash that is stored. */
  hash: Buffer
  /** Whether a stored hash is of the same request. */
  matches(stored: Buffer): Promise<boolean>
}

/**
 * Hashes the path and body of a request, and the environment that a member chose. If the body has a secret that can be
 * guessed, such as a password, the result is argon2id of the keyed hash, as for stored passwords. Throws `unavailable`
 * when too many hashes wait.
 */
async function digestOf(
  platform: Platform,
  caller: ManagerCaller,
  route: Route,
  { url, body }: RepeatableRequest,
): Promise<Digest> {
  // A member may send the same request to another environment.
  const environment = caller.kind === 'member' && caller.environmentSlug !== 'production' ? [caller.environmentId] : []
  const keyed = keyedHash(platform.keyring.hashKey(requests), url, JSON.stringify(body ?? null), ...environment)
  const isKeyed = async (stored: Buffer) => sameHash(stored, keyed)
  if (!Object.values(route.body?.properties ?? {}).some(isSecret)) return { hash: keyed, matches: isKeyed }
  const hasher = { platform, directory: { id: caller.organizationId ?? caller.accountId } }
  const input = keyed.toString('base64')
  // Test option: tests hash at a low cost.
  const cost = platform.hashCost ?? LOWEST_COST
  return {
    hash: Buffer.from(await computePassword(hasher, 'hashArgon2id', { ...cost, input })),
    // For a day after an upgrade, the previous release's hashes remain, which are the keyed hash alone.
    matches: async (stored) =>
      stored.length === keyed.length
        ? isKeyed(stored)
        : computePassword(hasher, 'verifyArgon2', { hash: stored.toString(), input }),
  }
}

/** A claimed key: its row, and the account whose data key seals the response. */
interface Claim {
  row: { api_key_id: string; route: string; key: string; created_at: Date }
  accountId: string
}

/**
 * Claims the key of a request for 24 hours, or finds the stored response. Throws `idempotency_key_reused` for a
 * different body, and `idempotency_in_progress` while the first request runs.
 */
async function claimKey(
  platform: Platform,
  caller: ManagerCaller,
  route: Route,
  { key, digest }: { key: string; digest: Digest },
): Promise<{ claim: Claim; kept: SentAnswer | null }> {
  if (key.length === 0 || key.length > MAX_KEY_LENGTH)
    throw httpErrors.invalidRequest({ detail: `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.` })
  const name = `${route.method} ${route.path}`
  const id = { api_key_id: caller.credentialId, route: name, key }
  const row = await claimRow(platform.db, { ...id, caller_kind: caller.kind, body_hash: digest.hash })
  // The claim may have been released between the insert, which met a running claim, and this select.
  if (!row) throw inProgress()
  const claim = { row: { ...id, created_at: row.created_at }, accountId: caller.accountId }
  if (row.claimed) return { claim, kept: null }
  // The previous release did not store the kind of caller.
  if (row.caller_kind !== null && row.caller_kind !== caller.kind) throw httpErrors.idempotencyKeyReused()
  if (!(await digest.matches(row.body_hash))) throw httpErrors.idempotencyKeyReused()
  if (row.status === null || row.reply_sealed === null) throw inProgress()
  const [headers, body] = JSON.parse(await platform.keyring.open(sealedPlaceOf(claim), row.reply_sealed))
  return { claim, kept: { status: row.status, headers, body } }
}

function inProgress() {
  return httpErrors.idempotencyInProgress({ headers: { 'retry-after': '1' } })
}

/** A row to claim. `api_key_id` is the id of the caller's API key or membership. */
interface ClaimedRow {
  api_key_id: string
  caller_kind: ManagerCaller['kind']
  route: string
  key: string
  body_hash: Buffer
}

/** The claimed row, or the row of an earlier request. */
async function claimRow(db: Db, row: ClaimedRow) {
  const { rows } = await sql<{
    claimed: boolean
    caller_kind: string | null
    body_hash: Buffer
    created_at: Date
    status: number | null
    reply_sealed: string | null
  }>`
    with claimed as (
      insert into idempotency_keys as i (api_key_id, caller_kind, route, key, body_hash)
      values (${row.api_key_id}, ${row.caller_kind}, ${row.route}, ${row.key}, ${row.body_hash})
      on conflict (api_key_id, route, key) do update
        set caller_kind = excluded.caller_kind, body_hash = excluded.body_hash, status = null, reply_sealed = null, created_at = excluded.created_at
        where excluded.created_at - i.created_at > interval '24 hours'
          or (i.status is null and excluded.created_at - i.created_at > make_interval(secs => ${CLAIM_SECONDS}))
      returning body_hash, caller_kind, created_at)
    select true as claimed, caller_kind, body_hash, created_at, null::int as status, null::text as reply_sealed from claimed
    union all
    select false, caller_kind, body_hash, created_at, status, reply_sealed from idempotency_keys
    where api_key_id = ${row.api_key_id} and route = ${row.route} and key = ${row.key}
      and not exists (select from claimed)`.execute(db)
  return rows[0] ?? null
}

function sealedPlaceOf({ row, accountId }: Claim) {
  return {
    table: 'idempotency_keys',
    column: 'reply_sealed',
    row: `${row.api_key_id}/${row.route}/${row.key}`,
    accountId,
  }
}

/** Stores the response in the request's transaction. Returns whether the claim still exists. */
async function keep(platform: Platform, tx: Tx, claim: Claim, { status, headers, body }: SentAnswer): Promise<boolean> {
  // Rate limit headers describe the moment of the first response, so they are not stored.
  const lasting = Object.entries(headers).filter(([name]) => !name.includes('ratelimit'))
  const sealed = await platform.keyring.seal(sealedPlaceOf(claim), JSON.stringify([Object.fromEntries(lasting), body]))
  const { numUpdatedRows } = await tx
    .updateTable('idempotency_keys')
    .set({ status, reply_sealed: sealed })
    .where((eb) => eb.and(claim.row))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Allows the request to be sent again, because it was refused and had no effect, or because its response must not be
 * repeated. Returns whether the claim still existed.
 */
async function release(db: Db, claim: Claim): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where((eb) => eb.and(claim.row))
    .where('status', 'is', null)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

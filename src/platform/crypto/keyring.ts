import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { ConfigError } from '../config/config.ts'
import { withClient } from '../db/client.ts'
import { waitUntilDeadline } from '../db/deadline.ts'
import { inLane, readForAll } from '../db/lanes.ts'
import type { Db } from '../db/pool.ts'
import { newId } from '../ids.ts'
import type { MasterKey } from './master-key.ts'
import { associatedData, decrypt, encrypt, type SealedPlace } from './secret-box.ts'

/** The purpose of a keyed hash. Each purpose has its own key, derived by HKDF (RFC 5869). */
export interface HashPurpose {
  readonly name: string
}

const purposes = new Set<string>()

/** Defines a purpose, in the one file that uses it. The name is permanent, because stored hashes depend on it. */
export function hashPurpose(name: string): HashPurpose {
  if (purposes.has(name)) throw new Error(`The purpose ${name} is defined twice`)
  purposes.add(name)
  return { name }
}

/** Seals columns and provides hash keys. Data keys are stored in the database, wrapped by the master key. */
export interface Keyring {
  /** A KeyObject, because with raw bytes node:crypto would prepare the key for each digest, at five times the cost. */
  hashKey(purpose: HashPurpose): KeyObject
  /**
   * Creates the data key of an account if it has none. Call it before a transaction that locks the account or an
   * environment and then seals: the key is inserted through another connection, and a distributed database would block
   * that insert until the transaction ends.
   */
  prepare(accountId: string): Promise<void>
  /** Encrypts a text for one place. The result is `v1.<data key id>.<base64url>`. */
  seal(place: SealedPlace, plain: string): Promise<string>
  /** Decrypts a value that was sealed for this place. Throws for any other value. */
  open(place: SealedPlace, sealed: string): Promise<string>
  /** Removes data keys from memory. The next use loads them again. */
  forget(): void
}

interface DataKey {
  id: string
  /** Prepared once. Preparing it from raw bytes for each value would be more than half of the work. */
  key: KeyObject
  createdAt: Date
}

const DATA_KEY_AGE_MS = 90 * 24 * 3600_000
const DEPLOYMENT = ''

/**
 * Opens the keyring, and creates the hash key in a new database.
 * Throws ConfigError if the master keys do not open this database.
 */
export async function openKeyring(db: Db, masterKeys: MasterKey[]): Promise<Keyring> {
  const root = await loadHashKey(db, masterKeys)
  const hashKeys = new Map<HashPurpose, KeyObject>()
  const byId = new Map<string, DataKey>()
  const current = new Map<string, Promise<DataKey>>()

  async function currentKey(accountId: string | null): Promise<DataKey> {
    const slot = accountId ?? DEPLOYMENT
    const known = current.get(slot)
    if (known !== undefined) {
      const key = await waitUntilDeadline(known)
      // Process clock: replaces a data key after about ninety days.
      if (Date.now() - key.createdAt.getTime() < DATA_KEY_AGE_MS) return key
    }
    // All requests that need the key wait for one read.
    const loading = inLane('callers', () => readForAll(() => newestOrNewSealKey(db, masterKeys, accountId)))
    current.set(slot, loading)
    // A failed load must not be cached.
    loading.catch(() => current.delete(slot))
    const key = await waitUntilDeadline(loading)
    byId.set(key.id, key)
    return key
  }

  async function keyById(id: string): Promise<DataKey> {
    const known = byId.get(id)
    if (known) return known
    const row = await db.selectFrom('data_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const key = { id, key: createSecretKey(unwrap(masterKeys, row)), createdAt: row.created_at }
    byId.set(id, key)
    return key
  }

  return {
    hashKey(purpose) {
      const known = hashKeys.get(purpose)
      if (known) return known
      const derived = createSecretKey(
        Buffer.from(hkdfSync('sha256', root, '', `watchword/hash/${purpose.name}/v1`, 32)),
      )
      hashKeys.set(purpose, derived)
      return derived
    },
    async prepare(accountId) {
      await currentKey(accountId)
    },
    async seal(place, plain) {
      const { id, key } = await currentKey(place.accountId)
      return `v1.${id}.${encrypt(key, Buffer.from(plain), associatedData(place)).toString('base64url')}`
    },
    async open(place, sealed) {
      const [version, id, body] = sealed.split('.')
      if (version !== 'v1' || !id || !body) throw new Error('A sealed value has an unknown version')
      const { key } = await keyById(id)
      return decrypt(key, Buffer.from(body, 'base64url'), associatedData(place)).toString()
    },
    forget() {
      byId.clear()
      current.clear()
    },
  }
}

interface DataKeyRow {
  id: string
  wrapped: Buffer
  master_key_id: string
}

/** The associated data of a wrapped data key. */
function wrapPlace(id: string): Buffer {
  return associatedData({ table: 'data_keys', column: 'wrapped', row: id, accountId: null })
}

function unwrap(masterKeys: MasterKey[], row: DataKeyRow): Buffer {
  const master = masterKeys.find((key) => key.id === row.master_key_id)
  if (!master)
    throw new ConfigError(
      `The master key does not fit this database, whose secrets were sealed with master key ${row.master_key_id}: ` +
        'set WATCHWORD_MASTER_KEY to that key, or restore the database that belongs to yours.',
    )
  return decrypt(master.wrapKey, row.wrapped, wrapPlace(row.id))
}

function wrap(masterKeys: MasterKey[], id: string, key: Buffer): { wrapped: Buffer; master_key_id: string } {
  const writing = masterKeys[0]
  if (!writing) throw new ConfigError('No master key is set.')
  return { wrapped: encrypt(writing.wrapKey, key, wrapPlace(id)), master_key_id: writing.id }
}

/** Returns the id of the master key that seals the database's secrets, or null if there are none yet. */
export async function readSealingKeyId(url: string): Promise<string | null> {
  return withClient(url, { application_name: 'watchword-start' }, async (client) => {
    const { rows } = await client.query<{ id: string }>(`select master_key_id as id from data_keys where kind = 'hash'`)
    return rows[0]?.id ?? null
  })
}

async function loadHashKey(db: Db, masterKeys: MasterKey[]): Promise<Buffer> {
  const select = db.selectFrom('data_keys').selectAll().where('kind', '=', 'hash')
  let row = await select.executeTakeFirst()
  if (!row) {
    const id = newId()
    const values = { id, kind: 'hash', account_id: null, ...wrap(masterKeys, id, randomBytes(32)) }
    // If two processes start on a new database, the first insert wins, and both processes read its row.
    await db
      .insertInto('data_keys')
      .values(values)
      .onConflict((c) => c.doNothing())
      .execute()
    row = await select.executeTakeFirstOrThrow()
  }
  return unwrap(masterKeys, row)
}

async function newestOrNewSealKey(db: Db, masterKeys: MasterKey[], accountId: string | null): Promise<DataKey> {
  const row = await db
    .selectFrom('data_keys')
    .selectAll()
    .where('kind', '=', 'seal')
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  // Process clock: replaces a data key after about ninety days.
  if (row && Date.now() - row.created_at.getTime() < DATA_KEY_AGE_MS)
    return { id: row.id, key: createSecretKey(unwrap(masterKeys, row)), createdAt: row.created_at }
  const id = newId()
  const key = randomBytes(32)
  await db
    .insertInto('data_keys')
    .values({ id, kind: 'seal', account_id: accountId, ...wrap(masterKeys, id, key) })
    .execute()
  return { id, key: createSecretKey(key), createdAt: new Date() }
}

/**
 * Wraps every data key with the first master key, in committed steps, so that an interrupted run can continue.
 * Afterwards no row needs an older master key. Returns how many keys were wrapped.
 */
export async function rewrapDataKeys(
  db: Db,
  masterKeys: MasterKey[],
  onBatch?: (done: number) => void,
): Promise<number> {
  const writing = masterKeys[0]
  if (!writing) throw new ConfigError('No master key is set.')
  for (let done = 0; ; ) {
    const rows = await db
      .selectFrom('data_keys')
      .selectAll()
      .where('master_key_id', '!=', writing.id)
      .limit(100)
      .execute()
    if (!rows.length) return done
    for (const row of rows) {
      await db
        .updateTable('data_keys')
        .set(wrap(masterKeys, row.id, unwrap(masterKeys, row)))
        .where('id', '=', row.id)
        .where('master_key_id', '=', row.master_key_id)
        .execute()
    }
    done += rows.length
    onBatch?.(done)
  }
}

import { makeCertificate } from '../../../../platform/crypto/certificates.ts'
import { withoutDeadline } from '../../../../platform/db/lanes.ts'
import { record } from '../../../../platform/events/events.ts'
import { newId } from '../../../../platform/ids.ts'
import { type Platform, perPlatform } from '../../../../platform/platform.ts'
import type { AccountScope } from '../../../../platform/tenancy/directory.ts'
import { type AccountWork, inTx } from '../../../../platform/work.ts'
import { connectionErrors } from '../errors.ts'
import { connectionEvents } from '../events.ts'
import {
  deleteSpKeyRows,
  insertSpKeyRow,
  listSpKeyRows,
  lockSpKeyRows,
  moveSpKeyRows,
  type SpKeyRow,
} from '../store.ts'

/** A key pair that an environment uses as a SAML service provider or OpenID client. */
export interface SpKey {
  id: string
  status: 'current' | 'next' | 'former'
  certificatePem: string
  privateKeyPem: string
}

/** The published keys of an environment. The current key comes first, then the next and the former. */
export interface SpKeys {
  signing: SpKey[]
  encryption: SpKey[]
}

const USES = ['signing', 'encryption'] as const
const YEARS = 3

const place = (accountId: string, id: string) => ({
  table: 'sp_keys',
  column: 'private_key_sealed',
  row: id,
  accountId,
})

/** An environment and its account. A directory has both ids, too. */
export type SpPlace = Pick<AccountScope, 'accountId' | 'environmentId'>

const keyOf = ({ accountId, environmentId }: SpPlace) => `${environmentId}/${accountId}`

const cached = perPlatform((platform) =>
  platform.caches.define<SpKeys>('sp_keys', async (key) => {
    const [environmentId = '', accountId = ''] = key.split('/')
    return open(platform, accountId, await listSpKeyRows(platform.db, environmentId))
  }),
)

/** The keys of an environment. Empty until a connection needs keys. */
export async function spKeys(platform: Platform, of: SpPlace): Promise<SpKeys> {
  return cached(platform).get(keyOf(of))
}

/** Creates the keys of an environment, unless it has keys. */
export async function provideSpKeys(platform: Platform, of: SpPlace): Promise<void> {
  if ((await spKeys(platform, of)).signing.length > 0) return
  const known = making(platform).get(of.environmentId) ?? withoutDeadline(() => make(platform, of))
  making(platform).set(of.environmentId, known)
  await known.finally(() => making(platform).delete(of.environmentId))
}

/** Concurrent callers wait for the same key pairs, since making them takes a second of CPU time. */
const making = perPlatform(() => new Map<string, Promise<void>>())

async function make(platform: Platform, of: SpPlace): Promise<void> {
  const pairs = await makePairs(platform, of, 'current')
  await platform.tx(async (tx) => {
    for (const pair of pairs) await insertSpKeyRow(tx, pair)
    await cached(platform).invalidate(tx, keyOf(of))
  })
}

/** Makes a key pair for each use. Stores nothing. */
async function makePairs(platform: Platform, { accountId, environmentId }: SpPlace, status: SpKey['status']) {
  const make = async (use: (typeof USES)[number]) => {
    // Test option: tests reuse key pairs.
    // Process clock: other parties compare the dates of a certificate with their own clocks.
    const { certificatePem, privateKeyPem, notAfter } = await makeCertificate(
      { commonName: `Watchword ${use}`, years: YEARS, from: platform.clock.now() },
      platform.makeRsaPair,
    )
    const id = newId()
    return {
      environment_id: environmentId,
      id,
      use,
      status,
      certificate_pem: certificatePem,
      private_key_sealed: await platform.keyring.seal(place(accountId, id), privateKeyPem),
      not_after: notAfter,
    }
  }
  return Promise.all(USES.map(make))
}

export type KeyAction = 'prepare' | 'activate' | 'retire'

/**
 * Performs one step of a key rollover. `prepare` publishes the next keys beside the current ones, so that providers
 * learn them. `activate` starts to use the next keys, and still publishes the former ones. `retire` deletes the
 * former keys. Throws `sp_keys_conflict` if another step has to come first.
 */
export async function changeSpKeys(work: AccountWork, action: KeyAction): Promise<SpKeys> {
  const { platform, account } = work
  const { environmentId } = account
  await provideSpKeys(platform, account)
  // Making keys takes a second of CPU time, so none are made for a step that would be refused, or while rows are
  // locked.
  assertNext(action, await listSpKeyRows(platform.db, environmentId))
  const next = action === 'prepare' ? await makePairs(platform, account, 'next') : []
  await inTx({ ...work, directory: account.directory }, async (work) => {
    const { db } = work
    assertNext(action, await lockSpKeyRows(db, environmentId))
    for (const pair of next) await insertSpKeyRow(db, pair)
    if (action !== 'prepare') await deleteSpKeyRows(db, environmentId, 'former')
    if (action === 'activate') {
      await moveSpKeyRows(db, environmentId, { from: 'current', to: 'former' })
      await moveSpKeyRows(db, environmentId, { from: 'next', to: 'current' })
    }
    await cached(platform).invalidate(db, keyOf(account))
    await record(work, connectionEvents.keysChanged({ data: { action } }))
  })
  return spKeys(platform, account)
}

function assertNext(action: KeyAction, rows: SpKeyRow[]): void {
  const has = new Set(rows.map(({ status }) => status))
  if (action === 'retire' ? !has.has('former') : has.has('next') !== (action === 'activate'))
    throw connectionErrors.keysConflict()
}

const ORDER = ['current', 'next', 'former']

async function open(platform: Platform, accountId: string, rows: SpKeyRow[]): Promise<SpKeys> {
  const opened = rows
    .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
    .map(async (row) => ({
      use: row.use,
      id: row.id,
      status: row.status as SpKey['status'],
      certificatePem: row.certificate_pem,
      privateKeyPem: await platform.keyring.open(place(accountId, row.id), row.private_key_sealed),
    }))
  const keys = await Promise.all(opened)
  const of = (wanted: string) => keys.filter(({ use }) => use === wanted).map(({ use: _, ...key }) => key)
  return { signing: of('signing'), encryption: of('encryption') }
}

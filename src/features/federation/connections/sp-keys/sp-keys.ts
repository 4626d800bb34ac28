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

/** A key pair of an environment, with which it acts as a service provider. */
export interface SpKey {
  id: string
  status: 'current' | 'next' | 'former'
  certificatePem: string
  privateKeyPem: string
}

/** What is published of the keys of an environment: the current one first, then the next and the former. */
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

/** An environment, and whose it is: a directory is of one, too. */
export type SpPlace = Pick<AccountScope, 'accountId' | 'environmentId'>

const keyOf = ({ accountId, environmentId }: SpPlace) => `${environmentId}/${accountId}`

const cached = perPlatform((platform) =>
  platform.caches.define<SpKeys>('sp_keys', async (key) => {
    const [environmentId = '', accountId = ''] = key.split('/')
    return open(platform, accountId, await listSpKeyRows(platform.db, environmentId))
  }),
)

/** The keys of an environment as a service provider; none before a connection needs them. */
export async function spKeys(platform: Platform, of: SpPlace): Promise<SpKeys> {
  return cached(platform).get(keyOf(of))
}

/** Makes the keys of an environment, unless it has some. */
export async function provideSpKeys(platform: Platform, of: SpPlace): Promise<void> {
  if ((await spKeys(platform, of)).signing.length > 0) return
  const known = making(platform).get(of.environmentId) ?? withoutDeadline(() => make(platform, of))
  making(platform).set(of.environmentId, known)
  await known.finally(() => making(platform).delete(of.environmentId))
}

/** Who asks meanwhile waits for the same ones: they take a second of a core. */
const making = perPlatform(() => new Map<string, Promise<void>>())

async function make(platform: Platform, of: SpPlace): Promise<void> {
  const pairs = await makePairs(platform, of, 'current')
  await platform.tx(async (tx) => {
    for (const pair of pairs) await insertSpKeyRow(tx, pair)
    await cached(platform).invalidate(tx, keyOf(of))
  })
}

/** A pair for each use, yet to be stored. */
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
 * A step of a change of keys. `prepare` publishes the next ones beside the present, so that providers learn of them;
 * `activate` uses them, and goes on publishing the former; `retire` forgets these. Throws `sp_keys_conflict` for a step
 * that is not next.
 */
export async function changeSpKeys(work: AccountWork, action: KeyAction): Promise<SpKeys> {
  const { platform, account } = work
  const { environmentId } = account
  await provideSpKeys(platform, account)
  // Keys take a second of a core: none are made for a step that is refused, nor while anything is locked.
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

import { makeCertificate } from '../../platform/crypto/certificates.ts'
import { newId } from '../../platform/ids.ts'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import { insertSpKeyRow, listSpKeyRows, type SpKeyRow } from './store.ts'

/** A key pair of the account, with which it acts as a service provider. */
export interface SpKey {
  id: string
  status: 'current' | 'next' | 'former'
  certificatePem: string
  privateKeyPem: string
}

/** What is published of an account's keys: the current one first, then the next and the former. */
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

const cached = perPlatform((platform) =>
  platform.caches.define<SpKeys>('sp_keys', async (accountId) => {
    const rows = await listSpKeyRows(platform.db, accountId)
    const has = (use: string) => rows.some((row) => row.use === use && row.status === 'current')
    if (!USES.every(has)) await make(platform, accountId)
    return open(platform, accountId, USES.every(has) ? rows : await listSpKeyRows(platform.db, accountId))
  }),
)

/** The keys of an account as a service provider, made when they are first needed. */
export function spKeys(platform: Platform, accountId: string): Promise<SpKeys> {
  return cached(platform).get(accountId)
}

async function make(platform: Platform, accountId: string): Promise<void> {
  for (const use of USES) {
    const { certificatePem, privateKeyPem, notAfter } = await makeCertificate({
      commonName: `Watchword ${use}`,
      years: YEARS,
      from: platform.clock.now(),
    })
    const id = newId()
    const private_key_sealed = await platform.keyring.seal(place(accountId, id), privateKeyPem)
    await platform.tx((tx) =>
      insertSpKeyRow(tx, {
        account_id: accountId,
        id,
        use,
        status: 'current',
        certificate_pem: certificatePem,
        private_key_sealed,
        not_after: notAfter,
      }),
    )
  }
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

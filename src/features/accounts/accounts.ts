import type { Tx } from '../../platform/db/pool.ts'
import { newId } from '../../platform/ids.ts'
import { insertAccountRow, insertEnvironmentRows } from './store.ts'

export interface NewAccount {
  accountId: string
  productionId: string
  stagingId: string
}

/**
 * Makes an account with its two fixed environments. The first account of a deployment is its home account, whose
 * production environment issues tokens under the bare base URL.
 */
export async function createAccount(tx: Tx, name: string): Promise<NewAccount> {
  const ids = { accountId: newId(), productionId: newId(), stagingId: newId() }
  await insertAccountRow(tx, ids.accountId, name)
  await insertEnvironmentRows(tx, [
    { id: ids.productionId, account_id: ids.accountId, name: 'Production', slug: 'production', type: 'production' },
    { id: ids.stagingId, account_id: ids.accountId, name: 'Staging', slug: 'staging', type: 'staging' },
  ])
  return ids
}

import type { Tx } from '../../../platform/db/pool.ts'
import { newId } from '../../../platform/ids.ts'
import { findHomeAccountRow, insertAccountRow, insertEnvironmentRows, lockAccounts } from './store.ts'

export const DEFAULT_ACCOUNT_NAME = 'Default'

export interface NewAccount {
  accountId: string
  productionId: string
  stagingId: string
}

/**
 * Creates an account with its two fixed environments. The first account of a deployment is the home account: its
 * production environment issues tokens with the bare base URL as issuer.
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

/** The deployment's home account. Created with the name `Default` if there is no account yet. */
export async function homeAccount(tx: Tx): Promise<NewAccount> {
  await lockAccounts(tx)
  const home = await findHomeAccountRow(tx)
  if (!home) return createAccount(tx, DEFAULT_ACCOUNT_NAME)
  return { accountId: home.id, productionId: home.production_id, stagingId: home.staging_id }
}

import { inTurn, openFairQueue } from '../../../platform/limits/fair-queue.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { teamDirectory } from '../../../platform/tenancy/directory.ts'
import { type AccountTxWork, inTx } from '../../../platform/work.ts'
import type { TeamRequest } from './access.ts'

// Changes of a team wait for each other (`lockTeam`), and each has its own connection. Without turns, one account
// could take all connections of the process.
const queue = perPlatform(() =>
  openFairQueue({ turns: 3, turnsOfOne: 2, places: 103, placesOfOne: 31, patienceMs: 5000 }),
)

/**
 * Runs a change of the team in a transaction, when its turn comes. One change at a time runs for each organization
 * and for the org-wide callers of an environment, and two for an account. A request with an `Idempotency-Key` already
 * has a turn and a transaction. The caller's rights are read again after the wait. Throws `unavailable` if too many
 * changes wait.
 */
export async function inTeamTurn<W extends TeamRequest, T>(
  work: W,
  change: (work: W & AccountTxWork) => Promise<T>,
): Promise<T> {
  const { accountId, environmentId, organizationId } = work.caller
  await prepareTeam(work.platform, accountId)
  if (work.db.isTransaction) return inTx(work, change)
  const owner = { id: accountId, part: `${environmentId} ${organizationId ?? ''}` }
  return inTurn(queue(work.platform), owner, async () => inTx({ ...work, caller: await work.renewCaller() }, change))
}

/**
 * Creates the team's directory and the account's data key before the first change of a team. Other connections insert
 * these, and in a distributed database they would wait for the lock of the account (`lockTeam`).
 */
export async function prepareTeam(platform: Platform, accountId: string): Promise<void> {
  await teamDirectory(platform, accountId)
  await platform.keyring.prepare(accountId)
}

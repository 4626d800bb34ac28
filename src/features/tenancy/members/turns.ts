import { inTurn, openFairQueue } from '../../../platform/limits/fair-queue.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { teamDirectory } from '../../../platform/tenancy/directory.ts'
import { type AccountTxWork, inTx } from '../../../platform/work.ts'
import type { TeamRequest } from './access.ts'

// Changes of a team wait for each other while they hold a connection (`lockTeam`). Without turns, requests of one
// organization would take all connections of the process.
const queue = perPlatform(() =>
  openFairQueue({ turns: 3, turnsOfOne: 2, places: 103, placesOfOne: 31, patienceMs: 5000 }),
)

/**
 * Runs a change of the team in a transaction, in turn: one at a time for each organization and for the org-wide callers of
 * an environment, two for an account. A request with an `Idempotency-Key` has a turn and a transaction already. The caller
 * acts with the rights that it has after the wait. Throws `unavailable` if too many changes wait.
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
 * Creates what a change of the team may need for the first time, its directory and the data key of its account. Other
 * connections insert these, and in a distributed database the lock of the account (`lockTeam`) would hold them back.
 */
export async function prepareTeam(platform: Platform, accountId: string): Promise<void> {
  await teamDirectory(platform, accountId)
  await platform.keyring.prepare(accountId)
}

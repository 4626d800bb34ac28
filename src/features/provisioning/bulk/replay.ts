import { ApiError } from '../../../platform/errors.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import type { Work } from '../../../platform/work.ts'
import {
  asScimError,
  assertMayProvision,
  getLog,
  getProvisioning,
  keepReplay,
  type Outcome,
  type Provisioning,
  type ScimLog,
  scimErrors,
} from '../scim/scim.ts'
import { perform } from './perform.ts'
import { runBulk } from './run.ts'

const MADE = /^\/(Users|Groups|Bulk)\/?$/
const CHANGED = /^\/(Users|Groups)\/[^/]+\/?$/
const BULK = /^\/Bulk\/?$/

/**
 * Performs a refused write again, unchanged except for its `If-Match`, and logs it as a separate request that names
 * the first. If it is refused again, the refusal is in its log entry. An accepted write cannot be repeated, because
 * that would undo later changes. Throws `scim_log_not_found`, `scim_not_replayable`, `organization_suspended`,
 * `scim_disabled`, `privilege_escalation`.
 */
export async function replayLog(given: Work & { caller: ManagerCaller }, id: string): Promise<ScimLog> {
  // A write that is refused half-way must leave nothing behind, so it must not run in a transaction that is committed
  // anyway.
  const work = { ...given, db: given.platform.db }
  const log = await getLog(work, id)
  const [path = ''] = log.path.split('?')
  const isWrite = log.method === 'POST' ? MADE.test(path) : log.method !== 'GET' && CHANGED.test(path)
  if (!isWrite || log.status < 400 || (log.body === null && log.method !== 'DELETE')) throw scimErrors.notReplayable()
  await assertMayProvision(work)
  const provisioning = await getProvisioning(work)
  return keepReplay(work, log, await outcomeOf(() => repeat(work, { ...log, path }, provisioning)))
}

/** Returns the status. */
async function repeat(work: Work, { method, path, body }: ScimLog, provisioning: Provisioning): Promise<number> {
  if (!BULK.test(path)) return (await perform(work, { method, path, data: body, version: null }, provisioning)).status
  await runBulk(work, body)
  return 200
}

async function outcomeOf(run: () => Promise<number>): Promise<Outcome> {
  try {
    return { status: await run(), code: null, reason: null }
  } catch (thrown) {
    const error = asScimError(thrown)
    if (!(error instanceof ApiError) || error.definition.status >= 500) throw error
    const { definition, details } = error
    return { status: definition.status, code: definition.code, reason: details.detail ?? definition.help }
  }
}

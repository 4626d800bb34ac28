import { countAct, idBytes, type RateLimit } from '../../../platform/limits/rate-limit.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { readId, recordConnection } from './changes.ts'
import { checkDomain } from './checks.ts'
import { connectionErrors } from './errors.ts'
import { findConnection } from './known/known.ts'
import { ssoProtocols } from './protocols.ts'
import { checkJit, checkLink, provisioningSwitch } from './provisioning.ts'
import type { ConnectionCheck } from './schema.ts'
import { lockConnectionRow, updateConnectionRow } from './store.ts'
import { checkGroups } from './traces.ts'

/** Limits an organization's tests, since each test sends requests to other people's servers. */
const TESTS: RateLimit = { bucket: 'sso.test', limit: 60, windowSeconds: 3600 }

interface ConnectionTest {
  connectionId: string
  checks: ConnectionCheck[]
}

/**
 * Runs all checks of a connection that need no person. Sends requests to the provider, so do not call it in a
 * transaction. Throws `connection_not_found`, `rate_limited`.
 */
export async function testConnection(work: Work, id: string): Promise<ConnectionTest> {
  const { platform, directory } = work
  const connection = await findConnection(work, readId(id))
  if (!connection) throw connectionErrors.notFound()
  await countAct(work, idBytes(directory.id), [TESTS])
  const protocol = ssoProtocols.of(platform)[connection.protocol]
  const isEnabled = await provisioningSwitch(platform).get(directory.id)
  const ofProvisioning = [...checkJit(connection, isEnabled), ...(await checkLink(work, isEnabled))]
  if (!protocol) return { connectionId: connection.id, checks: [] }
  const ofProtocol = await protocol.check(work, connection)
  const checks = [
    ...ofProtocol,
    ...(await checkDomain(work)),
    ...ofProvisioning,
    ...(await checkGroups(work, connection)),
  ]
  return { connectionId: connection.id, checks }
}

/**
 * Stores the result of a test. A connection in draft or error becomes `testing`; an active one stays active. Throws
 * `connection_not_found`.
 */
export async function keepTest(
  work: Work,
  { connectionId, checks }: ConnectionTest,
): Promise<{ success: boolean; checks: ConnectionCheck[] }> {
  const { platform, directory } = work
  const success = checks.length > 0 && checks.every(({ ok }) => ok)
  await inTx(work, async (work) => {
    const row = await lockConnectionRow(work.db, directory, connectionId)
    if (!row) throw connectionErrors.notFound()
    // Process clock: only shows people when the connection was tested.
    const last_test = JSON.stringify({ success, checks, at: platform.clock.now().toISOString() })
    const moves = row.status === 'draft' || row.status === 'error'
    const set = { last_test, ...(moves ? { status: 'testing' } : {}) }
    const after = await updateConnectionRow(work.db, directory, row.id, set)
    await recordConnection(work, after, 'updated', row)
    if (!success) await recordConnection(work, after, 'testFailed')
  })
  return { success, checks }
}

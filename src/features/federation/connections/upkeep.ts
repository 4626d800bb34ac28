import { X509Certificate } from 'node:crypto'
import { skipLocked } from '../../../platform/db/distributed.ts'
import { record, systemOrigin } from '../../../platform/events/events.ts'
import { enqueue, type JobHandler } from '../../../platform/jobs/queue.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { FederationFailure, fetchMetadata } from '../federation/federation.ts'
import { recordConnection } from './changes.ts'
import { type ConnectionConfig, readConfig } from './config.ts'
import { connectionEvents } from './events.ts'
import { findConnection, type KnownConnection } from './known/known.ts'
import { ssoProtocols } from './protocols.ts'
import { lockConnectionRow, noteExpiryTold, takeDueConnectionRows, updateConnectionRow } from './store.ts'

const JOB = 'connections.look_after'
const BATCH = 200
const DAY_SECONDS = 24 * 3600
const DAY_MS = DAY_SECONDS * 1000

/** Numbers of days before the last certificate expires at which an event is recorded. */
const TELL_AT = [60, 30, 7, 1, 0]

/** Enqueues a job for each connection that is due for a check. */
export const maintainDueConnections: JobHandler = {
  name: 'connections.look_after_due',
  cron: '*/10 * * * *',
  async handle(platform) {
    const takeBatch = () =>
      platform.tx(async (tx) => {
        const batch = { limit: BATCH, nextSeconds: DAY_SECONDS, skipLocked: skipLocked(platform.database) }
        const due = await takeDueConnectionRows(tx, batch)
        for (const { directory_id: directoryId, id: connectionId } of due)
          await enqueue(tx, JOB, { directoryId, connectionId }, { maxAttempts: 5 })
        return due.length
      })
    while ((await takeBatch()) === BATCH);
  },
}

/**
 * Fetches the provider's metadata again, stores its current certificates, and records an event if the last one will
 * expire soon.
 */
export const maintainConnection: JobHandler = {
  name: JOB,
  // It sends requests to other people's servers.
  lane: 'slow',
  async handle(platform, { directoryId, connectionId }) {
    const directory = await findDirectory(platform, String(directoryId))
    if (!directory) return
    const work: Work = { platform, directory, origin: systemOrigin(), db: platform.db }
    const connection = await findConnection(work, String(connectionId))
    if (!connection) return
    const found = await lookUp(work, connection)
    await inTx(work, async (work) => {
      if (found) await renew(work, connection.id, found)
      await tellExpiry(work, connection.id)
    })
  },
}

/** What the metadata says now. Null if there is no address for it or it cannot be read; the stored values then stay. */
async function lookUp(work: Work, connection: KnownConnection): Promise<Partial<ConnectionConfig> | null> {
  const { readMetadata } = ssoProtocols.of(work.platform)[connection.protocol] ?? {}
  if (!readMetadata || connection.idp_metadata_url === null) return null
  try {
    const found = await readMetadata(work, await fetchMetadata(work.platform, connection.idp_metadata_url))
    return found.idp_entity_id === connection.idp_entity_id ? found : null
  } catch (error) {
    if (error instanceof FederationFailure) return null
    throw error
  }
}

async function renew(
  work: TxWork,
  id: string,
  { idp_certificates: now = [] }: Partial<ConnectionConfig>,
): Promise<void> {
  const row = await lockConnectionRow(work.db, work.directory, id)
  if (!row || now.length === 0) return
  const config = readConfig(row.config)
  if (config.idp_certificates.toSorted().join() === now.toSorted().join()) return
  const set = { config: JSON.stringify({ ...Object(row.config), idp_certificates: now }), expiry_told_days: null }
  await recordConnection(work, await updateConnectionRow(work.db, work.directory, id, set), 'certificateRenewed', row)
}

async function tellExpiry(work: TxWork, id: string): Promise<void> {
  const { db, directory, platform } = work
  const row = await lockConnectionRow(db, directory, id)
  const ends = row ? readConfig(row.config).idp_certificates.map((pem) => new X509Certificate(pem).validToDate) : []
  const last = ends.toSorted((a, b) => b.getTime() - a.getTime())[0]
  if (!row || !last) return
  // Process clock: counts the days until a certificate expires.
  const left = Math.max(0, Math.ceil((last.getTime() - platform.clock.now().getTime()) / DAY_MS))
  const due = TELL_AT.findLast((days) => left <= days)
  if (due === undefined || (row.expiry_told_days !== null && row.expiry_told_days <= due)) return
  await noteExpiryTold(db, directory, id, due)
  const data = { id, name: row.name, not_after: last.toISOString(), days: left }
  await record(work, connectionEvents.certificateExpiring({ target: { type: 'sso_connection', id }, data }))
}

import { directoryInReach, type Reach } from '../../platform/http/directory.ts'
import { newId } from '../../platform/ids.ts'
import type { Work } from '../../platform/work.ts'
import { readId } from './changes.ts'
import { connectionErrors } from './errors.ts'
import type { KnownConnection } from './known.ts'
import { MAX_TRACES } from './limits.ts'
import type { SignInTrace } from './schema.ts'
import { findConnectionRowInReach, insertTraceRow, listTraceRows, touchConnectionRow } from './store.ts'

const place = (accountId: string, id: string) => ({ table: 'sso_traces', column: 'said_sealed', row: id, accountId })

// A trace is to be read by people.
const MAX_SAID = 16_384

/** Keeps what a provider said at a sign-in, and what became of it. Never a secret, a code or a token. */
export async function recordTrace(
  work: Work,
  connection: Pick<KnownConnection, 'id'>,
  trace: Pick<SignInTrace, 'code' | 'is_test' | 'said'>,
): Promise<void> {
  const { platform, directory, db } = work
  const { code, is_test, said } = trace
  const outcome = code === null ? 'accepted' : 'refused'
  const id = newId()
  const text = JSON.stringify(said)
  const kept = text.length > MAX_SAID ? JSON.stringify({ truncated: text.slice(0, MAX_SAID) }) : text
  const said_sealed = await platform.keyring.seal(place(directory.accountId, id), kept)
  await insertTraceRow(db, directory, { id, connection_id: connection.id, is_test, outcome, code, said_sealed })
  if (outcome === 'accepted' && !is_test) await touchConnectionRow(db, directory, connection.id)
}

/**
 * The latest sign-ins by a connection within reach, the newest first. Throws `connection_not_found`, and `service_disabled`
 * where the service is off in the directory of the connection.
 */
export async function listTraces(work: Work<Reach>, id: string): Promise<SignInTrace[]> {
  const { platform, db } = work
  const connection = await findConnectionRowInReach(db, work.directory, readId(id))
  const directory = connection && (await directoryInReach(platform, work.directory, connection.directory_id))
  if (!directory) throw connectionErrors.notFound()
  const rows = await listTraceRows(db, directory, connection.id, MAX_TRACES)
  return Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      outcome: row.outcome === 'accepted' ? ('accepted' as const) : ('refused' as const),
      code: row.code,
      is_test: row.is_test,
      said: JSON.parse(await platform.keyring.open(place(directory.accountId, row.id), row.said_sealed)),
      created_at: row.created_at.toISOString(),
    })),
  )
}

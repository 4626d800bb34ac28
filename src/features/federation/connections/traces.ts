import type { Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { directoryInReach } from '../../../platform/tenancy/services.ts'
import type { ReachWork, Work } from '../../../platform/work.ts'
import { NO_GROUPS } from '../federation/federation.ts'
import { readId } from './changes.ts'
import { connectionErrors } from './errors.ts'
import type { KnownConnection } from './known/known.ts'
import { MAX_TRACES } from './limits.ts'
import type { ConnectionCheck, SignInTrace } from './schema.ts'
import { findConnectionRowInReach, insertTraceRow, listTraceRows, touchConnectionRow } from './store.ts'

const place = (accountId: string, id: string) => ({ table: 'sso_traces', column: 'said_sealed', row: id, accountId })

// Limited, since people read traces.
const MAX_SAID = 16_384

/** Stores what a provider said at a sign-in, and the result. Pass no secrets, codes or tokens. */
export async function recordTrace(
  work: Work,
  connection: Pick<KnownConnection, 'id'>,
  trace: Pick<SignInTrace, 'code' | 'is_test' | 'said'> & { id: string },
): Promise<void> {
  const { platform, directory, db } = work
  const { id, code, is_test, said } = trace
  const outcome = code === null ? 'accepted' : 'refused'
  const text = JSON.stringify(said)
  const kept = text.length > MAX_SAID ? JSON.stringify({ truncated: text.slice(0, MAX_SAID) }) : text
  const said_sealed = await platform.keyring.seal(place(directory.accountId, id), kept)
  await insertTraceRow(db, directory, { id, connection_id: connection.id, is_test, outcome, code, said_sealed })
  if (outcome === 'accepted' && !is_test) await touchConnectionRow(db, directory, connection.id)
}

/**
 * The latest sign-ins through a connection that the caller reaches, newest first. Throws `connection_not_found`, and
 * `service_disabled` if the service is off in the connection's directory.
 */
export async function listTraces(work: ReachWork, id: string): Promise<SignInTrace[]> {
  const { platform, db } = work
  const connection = await findConnectionRowInReach(db, work.reach, readId(id))
  const directory = connection && (await directoryInReach(platform, work.reach, connection.directory_id))
  if (!directory) throw connectionErrors.notFound()
  const rows = await listTraceRows(db, directory, connection.id, MAX_TRACES)
  return Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      outcome: row.outcome === 'accepted' ? ('accepted' as const) : ('refused' as const),
      code: row.code,
      is_test: row.is_test,
      said: await openSaid(platform, directory, row),
      created_at: row.created_at.toISOString(),
    })),
  )
}

async function openSaid(
  { keyring }: Platform,
  { accountId }: Directory,
  { id, said_sealed }: { id: string; said_sealed: string },
) {
  return JSON.parse(await keyring.open(place(accountId, id), said_sealed))
}

/** Warns if the provider sent no groups at the last accepted sign-in, although groups give roles. */
export async function checkGroups(work: Work, { id }: Pick<KnownConnection, 'id'>): Promise<ConnectionCheck[]> {
  const rows = await listTraceRows(work.db, work.directory, id, MAX_TRACES)
  const last = rows.find(({ outcome }) => outcome === 'accepted')
  if (!last || (await openSaid(work.platform, work.directory, last))['note'] !== NO_GROUPS) return []
  const message =
    'The provider sent no groups at the last sign-in, so group_role_mapping and the default_role admin gave nothing.'
  const fix = 'Have the provider send groups to everyone, as claim or attribute, or name it in attribute_mapping.'
  return [{ id: 'groups', ok: true, message, fix }]
}

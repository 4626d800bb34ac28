import { findErrorDefinition, httpErrors } from '../../../platform/errors.ts'
import type { Origin } from '../../../platform/events/origin.ts'
import type { Page } from '../../../platform/http/pagination.ts'
import type { Observed } from '../../../platform/http/server.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { runTogether } from '../../../platform/joined/joined.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'
import { BASE } from './addresses.ts'
import { scimErrors } from './errors.ts'
import { effectOf, warningsOf } from './notes.ts'
import { withoutPasswords, withoutQuotes } from './passwords.ts'
import type { ScimLog } from './schema.ts'
import { findLogRow, keepRequest, type LogRow, selectLogPage } from './store.ts'

const place = (accountId: string, id: string) => ({ table: 'scim_logs', column: 'said_sealed', row: id, accountId })

/** Logs a provisioning client's request and the response, without passwords. Never fails the request. */
export async function logRequest(platform: Platform, directory: Directory, seen: Observed): Promise<void> {
  // A row for each of these requests would cost what the rate limit saves.
  if (seen.code === httpErrors.rateLimited.code) return
  try {
    const { method, status, code } = seen
    const route = seen.route.slice(BASE.length)
    const reason = reasonOf(seen)
    const { path, body, isWhole } = withoutPasswords(belowBase(seen.url), route, seen.body)
    const entry = { method, route, path, body, status, code, reason: isWhole ? reason : withoutQuotes(reason) }
    await keepLog(platform, directory, { ...entry, ...told(seen.origin, { method, route, status }), replayOf: null })
  } catch (error) {
    platform.log.warn({ error }, 'A provisioning request was not logged')
  }
}

/** Returns a SCIM path below the base, with its query. The base may contain percent-encoded letters. */
function belowBase(url: string): string {
  const [path = '', ...query] = url.split('?')
  return [`/${path.split('/').slice(BASE.split('/').length).join('/')}`, ...query].join('?')
}

/** A request and its result. */
interface Entry {
  method: string
  path: string
  route: string
  body: unknown
  status: number
  code: string | null
  reason: string | null
  /** What an accepted write has changed. Null for others. */
  effect: string | null
  warnings: string[]
  /** The request that this one repeats. */
  replayOf: string | null
}

function told(origin: Origin, { method, route, status }: Pick<Entry, 'method' | 'route' | 'status'>) {
  const isRead = method === 'GET' || method === 'HEAD' || route.endsWith('.search')
  return { effect: isRead || status >= 400 ? null : effectOf(origin), warnings: warningsOf(origin) }
}

async function keepLog(platform: Platform, directory: Directory, entry: Entry): Promise<LogRow> {
  const id = newId()
  const { method, route, status, code, ...rest } = entry
  const said = JSON.stringify(rest)
  const said_sealed = await platform.keyring.seal(place(directory.accountId, id), said)
  const row = { id, method, route, status, code, said_sealed }
  const kept = await runTogether(platform, { statement: keepRequest, directoryId: directory.id, row })
  if (!kept) throw new Error('No request was kept')
  return { ...row, directory_id: directory.id, created_at: kept.created_at }
}

function reasonOf({ status, answer }: Observed): string | null {
  if (status < 400) return null
  const { detail }: { detail?: unknown } = Object(JSON.parse(answer))
  return typeof detail === 'string' ? detail : null
}

/** A page of requests. */
export async function listLogs(work: Work, page: Page): Promise<LogRow[]> {
  return selectLogPage(work.db, work.directory, page)
}

/** A request by its id. Throws `scim_log_not_found`. */
export async function getLog(work: Work, text: string): Promise<ScimLog> {
  const id = text.toLowerCase()
  const row = isId(id) ? await findLogRow(work.db, work.directory, id) : undefined
  if (!row) throw scimErrors.logNotFound()
  return toLog(work, row)
}

/** The result of a request. */
export type Outcome = Pick<Entry, 'status' | 'code' | 'reason'>

/** Logs a repeated request, and returns its entry. */
export async function keepReplay(work: Work, first: ScimLog, outcome: Outcome): Promise<ScimLog> {
  const { id, method, path, body } = first
  const route = path
    .split('?', 1)
    .join()
    .replace(/^(\/(?:Users|Groups)\/)[^/]+/, '$1{id}')
  const entry = { method, path, route, body, ...outcome, replayOf: id }
  const notes = told(work.origin, { method, route, status: outcome.status })
  return toLog(work, await keepLog(work.platform, work.directory, { ...entry, ...notes }))
}

/** A request as the API shows it, with advice on how to fix a refused one. */
export async function toLog({ platform, directory }: Work, row: LogRow): Promise<ScimLog> {
  const said = JSON.parse(await platform.keyring.open(place(directory.accountId, row.id), row.said_sealed))
  return {
    id: row.id,
    method: row.method,
    path: said.path,
    status: row.status,
    outcome: row.status < 400 ? 'accepted' : 'refused',
    code: row.code,
    reason: said.reason,
    effect: said.effect ?? null,
    warnings: said.warnings ?? [],
    fix: findErrorDefinition(row.code ?? '')?.help ?? null,
    body: said.body,
    replayOf: said.replayOf ?? null,
    createdAt: row.created_at.toISOString(),
  }
}

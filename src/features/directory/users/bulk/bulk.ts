import type { Static } from 'typebox'
import { overtaken } from '../../../../platform/db/failure.ts'
import { invalidField } from '../../../../platform/errors.ts'
import { record } from '../../../../platform/events/events.ts'
import { belongingsOf } from '../../../../platform/lifecycle/belongings.ts'
import { parseBulkText } from '../../../../platform/mail/address-lines.ts'
import { inTx, type TxWork, type Work } from '../../../../platform/work.ts'
import { userErrors } from '../errors.ts'
import { userEvents } from '../events.ts'
import { isExternalIdTaken } from '../hold.ts'
import { insertUsers } from '../insert.ts'
import { toUser } from '../schema.ts'
import { findTakenEmails, type UserRow } from '../store.ts'
import { userEvent } from '../user-event.ts'
import { findRefused } from './external-ids.ts'
import { type Candidate, type Failure, readRow } from './row.ts'
import { type BulkCreate, type BulkReply, MAX_USERS_PER_REQUEST } from './schema.ts'

export { BulkCreate, BulkReply, MAX_USERS_PER_REQUEST } from './schema.ts'

type SkipReason = BulkReply['skipped'][number]['reason']

/** The outcome of one row. */
export type RowOutcome<Created> =
  | { outcome: 'created'; created: Created }
  | { outcome: 'skipped'; email: string; reason: SkipReason }
  | { outcome: 'failed'; failure: Failure }

/**
 * Adds up to 500 users at once and returns the outcome of each, in the order given: a row that fails never fails
 * another. Throws `too_many_users`, and `invalid_request` unless exactly one of the two inputs is present.
 */
export async function createUsers(work: Work, input: Static<typeof BulkCreate>): Promise<BulkReply> {
  return inTx(work, async (work) => {
    const reply: BulkReply = { created: [], skipped: [], failed: [] }
    for (const row of await addUsers(work, readInput(input))) {
      if (row.outcome === 'created') reply.created.push(toUser(row.created, work.directory.organizationId))
      else if (row.outcome === 'skipped') reply.skipped.push({ email: row.email, reason: row.reason })
      else reply.failed.push(row.failure)
    }
    return reply
  })
}

/**
 * The same for parsed rows. `inactive` lists those who may not sign in. Takes a constant number of statements, however
 * many rows there are.
 */
export async function addUsers(
  work: TxWork,
  rows: object[],
  inactive: ReadonlySet<object> = new Set(),
): Promise<RowOutcome<UserRow>[]> {
  const read = rows.map((row) => readRow(work, row, !inactive.has(row)))
  const firsts = firstOfEach(read)
  const refused = await findRefused(work, [...firsts.values()])
  const made = await insertCandidates(
    work,
    [...firsts.values()].filter((candidate) => !refused.has(candidate)),
  )
  await record(work, ...[...made.values()].map((user) => userEvent(work.directory, userEvents.created, user)))
  return read.map((row) => outcomeOf(row, { firsts, refused, made }))
}

/** What `addUsers` would return now; writes nothing. */
export async function checkUsers(work: Work, rows: object[]): Promise<RowOutcome<null>[]> {
  const read = rows.map((row) => readRow(work, row, true))
  const firsts = firstOfEach(read)
  const refused = await findRefused(work, [...firsts.values()])
  const taken = new Set(await findTakenEmails(work.db, work.directory, [...firsts.keys()]))
  const free = new Map([...firsts.keys()].filter((norm) => !taken.has(norm)).map((norm) => [norm, null]))
  return read.map((row) => outcomeOf(row, { firsts, refused, made: free }))
}

function outcomeOf<Created>(
  row: Candidate | Failure,
  { firsts, refused, made }: { firsts: Map<string, Candidate>; refused: Set<Candidate>; made: Map<string, Created> },
): RowOutcome<Created> {
  if ('error' in row) return { outcome: 'failed', failure: row }
  const { given: email, address } = row
  if (firsts.get(address.norm) !== row) return { outcome: 'skipped', email, reason: 'duplicate_in_request' }
  if (refused.has(row)) return { outcome: 'failed', failure: { email, error: 'external_id_taken' } }
  const created = made.get(address.norm)
  return created === undefined
    ? { outcome: 'skipped', email, reason: 'already_exists' }
    : { outcome: 'created', created }
}

function firstOfEach(rows: (Candidate | Failure)[]): Map<string, Candidate> {
  const firsts = new Map<string, Candidate>()
  for (const row of rows) {
    if ('row' in row && !firsts.has(row.address.norm)) firsts.set(row.address.norm, row)
  }
  return firsts
}

/** Users by address. Inserted in address order, so that two requests cannot deadlock. */
async function insertCandidates(work: TxWork, candidates: Candidate[]): Promise<Map<string, UserRow>> {
  if (!candidates.length) return new Map()
  const ordered = candidates.toSorted((a, b) => (a.address.norm < b.address.norm ? -1 : 1))
  const rows = ordered.map((candidate) => candidate.row)
  const users = await insertUsers(work, rows, 'pending').catch((error: unknown) => {
    // Taken since it was looked for: then the transaction runs again, so that the row fails alone.
    throw isExternalIdTaken(error) ? overtaken(error) : error
  })
  const byNorm = new Map(users.map((user) => [user.email_norm, user]))
  // Back in the order of the request, in which the events are also recorded.
  const made = candidates.flatMap((candidate) => {
    const user = byNorm.get(candidate.address.norm)
    return user ? [{ user, candidate }] : []
  })
  for (const belonging of belongingsOf(work.platform)) {
    const bringing = made.filter(({ candidate }) => candidate.brings.includes(belonging))
    const arrivals = bringing.map(({ user, candidate }) => ({ userId: user.id, fields: candidate.fields }))
    if (arrivals.length) await belonging.arrival?.store(work, arrivals)
  }
  return new Map(made.map(({ user }) => [user.email_norm, user]))
}

function readInput(input: Static<typeof BulkCreate>): object[] {
  const { users, bulkText } = input
  if ((users === undefined) === (bulkText === undefined))
    throw invalidField(['users', 'bulkText'], 'exactly_one', 'Send either users or bulkText')
  const rows = users ?? parseBulkText(bulkText ?? '', MAX_USERS_PER_REQUEST + 1)
  if (rows.length > MAX_USERS_PER_REQUEST)
    throw userErrors.tooManyUsers({ detail: `At most ${MAX_USERS_PER_REQUEST} users fit one request.` })
  return rows
}

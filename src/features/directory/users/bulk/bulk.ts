import type { Static } from 'typebox'
import { serializationFailure } from '../../../../platform/db/failure.ts'
import { invalidField } from '../../../../platform/errors.ts'
import { type EventInput, record } from '../../../../platform/events/events.ts'
import { belongingsOf } from '../../../../platform/lifecycle/belongings.ts'
import { parseBulkText } from '../../../../platform/mail/address-lines.ts'
import type { ManagerCaller } from '../../../../platform/tenancy/caller.ts'
import { inTx, type TxWork, type Work } from '../../../../platform/work.ts'
import { userErrors } from '../errors.ts'
import { isExternalIdTaken } from '../hold.ts'
import { insertUsers } from '../insert.ts'
import { type CheckedRoles, checkRolesOfUsers, type RoleGiver, recordCreated } from '../new-roles/new-roles.ts'
import { toUser } from '../schema.ts'
import { findTakenEmails, type UserRow } from '../store.ts'
import { findRefused } from './external-ids.ts'
import { type Candidate, type Failure, readRow } from './row.ts'
import { type BulkCreate, type BulkReply, MAX_USERS_PER_REQUEST } from './schema.ts'

export { BulkCreate, BulkReply, MAX_USERS_PER_REQUEST } from './schema.ts'

type SkipReason = BulkReply['skipped'][number]['reason']

/** The outcome of one row. */
export type RowOutcome<Created> =
  | { outcome: 'created'; created: Created }
  | { outcome: 'skipped'; email: string; reason: SkipReason }
  | { outcome: 'failed'; failure: Failure; unknownRole?: string | undefined }

/**
 * Adds up to 500 users at once. Returns the outcome of each row, in the order given. A row that fails does not affect
 * the others. Throws `too_many_users`, and `invalid_request` unless exactly one of the two inputs is present.
 */
export async function createUsers(
  work: Work & { caller: ManagerCaller },
  input: Static<typeof BulkCreate>,
): Promise<BulkReply> {
  return inTx(work, async (work) => {
    const reply: BulkReply = { created: [], skipped: [], failed: [] }
    for (const row of await addUsers(work, readInput(input), { giver: work.caller })) {
      if (row.outcome === 'created') reply.created.push(toUser(row.created, work.directory.organizationId))
      else if (row.outcome === 'skipped') reply.skipped.push({ email: row.email, reason: row.reason })
      else reply.failed.push(row.failure)
    }
    return reply
  })
}

/**
 * Adds users from parsed rows, as `createUsers` does. `giver` is the caller who gives the roles. `inactive` has the
 * rows of users who may not sign in. Uses a constant number of statements for any number of rows.
 */
export async function addUsers(
  work: TxWork,
  rows: object[],
  { giver, inactive = new Set() }: { giver: RoleGiver; inactive?: ReadonlySet<object> },
): Promise<RowOutcome<UserRow>[]> {
  const read = rows.map((row) => readRow(work, row, { active: !inactive.has(row), isImport: giver === null }))
  const firsts = firstOfEach(read)
  const { refused, columns } = await checkCandidates(work, [...firsts.values()], giver)
  const fit = [...firsts.values()].filter((candidate) => !refused.has(candidate))
  const { made, events } = await insertCandidates(
    work,
    fit.map((candidate) => ({ ...candidate, row: { ...candidate.row, ...columns.get(candidate) } })),
  )
  await recordCreated(work, [...made.values()])
  if (events.length) await record(work, ...events)
  return read.map((row) => outcomeOf(row, { firsts, refused, made }))
}

/** Returns what `addUsers` would return now, and writes nothing. */
export async function checkUsers(work: Work, rows: object[]): Promise<RowOutcome<null>[]> {
  const read = rows.map((row) => readRow(work, row, { active: true, isImport: true }))
  const firsts = firstOfEach(read)
  const { refused } = await inTx(work, (work) => checkCandidates(work, [...firsts.values()], null))
  const taken = new Set(await findTakenEmails(work.db, work.directory, [...firsts.keys()]))
  const free = new Map([...firsts.keys()].filter((norm) => !taken.has(norm)).map((norm) => [norm, null]))
  return read.map((row) => outcomeOf(row, { firsts, refused, made: free }))
}

interface Refusal {
  error: string
  unknownRole?: string | undefined
}

interface CheckedCandidates {
  /** The error of each refused candidate. */
  refused: Map<Candidate, Refusal>
  /** The role columns of every other candidate. */
  columns: Map<Candidate, CheckedRoles['columns']>
}

/**
 * Finds the candidates to refuse: their external id is taken, or they may not get their roles, or they have data that
 * is not allowed here.
 */
async function checkCandidates(work: TxWork, candidates: Candidate[], giver: RoleGiver): Promise<CheckedCandidates> {
  const named = candidates.map(({ roles }) => roles)
  // Lock order: roles before users.
  const checked = await checkRolesOfUsers(work, named, giver)
  const taken = [...(await findRefused(work, candidates))].map(
    (candidate) => [candidate, { error: 'external_id_taken' }] as const,
  )
  const unfit = candidates.flatMap((candidate, n) => {
    const refusal = checked[n]?.unfit ?? checked[n]?.beyond
    if (!refusal) return []
    const { code } = refusal.definition
    const error = code === 'invalid_request' ? 'invalid_field:roleIds' : code
    return [[candidate, { error, unknownRole: checked[n]?.unknownRole }] as const]
  })
  const barred = await findBarred(work, candidates)
  return {
    refused: new Map<Candidate, Refusal>([...taken, ...unfit, ...barred]),
    columns: new Map(candidates.map((candidate, n) => [candidate, checked[n]?.columns ?? {}])),
  }
}

/** Candidates with data, such as a password hash, that users may not bring here. */
async function findBarred(work: TxWork, candidates: Candidate[]): Promise<[Candidate, Refusal][]> {
  const barred: [Candidate, Refusal][] = []
  for (const belonging of new Set(candidates.flatMap(({ brings }) => brings))) {
    const refusal = (await belonging.arrival?.refuse?.(work)) ?? null
    if (refusal === null) continue
    const bringing = candidates.filter(({ brings }) => brings.includes(belonging))
    for (const candidate of bringing) barred.push([candidate, { error: refusal.definition.code }])
  }
  return barred
}

function outcomeOf<Created>(
  row: Candidate | Failure,
  {
    firsts,
    refused,
    made,
  }: { firsts: Map<string, Candidate>; refused: Map<Candidate, Refusal>; made: Map<string, Created> },
): RowOutcome<Created> {
  if ('error' in row) return { outcome: 'failed', failure: row }
  const { given: email, address } = row
  if (firsts.get(address.norm) !== row) return { outcome: 'skipped', email, reason: 'duplicate_in_request' }
  const refusal = refused.get(row)
  if (refusal) return { outcome: 'failed', failure: { email, error: refusal.error }, unknownRole: refusal.unknownRole }
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

interface Inserted {
  /** Users by address. */
  made: Map<string, UserRow>
  /** The events of the data that they brought. */
  events: EventInput[]
}

/** Inserts users in the order of their addresses, so that two requests cannot deadlock. */
async function insertCandidates(work: TxWork, candidates: Candidate[]): Promise<Inserted> {
  if (!candidates.length) return { made: new Map(), events: [] }
  const ordered = candidates.toSorted((a, b) => (a.address.norm < b.address.norm ? -1 : 1))
  const rows = ordered.map((candidate) => candidate.row)
  const users = await insertUsers(work, rows, 'pending').catch((error: unknown) => {
    // Another request has taken the external id since it was checked. The transaction is retried, so that only this
    // row fails.
    throw isExternalIdTaken(error) ? serializationFailure(error) : error
  })
  const byNorm = new Map(users.map((user) => [user.email_norm, user]))
  // Events are recorded in the order of the request.
  const events: EventInput[] = []
  const made = candidates.flatMap((candidate) => {
    const user = byNorm.get(candidate.address.norm)
    return user ? [{ user, candidate }] : []
  })
  for (const belonging of belongingsOf(work.platform)) {
    const bringing = made.filter(({ candidate }) => candidate.brings.includes(belonging))
    const arrivals = bringing.map(({ user, candidate }) => ({ userId: user.id, fields: candidate.fields }))
    if (arrivals.length) events.push(...((await belonging.arrival?.store(work, arrivals)) ?? []))
  }
  return { made: new Map(made.map(({ user }) => [user.email_norm, user])), events }
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

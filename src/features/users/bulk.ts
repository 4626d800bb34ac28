import type { Static } from 'typebox'
import type { Tx } from '../../platform/db/pool.ts'
import { ApiError, httpErrors } from '../../platform/errors.ts'
import { type Origin, record } from '../../platform/events.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { compileValidator } from '../../platform/http/validate.ts'
import { type EmailAddress, parseEmail } from '../../platform/mail/address.ts'
import { parseBulkText } from './bulk-text.ts'
import { userErrors } from './errors.ts'
import { type BulkCreate, type BulkReply, BulkUser, MAX_USERS_PER_REQUEST, toColumns, toUser } from './schema.ts'
import { insertUserRows, type NewUserRow } from './store.ts'
import { fitsMetadata, identityOf, userEvent } from './users.ts'

const checkRow = compileValidator(BulkUser, 'body')

/** A row that passed every check. */
interface Candidate {
  /** As it was sent. */
  given: string
  address: EmailAddress
  row: NewUserRow
}
type Failure = BulkReply['failed'][number]
type Outcome = Candidate | Failure

/**
 * Adds up to 500 people at once and answers for each what became of them, in the order given: one row that fails never
 * fails another. Throws `too_many_users`, and `invalid_request` unless exactly one of the two inputs is there.
 */
export async function createUsers(
  tx: Tx,
  directory: Directory,
  origin: Origin,
  input: Static<typeof BulkCreate>,
): Promise<BulkReply> {
  const outcomes = readRows(input)
  const failed = outcomes.filter((outcome) => 'error' in outcome)
  const candidates = outcomes.filter((outcome) => 'row' in outcome)
  const firsts = firstOfEach(candidates)
  const made = await insertCandidates(tx, directory, [...firsts.values()])
  await record(tx, directory, origin, ...[...made.values()].map((user) => userEvent(directory, 'user.created', user)))
  const created: BulkReply['created'] = []
  const skipped: BulkReply['skipped'] = []
  for (const candidate of candidates) {
    const { given, address } = candidate
    const user = made.get(address.norm)
    if (firsts.get(address.norm) !== candidate) skipped.push({ email: given, reason: 'duplicate_in_request' })
    else if (user) created.push(toUser(user, directory.organizationId))
    else skipped.push({ email: given, reason: 'already_exists' })
  }
  return { created, skipped, failed }
}

function firstOfEach(candidates: Candidate[]): Map<string, Candidate> {
  const firsts = new Map<string, Candidate>()
  for (const candidate of candidates) {
    if (!firsts.has(candidate.address.norm)) firsts.set(candidate.address.norm, candidate)
  }
  return firsts
}

/** One statement for all. In the order of the addresses, so that two requests never wait for each other crosswise. */
async function insertCandidates(tx: Tx, directory: Directory, candidates: Candidate[]) {
  if (!candidates.length) return new Map<string, never>()
  const ordered = candidates.toSorted((a, b) => (a.address.norm < b.address.norm ? -1 : 1))
  const rows = await insertUserRows(
    tx,
    directory,
    ordered.map((candidate) => candidate.row),
    'pending',
  )
  const byNorm = new Map(rows.map((row) => [row.email_norm, row]))
  // Back in the order of the request, in which the events are recorded too.
  return new Map(candidates.flatMap(({ address: { norm } }) => entryOf(byNorm, norm)))
}

function entryOf<K, V>(map: Map<K, V>, key: K): [K, V][] {
  const value = map.get(key)
  return value === undefined ? [] : [[key, value]]
}

function readRows(input: Static<typeof BulkCreate>): Outcome[] {
  const { users, bulkText } = input
  const message = 'Send either users or bulkText'
  if ((users === undefined) === (bulkText === undefined))
    throw httpErrors.invalidRequest({
      detail: `${message}.`,
      errors: ['users', 'bulkText'].map((field) => ({ field, code: 'exactly_one', message })),
    })
  const rows = users ?? parseBulkText(bulkText ?? '')
  if (rows.length > MAX_USERS_PER_REQUEST)
    throw userErrors.tooManyUsers({
      detail: `At most ${MAX_USERS_PER_REQUEST} users fit one request, not ${rows.length}.`,
    })
  return rows.map(readRow)
}

function readRow(sent: object): Outcome {
  const email: unknown = Reflect.get(sent, 'email')
  const given = typeof email === 'string' ? email.slice(0, 320) : null
  if ('unreadable' in sent) return { email: given, error: 'invalid_field:line' }
  const address = given === email && given !== null ? parseEmail(given) : null
  if (given === null || !address) return { email: given, error: 'invalid_email' }
  if (!isSound(sent)) return { email: given, error: `invalid_field:${findBadField(sent)}` }
  if (!fitsMetadata(sent)) return { email: given, error: 'invalid_field:metadata' }
  const row = {
    ...toColumns(sent),
    ...identityOf(address),
    email_verified: sent.emailVerified ?? false,
    source: 'bulk',
  }
  return { given, address, row }
}

function isSound(sent: object): sent is BulkUser {
  return findBadField(sent) === null
}

function findBadField(sent: object): string | null {
  try {
    checkRow(sent)
    return null
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.details.errors?.[0]?.field.slice(0, 100) ?? 'row'
  }
}

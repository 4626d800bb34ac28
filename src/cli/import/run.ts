import { MAX_USERS_PER_REQUEST, type RowOutcome } from '../../features/directory/users/bulk/bulk.ts'
import { parseImportedHash } from '../../platform/crypto/password-cost.ts'
import { importedHashTypes } from '../../platform/crypto/password-format.ts'
import { newId } from '../../platform/ids.ts'
import { parseEmail } from '../../platform/mail/address.ts'
import type { Platform } from '../../platform/platform.ts'
import type { AccountScope, Directory } from '../../platform/tenancy/directory.ts'
import { cliOrigin } from '../deployment.ts'
import { type Checkpoint, countInOrganization } from './checkpoint.ts'
import { type FirstLines, rememberFirstLines } from './first-lines.ts'
import type { Person } from './person.ts'
import type { Progress } from './progress.ts'
import { reasonOf } from './reasons.ts'
import type { RawRecord } from './records.ts'
import type { Report, ReportLine } from './report.ts'
import { isRefusal, type Refusal, type Target, type Targets } from './targets.ts'
import { writeGroup } from './write.ts'

/**
 * What to do with a password that cannot be imported: fail the row, or import the user without it. `none` drops all
 * passwords.
 */
export type PasswordHandling = 'required' | 'readable' | 'none'

export interface ImportRun {
  platform: Platform
  /** The destination of each person. */
  targets: Targets
  /** The account in which organizations are created. Null if all rows go to one organization. */
  scope: AccountScope | null
  /** The unit in which the report gives a record's place. */
  unit: 'line' | 'record'
  records: AsyncIterable<RawRecord>
  adapt(record: RawRecord): Person
  passwords: PasswordHandling
  dryRun: boolean
  /** Updated during the import. */
  checkpoint: Checkpoint
  /** Addresses that an interrupted run added to a directory after its last checkpoint. */
  findOwnEmails(directory: Directory): Promise<ReadonlySet<string>>
  /** Stores the checkpoint. Called after the batch was committed and reported. */
  save(checkpoint: Checkpoint): Promise<void>
  report: Report
  progress: Progress
  /** Whether to stop after the current batch. */
  isStopped(): boolean
}

const BAD_HASH = 'invalid_field:passwordHash'

interface Row {
  line: number
  /** Counted from 1. */
  record: number
  person: Person
  /** The normalised address, or null. */
  norm: string | null
  /** Why the user is imported without the password. */
  lostPassword: string | null
  /** Null if the row is not written. */
  target: Target | null
  /** Why the row is not written. */
  refusal: Refusal | null
}

/** The results of a batch. */
interface Batch {
  outcomes: Map<Row, RowOutcome<unknown>>
  ownEmails: Map<Target, ReadonlySet<string>>
  firstLines: FirstLines
}

/**
 * Imports the rest of a file in batches, through the code of `PUT /v1/users`. Each batch is committed, then reported,
 * then recorded in the checkpoint. Returns whether the end was reached.
 */
export async function runImport(run: ImportRun): Promise<'done' | 'stopped'> {
  const { checkpoint } = run
  const firstLines = rememberFirstLines()
  const doneBefore = checkpoint.counts.rows
  let batch: Row[] = []
  let read = 0
  for await (const record of run.records) {
    const row = await toRow(record, ++read, run)
    if (read <= doneBefore) {
      if (row.norm !== null && row.target) noteFirst(run, row, firstLines)
      continue
    }
    batch.push(row)
    if (batch.length < MAX_USERS_PER_REQUEST) continue
    await importBatch(run, batch, firstLines)
    batch = []
    if (run.isStopped()) return 'stopped'
  }
  if (batch.length) await importBatch(run, batch, firstLines)
  return 'done'
}

async function toRow(raw: RawRecord, record: number, run: ImportRun): Promise<Row> {
  const { line } = raw
  const adapted = run.adapt(raw)
  const { email } = adapted.fields
  const norm = typeof email === 'string' ? (parseEmail(email)?.norm ?? null) : null
  const { person, lostPassword } = settlePassword(adapted, run)
  const row = { line, record, person, norm, lostPassword, target: null }
  const refusal = refusalOf(person)
  if (person.leftOut || refusal) return { ...row, refusal }
  const found = await run.targets(person)
  return isRefusal(found) ? { ...row, refusal: found } : { ...row, target: found, refusal: null }
}

/** Returns the person to import, and the reason if the password is left out. */
function settlePassword(
  person: Person,
  { platform, passwords }: ImportRun,
): { person: Person; lostPassword: string | null } {
  const lost = passwords === 'required' ? null : passwordProblem(person, platform.config.passwordCostLimit)
  if (passwords === 'required' || (passwords === 'readable' && lost === null)) return { person, lostPassword: null }
  const { passwordHash: _, passwordHashType: __, ...fields } = person.fields
  const { hashProblem: ___, ...rest } = person
  return { person: { ...rest, fields }, lostPassword: passwords === 'none' ? null : lost }
}

function passwordProblem({ fields, hashProblem }: Person, costLimit: number): string | null {
  const { passwordHash: hash, passwordHashType: given } = fields
  if (hashProblem !== undefined) return hashProblem
  if (hash === undefined) return null
  const type = importedHashTypes.find((known) => known === given)
  if (!type) return 'the type of the password hash is missing or unknown'
  return typeof hash === 'string' && parseImportedHash(type, hash, costLimit)
    ? null
    : 'the password hash cannot be read'
}

async function importBatch(run: ImportRun, rows: Row[], firstLines: FirstLines): Promise<void> {
  const { checkpoint, report, progress } = run
  const batch = await writeRows(run, rows, firstLines)
  const lines = rows.flatMap((row) => tally(run, row, batch) ?? [])
  checkpoint.counts.rows += rows.length
  checkpoint.reportBytes = await report.write(lines)
  checkpoint.mark = newId()
  checkpoint.updatedAt = new Date().toISOString()
  await run.save(checkpoint)
  progress.show(checkpoint.counts, checkpoint.organizations && Object.keys(checkpoint.organizations).length)
}

/** Writes the rows of a batch, one organization after the other. Rows that are not written have no outcome. */
async function writeRows(run: ImportRun, all: Row[], firstLines: FirstLines): Promise<Batch> {
  const { platform, dryRun, scope, checkpoint } = run
  const batch: Batch = { outcomes: new Map(), ownEmails: new Map(), firstLines }
  const groups = new Map<string, { target: Target; rows: Row[] }>()
  for (const row of all) {
    const { target } = row
    if (!target) continue
    const group = groups.get(target.key)
    if (group) group.rows.push(row)
    else groups.set(target.key, { target, rows: [row] })
  }
  for (const { target, rows } of groups.values()) {
    if (target.directory && !target.isNew) batch.ownEmails.set(target, await run.findOwnEmails(target.directory))
    const origin = { ...cliOrigin(), requestId: checkpoint.importId }
    const people = rows.map(({ person }) => person)
    const written = await writeGroup({ platform, origin, dryRun, scope }, target, people)
    for (const [n, row] of rows.entries()) {
      row.target = target
      if (!Array.isArray(written)) row.refusal = written
      else if (written[n]) batch.outcomes.set(row, written[n])
    }
  }
  return batch
}

/** The adapter's reason for not writing the person. */
function refusalOf({ unreadable, hashProblem }: Person): Refusal | null {
  if (unreadable !== undefined) return { code: 'invalid_field:line', reason: unreadable }
  return hashProblem === undefined ? null : { code: BAD_HASH, reason: sentence(hashProblem) }
}

/** Counts the row. Returns its line for the report, if there is one. */
function tally(run: ImportRun, row: Row, batch: Batch): ReportLine | null {
  const { counts } = run.checkpoint
  const { person, lostPassword, target } = row
  const outcome = batch.outcomes.get(row)
  const count = (result: 'created' | 'existed' | 'duplicates' | 'failed') => {
    counts[result]++
    if (target) countInOrganization(run.checkpoint, target, result)
  }
  if (person.leftOut) {
    counts.leftOut++
    return lineOf(row, { outcome: 'skipped', ...person.leftOut })
  }
  if (!outcome || outcome.outcome === 'failed') {
    const refusal = row.refusal ?? refusalOfOutcome(outcome, emailOf(row))
    count('failed')
    counts.reasons[refusal.code] = (counts.reasons[refusal.code] ?? 0) + 1
    return lineOf(row, { outcome: 'failed', ...refusal })
  }
  const skipped = skipOf(run, row, outcome.outcome === 'skipped', batch)
  if (skipped) {
    count(skipped.result)
    return lineOf(row, { outcome: 'skipped', code: skipped.code, reason: skipped.reason })
  }
  count('created')
  if (lostPassword === null) return null
  counts.withoutPassword++
  return lineOf(row, { outcome: 'imported_without_password', code: BAD_HASH, reason: sentence(lostPassword) })
}

function refusalOfOutcome(
  outcome: Extract<RowOutcome<unknown>, { outcome: 'failed' }> | undefined,
  email: string | null,
): Refusal {
  const code = outcome?.failure.error ?? 'invalid_field:line'
  return { code, reason: reasonOf(code, email, outcome?.unknownRole) }
}

/** Identifies the record by its address or id, because a line may have many records. */
function lineOf(row: Row, said: Pick<ReportLine, 'outcome' | 'code' | 'reason'>): ReportLine {
  const { line, record, person } = row
  const id = person.fields['externalId']
  return {
    ...{ line, email: emailOf(row), outcome: said.outcome, code: said.code, reason: said.reason, record },
    id: typeof id === 'string' || typeof id === 'number' ? String(id).slice(0, 255) : null,
    organization: person.organization?.slice(0, 255) ?? null,
  }
}

function emailOf({ person }: Row): string | null {
  const { email } = person.fields
  return typeof email === 'string' ? email.slice(0, 320) : null
}

/** Counts an address that already exists or occurred in an earlier row. Returns null if this row created the user. */
function skipOf(
  run: ImportRun,
  row: Row,
  isTaken: boolean,
  { ownEmails, firstLines }: Batch,
): { result: 'duplicates' | 'existed'; code: string; reason: string } | null {
  const { norm, target } = row
  const [here, before] = [positionOf(run, row), norm === null ? positionOf(run, row) : noteFirst(run, row, firstLines)]
  if (before !== here && (isTaken || run.dryRun)) {
    const reason = `The same address as in ${run.unit} ${before}.`
    return { result: 'duplicates', code: 'duplicate_in_file', reason }
  }
  if (!isTaken || (norm !== null && target && ownEmails.get(target)?.has(norm))) return null
  return { result: 'existed', code: 'already_exists', reason: 'A user already has this address.' }
}

/** The place where the address first occurred for this organization. */
function noteFirst(run: ImportRun, row: Row, firstLines: FirstLines): number {
  return firstLines.note(`${row.target?.key} ${row.norm}`, positionOf(run, row))
}

const positionOf = ({ unit }: Pick<ImportRun, 'unit'>, { line, record }: Row) => (unit === 'line' ? line : record)

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

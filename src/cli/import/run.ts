import {
  addUsers,
  checkUsers,
  MAX_USERS_PER_REQUEST,
  type RowOutcome,
} from '../../features/directory/users/bulk/bulk.ts'
import { parseImportedHash } from '../../platform/crypto/password-cost.ts'
import { importedHashTypes } from '../../platform/crypto/password-format.ts'
import { newId } from '../../platform/ids.ts'
import { parseEmail } from '../../platform/mail/address.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Directory } from '../../platform/tenancy/directory.ts'
import { inTx } from '../../platform/work.ts'
import { cliOrigin } from '../deployment.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type FirstLines, rememberFirstLines } from './first-lines.ts'
import type { Person } from './person.ts'
import type { Progress } from './progress.ts'
import { reasonOf } from './reasons.ts'
import type { RawRecord } from './records.ts'
import type { Report, ReportLine } from './report.ts'

/**
 * What to do with a password that cannot be imported: fail the row, or import without it; `none` drops all passwords.
 */
export type PasswordHandling = 'required' | 'readable' | 'none'

export interface ImportRun {
  platform: Platform
  directory: Directory
  records: AsyncIterable<RawRecord>
  adapt(record: RawRecord): Person
  passwords: PasswordHandling
  dryRun: boolean
  /** Updated as the import proceeds. */
  checkpoint: Checkpoint
  /** Addresses that the import has added since its checkpoint was written. */
  ownEmails: ReadonlySet<string>
  /** Stores the checkpoint; called after the batch was committed and reported. */
  save(checkpoint: Checkpoint): Promise<void>
  report: Report
  progress: Progress
  /** Whether to stop after the current batch. */
  isStopped(): boolean
}

const BAD_HASH = 'invalid_field:passwordHash'

interface Row {
  line: number
  person: Person
  /** The normalised address; null if there is none. */
  norm: string | null
  /** Why the user is imported without the password. */
  lostPassword: string | null
}

/**
 * Imports the rest of a file, in batches, through the code of `PUT /v1/users`: each batch is committed, then reported,
 * then recorded in the checkpoint. Returns whether it reached the end.
 */
export async function runImport(run: ImportRun): Promise<'done' | 'stopped'> {
  const { checkpoint } = run
  const firstLines = rememberFirstLines()
  const doneBefore = checkpoint.counts.rows
  let batch: Row[] = []
  let read = 0
  for await (const record of run.records) {
    const row = toRow(record, run)
    if (++read <= doneBefore) {
      if (row.norm !== null) firstLines.note(row.norm, row.line)
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

function toRow(record: RawRecord, { platform, adapt, passwords }: ImportRun): Row {
  const person = adapt(record)
  const { email } = person.fields
  const norm = typeof email === 'string' ? (parseEmail(email)?.norm ?? null) : null
  const lost = passwords === 'required' ? null : passwordProblem(person, platform.config.passwordCostLimit)
  if (passwords === 'required' || (passwords === 'readable' && lost === null))
    return { line: record.line, person, norm, lostPassword: null }
  const { passwordHash: _, passwordHashType: __, ...fields } = person.fields
  const { hashProblem: ___, ...rest } = person
  return { line: record.line, person: { ...rest, fields }, norm, lostPassword: passwords === 'none' ? null : lost }
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

async function importBatch(run: ImportRun, batch: Row[], firstLines: FirstLines): Promise<void> {
  const { checkpoint, report, progress } = run
  const outcomes = await writeRows(run, batch)
  const lines = batch.flatMap((row) => tally(run, row, outcomes.get(row), firstLines) ?? [])
  checkpoint.counts.rows += batch.length
  checkpoint.reportBytes = await report.write(lines)
  checkpoint.mark = newId()
  checkpoint.updatedAt = new Date().toISOString()
  await run.save(checkpoint)
  progress.show(checkpoint.counts)
}

/** Outcomes by row; rows that are not written have none. */
async function writeRows(run: ImportRun, batch: Row[]): Promise<Map<Row, RowOutcome<unknown>>> {
  const { platform, directory, checkpoint } = run
  const rows = batch.filter(({ person }) => !person.leftOut && refusalOf(person) === null)
  const fields = rows.map(({ person }) => person.fields)
  const inactive = new Set(rows.filter(({ person }) => person.inactive).map(({ person }) => person.fields))
  const origin = { ...cliOrigin(), requestId: checkpoint.importId }
  const work = { platform, directory, origin, db: platform.db }
  const outcomes = run.dryRun
    ? await checkUsers(work, fields)
    : await inTx(work, (work) => addUsers(work, fields, { giver: null, inactive }))
  const byRow = new Map<Row, RowOutcome<unknown>>()
  for (const [n, row] of rows.entries()) {
    const outcome = outcomes[n]
    if (outcome) byRow.set(row, outcome)
  }
  return byRow
}

/** Why the person is not written, as far as the adapter found out. */
function refusalOf({ unreadable, hashProblem }: Person): { code: string; reason: string } | null {
  if (unreadable !== undefined) return { code: 'invalid_field:line', reason: unreadable }
  return hashProblem === undefined ? null : { code: BAD_HASH, reason: sentence(hashProblem) }
}

/** Counts the row. Returns its line in the report, if it has one. */
function tally(
  run: ImportRun,
  row: Row,
  outcome: RowOutcome<unknown> | undefined,
  firstLines: FirstLines,
): ReportLine | null {
  const { counts } = run.checkpoint
  const { line, person, lostPassword } = row
  const email = typeof person.fields['email'] === 'string' ? person.fields['email'].slice(0, 320) : null
  const told = { line, email }
  if (person.leftOut) {
    counts.leftOut++
    return { ...told, outcome: 'skipped', ...person.leftOut }
  }
  if (!outcome || outcome.outcome === 'failed') {
    const error = outcome?.failure.error ?? 'invalid_field:line'
    const refusal = refusalOf(person) ?? { code: error, reason: reasonOf(error, email) }
    counts.failed++
    counts.reasons[refusal.code] = (counts.reasons[refusal.code] ?? 0) + 1
    return { ...told, outcome: 'failed', ...refusal }
  }
  const skipped = skipOf(run, row, outcome.outcome === 'skipped', firstLines)
  if (skipped) return { ...told, outcome: 'skipped', ...skipped }
  counts.created++
  if (lostPassword === null) return null
  counts.withoutPassword++
  return { ...told, outcome: 'imported_without_password', code: BAD_HASH, reason: sentence(lostPassword) }
}

/**
 * Counts an address that already exists, or occurred in an earlier row. Returns null when this row created the user.
 */
function skipOf(
  { checkpoint: { counts }, ownEmails, dryRun }: ImportRun,
  { norm, line }: Row,
  isTaken: boolean,
  firstLines: FirstLines,
): { code: string; reason: string } | null {
  const before = norm === null ? line : firstLines.note(norm, line)
  if (before !== line && (isTaken || dryRun)) {
    counts.duplicates++
    return { code: 'duplicate_in_file', reason: `The same address as in line ${before}.` }
  }
  if (!isTaken || (norm !== null && ownEmails.has(norm))) return null
  counts.existed++
  return { code: 'already_exists', reason: 'A user already has this address.' }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

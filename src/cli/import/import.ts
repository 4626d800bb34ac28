import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type ImportedHashType, importedHashTypes } from '../../platform/crypto/password-format.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Directory } from '../../platform/tenancy/directory.ts'
import { withPlatform } from '../deployment.ts'
import { getAccount, getDirectory, getEnvironment, getOrganizationId } from '../lookups.ts'
import { CliError, note, print } from '../print.ts'
import { type Reader, readerOf } from './adapters.ts'
import { type Checkpoint, firstCheckpoint, readCheckpoint, removeCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { findLayout, firstRecord, guessFormat, type Layout, readRecords } from './detect.ts'
import { readHashConfig } from './firebase.ts'
import type { FirebaseHashConfig } from './hashes.ts'
import type { Format } from './person.ts'
import { openProgress } from './progress.ts'
import { openReport } from './report.ts'
import { type PasswordHandling, runImport } from './run.ts'
import { openSource, type Source } from './source.ts'
import { summaryLines } from './summary.ts'

const INTERRUPTED = 130

export interface ImportOptions {
  org: string
  env: string
  account?: string
  format: Format | 'auto'
  dryRun?: boolean
  report?: string
  checkpoint?: string
  restart?: boolean
  map: string[]
  hashType?: string
  withoutPasswords?: boolean
  dropUnreadableHashes?: boolean
  firebaseHashConfig?: string
  firebaseSignerKey?: string
  firebaseSaltSeparator: string
  firebaseRounds: string
  firebaseMemCost: string
  json?: boolean
}

/** What is known about an import before the database is opened. */
interface Plan {
  source: Source
  layout: Layout
  format: Format
  reader: Reader
  reportPath: string
  checkpointPath: string
}

/** Imports a file. Throws CliError for whatever prevents it from starting. Returns the exit code. */
export async function importUsers(file: string, options: ImportOptions): Promise<number> {
  // V8 would let the heap grow to four times what is alive before it collects: twice is enough.
  setFlagsFromString('--heap-growing-percent=100')
  const plan = await makePlan(file, options)
  return withPlatform(async (platform) => {
    const account = await getAccount(platform.db, options.account)
    const organizationId = await getOrganizationId(platform.db, account.id, options.org)
    const environment = await getEnvironment(platform.db, account.id, options.env, organizationId)
    const directory = await getDirectory(platform, environment, organizationId)
    return importInto(platform, directory, plan, options)
  })
}

async function makePlan(file: string, options: ImportOptions): Promise<Plan> {
  const reportPath = options.report ?? `${file}.report.ndjson`
  const checkpointPath = options.checkpoint ?? `${file}.checkpoint.json`
  if (new Set([file, reportPath, checkpointPath].map((path) => resolve(path))).size < 3)
    throw new CliError('The file, its report and its checkpoint must be three different files.', {
      isUsage: true,
    })
  const source = await openSource(file)
  const layout = findLayout(source, options.format)
  const first = await firstRecord(source, layout)
  if (!first && layout.kind !== 'csv') throw new CliError(`${file} has no readable user.`)
  const format = options.format === 'auto' ? guessFormat(layout, first) : options.format
  const reader = readerOf({
    ...{ format, layout, first, map: options.map, hashType: readHashType(options.hashType) },
    firebase: await readFirebase(options),
    withoutPasswords: options.withoutPasswords === true,
  })
  return { source, layout, format, reader, reportPath, checkpointPath }
}

function readHashType(given: string | undefined): ImportedHashType | undefined {
  const type = importedHashTypes.find((known) => known === given)
  if (given === undefined || type) return type
  throw new CliError(`--hash-type is ${given}: use one of ${importedHashTypes.join(', ')}.`, { isUsage: true })
}

async function readFirebase(options: ImportOptions): Promise<FirebaseHashConfig | null> {
  const { firebaseHashConfig: path, firebaseSignerKey: signerKey } = options
  if (path !== undefined) {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new CliError(`${path} cannot be read: ${error.code}.`)
    })
    return readHashConfig(text)
  }
  if (signerKey === undefined) return null
  const { firebaseSaltSeparator: saltSeparator, firebaseRounds: rounds, firebaseMemCost: memCost } = options
  return { signerKey, saltSeparator, rounds, memCost }
}

async function importInto(
  platform: Platform,
  directory: Directory,
  plan: Plan,
  options: ImportOptions,
): Promise<number> {
  const { source, layout, format, reader, reportPath, checkpointPath } = plan
  const { adapt, ignoredColumns } = reader
  const dryRun = options.dryRun === true
  const of = { fingerprint: source.fingerprint, format, directoryId: directory.id }
  const found = dryRun || options.restart ? null : await readCheckpoint(checkpointPath, of)
  const checkpoint = found ?? firstCheckpoint(of)
  const where = `${options.org} (${options.env})`
  note(`${dryRun ? 'Checking' : 'Importing'} ${source.path}, read as ${format}, into ${where}.`)
  if (found?.counts.rows) note(`Continuing after row ${found.counts.rows}, according to ${checkpointPath}.`)
  const ownEmails = found ? await findOwnEmails(platform, found) : new Set<string>()
  const save = dryRun ? async () => undefined : (state: Checkpoint) => writeCheckpoint(checkpointPath, state)
  await save(checkpoint)
  const report = await openReport(reportPath, checkpoint.reportBytes)
  const progress = openProgress(source.size, checkpoint.counts.rows)
  const stop = listenForStop()
  const startedAt = Date.now()
  try {
    const end = await runImport({
      ...{ platform, directory, adapt, dryRun, checkpoint, ownEmails, save, report, progress },
      records: readRecords(source, layout, progress.read),
      passwords: passwordHandling(options),
      isStopped: stop.isStopped,
    })
    progress.end()
    if (end === 'stopped') {
      note(`Stopped after row ${checkpoint.counts.rows}. ${dryRun ? '' : HOW_TO_GO_ON}`.trim())
      return INTERRUPTED
    }
    if (!dryRun) await removeCheckpoint(checkpointPath)
    const { counts, importId } = checkpoint
    const seconds = (Date.now() - startedAt) / 1000
    const reportFile = checkpoint.reportBytes ? reportPath : null
    print(
      options,
      { dryRun, format, ignoredColumns, importId: dryRun ? null : importId, ...counts, seconds, report: reportFile },
      summaryLines(counts, { dryRun, where, seconds, reportFile }),
    )
    return counts.failed ? 3 : 0
  } catch (error) {
    progress.end()
    if (!dryRun && checkpoint.counts.rows) note(`Ended after row ${checkpoint.counts.rows}. ${HOW_TO_GO_ON}`)
    throw error
  } finally {
    stop.end()
    await report.close()
  }
}

const HOW_TO_GO_ON = 'Run the same command again to continue there, or with --restart to start over.'

function passwordHandling(options: ImportOptions): PasswordHandling {
  if (options.withoutPasswords) return 'none'
  return options.dropUnreadableHashes ? 'readable' : 'required'
}

/**
 * The addresses of a batch that was committed but whose checkpoint was not written: its users exist already, and this
 * import created them.
 */
async function findOwnEmails(platform: Platform, { directoryId, importId, mark }: Checkpoint): Promise<Set<string>> {
  const events = await platform.db
    .selectFrom('events')
    .select('data')
    .where('directory_id', '=', directoryId)
    .where('type', '=', 'user.created')
    .where('id', '>', mark)
    .where('request_id', '=', importId)
    .execute()
  return new Set(events.map(({ data }) => String(Object(data)['email']).toLowerCase()))
}

/** The first signal requests a stop after the current batch; a second one ends the process as usual. */
function listenForStop(): { isStopped(): boolean; end(): void } {
  let stopped = false
  const signals = ['SIGINT', 'SIGTERM'] as const
  const end = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  const stop = () => {
    stopped = true
    end()
    note('\nStopping after this batch; press again to stop at once.')
  }
  for (const signal of signals) process.on(signal, stop)
  return { isStopped: () => stopped, end }
}

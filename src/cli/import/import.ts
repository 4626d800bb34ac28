import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type ImportedHashType, importedHashTypes } from '../../platform/crypto/password-format.ts'
import { isId } from '../../platform/ids.ts'
import type { Platform } from '../../platform/platform.ts'
import { type AccountScope, resolveAccount } from '../../platform/tenancy/directory.ts'
import { withPlatform } from '../deployment.ts'
import { getAccount, getDirectory, getEnvironment, getOrganizationId } from '../lookups.ts'
import { CliError, note, print } from '../print.ts'
import { type Reader, readerOf } from './adapters.ts'
import { type Checkpoint, firstCheckpoint, readCheckpoint, removeCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { findLayout, firstRecord, guessFormat, type Layout, readRecords } from './detect.ts'
import { readHashConfig } from './firebase.ts'
import type { FirebaseHashConfig } from './hashes.ts'
import { type Format, isObject } from './person.ts'
import { openProgress } from './progress.ts'
import { openReport } from './report.ts'
import { type ImportRun, type PasswordHandling, runImport } from './run.ts'
import { openSource, type Source } from './source.ts'
import { summaryLines } from './summary.ts'
import { namedTargets, oneTarget, type Targets } from './targets.ts'

const INTERRUPTED = 130

export interface ImportOptions {
  org?: string
  createOrganizations?: boolean
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

/** The parts of an import that are known before the database is opened. */
interface Plan {
  source: Source
  layout: Layout
  format: Format
  reader: Reader
  reportPath: string
  checkpointPath: string
}

/** The destination of the rows. */
interface Destination {
  targets: Targets
  /** Null if all rows go to one organization. */
  scope: AccountScope | null
  /** The directory that identifies the import together with the file. */
  directoryId: string
  /** A description of the destination. */
  where: string
}

/** Imports a file. Throws CliError if the import cannot start. Returns the exit code. */
export async function importUsers(file: string, options: ImportOptions): Promise<number> {
  // By default V8 lets the heap grow to four times the live data before it collects. Twice is enough.
  setFlagsFromString('--heap-growing-percent=100')
  const plan = await makePlan(file, options)
  return withPlatform(async (platform) => {
    return importInto(platform, await findDestination(platform, options), plan, options)
  })
}

async function findDestination(platform: Platform, options: ImportOptions): Promise<Destination> {
  const { org, env } = options
  const account = await getAccount(platform.db, options.account)
  if (org !== undefined) {
    const organizationId = await getOrganizationId(platform.db, account.id, org)
    const environment = await getEnvironment(platform.db, account.id, env, organizationId)
    const directory = await getDirectory(platform, environment, organizationId)
    return { targets: oneTarget(directory, org), scope: null, directoryId: directory.id, where: `${org} (${env})` }
  }
  const environment = await getEnvironment(platform.db, account.id, env)
  const named = { platform, account, environment, creates: options.createOrganizations === true }
  const scope = await resolveAccount(platform, { ...environment, organizationId: null }, null)
  const where = `the organizations of its rows (${env})`
  return { targets: namedTargets(named), scope, directoryId: scope.directory.id, where }
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
  await assertOneDestination({ source, layout, first, reader }, options)
  return { source, layout, format, reader, reportPath, checkpointPath }
}

/** Throws CliError unless exactly one of `--org` and the file names the organizations. */
async function assertOneDestination(
  file: Pick<Plan, 'source' | 'layout' | 'reader'> & { first: Record<string, unknown> | null },
  { org, createOrganizations }: ImportOptions,
): Promise<void> {
  const refuse = (text: string) => new CliError(text, { isUsage: true })
  if (org === undefined) {
    if (await namesOrganizations(file)) return
    throw refuse(
      'No row names an organization: name one for all rows with --org, or one in each row as “organization”.',
    )
  }
  if (createOrganizations) throw refuse('--create-organizations creates those that the rows name: omit it, or --org.')
  if (namesColumn(file))
    throw refuse(
      'The rows name their organizations, and --org another one: omit --org. To import that column as metadata, use ' +
        '--map organization=metadata.organization.',
    )
}

type ReadFile = Parameters<typeof assertOneDestination>[0]

/** Whether the header, or the first JSON record, has an organization. */
function namesColumn({ layout, first, reader }: ReadFile): boolean {
  const columns = layout.kind === 'csv' ? Object.fromEntries(layout.shape.columns.map((name) => [name, name])) : null
  return reader.namesOrganization(columns ?? first ?? {})
}

async function namesOrganizations(file: ReadFile): Promise<boolean> {
  if (namesColumn(file)) return true
  if (file.layout.kind === 'csv') return false
  for await (const { value } of readRecords(file.source, file.layout))
    if (isObject(value) && file.reader.namesOrganization(value)) return true
  return false
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
  destination: Destination,
  plan: Plan,
  options: ImportOptions,
): Promise<number> {
  const { source, layout, format, reader, reportPath, checkpointPath } = plan
  const { adapt, ignoredColumns } = reader
  const dryRun = options.dryRun === true
  const { targets, scope, directoryId, where } = destination
  const of = { fingerprint: source.fingerprint, format, directoryId }
  const found = dryRun || options.restart ? null : await readCheckpoint(checkpointPath, of)
  const checkpoint = found ?? firstCheckpoint(of, scope !== null)
  note(`${dryRun ? 'Checking' : 'Importing'} ${source.path}, read as ${format}, into ${where}.`)
  if (found?.counts.rows) note(`Continuing after row ${found.counts.rows}, according to ${checkpointPath}.`)
  const findOwnEmails = found ? ownEmailsOf(platform, { ...found }) : async () => NONE
  const save = dryRun ? async () => undefined : (state: Checkpoint) => writeCheckpoint(checkpointPath, state)
  await save(checkpoint)
  const report = await openReport(reportPath, checkpoint.reportBytes)
  const progress = openProgress(source.size, checkpoint.counts.rows)
  const stop = listenForStop()
  const startedAt = Date.now()
  try {
    const end = await runImport({
      ...{ platform, targets, scope, adapt, dryRun, checkpoint, findOwnEmails, save, report, progress },
      unit: layout.kind === 'document' ? 'record' : 'line',
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
    const listed = Object.entries(checkpoint.organizations ?? {}).map(([id, of]) => ({
      id: isId(id) ? id : null,
      ...of,
    }))
    const told = { ...counts, seconds, report: reportFile, ...(scope ? { organizations: listed } : {}) }
    print(
      options,
      { dryRun, format, ignoredColumns, importId: dryRun ? null : importId, ...told },
      summaryLines(counts, { dryRun, where, seconds, reportFile, organizations: listed }),
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

const NONE: ReadonlySet<string> = new Set()

/**
 * Finds the addresses that were added to a directory after the checkpoint, by a batch that was committed before its
 * own checkpoint was written. Each directory is read before this process writes to it.
 */
function ownEmailsOf(platform: Platform, { importId, mark }: Checkpoint): ImportRun['findOwnEmails'] {
  const found = new Map<string, ReadonlySet<string>>()
  return async ({ id }) => {
    const known = found.get(id)
    if (known) return known
    const events = await platform.db
      .selectFrom('events')
      .select('data')
      .where('directory_id', '=', id)
      .where('type', '=', 'user.created')
      .where('id', '>', mark)
      .where('request_id', '=', importId)
      .execute()
    const emails = events.length ? new Set(events.map(({ data }) => String(Object(data)['email']).toLowerCase())) : NONE
    found.set(id, emails)
    return emails
  }
}

/** The first signal stops the import after the current batch. A second signal ends the process as usual. */
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

import { type FileHandle, open, rm } from 'node:fs/promises'
import { csvCell } from '../../platform/csv.ts'
import { CliError } from '../print.ts'

/** A row that was not imported completely. */
export interface ReportLine {
  line: number
  email: string | null
  outcome: 'skipped' | 'failed' | 'imported_without_password'
  /** A code for scripts. */
  code: string
  /** The reason in words. */
  reason: string
  /** The number of the record in the file, counted from 1. */
  record: number
  /** The person's id in the other system. */
  id: string | null
  /** The organization as the record names it. */
  organization: string | null
}

export interface Report {
  /** Appends lines and flushes them to disk. Returns the length of the report. */
  write(lines: ReportLine[]): Promise<number>
  close(): Promise<void>
}

const HEADING = 'line,email,outcome,code,reason,record,id,organization\n'

/**
 * Opens a report to continue at `keptBytes`. The file is created with the first line. It is NDJSON, or CSV if the name
 * ends in .csv. Only its owner can read it, because it contains addresses.
 */
export async function openReport(path: string, keptBytes: number): Promise<Report> {
  const isCsv = path.toLowerCase().endsWith('.csv')
  let file: FileHandle | null = null
  let length = keptBytes
  // An earlier import's report would be mistaken for this one's.
  if (!keptBytes) await rm(path, { force: true })
  return {
    async write(lines) {
      if (!lines.length) return length
      file ??= await openAt(path, keptBytes)
      const texts = lines.map((line) => (isCsv ? csvLine(line) : `${JSON.stringify(line)}\n`))
      const bytes = Buffer.from((isCsv && length === 0 ? HEADING : '') + texts.join(''))
      await file.write(bytes, 0, bytes.length, length)
      await file.datasync()
      length += bytes.length
      return length
    },
    async close() {
      await file?.close()
    },
  }
}

async function openAt(path: string, keptBytes: number): Promise<FileHandle> {
  try {
    const file = await open(path, keptBytes ? 'r+' : 'w', 0o600)
    await file.truncate(keptBytes)
    return file
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new CliError(`${path} cannot be written (${code}): name another file with --report.`, { cause: error })
  }
}

function csvLine({ line, email, outcome, code, reason, record, id, organization }: ReportLine): string {
  const cells = [String(line), email ?? '', outcome, code, reason, String(record), id ?? '', organization ?? '']
  return `${cells.map(csvCell).join(',')}\n`
}

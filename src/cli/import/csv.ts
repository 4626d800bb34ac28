import { Readable } from 'node:stream'
import { CsvError, type Options, parse } from 'csv-parse'
import { parse as parseAtOnce } from 'csv-parse/sync'
import { CliError } from '../print.ts'
import { MAX_RECORD_BYTES, type RawRecord } from './records.ts'

/** The dialect of a CSV file. */
export interface CsvShape {
  delimiter: string
  columns: string[]
  /** Whether the first row contains column names. */
  hasHeader: boolean
}

const common = { relax_column_count: true, relax_quotes: true, skip_empty_lines: true, trim: true } satisfies Options

/** The delimiter that occurs most often outside quotes in the first line. */
export function findDelimiter(head: string): string {
  const line = head.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1)[0] ?? ''
  const counts = [',', ';', '\t', '|'].map((delimiter) => ({ delimiter, count: line.split(delimiter).length }))
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).delimiter
}

/** The first rows of a file, parsed from its beginning. */
export function firstRows(head: string, delimiter: string, count: number): string[][] {
  const rows: unknown = parseAtOnce(head, { ...common, delimiter, to: count, max_record_size: MAX_RECORD_BYTES })
  return Array.isArray(rows) ? rows.filter(Array.isArray).map((row) => row.map(String)) : []
}

/** Reads the rows as objects keyed by column. Throws CliError for an unclosed quote. */
export async function* csvRows(bytes: AsyncIterable<Buffer>, shape: CsvShape): AsyncGenerator<RawRecord> {
  const { delimiter, columns, hasHeader } = shape
  const parser = parse({ ...common, delimiter, info: true, max_record_size: MAX_RECORD_BYTES })
  // The iteration throws errors of either stream.
  Readable.from(bytes)
    .on('error', (error) => parser.destroy(error))
    .pipe(parser)
  let isHeader = hasHeader
  let overcount = 0
  try {
    for await (const { record, info } of parser) {
      // csv-parse counts a CRLF inside a cell twice.
      overcount += countIn(record, '\r\n')
      if (isHeader) isHeader = false
      else yield toRecord(record, info.lines - overcount, columns)
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new CliError(`The CSV cannot be read from here on: ${error.message}`, { cause: error })
  }
}

function toRecord(cells: string[], lastLine: number, columns: string[]): RawRecord {
  // A quoted cell may span several lines. A row is reported at the line where it starts.
  const line = lastLine - countIn(cells, '\n')
  const surplus = cells.slice(columns.length).some((cell) => cell !== '')
  const value = Object.fromEntries(columns.map((column, n) => [column, cells[n] ?? '']))
  if (!surplus) return { line, value }
  return { line, value: undefined, problem: `The row has ${cells.length} columns instead of ${columns.length}.` }
}

function countIn(cells: string[], text: string): number {
  return cells.reduce((sum, cell) => sum + (cell.includes(text) ? cell.split(text).length - 1 : 0), 0)
}

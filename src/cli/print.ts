/** The failure of a command. The message is one line that says what to do. */
export class CliError extends Error {
  override name = 'CliError'
  readonly isUsage: boolean

  constructor(message: string, options: { isUsage?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.isUsage = options.isUsage ?? false
  }
}

/** Writes a result to stdout: `data` as JSON for scripts, `lines` for people. */
export function print(options: { json?: boolean }, data: unknown, lines: string[]): void {
  process.stdout.write(`${options.json ? JSON.stringify(data, null, 2) : lines.join('\n')}\n`)
}

/** Reports progress to people on stderr, separate from the result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Lines with aligned columns below a heading. */
export function tableLines(heading: string[], rows: string[][]): string[] {
  return alignedLines([heading, ...rows])
}

function alignedLines(rows: string[][]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Lines with a record's non-empty fields. */
export function fieldLines(record: object): string[] {
  const rows = Object.entries(record)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)])
  return alignedLines(rows)
}

/** Says on stderr, for people and scripts, that a list continues. */
export function noteMore(rows: unknown[], shown: number): void {
  if (rows.length > shown) note(`There are more than these ${shown}.`)
}

/** A count with its noun: `1 mail`, `2 mails`, `0 deliveries`. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`
  return `${count} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`
}

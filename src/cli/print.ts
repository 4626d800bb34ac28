/** The failure of a command, in one line that says what to do. */
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

/** Reports progress to people: on stderr, apart from the result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Lines of aligned columns under a heading. */
export function tableLines(heading: string[], rows: string[][]): string[] {
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/**
 * A failure of the embedded PostgreSQL. The message is one line for the operator that says what is wrong and what to
 * do.
 */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}

/** Converts any error that prevented the start in `dataDir` to one line. */
export function explainFailure(error: unknown, dataDir: string): EmbeddedError {
  if (error instanceof EmbeddedError) return error
  const reason = error instanceof Error ? error.message.replaceAll(/\s*\n\s*/g, ' ') : String(error)
  return new EmbeddedError(
    `The embedded PostgreSQL in ${dataDir} could not start (${reason}): correct that, or set WATCHWORD_DATA_DIR to another directory or DATABASE_URL to another PostgreSQL.`,
  )
}

/** Returns the last lines of a program's output as one line. */
export function lastLines(text: string): string {
  const lines = text.trim().split(/\s*\n\s*/)
  return lines.slice(-3).join(' | ') || 'nothing, as on a full disk'
}

import { statfsSync } from 'node:fs'

/** A failure of the embedded PostgreSQL. The message is one line for the operator: what is wrong and what to do. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}

/** The system's (`ENOENT`) or PostgreSQL's (`57P03`) code of an error, if it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** The error for a full disk under `directory`. */
export function diskFullError(directory: string): EmbeddedError {
  return new EmbeddedError(`The disk that holds ${directory} is full: free some space and start again.`)
}

/** Whether PostgreSQL's output `text`, or the disk under `directory` itself, shows that no space is left. */
export function isDiskFull(text: string, directory: string): boolean {
  if (/No space left on device|not enough space|Disk quota exceeded/i.test(text)) return true
  // The server's log is on the same disk, so a full disk may have kept it from logging that.
  const disk = statfsSync(directory)
  return disk.bavail * disk.bsize < 1024 * 1024
}

/** Turns any error that prevented the start in `dataDir` into one clear line. */
export function explainFailure(error: unknown, dataDir: string): EmbeddedError {
  if (error instanceof EmbeddedError) return error
  const reason = error instanceof Error ? error.message.replaceAll(/\s*\n\s*/g, ' ') : String(error)
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new EmbeddedError(
        `The data directory ${dataDir} is not writable for this user (${reason}): change its owner, or set WATCHWORD_DATA_DIR to another one.`,
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return new EmbeddedError(
        `${dataDir} cannot be the data directory because it, or a part of its path, is a file (${reason}): set WATCHWORD_DATA_DIR to a directory.`,
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFullError(dataDir)
    default:
      return new EmbeddedError(
        `The embedded PostgreSQL in ${dataDir} could not start: ${reason}. Set DATABASE_URL to use another PostgreSQL.`,
      )
  }
}

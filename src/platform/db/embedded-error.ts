import { statfsSync } from 'node:fs'

/** A fault of the embedded PostgreSQL. The message is one line for the operator: what is wrong and what to do. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}

/** The system's (`ENOENT`) or PostgreSQL's (`57P03`) code of an error, if it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Says that the disk under `directory` is full. */
export function diskFullError(directory: string): EmbeddedError {
  return new EmbeddedError(`The disk that holds ${directory} is full: free some space and start again.`)
}

/** True when `text`, said by PostgreSQL, or the disk under `directory` itself tells that no space is left. */
export function isDiskFull(text: string, directory: string): boolean {
  if (/No space left on device|not enough space|Disk quota exceeded/i.test(text)) return true
  // The server's log lies on the same disk, so a full disk may have left no word about it.
  const disk = statfsSync(directory)
  return disk.bavail * disk.bsize < 1024 * 1024
}

/** Turns whatever stopped the start in `dataDir` into one clear line. */
export function explainFailure(error: unknown, dataDir: string): EmbeddedError {
  if (error instanceof EmbeddedError) return error
  const reason = error instanceof Error ? error.message.replaceAll(/\s*\n\s*/g, ' ') : String(error)
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new EmbeddedError(
        `The data directory ${dataDir} is not writable for this user (${reason}): give this user the directory, or set WATCHWORD_DATA_DIR to another one.`,
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

/** A larger record is not a user, and would have to be kept in memory. */
export const MAX_RECORD_BYTES = 1024 * 1024

/** A record as it is in the file. */
export interface RawRecord {
  /** The line where it starts, counted from 1. */
  line: number
  /** A JSON object, or the columns of a row. Undefined if it cannot be read. */
  value: unknown
  /** Why it cannot be read, if known. */
  problem?: string
}

/** @returns undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A larger record is not a user, and would have to be held in memory. */
export const MAX_RECORD_BYTES = 1024 * 1024

/** A record as read from a file. */
export interface RawRecord {
  /** Where it starts; the first line is 1. */
  line: number
  /** A JSON object, or the columns of a row; undefined when it cannot be read. */
  value: unknown
  /** Why it cannot be read, if known. */
  problem?: string
}

/** @returns undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

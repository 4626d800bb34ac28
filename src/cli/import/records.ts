/** A record larger than this is no user, and would be held in memory. */
export const MAX_RECORD_BYTES = 1024 * 1024

/** A record as a file has it. */
export interface RawRecord {
  /** Where it begins; the first line is 1. */
  line: number
  /** An object of JSON, or the columns of a row; undefined when it cannot be read. */
  value: unknown
  /** Why it cannot be read, where more can be told than that. */
  problem?: string
}

/** Undefined: it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

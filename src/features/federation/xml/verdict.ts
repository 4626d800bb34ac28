import { XmlRefusal } from './refusal.ts'

/**
 * The result of checking a message in a thread. Errors lose their class between threads, so refusals are plain data.
 */
export type Verdict<T> = { value: T } | { refused: { reason: string; message: string } }

export async function toVerdict<T>(run: () => T | Promise<T>): Promise<Verdict<T>> {
  try {
    return { value: await run() }
  } catch (error) {
    if (!(error instanceof XmlRefusal)) throw error
    return { refused: { reason: error.reason, message: error.message } }
  }
}

/** Returns the value, or throws the XmlRefusal from the thread. */
export function readVerdict<T>(verdict: Verdict<T>): T {
  if ('value' in verdict) return verdict.value
  throw new XmlRefusal<string>(verdict.refused.reason, verdict.refused.message)
}

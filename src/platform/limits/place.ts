import { AsyncLocalStorage } from 'node:async_hooks'
import { outsideDatabase } from '../db/deadline.ts'

/** The place of an anonymous request among the few that run at once. */
interface HeldPlace {
  leave(): void
  /** Never refused: what was begun is finished. */
  comeBack(): void
}

const held = new AsyncLocalStorage<HeldPlace & { waits: number }>()

export function inPlace<T>(place: HeldPlace, run: () => Promise<T>): Promise<T> {
  return held.run({ ...place, waits: 0 }, run)
}

/**
 * Waits for another server, or for a thread. Meanwhile the request holds no place, where a slow server would hold up all
 * others, and its time to wait for the database stands still.
 */
export async function outOfPlace<T>(wait: () => Promise<T>): Promise<T> {
  const place = held.getStore()
  if (!place) return outsideDatabase(wait)
  if (place.waits++ === 0) place.leave()
  try {
    return await outsideDatabase(wait)
  } finally {
    if (--place.waits === 0) place.comeBack()
  }
}

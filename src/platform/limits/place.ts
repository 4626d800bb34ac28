import { AsyncLocalStorage } from 'node:async_hooks'
import { outsideDatabase } from '../db/deadline.ts'
import type { Turn } from './fair-queue.ts'

const held = new AsyncLocalStorage<Turn & { waits: number }>()

/** Runs an anonymous request in its turn, which `outOfPlace` can give up temporarily. */
export function runInTurn<T>(turn: Turn, run: () => Promise<T>): Promise<T> {
  return held.run({ ...turn, waits: 0 }, run)
}

/**
 * Waits for another server or a thread. Meanwhile an anonymous request gives up its turn, so that a slow server does
 * not delay the others, and its database deadline is paused.
 */
export async function outsideTurn<T>(wait: () => Promise<T>): Promise<T> {
  const turn = held.getStore()
  if (!turn) return outsideDatabase(wait)
  if (turn.waits++ === 0) turn.leave()
  try {
    return await outsideDatabase(wait)
  } finally {
    if (--turn.waits === 0) turn.comeBack()
  }
}

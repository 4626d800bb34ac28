import { AsyncLocalStorage } from 'node:async_hooks'

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

/** Waits for a server of somebody else without holding a place meanwhile: a slow one would hold up everybody else's. */
export async function outOfPlace<T>(wait: () => Promise<T>): Promise<T> {
  const place = held.getStore()
  if (!place) return wait()
  if (place.waits++ === 0) place.leave()
  try {
    return await wait()
  } finally {
    if (--place.waits === 0) place.comeBack()
  }
}

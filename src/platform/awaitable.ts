/**
 * A value, or the promise of one: what a cache knows is handed on without a promise for each function in between, of which
 * every request would make dozens. A function that returns one may throw at once instead of rejecting, and what it returns
 * is no condition: `await` it, or pass it to `whenThere`.
 */
export type Awaitable<T> = T | Promise<T>

/** Calls `next` with the value: now if it is there, and then an error of `next` is thrown here; later otherwise. */
export function whenThere<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Recovers from an error of `run`, thrown or rejected. Errors of `instead` pass. */
export function orElse<T>(run: () => Awaitable<T>, instead: (error: unknown) => Awaitable<T>): Awaitable<T> {
  let value: Awaitable<T>
  try {
    value = run()
  } catch (error) {
    return instead(error)
  }
  return value instanceof Promise ? value.catch(instead) : value
}

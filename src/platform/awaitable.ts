/**
 * A value, or the promise of one. What a cache holds is handed on as it is: a promise for each
 * function on its way made a quarter of what an introspection allocated.
 */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value: at once where it is there, so that what `next` throws is thrown. */
export function whenThere<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Does something else where it fails, now or later. */
export function orElse<T>(run: () => Awaitable<T>, instead: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const value = run()
    return value instanceof Promise ? value.catch(instead) : value
  } catch (error) {
    return instead(error)
  }
}

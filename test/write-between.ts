import pg from 'pg'

/**
 * Runs `act`, and `write` before each statement of this process that matches: between two statements of a request, say, as
 * another process may write at any time.
 */
export async function writeBetween(
  statements: RegExp,
  write: () => Promise<void>,
  act: () => Promise<void>,
): Promise<void> {
  const { query } = pg.Client.prototype
  let isWriting = false
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      if (isWriting || !statements.test(textOf(args[0]))) return Reflect.apply(query, this, args)
      isWriting = true
      return write()
        .finally(() => (isWriting = false))
        .then(() => Reflect.apply(query, this, args))
    },
  })
  try {
    await act()
  } finally {
    Object.assign(pg.Client.prototype, { query })
  }
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : ''
}

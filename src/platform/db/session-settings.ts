/** The parameters of a session that answers requests, as PostgreSQL shows them. */
export const SESSION_SETTINGS = {
  statement_timeout: '3s',
  lock_timeout: '1s',
  idle_in_transaction_session_timeout: '10s',
  // Every statement has an index. A plan made while a table was small would otherwise keep scanning it as it grows,
  // until the next analysis; and JIT compilation costs more than any of them takes.
  enable_seqscan: 'off',
  jit: 'off',
  // Starting workers takes longer than a page of a list, and they would serve one request at the cost of the others.
  max_parallel_workers_per_gather: '0',
} as const

const assign = (settings: Record<string, string>) => ({
  options: Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
})

/** Begins a session with them. */
export const sessionParameters = assign(SESSION_SETTINGS)

/** Begins a session without bounds, for migrations: of a role that has the others stored with it, too. */
export const unboundedParameters = assign({
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  enable_seqscan: 'on',
  jit: 'on',
  max_parallel_workers_per_gather: '2',
})

/** The parameters of a session that serves requests, as PostgreSQL shows them. */
export const SESSION_SETTINGS = {
  statement_timeout: '3s',
  lock_timeout: '1s',
  idle_in_transaction_session_timeout: '10s',
  // Every statement has an index. A plan made while a table was small would otherwise keep scanning the growing table
  // until the next analysis. JIT compilation costs more than any of these statements takes.
  enable_seqscan: 'off',
  jit: 'off',
  // Starting workers takes longer than reading a page of a list, and they would speed up one request at the cost of
  // others.
  max_parallel_workers_per_gather: '0',
} as const

const assign = (settings: Record<string, string>) => ({
  options: Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
})

/** Options that start a session with these parameters. */
export const sessionParameters = assign(SESSION_SETTINGS)

/** Options that start a session without limits, for migrations. They also override parameters stored with the role. */
export const unboundedParameters = assign({
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  enable_seqscan: 'on',
  jit: 'on',
  max_parallel_workers_per_gather: '2',
})

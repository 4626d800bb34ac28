import { sql } from 'kysely'

/** The current time in a statement. This is the database's clock, which tests can set. */
export const now = sql<Date>`clock_now()`

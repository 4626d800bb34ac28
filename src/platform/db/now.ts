import { sql } from 'kysely'

/** The current time within a statement: the database's clock, which tests can set. */
export const now = sql<Date>`clock_now()`

import { type OperationNodeSource, type RawBuilder, type Selectable, sql } from 'kysely'
import type { DB, Users } from '../db/schema.gen.ts'
import type { ApiError } from '../errors.ts'
import type { EventDefinition, EventInput } from '../events/events.ts'
import type { SqlText } from '../joined/sql-text.ts'
import type { Message } from '../mail/outbox.ts'
import { defineSlot } from '../platform.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { TxWork, Work } from '../work.ts'
import type { EndReason } from './end-reasons.ts'

/** The tables whose rows belong to a user. */
export type UserTable = { [T in keyof DB]: 'user_id' extends keyof DB[T] ? T : never }[keyof DB]

/** What happens to a user, on each of the four occasions. */
export interface UserChange {
  /** The user's locked row before the change. */
  user: UserRow
  reason: EndReason
  /** The link that is being redeemed, which is not withdrawn. */
  linkId?: string | undefined
  /** True if the cut-off ends only pending sign-ins. */
  keepsSessions?: boolean
  /** True if a cut-off with `keepsSessions` also removes trusted devices. */
  devices?: boolean
  /** True if the user has proved that they set the password. */
  keepsPassword?: boolean
  /** True if no stranger can have set up the user's factors. */
  keepsFactors?: boolean
  /** For a cut-off: rows set up within this many seconds may be a stranger's and are deleted. */
  sinceSeconds?: number | undefined
}

/** What a cut-off spares, and what it removes in addition. */
export type CutOff = Pick<UserChange, 'linkId' | 'sinceSeconds'>

/** A move to another directory. */
export interface UserMove extends UserChange {
  to: Directory
}

type UserRow = Selectable<Users>

type RoleColumn = 'role' | 'sso_role' | 'role_since'

/** Columns of the user's row that summarize other tables: a count, a list, whether there are rows, a role. */
export type UserColumns = {
  [C in keyof UserRow as UserRow[C] extends boolean | number | string[] ? C : Extract<C, RoleColumn>]?:
    | UserRow[C]
    | RawBuilder<UserRow[C]>
}

/**
 * A part of the one statement that changes a user and the rows that belong to them. It names the directory in a
 * parameter.
 */
export interface Step {
  /** A common table expression `<table>_taken`, which `query` can use. */
  taken?: OperationNodeSource
  /** Another common table expression `<table>_also`, for a further write. */
  also?: OperationNodeSource
  query: OperationNodeSource
  /** The query returns nothing, or nothing to announce. */
  isSilent?: true
  /** Columns of the user's row that summarize the remaining rows. `changed` names the rows that `query` returns. */
  columns?(changed: string): UserColumns
}

/** What happens to a user's rows: a query, null if they stay this time, or the reason why they always stay. */
export type Fate<Change> = ((work: TxWork, change: Change) => Step | null) | { kept: string }

/** Data that an imported user may have for this table. */
interface Arrival {
  /** Whether these fields of a user contain such data, or the name of the field that cannot be read. */
  read(work: Pick<Work, 'platform'>, fields: object): 'nothing' | 'something' | { invalid: string }
  /** The reason why no user of the directory may have such data, or null. */
  refuse?(work: Work): Promise<ApiError | null>
  /** Stores the data of these users. Returns the events. */
  store(work: TxWork, arrivals: { userId: string; fields: object }[]): Promise<EventInput[]>
}

/** What an export of a user's data contains of a table. */
interface Export {
  columns: string[]
  /** Rows with the greatest value of this column come first. */
  newestBy: string
}

type Words<Text extends string> = Text extends `${infer Word} ${infer More}` ? Word | Words<More> : Text

type ColumnOf<T extends UserTable> = Exclude<keyof DB[T] & string, 'directory_id' | 'user_id'>

/** Hashes, sealed columns and bytes are never exported. */
type TellableOf<T extends UserTable> = {
  [C in ColumnOf<T>]: C extends `${string}hash` | `${string}_sealed`
    ? never
    : Extract<DB[T][C], Buffer> extends never
      ? C
      : never
}[ColumnOf<T>]

/**
 * Exports the rows of a user, ordered by one column, greatest first. `told` and `withheld` are names of columns,
 * separated by spaces. They only compile if they contain every column, so that a new column cannot be forgotten, and
 * if no secret is in `told`.
 */
export function exportsColumns<T extends UserTable, const Told extends string, const Withheld extends string>(
  _table: T,
  newestBy: keyof DB[T] & string,
  told: Words<Told> extends TellableOf<T> ? Told : never,
  _withheld: Exclude<ColumnOf<T>, Words<Told> | Words<Withheld>> extends never ? Withheld : never,
): Export {
  return { columns: told.split(' '), newestBy }
}

/** A table whose rows belong to a user, and what happens to a user's rows on each occasion. */
export interface Belonging<Row extends object = object> {
  table: UserTable
  /** The first proof of the mailbox. A stranger may have set up earlier rows. */
  proof: Fate<UserChange>
  /** A cut-off: all access that the user has or is about to get ends. */
  cutOff: Fate<UserChange>
  /** The user is deleted, and thereby cut off. */
  removal: Fate<UserChange>
  /** Set if remaining rows are deleted once the user can no longer be restored. */
  purged?: true
  /** Set if a pending sign-up may have rows. A user who replaces it does not get them. */
  beforeProof?: true
  /** The user moves to another directory, and is cut off in this one. */
  move: Fate<UserMove>
  /** What an export of the user's data contains of these rows, or the reason why it contains nothing. */
  exports: Export | { nothing: string }
  /**
   * SQL: which rows the first proof of the mailbox removes, if not every row of the user. The condition uses `users`,
   * `clock` and `asked`, in which `mailbox_identity` is the keyed hash of the address and `spared_link` is the link
   * that proves it.
   */
  setUpBefore?: SqlText
  /** Whether the user's locked row shows that there are no rows. Then the statement leaves out the table. */
  isAbsent?(user: UserRow): boolean
  /** The event for each row that a query returns, or null for none. */
  announce?: {
    event: EventDefinition
    of(row: Row, reason: EndReason): EventInput | null
    /** Set if rows otherwise end only with a first proof or with the user. */
    onProofAlone?: true
  }
  /** The notification about the rows that a query returns, or null for none. */
  tell?(rows: Row[], change: UserChange): Message | null
  /**
   * Set if there may be more rows to announce than the query returns. Handles the remaining rows and returns how many
   * there were.
   */
  leave?(work: TxWork, change: UserChange, returned: number): Promise<number>
  arrival?: Arrival
}

/** Whether the user signed up by code. Only roles can be attached to such a user before the mailbox is proved. */
export function isPending(user: UserRow): boolean {
  return user.pending_until !== null
}

/** Deletes the rows of the user. `columns` are the columns of the user's row that summarize them. */
export function deletes(table: UserTable, columns: UserColumns = {}) {
  // Table by name: a belonging names its own table in the `belongings.ts` of its feature.
  return ({ directory }: TxWork, { user }: UserChange): Step => ({
    query: sql`delete from ${sql.table(table)} where directory_id = ${directory.id} and user_id = ${user.id}`,
    isSilent: true,
    columns: () => columns,
  })
}

/** For a cut-off: deletes the rows that a stranger may have set up. */
export function deletesSince(table: UserTable, setAt: string) {
  // Table by name: a belonging names its own table in the `belongings.ts` of its feature.
  return ({ directory }: TxWork, { user, sinceSeconds }: UserChange): Step | null =>
    sinceSeconds === undefined
      ? null
      : {
          query: sql`
            delete from ${sql.table(table)} where directory_id = ${directory.id} and user_id = ${user.id}
              and ${sql.ref(setAt)} >= ${sinceOf(sinceSeconds)}`,
          isSilent: true,
        }
}

/** SQL: the time from which new rows are removed. */
export const sinceOf = (seconds: number) => sql`clock_now() - make_interval(secs => ${seconds}::float8)`

/** SQL: `and` a condition that the row was created since then. Empty if there is no such time. */
export const createdSince = ({ sinceSeconds: seconds }: UserChange) =>
  seconds === undefined ? sql`` : sql`and created_at >= ${sinceOf(seconds)}`

/** The name of every column except the directory's, so that a new column cannot be forgotten. */
type OtherColumns<T extends keyof DB> = Record<Exclude<keyof DB[T] & string, 'directory_id'>, true>

/**
 * Moves the rows of the user to another directory. It deletes and inserts them, because the directories may be on
 * different nodes, where an update cannot move a row. `only` and `onConflict` narrow the insert, whose target is named
 * `put`. Rows that are not moved are announced if `isTold`.
 */
export function movesAlong<T extends UserTable>(
  table: T,
  columns: OtherColumns<T>,
  options: {
    only?: RawBuilder<unknown>
    onConflict?: RawBuilder<unknown>
    columns?: Step['columns']
    isTold?: true
  } = {},
) {
  // Table by name: a belonging names its own table in the `belongings.ts` of its feature.
  const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)))
  const { only = sql`true`, onConflict = sql``, columns: summary } = options
  return ({ directory }: TxWork, { user, to }: UserMove): Step => ({
    taken: sql`
      delete from ${sql.table(table)} where directory_id = ${directory.id} and user_id = ${user.id}
      returning ${names}`,
    query: sql`
      insert into ${sql.table(table)} as put (directory_id, ${names})
      select ${to.id}::uuid, ${names} from ${sql.ref(`${table}_taken`)} where ${only} ${onConflict} returning user_id`,
    ...(options.isTold ? {} : { isSilent: true }),
    ...(summary ? { columns: summary } : {}),
  })
}

// Slot: the platform knows no feature, and a register lists the tables.
const slot = defineSlot<readonly Belonging[]>('belongings')

export const provideBelongings = slot.provide
/** The tables of all features whose rows belong to a user. */
export const belongingsOf = slot.of

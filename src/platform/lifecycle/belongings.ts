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

/** The tables whose rows hang on a user. */
export type UserTable = { [T in keyof DB]: 'user_id' extends keyof DB[T] ? T : never }[keyof DB]

/** What happens to a user, on each of the four occasions. */
export interface UserChange {
  /** The user's row, locked, as it was before. */
  user: UserRow
  reason: EndReason
  /** The link that is being redeemed, which is spared. */
  linkId?: string | undefined
  /** A cut-off of pending sign-ins alone. */
  keepsSessions?: boolean
  /** Then of trusted devices, too. */
  devices?: boolean
  /** The user has proved that the password is theirs. */
  keepsPassword?: boolean
  /** No stranger can have set the user's factors. */
  keepsFactors?: boolean
  /** For a cut-off: rows set up within these seconds count as set up by a stranger, and are deleted. */
  sinceSeconds?: number | undefined
}

/** What a cut-off spares, and what else it takes. */
export type CutOff = Pick<UserChange, 'linkId' | 'sinceSeconds'>

/** A move to another directory. */
export interface UserMove extends UserChange {
  to: Directory
}

type UserRow = Selectable<Users>

type RoleColumn = 'role' | 'sso_role' | 'role_since'

/** Columns of the user's row that sum up what is in other tables: a count, a list, whether there is any, a role. */
export type UserColumns = {
  [C in keyof UserRow as UserRow[C] extends boolean | number | string[] ? C : Extract<C, RoleColumn>]?:
    | UserRow[C]
    | RawBuilder<UserRow[C]>
}

/** Part of the one statement that changes a user and what hangs on them. It names the directory by a parameter. */
export interface Step {
  /** A common table expression `<table>_taken`, for `query`. */
  taken?: OperationNodeSource
  /** Another one `<table>_also`, which writes what follows. */
  also?: OperationNodeSource
  query: OperationNodeSource
  /** The query returns nothing, or nothing that is announced. */
  isSilent?: true
  /** Columns of the user's row that sum up what is left; `changed` names the rows that `query` returns. */
  columns?(changed: string): UserColumns
}

/** What becomes of a user's rows: a query, null where they stay this time, or why they always stay. */
export type Fate<Change> = ((work: TxWork, change: Change) => Step | null) | { kept: string }

/** What an imported user may bring along. */
interface Arrival {
  /** Whether these fields of a user bring something, or the name of the field that cannot be read. */
  read(work: Pick<Work, 'platform'>, fields: object): 'nothing' | 'something' | { invalid: string }
  /** Why no user may bring this into the directory; null if they may. */
  refuse?(work: Work): Promise<ApiError | null>
  /** Stores what these users bring. Returns the events. */
  store(work: TxWork, arrivals: { userId: string; fields: object }[]): Promise<EventInput[]>
}

/** What is told of a table in an export of everything that is kept about a user. */
interface Export {
  columns: string[]
  /** The rows with the greatest come first. */
  newestBy: string
}

type Words<Text extends string> = Text extends `${infer Word} ${infer More}` ? Word | Words<More> : Text

type ColumnOf<T extends UserTable> = Exclude<keyof DB[T] & string, 'directory_id' | 'user_id'>

/** Hashes, sealed columns and bytes are never told. */
type TellableOf<T extends UserTable> = {
  [C in ColumnOf<T>]: C extends `${string}hash` | `${string}_sealed`
    ? never
    : Extract<DB[T][C], Buffer> extends never
      ? C
      : never
}[ColumnOf<T>]

/**
 * Tells of the rows of a user in an export, those with the greatest of one column first: `told` and `withheld` are the
 * names of columns, with spaces between. They do not compile unless every column is in one of them, so that a new one
 * cannot be forgotten, nor for a secret that is told.
 */
export function exportsColumns<T extends UserTable, const Told extends string, const Withheld extends string>(
  _table: T,
  newestBy: keyof DB[T] & string,
  told: Words<Told> extends TellableOf<T> ? Told : never,
  _withheld: Exclude<ColumnOf<T>, Words<Told> | Words<Withheld>> extends never ? Withheld : never,
): Export {
  return { columns: told.split(' '), newestBy }
}

/** A table that hangs on a user, and what becomes of the rows of a user on each occasion. */
export interface Belonging<Row extends object = object> {
  table: UserTable
  /** The first proof of the mailbox. A stranger may have set up earlier rows. */
  proof: Fate<UserChange>
  /** All access that the user has or is about to get ends. */
  cutOff: Fate<UserChange>
  /** The user is deleted, and thereby cut off. */
  removal: Fate<UserChange>
  /** What is left then goes when the user can be restored no more. */
  purged?: true
  /** A pending sign-up may have rows. A user who replaces it does not get them. */
  beforeProof?: true
  /** The user moves to another directory, and is cut off in this one. */
  move: Fate<UserMove>
  /** What an export of everything that is kept about the user tells of the rows, or why nothing. */
  exports: Export | { nothing: string }
  /**
   * SQL: which rows the first proof of the mailbox removes, where that is not every row of the user. By `users`, `clock`,
   * and `asked`: its `mailbox_identity` is the keyed hash of the address, its `spared_link` the link that proves it.
   */
  setUpBefore?: SqlText
  /** Whether the user's locked row rules out that there are rows: then the statement leaves the table out. */
  isAbsent?(user: UserRow): boolean
  /** What is recorded of each row that a query returns; null for nothing. */
  announce?: {
    event: EventDefinition
    of(row: Row, reason: EndReason): EventInput | null
    /** Rows end otherwise only on a first proof, or with the user. */
    onProofAlone?: true
  }
  /** What the user is told of the rows that a query returns; null for nothing. */
  tell?(rows: Row[], change: UserChange): Message | null
  /** What is announced may be so much that the query returns a part of it: sees to the rest, and returns how many. */
  leave?(work: TxWork, change: UserChange, returned: number): Promise<number>
  arrival?: Arrival
}

/** A sign-up by code: nothing but roles is attached to it before its mailbox is proved. */
export function isPending(user: UserRow): boolean {
  return user.pending_until !== null
}

/** Deletes the rows of the user; `columns` are those of the user's row that say so. */
export function deletes(table: UserTable, columns: UserColumns = {}) {
  // Table by name: a belonging names its own table in the `belongings.ts` of its feature.
  return ({ directory }: TxWork, { user }: UserChange): Step => ({
    query: sql`delete from ${sql.table(table)} where directory_id = ${directory.id} and user_id = ${user.id}`,
    isSilent: true,
    columns: () => columns,
  })
}

/** Deletes the rows of a cut-off that a stranger set up. */
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

/** SQL: the moment from which what was set up goes. */
export const sinceOf = (seconds: number) => sql`clock_now() - make_interval(secs => ${seconds}::float8)`

/** SQL: `and` that something was created from then on; nothing where there is no such moment. */
export const createdSince = ({ sinceSeconds: seconds }: UserChange) =>
  seconds === undefined ? sql`` : sql`and created_at >= ${sinceOf(seconds)}`

/** The name of every column but the directory's, so that a new column cannot be forgotten. */
type OtherColumns<T extends keyof DB> = Record<Exclude<keyof DB[T] & string, 'directory_id'>, true>

/**
 * Takes the rows of the user along into another directory: deletes and inserts, since the directories may lie on
 * different nodes, where a row cannot change its own. `only` and `onConflict` narrow the insert, whose target is `put`;
 * what is left behind by them is told if `isTold`.
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
/** What hangs on a user: the tables of the features. */
export const belongingsOf = slot.of

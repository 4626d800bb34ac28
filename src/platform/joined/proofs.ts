import type { Work } from '../work.ts'
import { defineJoined, type JoinedStatement, runAlone } from './joined.ts'
import type { Columns, RowOf } from './recordset.ts'
import { joinText, nameText, type SqlText, sqlText } from './sql-text.ts'

/**
 * How features describe what a sign-in consumes. These are parts of the statement in `login/spend.ts`, as data. The
 * SQL of a kind is fixed, and a request only adds values, so requests with the same kinds share one statement.
 *
 * In SQL the values are columns of `asked`, and of `ready` once everything was found. `directory` is the expression
 * for the row's directory: a parameter in a distributed database, otherwise a column.
 */
interface Kind<C extends Columns> {
  /** Unique among all kinds. */
  name: string
  /** Unique among the columns of a statement. */
  columns: C
}

/** A secret that works once, or another fact that must still hold. */
export interface ProofKind<C extends Columns = Columns> extends Kind<C> {
  /** Finds the row, given `asked`. Nothing is written unless every part of the proof is found. */
  find(directory: SqlText): SqlText
  /** Whether the row stays locked until the statement ends. If not, there is no `write`. */
  locks: boolean
  /** Consumes the row, for each row of `ready`. */
  write?(directory: SqlText): SqlText
  /** Columns that `find` returns from the locked row. In a sign-in, `ready` has them too. */
  shows?: string[]
  /**
   * A condition on `event` and `ready` that selects events of the sign-in that another request has already recorded.
   * They are not recorded again.
   */
  overtaken?: SqlText
}

/** A further write, which is made if the proof holds. */
export interface BesideKind<C extends Columns = Columns> extends Kind<C> {
  /** Finds and locks rows for the write, which reads them as `held_<name>`. */
  hold?(directory: SqlText): SqlText
  write(directory: SqlText): SqlText
}

/** A condition on `users` and `asked` under which a decision from an earlier read still holds. */
export interface ConditionKind<C extends Columns = Columns> extends Kind<C> {
  holds(directory: SqlText): SqlText
}

/** What a proof is consumed for: a session or a challenge. */
export interface OutcomeKind<C extends Columns = Columns, R extends object = object> extends Kind<C> {
  /** Whether this is a sign-in. Then `signed_in` has `user_id` and `auth_account_id` for each row of `ready`. */
  signsIn: boolean
  /** `insert … select … from ready … returning id`. The id is `ready.made_id`. */
  write(directory: SqlText): SqlText
  /** Columns of the result, from `made` and `ready`. */
  answers(directory: SqlText): SqlText
  /** Never set. Only carries the type of the result. */
  readonly row?: R
}

/** A part with the values of one request. */
export interface Used<K extends Kind<Columns>> {
  kind: K
  values: RowOf<Columns>
}

const names = new Set<string>()

/** Defines a part. The returned function adds the values of a request. Throws if the name is taken. */
function define<C extends Columns, K extends Kind<C>>(kind: K & { columns: C }): (values: RowOf<C>) => Used<K> {
  if (names.has(kind.name)) throw new Error(`Two parts of a statement are named ${kind.name}`)
  names.add(kind.name)
  return (values) => ({ kind, values })
}

export const defineProof = <C extends Columns>(kind: ProofKind<C>) => define<C, ProofKind<C>>(kind)
export const defineBeside = <C extends Columns>(kind: BesideKind<C>) => define<C, BesideKind<C>>(kind)
export const defineCondition = <C extends Columns>(kind: ConditionKind<C>) => define<C, ConditionKind<C>>(kind)
/** Defines an outcome with the type of its result: `defineOutcome<Row>()({ … })`. */
export const defineOutcome =
  <R extends object>() =>
  <C extends Columns>(kind: OutcomeKind<C, R>) =>
    define<C, OutcomeKind<C, R>>(kind)

export type UsedProof = Used<ProofKind>
export type UsedBeside = Used<BesideKind>
export type UsedCondition = Used<ConditionKind>
export type UsedOutcome<R extends object = object> = Used<OutcomeKind<Columns, R>>

/** SQL for `from` that finds the rows of the proofs. */
export function foundText(proofs: ProofKind[], directory: SqlText, lock: SqlText): SqlText {
  const found = proofs.map((kind, i) => {
    const query = sqlText`${kind.find(directory)} ${kind.locks ? lock : null}`
    return sqlText`cross join lateral (${query}) found_${i} `
  })
  return joinText(found, '')
}

/** SQL for `select` with the columns that the proofs show. */
export function shownText(proofs: ProofKind[]): SqlText {
  const columns = proofs.flatMap(({ shows = [] }, i) => shows.map((name) => sqlText`, found_${i}.${nameText(name)}`))
  return joinText(columns, '')
}

const burns = new Map<ProofKind, JoinedStatement>()

function burnStatement(kind: ProofKind): JoinedStatement {
  const statement = burns.get(kind) ?? defineBurn(kind)
  burns.set(kind, statement)
  return statement
}

function defineBurn(kind: ProofKind): JoinedStatement {
  return defineJoined()({
    columns: { user_id: 'uuid', ...kind.columns },
    text: ({ directory, lock }) => sqlText`,
      ready as materialized (
        select asked.*, clock.at from clock cross join asked ${foundText([kind], directory('asked'), lock)})
      ${kind.write ? sqlText`, written as (${kind.write(directory('ready'))})` : null}
      select n from ready`,
  })
}

/**
 * Consumes a proof for a purpose other than a sign-in. `userId` is needed if the proof depends on the user.
 * Returns false if the proof was already consumed.
 */
export async function burn(
  { directory, db }: Pick<Work, 'directory' | 'db'>,
  { kind, values }: UsedProof,
  userId: string | null = null,
): Promise<boolean> {
  const row = { user_id: userId, ...values }
  return (await runAlone(db, { statement: burnStatement(kind), directoryId: directory.id, row })) !== null
}

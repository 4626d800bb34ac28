import type { Work } from '../work.ts'
import { defineJoined, type JoinedStatement, runAlone } from './joined.ts'
import type { Columns, RowOf } from './recordset.ts'
import { joinText, nameText, type SqlText, sqlText } from './sql-text.ts'

/**
 * How features say what a sign-in burns: the parts of the statement of `login/spend.ts`, as data. A kind has its SQL once
 * and for all, and what a request adds are values: requests of the same kinds share one statement.
 *
 * In SQL the values are columns of `asked`, and of `ready` once everything was found. `directory` is the expression for
 * their directory: where the database is distributed a parameter, otherwise a column.
 */
interface Kind<C extends Columns> {
  /** Unique among all kinds. */
  name: string
  /** Unique among the columns of a statement. */
  columns: C
}

/** A secret that is good once, or something else that must be there still. */
export interface ProofKind<C extends Columns = Columns> extends Kind<C> {
  /** Finds its row, by `asked`. Nothing is written unless every part of the proof is found. */
  find(directory: SqlText): SqlText
  /** Whether the row stays locked until the statement ends. Without, `write` is absent. */
  locks: boolean
  /** Burns it, for each of `ready`. */
  write?(directory: SqlText): SqlText
  /** Columns that `find` returns, as the row is once it is locked, and `ready` has in a sign-in. */
  shows?: string[]
  /** Which events of a sign-in are not recorded, by `event` and `ready`: another request has recorded the same. */
  overtaken?: SqlText
}

/** A further write, made if the proof holds. */
export interface BesideKind<C extends Columns = Columns> extends Kind<C> {
  /** Finds and locks rows for it, which `write` has as `held_<name>`. */
  hold?(directory: SqlText): SqlText
  write(directory: SqlText): SqlText
}

/** A condition, by `users` and `asked`, under which what was decided from an earlier read still holds. */
export interface ConditionKind<C extends Columns = Columns> extends Kind<C> {
  holds(directory: SqlText): SqlText
}

/** What a proof is burnt for: a session, or a challenge. */
export interface OutcomeKind<C extends Columns = Columns, R extends object = object> extends Kind<C> {
  /** Whether this is a sign-in: then `signed_in` has `user_id` and `auth_account_id` of each of `ready`. */
  signsIn: boolean
  /** `insert … select … from ready … returning id`, whose id is `ready.made_id`. */
  write(directory: SqlText): SqlText
  /** Columns of the answer, from `made` and `ready`. */
  answers(directory: SqlText): SqlText
  /** Never there: for the type of the answer alone. */
  readonly row?: R
}

/** A part with the values of one request. */
export interface Used<K extends Kind<Columns>> {
  kind: K
  values: RowOf<Columns>
}

const names = new Set<string>()

/** Defines a part: the function adds the values of a request. Throws for a name that is taken. */
function define<C extends Columns, K extends Kind<C>>(kind: K & { columns: C }): (values: RowOf<C>) => Used<K> {
  if (names.has(kind.name)) throw new Error(`Two parts of a statement are named ${kind.name}`)
  names.add(kind.name)
  return (values) => ({ kind, values })
}

export const defineProof = <C extends Columns>(kind: ProofKind<C>) => define<C, ProofKind<C>>(kind)
export const defineBeside = <C extends Columns>(kind: BesideKind<C>) => define<C, BesideKind<C>>(kind)
export const defineCondition = <C extends Columns>(kind: ConditionKind<C>) => define<C, ConditionKind<C>>(kind)
/** With the type of the answer: `defineOutcome<Row>()({ … })`. */
export const defineOutcome =
  <R extends object>() =>
  <C extends Columns>(kind: OutcomeKind<C, R>) =>
    define<C, OutcomeKind<C, R>>(kind)

export type UsedProof = Used<ProofKind>
export type UsedBeside = Used<BesideKind>
export type UsedCondition = Used<ConditionKind>
export type UsedOutcome<R extends object = object> = Used<OutcomeKind<Columns, R>>

/** What finds the rows of the proofs, for `from`. */
export function foundText(proofs: ProofKind[], directory: SqlText, lock: SqlText): SqlText {
  const found = proofs.map((kind, i) => {
    const query = sqlText`${kind.find(directory)} ${kind.locks ? lock : null}`
    return sqlText`cross join lateral (${query}) found_${i} `
  })
  return joinText(found, '')
}

/** The columns that the proofs show, for `select`. */
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
 * Burns a proof, of a user if it depends on whose it is, for something else than a sign-in.
 * Returns false when it was burnt already.
 */
export async function burn(
  { directory, db }: Pick<Work, 'directory' | 'db'>,
  { kind, values }: UsedProof,
  userId: string | null = null,
): Promise<boolean> {
  const row = { user_id: userId, ...values }
  return (await runAlone(db, { statement: burnStatement(kind), directoryId: directory.id, row })) !== null
}

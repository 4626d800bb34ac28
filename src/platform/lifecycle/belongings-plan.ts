import { type OperationNodeSource, type Selectable, sql } from 'kysely'
import type { Users } from '../db/schema.gen.ts'
import type { EventInput } from '../events/events.ts'
import { sqlText } from '../joined/sql-text.ts'
import type { Message } from '../mail/outbox.ts'
import { lockText, type UserLock } from '../tenancy/user-lock.ts'
import type { TxWork } from '../work.ts'
import type { Belonging, Fate, Step, UserChange, UserColumns, UserTable } from './belongings.ts'
import { belongingsOf } from './belongings.ts'

/** What happens to the user's rows in one table. */
interface Planned {
  belonging: Belonging
  step: Step
  /** The common table expression with the changed rows. */
  name: string
}

/** How a change of a user affects the rows that belong to the user. */
export interface Plan {
  change: UserChange
  steps: Planned[]
  /** Columns of the user's row that change with them. */
  columns: UserColumns
}

/** The result of a change of a user. */
export interface Done<User> {
  user: User
  /** Events to record about rows that belonged to the user. */
  announced: EventInput[]
  /** Mails that notify the user. */
  mails: Message[]
  /** For tables whose rows are announced: how many rows changed. */
  changed: Partial<Record<UserTable, number>>
}

/** Collects the steps for a change. Skips tables that have no rows according to the user's locked row. */
export function planChange<Change extends UserChange>(
  work: TxWork,
  change: Change,
  fateOf: (belonging: Belonging) => Fate<Change>,
): Plan {
  const columns: UserColumns = {}
  const steps = belongingsOf(work.platform).flatMap((belonging) => {
    const fate = fateOf(belonging)
    const step = typeof fate === 'function' && !belonging.isAbsent?.(change.user) ? fate(work, change) : null
    if (!step) return []
    const name = `${belonging.table}_changed`
    Object.assign(columns, step.columns?.(name))
    return [{ belonging, step, name }]
  })
  return { change, steps, columns }
}

/**
 * Runs a plan and the change of the user's row as one statement. An earlier statement locked the row, so this one sees
 * everything that sign-ins have committed before. `owner` writes and returns the user's row. `left` deletes it in the
 * directory that the user leaves.
 */
export async function runPlan(
  work: TxWork,
  { change, steps }: Plan,
  { owner, left }: { owner: OperationNodeSource; left?: OperationNodeSource },
): Promise<Done<Selectable<Users> & { locked: UserLock }>> {
  const parts = [
    ...steps.flatMap(({ belonging, step, name }) => [
      ...(step.taken ? [sql`${sql.ref(`${belonging.table}_taken`)} as (${step.taken})`] : []),
      ...(step.also ? [sql`${sql.ref(`${belonging.table}_also`)} as (${step.also})`] : []),
      sql`${sql.ref(name)} as (${step.query})`,
    ]),
    ...(left ? [sql`users_left as (${left})`] : []),
    sql`owner as (${owner})`,
  ]
  const announcing = steps.filter(({ belonging, step }) => belonging.announce && !step.isSilent)
  const returned = announcing.map(
    ({ name }) => sql`${name}::text, (select coalesce(jsonb_agg(to_jsonb(part)), '[]') from ${sql.ref(name)} part)`,
  )
  // The clock is read here, because a distributed database allows only immutable functions in `returning`.
  const { rows } = await sql<Selectable<Users> & { locked: UserLock; returned: Record<string, object[]> }>`
    with ${sql.join(parts)}
    select owner.*, ${sql.raw(lockText(sqlText`owner`, sqlText`clock_now()`))} as locked,
      jsonb_build_object(${sql.join(returned)}) as returned
    from owner`.execute(work.db)
  const [row] = rows
  if (!row) throw new Error('A user who is held is gone')
  const { returned: found, ...user } = row
  const changed: Done<unknown>['changed'] = {}
  const announced = announcing.flatMap(({ belonging: { table, announce }, name }) => {
    const told = found[name] ?? []
    changed[table] = told.length
    return told.flatMap((row) => announce?.of(row, change.reason) ?? [])
  })
  const mails = announcing.flatMap(({ belonging, name }) => belonging.tell?.(found[name] ?? [], change) ?? [])
  for (const { table, leave } of announcing.map(({ belonging }) => belonging)) {
    const returned = changed[table] ?? 0
    changed[table] = returned + ((await leave?.(work, change, returned)) ?? 0)
  }
  return { user, announced, mails, changed }
}

import { EVENT_COLUMNS, ORIGIN_COLUMNS, recordText } from '../../../platform/events/events.ts'
import { defineJoined, type JoinedStatement, type Writing } from '../../../platform/joined/joined.ts'
import {
  type BesideKind,
  type ConditionKind,
  foundText,
  type OutcomeKind,
  type ProofKind,
  shownText,
} from '../../../platform/joined/proofs.ts'
import type { Columns } from '../../../platform/joined/recordset.ts'
import { joinText, nameText, type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { PROVEN } from './first-proof.ts'
import { countedSignIn, countsSignIn } from './sign-in-rate.ts'

/** The kinds of parts that a statement consists of. */
export interface Shape {
  outcome: OutcomeKind
  proofs: ProofKind[]
  beside: BesideKind[]
  conditions: ConditionKind[]
  /** Whether this is also the first proof of the mailbox. */
  isFirstProof: boolean
}

const COMMON: Columns = {
  ...ORIGIN_COLUMNS,
  user_id: 'uuid',
  email_norm: 'text',
  epoch: 'int',
  made_id: 'uuid',
  new_account_id: 'uuid',
}

// Kept per platform, since a condition may depend on the platform.
const statements = perPlatform(() => new Map<string, JoinedStatement>())

/** The statement for these kinds. It is created once, since only equal statements can be shared. */
export function spendStatement(platform: Platform, shape: Shape): JoinedStatement {
  const known = statements(platform)
  const { outcome, proofs, beside, conditions, isFirstProof } = shape
  const parts = [outcome, ...proofs, ...beside, ...conditions]
  const name = [...parts.map((part) => part.name), isFirstProof].join(' ')
  const statement =
    known.get(name) ??
    defineJoined()({
      columns: Object.assign({}, COMMON, ...parts.map((part) => part.columns)),
      order: sqlText`directory_id, user_id`,
      more: EVENT_COLUMNS,
      text: (writing) => spendText(shape, writing),
    })
  known.set(name, statement)
  return statement
}

// Reads from `held` instead of joining the users directly: otherwise the planner would choose the order of the joins,
// and therefore the order of the locks.
function spendText(shape: Shape, { directory, lock, more }: Writing): SqlText {
  const { outcome, proofs, beside, conditions, isFirstProof } = shape
  const holds = conditions.map((condition) => sqlText` and ${condition.holds(directory('asked'))}`)
  const holding = beside.flatMap(({ name, hold }) =>
    hold ? [sqlText`held_${nameText(name)} as (${hold(directory('ready'))}),`] : [],
  )
  const writes = [...proofs, ...beside]
    .flatMap((part) => part.write?.(directory('ready')) ?? [])
    .map((text, i) => sqlText`written_${i} as (${text}),`)
  const made = sqlText`ready join made on made.id = ready.made_id`
  const sets = [
    ...(outcome.signsIn ? [SIGNED_IN] : []),
    ...(isFirstProof ? [PROVEN] : []),
    ...(countsSignIn(conditions) ? [countedSignIn(sqlText`ready.at`)] : []),
  ]
  const kept = proofs.flatMap(({ overtaken }) => (overtaken ? [sqlText`not (${overtaken})`] : []))
  const only = kept.length > 0 ? joinText(kept, ' and ') : null
  const filled = outcome.signsIn ? sqlText`made.auth_account_id` : sqlText`null`
  return sqlText`,
    held as materialized (
      select asked.* from asked cross join lateral (
        select id from users
        where users.directory_id = ${directory('asked')} and users.id = asked.user_id
          and users.email_norm = asked.email_norm and users.epoch = asked.epoch
          and users.active and users.deleted_at is null${joinText(holds, '')}
        ${lock}) person),
    ready as materialized (
      select asked.*, clock.at${shownText(proofs)} from clock cross join held as asked ${foundText(proofs, directory('asked'), lock)}),
    ${joinText(holding, ' ')}
    ${joinText(writes, ' ')}
    ${sets.length > 0 ? sqlText`signed_in as (${updateText(directory('ready'), sets)}),` : null}
    made as (${outcome.write(directory('ready'))}),
    recorded as (${recordText({ more, directory: directory('ready'), from: made, filled, only })})
    select ready.n, ${outcome.answers(directory('ready'))} from ${made}`
}

const SIGNED_IN = sqlText`last_login_at = ready.at,
      auth_account_id = coalesce(users.auth_account_id, ready.new_account_id),
      sessions_at_most = users.sessions_at_most + 1`

/** All changes of the user's row are in one update. */
function updateText(directory: SqlText, sets: SqlText[]): SqlText {
  // Foreign table users: a sign-in updates `last_login_at` and assigns the auth account. The first one proves the
  // mailbox.
  return sqlText`
    update users set ${joinText(sets, ', ')}
    from ready where users.directory_id = ${directory} and users.id = ready.user_id
    returning users.directory_id, users.id as user_id, users.auth_account_id, users.session_epoch`
}

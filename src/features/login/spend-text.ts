import type { Columns } from '../../platform/db/recordset.ts'
import { ORIGIN_COLUMNS, recordText } from '../../platform/events.ts'
import {
  askedText,
  type BesideKind,
  type ConditionKind,
  foundText,
  type OutcomeKind,
  type ProofKind,
} from '../../platform/proofs.ts'

/** The kinds of one statement. */
export interface Shape {
  outcome: OutcomeKind
  proofs: ProofKind[]
  beside: BesideKind[]
  conditions: ConditionKind[]
}

/** How the statement is sent. */
export interface Form {
  /** Whether it waits for rows that others have locked; otherwise it leaves those out. */
  waits: boolean
  /** The directory of all items, if they are of one. */
  directoryId: string | null
}

const COMMON: Columns = {
  n: 'int',
  directory_id: 'uuid',
  ...ORIGIN_COLUMNS,
  user_id: 'uuid',
  email_norm: 'text',
  epoch: 'int',
  made_id: 'uuid',
  new_account_id: 'uuid',
}

const texts = new Map<string, string>()

export function shapeName({ outcome, proofs, beside, conditions }: Shape): string {
  return [outcome, ...proofs, ...beside, ...conditions].map(({ name }) => name).join(' ')
}

/** The text of a statement, which has few forms: each is made once, and prepared once by each connection. */
export function spendText(shape: Shape, form: Form): string {
  const key = `${shapeName(shape)}/${form.waits}/${form.directoryId !== null}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const text = write(shape, form)
  texts.set(key, text)
  return text
}

function write({ outcome, proofs, beside, conditions }: Shape, form: Form): string {
  const of = (table: string) => (form.directoryId === null ? `${table}.directory_id` : '$4::uuid')
  const lock = form.waits ? 'for update' : 'for update skip locked'
  const columns = Object.assign(
    {},
    COMMON,
    ...[...proofs, ...beside, ...conditions, outcome].map((part) => part.columns),
  )
  const holds = conditions.map((condition) => `and ${condition.holds(of('asked'))}`)
  const made = 'ready join made on made.id = ready.made_id'
  const filled = outcome.signsIn ? 'made.auth_account_id' : 'null'
  return `
    with ${askedText(columns)},
    ready as materialized (
      select asked.*, clock.at from clock cross join asked
      cross join lateral (
        select id from users
        where users.directory_id = ${of('asked')} and users.id = asked.user_id and users.email_norm = asked.email_norm
          and users.epoch = asked.epoch and users.active and users.deleted_at is null ${holds.join(' ')}
        ${lock}) person
      ${foundText(proofs, of('asked'), lock)}),
    ${[...proofs, ...beside].map((part, i) => (part.write ? `written_${i} as (${part.write(of('ready'))}),` : '')).join('')}
    ${outcome.signsIn ? `signed_in as (${signInText(of('ready'))}),` : ''}
    made as (${outcome.write(of('ready'))}),
    recorded as (${recordText({ events: '$3', directory: of('ready'), from: made, filled })})
    select ready.n, ${outcome.answers(of('ready'))} from ${made}`
}

function signInText(directory: string): string {
  return `
    update users set last_login_at = ready.at, auth_account_id = coalesce(users.auth_account_id, ready.new_account_id)
    from ready where users.directory_id = ${directory} and users.id = ready.user_id
    returning users.id as user_id, users.auth_account_id`
}

import type { Identity } from '../../../platform/crypto/identity.ts'
import {
  defineJoined,
  type JoinedStatement,
  runAlone,
  runTogether,
  type Writing,
} from '../../../platform/joined/joined.ts'
import { defineReading, type Reading, type ReadingKind } from '../../../platform/joined/readings.ts'
import { joinText, type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'
import { isAccessLockedText } from '../../../platform/tenancy/user-lock.ts'
import type { Work } from '../../../platform/work.ts'
import { heldRolesText } from '../claims/claims.ts'
import { type AddressLock, type Gate, gates } from './gates.ts'
import type { DoorState, SignInFacts } from './sign-in-facts.ts'

/**
 * The state of the directory and address, and the user if there is one. The shape and cost are the same for
 * strangers.
 */
export interface Facts {
  door: DoorState
  person: SignInFacts | null
}

const nothing = defineReading<object>()({ columns: {}, selects: () => sqlText`asked.n` })

/**
 * Reads the facts about the user with an address, or the user that `given` finds. With neither, reads only the state
 * of the directory. All sign-ins read facts here. Outside a transaction, concurrent requests share one statement.
 */
export async function readFacts<R extends object>(
  work: Work,
  who: Identity | null,
  given?: Reading<R>,
): Promise<Facts & { read: R }> {
  const reading: Reading<object> = given ?? nothing({})
  const { platform, directory, db } = work
  const locks = locksOf(gates.of(platform))
  const item = {
    statement: factsStatement(gates.of(platform), reading.kind),
    directoryId: directory.id,
    key: reading.key,
    row: Object.assign(
      { organization_id: directory.organizationId, email_norm: who?.address.norm ?? null, identity: who?.hash ?? null },
      ...locks.map((lock) => lock.values(work)),
      reading.values,
    ),
    shared: reading.shared,
  }
  const shared = db.isTransaction ? null : await runTogether(platform, item)
  const row = shared === null || reading.kind.isLeftOut?.(shared) ? await runAlone(db, item) : shared
  if (row === null) throw new Error('A statement without a row')
  // The statement has the columns of facts and the columns of the reading.
  const facts = row as FactsRow & R
  return { door: facts, person: facts.user_id === null ? null : facts, read: facts }
}

type FactsRow = SignInFacts | ({ user_id: null } & DoorState)

/** The facts about a user given by id. Counts a lock of the user's address for any network. */
export async function readFactsOf(work: Work, userId: string): Promise<SignInFacts | null> {
  return (await readFacts(work, null, byId({ subject_id: userId }))).person
}

const byId = defineReading<object>()({
  columns: { subject_id: 'uuid' },
  userId: sqlText`asked.subject_id`,
  selects: () => sqlText`asked.n`,
})

const statements = new WeakMap<readonly Gate[], WeakMap<ReadingKind, JoinedStatement>>()

/**
 * The statement for these gates and this kind of reading. It is created once, since only equal statements can be
 * shared.
 */
function factsStatement(asked: readonly Gate[], reading: ReadingKind): JoinedStatement {
  const known = statements.get(asked) ?? new WeakMap<ReadingKind, JoinedStatement>()
  statements.set(asked, known)
  const statement = known.get(reading) ?? makeStatement(asked, reading)
  known.set(reading, statement)
  return statement
}

const locksOf = (asked: readonly Gate[]): AddressLock[] => asked.flatMap(({ lock }) => lock ?? [])

function makeStatement(asked: readonly Gate[], reading: ReadingKind): JoinedStatement {
  const locks = locksOf(asked)
  return defineJoined()({
    columns: Object.assign(
      { organization_id: 'uuid', email_norm: 'text', identity: 'bytea' },
      ...locks.map((lock) => lock.columns),
      reading.columns,
    ),
    order: sqlText`directory_id, identity`,
    text: (writing) => factsText(locks, reading, writing),
  })
}

function factsText(locks: AddressLock[], reading: ReadingKind, writing: Writing): SqlText {
  const directory = writing.directory('asked')
  const byId = reading.userId
  const locked = isAccessLockedText(sqlText`users`, sqlText`clock.at`)
  const seconds = locks.map((lock) => (byId ? lock.secondsOfUser : lock.seconds(directory)))
  const users = sqlText`left join lateral (
      select * from users where directory_id = ${directory} and deleted_at is null
        and (pending_until is null or pending_until > clock.at)
        and ${byId ? sqlText`id = ${byId}` : sqlText`email_norm = asked.email_norm`} limit 1) users on true`
  return sqlText`${reading.before?.(writing)}
    select asked.n, users.id as user_id, users.auth_account_id, users.email, users.locale, users.email_verified,
      users.active and not ${locked} as active, ${locked} as access_locked, users.pending_until is not null as pending,
      users.invited_at is not null and (users.email_verified or users.last_login_at is null) as invited, users.role, ${heldRolesText({ users: sqlText`users`, directory })} as held_roles,
      users.epoch, users.mfa_enrolled, users.passkey_count,
      users.sessions_at_most, coalesce(organizations.session_epoch, 0) as organization_epoch, organizations.slug as organization_slug, organizations.status as organization_status,
      greatest(${joinText([sqlText`null::int`, ...seconds], ', ')}) as locked_seconds, ${reading.selects(writing)}
    from clock cross join asked
    ${byId ? sqlText`${reading.joins?.(writing)} ${users}` : sqlText`${users} ${reading.joins?.(writing)}`}
    left join lateral (
      select slug, status, session_epoch from organizations where id = asked.organization_id limit 1) organizations
      on true`
}

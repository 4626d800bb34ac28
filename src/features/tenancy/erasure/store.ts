import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Organizations } from '../../../platform/db/schema.gen.ts'
import type { Schedule } from './seal.ts'

/**
 * Days from the request to the erasure: the same time for which a deleted user can be restored (`isRestorable` of
 * users).
 */
export const ERASURE_DAYS = 30

/**
 * Days after which an erased organization is checked again. Requests that began before the erasure have ended by
 * then.
 */
const CHECKED_AFTER_DAYS = 1

export const steps = { scheduled: 0, begun: 1, namedElsewhere: 2, done: 3, checked: 4 } as const

/** An organization that will be or is being erased. */
export type Erasing = Pick<
  Selectable<Organizations>,
  'id' | 'account_id' | 'erase_at' | 'erase_seal' | 'archived_at' | 'erasure_step'
>

const isDue = sql<boolean>`(erasure_step = ${sql.lit(steps.scheduled)} and status = 'archived' and erase_at <= clock_now()
  or erasure_step in (${sql.lit(steps.begun)}, ${sql.lit(steps.namedElsewhere)})
  or erasure_step = ${sql.lit(steps.done)}
    and erased_at <= clock_now() - make_interval(days => ${sql.lit(CHECKED_AFTER_DAYS)}))`

const columns = ['id', 'account_id', 'erase_at', 'erase_seal', 'archived_at', 'erasure_step'] as const

/** Locks the organization until the transaction ends. */
export async function lockOrganization(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('organizations').select('id').where('id', '=', id).forUpdate().execute()
}

/** The schedule of an erasure that is requested now. */
export async function findSchedule(tx: Tx, id: string, days: number): Promise<Schedule> {
  const { rows } = await sql<Schedule>`
    select id, archived_at, clock_now() + make_interval(days => ${days}) as erase_at
    from organizations where id = ${id}`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('An organization that is held is gone')
  return row
}

export async function scheduleErasure(tx: Tx, { id, erase_at }: Schedule, erase_seal: Buffer): Promise<void> {
  // Foreign table organizations: schedules the erasure.
  await tx
    .updateTable('organizations')
    .set({ erase_at, erase_seal, version: sql`version + 1`, updated_at: sql`clock_now()` })
    .where('id', '=', id)
    .execute()
}

/** Organizations that are due for a step, longest due first. */
export async function listDue(db: Db, limit: number): Promise<Erasing[]> {
  return db
    .selectFrom('organizations')
    .select(columns)
    .where('erase_at', 'is not', null)
    .where('erasure_step', '<', steps.checked)
    .where(isDue)
    .orderBy('erase_at')
    .limit(limit)
    .execute()
}

/** Locks an organization until the transaction ends, if it is still due. */
export async function lockDue(tx: Tx, id: string): Promise<Erasing | undefined> {
  return tx.selectFrom('organizations').select(columns).where('id', '=', id).where(isDue).forUpdate().executeTakeFirst()
}

// A valid slug never has two hyphens in a row, so this one is always free.
const ERASED_SLUG = 'erased--'

/**
 * Clears the record, so that no caller finds the organization any more. The row stays, since directories refer to it.
 */
export async function beginErasure(tx: Tx, id: string): Promise<void> {
  // Foreign tables environments, organizations: what remains of an erased organization has no name.
  await tx
    .updateTable('organizations')
    .set({
      ...{ name: '', slug: `${ERASED_SLUG}${id}`, description: null, external_id: null, locale: null, metadata: '{}' },
      ...{ erased_at: sql`clock_now()`, erasure_step: steps.begun },
      ...{ version: sql`version + 1`, updated_at: sql`clock_now()` },
    })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable('environments')
    .set({ name: '', slug: sql`${ERASED_SLUG}::text || id::text`, locale: null, version: sql`version + 1` })
    .where('organization_id', '=', id)
    .execute()
}

/**
 * Moves from one step to the next. Returns when the erasure began; null if another process has already done this
 * step.
 */
export async function setStep(tx: Tx, id: string, from: number, to: number): Promise<Date | null> {
  // Foreign table organizations: stores the progress of an erasure.
  const row = await tx
    .updateTable('organizations')
    .set({ erasure_step: to })
    .where('id', '=', id)
    .where('erasure_step', '=', from)
    .returning('erased_at')
    .executeTakeFirst()
  return row?.erased_at ?? null
}

/**
 * Deletes the rows of a directory from a table. Each batch takes some values of a column and deletes all rows that have
 * them.
 */
export async function deleteRows(db: Db, table: string, column: string, directoryId: string): Promise<void> {
  const [rows, key] = [sql.table(table), sql.ref(column)]
  for (;;) {
    // Table by name: the register of the erasure lists the tables of all features.
    const { numAffectedRows } = await sql`
      delete from ${rows} where directory_id = ${directoryId} and ${key} in (
        select ${key} from ${rows} where directory_id = ${directoryId} limit ${ROWS})`.execute(db)
    if (!numAffectedRows) return
  }
}

const ROWS = 500

/** A sorted page of the addresses of users in these directories, after a given address. */
export async function listAddresses(db: Db, directoryIds: string[], after: string): Promise<string[]> {
  const { rows } = await sql<{ email_norm: string }>`
    select distinct email_norm collate "C" as email_norm from users
    where directory_id = any(${directoryIds}::uuid[]) and email_norm collate "C" > ${after}
    order by 1 limit ${ROWS}`.execute(db)
  return rows.map(({ email_norm }) => email_norm)
}

/** The users that events are about. */
export interface People {
  ids: Set<string>
  /** For each normalized address and phone number: when the first user who has it was created. */
  since: Map<string, Date>
}

/** Finds the users of these directories with one of these ids or contacts. */
export async function findPeople(
  db: Db,
  directoryIds: string[],
  { ids, contacts }: { ids: string[]; contacts: string[] },
): Promise<People> {
  const [phones, emailNorms] = split(contacts)
  // Separate queries, since each uses its own index. Phone numbers have no index, and few events have one.
  const conditions = [
    ...(ids.length ? [sql`id = any(${ids}::uuid[])`, sql`auth_account_id = any(${ids}::uuid[])`] : []),
    ...(emailNorms.length
      ? ['is null', 'is not null'].map(
          (state) => sql`deleted_at ${sql.raw(state)} and email_norm = any(${emailNorms}::text[])`,
        )
      : []),
    ...(phones.length ? [sql`phone = any(${phones}::text[])`] : []),
  ]
  const people: People = { ids: new Set(), since: new Map() }
  for (const condition of conditions) {
    const { rows } = await sql<Record<'id' | 'auth_account_id' | 'email_norm' | 'phone', string | null> & { at: Date }>`
      select id, auth_account_id, email_norm, phone, created_at as at from users
      where directory_id = any(${directoryIds}::uuid[]) and ${condition}`.execute(db)
    for (const { id, auth_account_id, email_norm, phone, at } of rows) {
      for (const one of [id, auth_account_id]) if (one !== null) people.ids.add(one)
      for (const one of [email_norm, phone]) {
        const since = one === null ? undefined : people.since.get(one)
        if (one !== null && (since === undefined || at < since)) people.since.set(one, at)
      }
    }
  }
  return people
}

/**
 * The contacts in `contacts` that also belong to users in other directories of the environment, or to members outside
 * of this roster.
 */
export async function findShared(
  db: Db,
  place: { accountId: string; environmentId: string; organizationId: string; directoryIds: string[] },
  contacts: string[],
): Promise<Set<string>> {
  const [phones, emailNorms] = split(contacts)
  const inOthers = sql`environment_id = ${place.environmentId} and deleted_at is null
    and directory_id <> all(${place.directoryIds}::uuid[])`
  const queries = [
    ...(phones.length ? [sql`select phone as contact from users where ${inOthers} and phone = any(${phones})`] : []),
    ...(emailNorms.length
      ? [
          sql`select email_norm as contact from users where ${inOthers} and email_norm = any(${emailNorms})`,
          sql`select email_norm as contact from members where account_id = ${place.accountId}
            and organization_id is distinct from ${place.organizationId} and email_norm = any(${emailNorms})`,
        ]
      : []),
  ]
  const found = new Set<string>()
  for (const query of queries) {
    const { rows } = await sql<{ contact: string }>`${query}`.execute(db)
    for (const { contact } of rows) found.add(contact)
  }
  return found
}

/** Phone numbers in E.164 form, and addresses. */
const split = (contacts: string[]) => [contacts.filter(isPhone), contacts.filter((one) => !isPhone(one))] as const
const isPhone = (contact: string) => contact.startsWith('+') && !contact.includes('@')

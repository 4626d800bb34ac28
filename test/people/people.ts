import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/pool.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Caller, EventRow, Tenant, TestApp } from '../harness.ts'
import { succeeded } from './factors.ts'

/** A user as tests know one. */
export interface Person {
  subOrgId: string
  email: string
  id: string
}

/** What a sign-in names of somebody, who need not be anybody. */
export type Mailbox = Pick<Person, 'subOrgId' | 'email'>

/** An address that nobody has. */
export function newEmail(): string {
  return `${randomUUID()}@example.com`
}

/** Makes a user, in an organization of their own unless one is named. */
export async function newUser(
  tenant: Pick<Tenant, 'post' | 'organization'>,
  fields: { subOrgId?: string; email?: string; displayName?: string; firstName?: string } = {},
): Promise<Person> {
  const { subOrgId = await tenant.organization(), email = newEmail(), ...more } = fields
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email, ...more }))
  return { subOrgId, email, id: String(user.id) }
}

/** Somebody who waits a day for the proof of their mailbox, as whoever signs up by code does. */
export async function newPendingUser(
  db: Db,
  tenant: Pick<Tenant, 'post' | 'organization'>,
  fields: { subOrgId?: string; email?: string; firstName?: string } = {},
): Promise<Person> {
  const person = await newUser(tenant, fields)
  await sql`update users set pending_until = clock_now() + interval '24 hours', source = 'signup'
    where id = ${person.id}`.execute(db)
  return person
}

/** Makes a user who signs in with a password. */
export async function newPasswordUser(
  tenant: Pick<Tenant, 'post' | 'put' | 'organization'>,
  fields: { subOrgId?: string; password: string; mustChange?: boolean },
): Promise<Person> {
  const { password, mustChange, ...named } = fields
  const person = await newUser(tenant, named)
  const body = { subOrgId: person.subOrgId, password, ...(mustChange === undefined ? {} : { mustChange }) }
  succeeded(await tenant.put(`/v1/users/${person.id}/password`, body))
  return person
}

/** The users that a list shows at an address. */
export async function usersAt(caller: Pick<Caller, 'get'>, subOrgId: string, email: string) {
  return succeeded(await caller.get(`/v1/users?subOrgId=${subOrgId}&email=${encodeURIComponent(email)}`)).users
}

/** The live sessions of an organization. */
export async function sessionsIn(caller: Pick<Caller, 'get'>, subOrgId: string) {
  const { users } = succeeded(await caller.get(`/v1/sessions?subOrgId=${subOrgId}`))
  return users.flatMap((user: { sessions: unknown[] }) => user.sessions)
}

/** Every session that a user ever had, live or ended. */
export function sessionRowsOf(db: Db, userId: string) {
  return db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()
}

/** A session without a sign-in. Returns its id. */
export async function plantSession(db: Db, userId: string): Promise<string> {
  const id = newId()
  await sql`insert into sessions (directory_id, id, environment_id, user_id, auth_account_id, auth_method, amr, aal,
      refresh_hash, idle_expires_at, expires_at)
    select directory_id, ${id}::uuid, environment_id, id, ${newId()}::uuid, 'otp', '{otp}', 'aal1', ${id}::bytea,
      clock_now() + interval '1 hour', clock_now() + interval '1 day' from users where id = ${userId}`.execute(db)
  return id
}

/** Tells at each call which events of users and sessions have been recorded since the call before. */
export function watchEvents({ events }: Pick<TestApp, 'events'>, accountId: string): () => Promise<EventRow[]> {
  let seen = 0
  return async () => {
    const all = (await events({ accountId })).filter((event) => /^(user|session)\./.test(event.type))
    const fresh = all.slice(seen)
    seen = all.length
    return fresh
  }
}

/** Many sessions without a sign-in, older than one of the last fifty seconds. Returns their ids, the newest first. */
export async function plantSessions(db: Db, userId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  await sql`insert into sessions (directory_id, id, environment_id, user_id, auth_account_id, auth_method, amr, aal,
      refresh_hash, idle_expires_at, expires_at, created_at)
    select directory_id, made.id, environment_id, users.id, coalesce(auth_account_id, users.id), 'otp', '{otp}', 'aal1',
      made.id::text::bytea, clock_now() + interval '1 hour', clock_now() + interval '1 day',
      clock_now() - interval '50 seconds' - made.n * interval '1 millisecond'
    from users, unnest(${ids}::uuid[]) with ordinality as made (id, n) where users.id = ${userId}`.execute(db)
  await sql`update users set sessions_at_most = sessions_at_most + ${count} where id = ${userId}`.execute(db)
  return ids
}

import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { loginEvents } from '../../src/features/access/login/events.ts'
import { settleCutOffs } from '../../src/features/access/sessions/cut-off-job.ts'
import { userCleanup } from '../../src/features/directory/users/cleanup.ts'
import { announceEndedImpersonations } from '../../src/features/sign-in/impersonation/ending.ts'
import { announceExpiredInvites } from '../../src/features/sign-in/invites/expiry.ts'
import { recordCountedFailures, recordFailure, TOLD_AN_HOUR } from '../../src/platform/events/failures.ts'
import { newId } from '../../src/platform/ids.ts'
import type { JobHandler } from '../../src/platform/jobs/queue.ts'
import { describeError } from '../../src/platform/observability/log.ts'
import { type Directory, directoryOfOrganization } from '../../src/platform/tenancy/directory.ts'
import { startApp, type Tenant } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail, newUser } from '../people/people.ts'
import { workIn } from '../work.ts'

const service = await startApp()
const { platform } = service.app
const { db } = platform

interface Place {
  tenant: Tenant
  subOrgId: string
  directory: Directory
}

async function newPlace(): Promise<Place> {
  const tenant = await service.tenant()
  const subOrgId = await tenant.organization()
  const environment = { ...tenant, environmentSlug: 'production' }
  return { tenant, subOrgId, directory: await directoryOfOrganization(platform, environment, subOrgId) }
}

/** Makes sign-ups whose time to confirm the address ends in a day. */
async function signUp({ tenant, subOrgId }: Place, count: number): Promise<void> {
  const users = Array.from({ length: count }, () => ({ email: newEmail() }))
  const { created } = succeeded(await tenant.put('/v1/users', { subOrgId, users }))
  await sql`update users set pending_until = clock_now() + interval '24 hours', source = 'signup'
    where id = any(${created.map(({ id }: { id: string }) => id)})`.execute(db)
}

async function deleteUser({ tenant, subOrgId }: Place): Promise<void> {
  const { id } = await newUser(tenant, { subOrgId })
  succeeded(await tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}`))
}

async function invite({ tenant, subOrgId }: Place): Promise<void> {
  succeeded(await tenant.post('/v1/users/invites', { subOrgId, email: newEmail() }))
}

/** Makes failed sign-ins beyond those that are recorded one by one, each of another user. */
async function failToSignIn({ directory }: Place, count: number): Promise<void> {
  const data = { method: 'otp', reason: 'code_invalid' } as const
  for (let n = 0; n < TOLD_AN_HOUR.ofDirectory + count; n++)
    await recordFailure(
      workIn(platform, directory),
      null,
      loginEvents.failed({ target: { type: 'user', id: newId() }, data }),
    )
}

/** Impersonations whose sessions are gone. */
async function impersonate({ directory }: Place, count: number): Promise<void> {
  await sql`insert into impersonations (directory_id, id, user_id, auth_account_id, actor, reason, expires_at)
    select ${directory.id}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'admin@example.com', 'Support',
      clock_now() from generate_series(1, ${count}::int)`.execute(db)
}

/** Ends of all sessions of an organization, which has none that are left to mark. */
async function cutOff({ directory }: Place, count: number): Promise<void> {
  await sql`insert into session_cut_offs (directory_id, id, epoch, reason, actor_type, ended_at, settles_at, looks_back_to)
    select ${directory.id}, gen_random_uuid(), 0, 'organization_suspended', 'system', clock_now(), clock_now(), clock_now()
    from generate_series(1, ${count}::int)`.execute(db)
}

const refusal = { code: 'P0001' }

interface Kind {
  job: JobHandler
  /** Makes rows of a directory that are due in a month, `many` of those that are refused where the job reads fewer at once. */
  make(place: Place, isMany: boolean): Promise<void>
  table: string
  change: 'update' | 'delete'
  /** The rows whose change is refused. */
  isRefused: string
  /** The events that the job records. */
  type?: string
  /** The error of the job. */
  failure(directoryId: string): object
}

const signups: Kind = {
  job: userCleanup,
  make: (place, isMany) => signUp(place, isMany ? 450 : 1),
  table: 'users',
  change: 'delete',
  isRefused: 'old.pending_until is not null',
  type: 'user.deleted',
  failure: (parts) => ({ parts: 'expireSignups', cause: { parts, cause: refusal } }),
}

const kinds: Record<string, Kind> = {
  'expired sign-ups': signups,
  'deleted users': {
    job: userCleanup,
    make: deleteUser,
    table: 'users',
    change: 'delete',
    isRefused: 'old.deleted_at is not null',
    failure: (parts) => ({ parts: 'purgeUsers', cause: { parts, cause: refusal } }),
  },
  'expired invitations': {
    job: announceExpiredInvites,
    make: invite,
    table: 'links',
    change: 'update',
    isRefused: 'old.open_invite_until is not null',
    type: 'invite.expired',
    failure: (parts) => ({ parts, cause: refusal }),
  },
  'counted failures': {
    job: recordCountedFailures,
    make: (place, isMany) => failToSignIn(place, isMany ? 1200 : 1),
    table: 'event_counts',
    change: 'delete',
    isRefused: 'true',
    type: 'auth.login.failed',
    failure: (parts) => ({ parts, cause: refusal }),
  },
  'ended impersonations': {
    job: announceEndedImpersonations,
    make: (place, isMany) => impersonate(place, isMany ? 450 : 1),
    table: 'impersonations',
    change: 'delete',
    isRefused: 'true',
    type: 'impersonation.ended',
    failure: () => ({ parts: 'announceAll', cause: { cause: refusal } }),
  },
  'ends of sessions': {
    job: settleCutOffs,
    make: (place, isMany) => cutOff(place, isMany ? 250 : 1),
    table: 'session_cut_offs',
    change: 'delete',
    isRefused: 'true',
    failure: (parts) => ({ parts, cause: { cause: refusal } }),
  },
}

/** Refuses a change of rows of a directory, while `act` runs. */
async function withRefused<T>({ table, change, isRefused }: Kind, id: string, act: () => Promise<T>): Promise<T> {
  await sql`create function refuse_change() returns trigger language plpgsql as
    'begin raise exception ''broken'' using errcode = ''P0001''; end'`.execute(db)
  await sql`create trigger refuse_change before ${sql.raw(change)} on ${sql.table(table)} for each row
    when (old.directory_id = ${sql.lit(id)} and ${sql.raw(isRefused)}) execute function refuse_change()`.execute(db)
  try {
    return await act()
  } finally {
    await sql`drop function refuse_change cascade`.execute(db)
  }
}

async function countRows(table: string, { directory }: Place, condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} as old
    where directory_id = ${directory.id} and ${condition}`.execute(db)
  return rows[0]?.count ?? 0
}

test.each(Object.entries(kinds))('%s of other directories are processed when those of one are not', async (_, kind) => {
  const { job, table } = kind
  // Rows are processed by age and by the id of the directory: this one is before the others.
  const broken = await newPlace()
  const others = [await newPlace(), await newPlace()]
  for (const place of [broken, ...others]) {
    await kind.make(place, place === broken)
    await service.advance(1)
  }
  await service.advance(31 * 86_400)
  const dueIn = (place: Place) => countRows(table, place, sql.raw(kind.isRefused))
  const eventsIn = (place: Place) => countRows('events', place, sql`type = ${kind.type ?? ''}`)
  const run = () =>
    job.handle(platform, {}, 1).then(
      () => null,
      (error: unknown) => describeError(error),
    )
  const due = await Promise.all([broken, ...others].map(dueIn))
  const before = await Promise.all([broken, ...others].map(eventsIn))
  const eventsOf = (processed: number[]) => before.map((count, n) => count + (kind.type ? (processed[n] ?? 0) : 0))
  expect(Math.min(...due)).toBeGreaterThan(0)
  const error = await withRefused(kind, broken.directory.id, run)
  expect(await Promise.all([broken, ...others].map(dueIn))).toEqual([due[0], 0, 0])
  expect(await Promise.all([broken, ...others].map(eventsIn))).toEqual(eventsOf([0, ...due.slice(1)]))
  expect(error).toMatchObject(kind.failure(broken.directory.id))
  expect(await run()).toBeNull()
  expect(await dueIn(broken)).toBe(0)
  expect(await Promise.all([broken, ...others].map(eventsIn))).toEqual(eventsOf(due))
})

test('deleted users are purged when expired sign-ups of the same directory cannot be removed', async () => {
  const place = await newPlace()
  await signUp(place, 1)
  await deleteUser(place)
  await service.advance(31 * 86_400)
  await withRefused(signups, place.directory.id, async () => {
    await expect(userCleanup.handle(platform, {}, 1)).rejects.toMatchObject({ parts: 'expireSignups' })
  })
  expect(await countRows('users', place, sql`deleted_at is not null`)).toBe(0)
})

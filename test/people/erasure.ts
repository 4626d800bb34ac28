import { sql } from 'kysely'
import { eraseOrganizations } from '../../src/features/tenancy/erasure/erase.ts'
import { requestErasure as requestErasureOf } from '../../src/features/tenancy/erasure/schedule.ts'
import { ERASURE_DAYS } from '../../src/features/tenancy/erasure/store.ts'
import { systemOrigin } from '../../src/platform/events/events.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { resolveAccount } from '../../src/platform/tenancy/directory.ts'
import type { Caller, Tenant, TestApp } from '../harness.ts'
import { succeeded } from './factors.ts'

const DAY = 86_400

/** The name of an organization. */
export async function nameOfOrganization(caller: Pick<Caller, 'get'>, subOrgId: string): Promise<string> {
  return succeeded(await caller.get(`/v1/organizations/${subOrgId}`)).subOrganization.name
}

/** Requests the erasure of an organization. */
export async function requestErasure(caller: Pick<Caller, 'get' | 'post'>, subOrgId: string) {
  const name = await nameOfOrganization(caller, subOrgId)
  return succeeded(await caller.post(`/v1/organizations/${subOrgId}/erase`, { name })).subOrganization
}

/** Moves the clock to when an organization whose erasure was requested before is erased. */
export const waitForErasure = (app: TestApp) => app.advance(ERASURE_DAYS * DAY + 1)

export const eraseDue = (platform: Platform) => eraseOrganizations.handle(platform, {}, 1)

/** Requests an erasure, waits until it is due, and erases. */
export async function eraseNow(app: TestApp, caller: Pick<Caller, 'get' | 'post'>, subOrgId: string): Promise<void> {
  await requestErasure(caller, subOrgId)
  await waitForErasure(app)
  await eraseDue(app.app.platform)
}

/** Erases an organization without the 30 days, as `watchword orgs erase` does. */
export async function eraseAtOnce(app: TestApp, tenant: Tenant, subOrgId: string): Promise<void> {
  const { platform } = app.app
  const environment = { ...tenant, environmentSlug: 'production', organizationId: null }
  const account = await resolveAccount(platform, environment, null)
  const work = { platform, account, origin: systemOrigin(), db: platform.db, caller: null }
  const name = await nameOfOrganization(tenant, subOrgId)
  await requestErasureOf(work, subOrgId, { name, isAtOnce: true })
  await eraseDue(platform)
}

/** How many rows of each table, of the job queue too, contain one of these texts, as text or as bytes. */
export async function findTexts(app: TestApp, texts: string[]): Promise<Record<string, number>> {
  const { db } = app.app.platform
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname in ('public', 'graphile_worker') order by 1`.execute(db)
  const patterns = texts
    .flatMap((text) => [text, Buffer.from(text).toString('hex')])
    .map((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)
  const found: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.raw(name)} as found_in
      where found_in::text ilike any(${patterns}::text[])`.execute(db)
    const count = rows[0]?.count ?? 0
    if (count > 0) found[name] = count
  }
  return found
}

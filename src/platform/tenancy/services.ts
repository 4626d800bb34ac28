import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { authDependents, type ServiceId } from '../../contract/contract.ts'
import { httpErrors } from '../errors.ts'
import { isId } from '../ids.ts'
import { defineSlot, type Platform } from '../platform.ts'
import type { Work } from '../work.ts'
import { type Directory, findDirectory, isInReach, type Reach } from './directory.ts'

// Slot: the platform knows no feature, and these switches belong to one.
/** Returns whether a service is on in a directory. */
export const serviceSwitches =
  defineSlot<(directory: Directory, service: ServiceId) => Promise<boolean>>('the switches of the services')

type Tenant = Pick<Work, 'platform' | 'directory'>

/** Whether a service is on in this directory, and Auth too if the service depends on it. */
export async function isServiceEnabled({ platform, directory }: Tenant, service: ServiceId): Promise<boolean> {
  return serviceSwitches.of(platform)(directory, service)
}

/** Throws `service_disabled` if the service is off in the directory. */
export async function requireService(tenant: Tenant, service: ServiceId): Promise<void> {
  if (await isServiceEnabled(tenant, service)) return
  throw httpErrors.serviceDisabled({
    detail: `The service ${service} is not enabled for this organization.`,
    extra: { service },
  })
}

/**
 * SQL: whether a read's service is on in the directory in a column. Lists of a whole environment use it to leave out
 * directories where the service is off. (For one directory this was checked before, and reads of one record are
 * refused with `directoryInReach`.) `inherited` is the column of a joined `inheritedServices`, for use in a select
 * list.
 */
export function isServed(
  reach: Reach | Directory,
  column: string,
  inherited: RawBuilder<unknown> = inheritedServices(reach),
): RawBuilder<SqlBool> {
  if ('kind' in reach || reach.directory || !reach.service) return sql`true`
  const needed = authDependents.includes(reach.service) ? [reach.service, 'auth'] : [reach.service]
  // A directory without its own configuration inherits the account level's. Without either, every service is on.
  return sql`coalesce(
    (select own.enabled_app_ids from service_configs own where own.directory_id = ${sql.ref(column)}),
    ${inherited}, ${needed}::text[]) @> ${needed}::text[]`
}

/**
 * SQL: the services (`enabled_app_ids`) that are on in an environment's directories without their own configuration.
 * No row means all services.
 */
export function inheritedServices({ environmentId }: Pick<Reach, 'environmentId'>): RawBuilder<InheritedServices> {
  return sql`(select inherited.enabled_app_ids from service_configs inherited
      join directories levels on levels.id = inherited.directory_id
      where levels.environment_id = ${environmentId} and levels.kind = 'account')`
}

interface InheritedServices {
  enabled_app_ids: string[] | null
}

/**
 * Returns a directory by id if the reach covers it, or null. For tokens and records that contain their directory's id.
 * A whole environment does not include the account's own team. Throws `service_disabled` if the read's service is off
 * in that directory.
 */
export async function directoryInReach(
  platform: Platform,
  reach: Reach,
  directoryId: string,
): Promise<Directory | null> {
  const directory = isId(directoryId) ? await findDirectory(platform, directoryId) : null
  if (!directory || !isInReach(reach, directory)) return null
  if (reach.service) await requireService({ platform, directory }, reach.service)
  return directory
}

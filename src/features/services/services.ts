import type { Db, Tx } from '../../platform/db/pool.ts'
import { httpErrors } from '../../platform/errors.ts'
import { changedFrom, type Origin, record } from '../../platform/events.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { ServiceId } from '../../platform/http/route.ts'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import type { AppGroup, ServiceConfig, ServiceConfigChange } from './schema.ts'
import { authDependents, selectServices, serviceIds } from './selection.ts'
import { findServiceConfigRow, lockServiceConfig, writeServiceConfigRow } from './store.ts'

const MAX_GROUPS_BYTES = 16 * 1024

const enabledServices = perPlatform((platform) =>
  platform.caches.define<ReadonlySet<string>>('services', async (directoryId) => {
    const row = await findServiceConfigRow(platform.db, directoryId)
    return new Set<string>(row?.enabled_app_ids ?? serviceIds)
  }),
)

/** Whether a service, and Auth where it depends on it, is on in this directory. */
export async function isServiceEnabled(platform: Platform, directory: Directory, service: ServiceId): Promise<boolean> {
  const enabled = await enabledServices(platform).get(directory.id)
  return enabled.has(service) && (!authDependents.includes(service) || enabled.has('auth'))
}

/** The configuration of a directory; one that was never configured has every service on. */
export async function getServiceConfig(db: Db, directory: Directory): Promise<ServiceConfig> {
  const row = await findServiceConfigRow<AppGroup>(db, directory.id)
  return {
    enabledAppIds: serviceIds.filter((id) => row?.enabled_app_ids.includes(id) ?? true),
    appGroups: row?.app_groups ?? [],
    sidebarGroupsCollapsible: row?.sidebar_groups_collapsible ?? true,
  }
}

/**
 * Replaces what the change names and keeps the rest. Takes effect at once on this process and by notice on the others.
 * A change of nothing leaves no trace. Throws `auth_required`, `invalid_request`.
 */
export async function changeServiceConfig(
  platform: Platform,
  tx: Tx,
  directory: Directory,
  origin: Origin,
  change: ServiceConfigChange,
): Promise<ServiceConfig> {
  await lockServiceConfig(tx, directory)
  const before = await getServiceConfig(tx, directory)
  const { enabledAppIds } = change
  const after: ServiceConfig = {
    enabledAppIds: enabledAppIds ? selectServices(before.enabledAppIds, enabledAppIds) : before.enabledAppIds,
    appGroups: change.appGroups ?? before.appGroups,
    sidebarGroupsCollapsible: change.sidebarGroupsCollapsible ?? before.sidebarGroupsCollapsible,
  }
  const previous = changedFrom(before, after)
  if (!Object.keys(previous).length) return before
  await writeServiceConfigRow(tx, directory, {
    enabled_app_ids: after.enabledAppIds,
    app_groups: writeGroups(after.appGroups),
    sidebar_groups_collapsible: after.sidebarGroupsCollapsible,
  })
  await enabledServices(platform).invalidate(tx, directory.id)
  const target = { type: 'service_config', id: directory.id }
  await record(tx, directory, origin, { type: 'service_config.updated', target, data: after, previous })
  return after
}

function writeGroups(groups: AppGroup[]): string {
  const text = JSON.stringify(groups)
  if (Buffer.byteLength(text) <= MAX_GROUPS_BYTES) return text
  const message = `appGroups must not be larger than ${MAX_GROUPS_BYTES} bytes`
  throw httpErrors.invalidRequest({
    detail: `${message}.`,
    errors: [{ field: 'appGroups', code: 'too_large', message }],
  })
}

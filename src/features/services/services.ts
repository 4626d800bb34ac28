import type { ServiceId } from '../../contract.ts'
import { invalidField } from '../../platform/errors.ts'
import { changedFrom, record } from '../../platform/events.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import { inTx, type Work } from '../../platform/work.ts'
import { serviceEvents } from './events.ts'
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

/** The switch of a service in a directory: on if it is enabled, and Auth too where it depends on that. */
export async function readSwitch(platform: Platform, directory: Directory, service: ServiceId): Promise<boolean> {
  const enabled = await enabledServices(platform).get(directory.id)
  return enabled.has(service) && (!authDependents.includes(service) || enabled.has('auth'))
}

/** The configuration of a directory; by default every service is on. */
export async function getServiceConfig({ db, directory }: Work): Promise<ServiceConfig> {
  const row = await findServiceConfigRow<AppGroup>(db, directory.id)
  return {
    enabledAppIds: serviceIds.filter((id) => row?.enabled_app_ids.includes(id) ?? true),
    appGroups: row?.app_groups ?? [],
    sidebarGroupsCollapsible: row?.sidebar_groups_collapsible ?? true,
  }
}

/**
 * Replaces the fields of the change and keeps the rest. Takes effect at commit here, and by NOTIFY on other processes.
 * A change of nothing has no effect. Throws `auth_required`, `invalid_request`.
 */
export async function changeServiceConfig(work: Work, change: ServiceConfigChange): Promise<ServiceConfig> {
  return inTx(work, async (work) => {
    const { platform, directory, db } = work
    await lockServiceConfig(db, directory)
    const before = await getServiceConfig(work)
    const { enabledAppIds } = change
    const after: ServiceConfig = {
      enabledAppIds: enabledAppIds ? selectServices(before.enabledAppIds, enabledAppIds) : before.enabledAppIds,
      appGroups: change.appGroups ?? before.appGroups,
      sidebarGroupsCollapsible: change.sidebarGroupsCollapsible ?? before.sidebarGroupsCollapsible,
    }
    const previous = changedFrom(before, after)
    if (!Object.keys(previous).length) return before
    await writeServiceConfigRow(db, directory, {
      enabled_app_ids: after.enabledAppIds,
      app_groups: writeGroups(after.appGroups),
      sidebar_groups_collapsible: after.sidebarGroupsCollapsible,
    })
    await enabledServices(platform).invalidate(db, directory.id)
    const target = { type: 'service_config', id: directory.id }
    await record(work, serviceEvents.configUpdated({ target, data: after, previous }))
    return after
  })
}

function writeGroups(groups: AppGroup[]): string {
  const text = JSON.stringify(groups)
  if (Buffer.byteLength(text) <= MAX_GROUPS_BYTES) return text
  throw invalidField('appGroups', 'too_large', `appGroups must not be larger than ${MAX_GROUPS_BYTES} bytes`)
}

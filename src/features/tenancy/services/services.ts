import { authDependents, type ServiceId } from '../../../contract/contract.ts'
import { invalidField } from '../../../platform/errors.ts'
import { changedFrom, record } from '../../../platform/events/events.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { accountDefaults } from '../../../platform/settings/settings.ts'
import { type Directory, defaultsDirectory } from '../../../platform/tenancy/directory.ts'
import { type AccountWork, inTx, type Work } from '../../../platform/work.ts'
import { serviceEvents } from './events.ts'
import type { AppGroup, ServiceConfig, ServiceConfigChange } from './schema.ts'
import { selectServices, serviceIds } from './selection.ts'
import { findServiceConfigRow, lockServiceConfig, type ServiceConfigRow, writeServiceConfigRow } from './store.ts'

const MAX_GROUPS_BYTES = 16 * 1024

const enabledServices = perPlatform((platform) =>
  platform.caches.define<ReadonlySet<string> | null>('services', async (directoryId) => {
    const row = await findServiceConfigRow(platform.db, directoryId)
    return row ? new Set(row.enabled_app_ids) : null
  }),
)

/** Whether a service is on in a directory: it must be enabled, and if it depends on Auth, Auth must be enabled, too. */
export async function readSwitch(platform: Platform, directory: Directory, service: ServiceId): Promise<boolean> {
  const cache = enabledServices(platform)
  const inherited = async () => cache.get((await defaultsDirectory(platform, directory)).id)
  const enabled = (await cache.get(directory.id)) ?? (await inherited())
  return !enabled || (enabled.has(service) && (!authDependents.includes(service) || enabled.has('auth')))
}

/** The configuration of a directory, or else of the account-level directory. By default every service is on. */
export async function getServiceConfig(work: Work): Promise<ServiceConfig> {
  return (await readConfig(work)).config
}

async function readConfig({ platform, db, directory }: Work): Promise<{ config: ServiceConfig; isOwn: boolean }> {
  const own = await findServiceConfigRow<AppGroup>(db, directory.id)
  const inherited = async () => findServiceConfigRow<AppGroup>(db, (await defaultsDirectory(platform, directory)).id)
  return { config: toConfig(own ?? (await inherited())), isOwn: own !== undefined }
}

function toConfig(row: ServiceConfigRow<AppGroup> | undefined): ServiceConfig {
  return {
    enabledAppIds: serviceIds.filter((id) => row?.enabled_app_ids.includes(id) ?? true),
    appGroups: row?.app_groups ?? [],
    sidebarGroupsCollapsible: row?.sidebar_groups_collapsible ?? true,
  }
}

/**
 * Replaces the given fields and stores the others with their current values, so that the directory no longer inherits
 * them. Takes effect at commit in this process, and by NOTIFY in others. An empty change has no effect. Throws
 * `auth_required`, `invalid_request`.
 */
export async function changeServiceConfig(work: Work, change: ServiceConfigChange): Promise<ServiceConfig> {
  return inTx(work, async (work) => {
    const { platform, directory, db } = work
    await lockServiceConfig(db, directory)
    const { config: before, isOwn } = await readConfig(work)
    const { enabledAppIds } = change
    const after: ServiceConfig = {
      enabledAppIds: enabledAppIds ? selectServices(before.enabledAppIds, enabledAppIds) : before.enabledAppIds,
      appGroups: change.appGroups ?? before.appGroups,
      sidebarGroupsCollapsible: change.sidebarGroupsCollapsible ?? before.sidebarGroupsCollapsible,
    }
    const previous = changedFrom(before, after)
    const isSame = Object.keys(previous).length === 0
    const isGiven = Object.keys(after).some((name) => name in change)
    if (isSame && (isOwn || !isGiven)) return before
    await writeServiceConfigRow(db, directory, {
      enabled_app_ids: after.enabledAppIds,
      app_groups: writeGroups(after.appGroups),
      sidebar_groups_collapsible: after.sidebarGroupsCollapsible,
    })
    await enabledServices(platform).invalidate(db, directory.id)
    const target = { type: 'service_config', id: directory.id }
    if (!isSame) await record(work, serviceEvents.configUpdated({ target, data: after, previous }))
    return after
  })
}

/**
 * Changes the configuration that directories without their own one use. Throws what `changeServiceConfig` throws, and
 * `sub_org_mismatch` for a key of one organization.
 */
export async function changeDefaultConfig(work: AccountWork, change: ServiceConfigChange) {
  return changeServiceConfig({ ...work, directory: accountDefaults(work.account).directory }, change)
}

function writeGroups(groups: AppGroup[]): string {
  const text = JSON.stringify(groups)
  if (Buffer.byteLength(text) <= MAX_GROUPS_BYTES) return text
  throw invalidField('appGroups', 'too_large', `appGroups must not be larger than ${MAX_GROUPS_BYTES} bytes`)
}

import type { Platform } from '../../../platform/platform.ts'
import type { UserRow } from '../../directory/users/users.ts'
import { userType } from '../language/core-schemas.ts'
import type { ScimObject } from '../language/json.ts'
import { schemasOf } from '../language/normalise.ts'
import { lastModified, type ShownVersion, versionTag } from '../language/versions.ts'
import { endpointUrl } from '../scim/scim.ts'
import { overlay, showAddress } from './profile.ts'
import type { GroupOfUser, ProvisionedRow } from './store.ts'

/** The attributes that the service itself sets, stores elsewhere, or does not store. */
const OWN = ['schemas', 'id', 'meta', 'groups', 'active', 'password', 'externalId']

/** The part of a client's resource that is stored. */
export function withoutOwnAttributes(resource: ScimObject): ScimObject {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => !OWN.includes(name)))
}

/** The URL of a resource. */
export function locationOf(platform: Platform, type: 'Users' | 'Groups', id: string): string {
  return `${endpointUrl(platform)}/${type}/${id}`
}

/** What the client sent about a user, and the version of what else is shown. */
export type StoredResource = Pick<ProvisionedRow, 'external_id' | 'resource'> & ShownVersion

/** The version of a user as SCIM shows them. */
export function versionOf({ row, stored }: { row: UserRow; stored: ShownVersion }): string {
  return versionTag({ version: row.version, shown_version: stored.shown_version })
}

/** A user as SCIM shows them. */
export function toResource(
  platform: Platform,
  { row, stored }: { row: UserRow; stored: StoredResource },
  groups: GroupOfUser[],
): ScimObject {
  const shown = showAddress(overlay(stored.resource, row), row)
  const [schema = '', ...extensions] = schemasOf(userType, shown)
  const location = locationOf(platform, 'Users', row.id)
  return {
    // Sorted, because the database does not keep their order.
    schemas: [schema, ...extensions.toSorted()],
    id: row.id,
    ...(stored.external_id === null ? {} : { externalId: stored.external_id }),
    ...shown,
    active: row.active,
    ...(groups.length > 0 ? { groups: groups.map((group) => toGroup(platform, group)) } : {}),
    meta: {
      resourceType: 'User',
      created: row.created_at.toISOString(),
      lastModified: lastModified({ updated_at: row.updated_at, shown_at: stored.shown_at }),
      version: versionOf({ row, stored }),
      location,
    },
  }
}

function toGroup(platform: Platform, { id, display_name, is_direct }: GroupOfUser): ScimObject {
  const type = is_direct ? 'direct' : 'indirect'
  return { value: id, $ref: locationOf(platform, 'Groups', id), display: display_name, type }
}

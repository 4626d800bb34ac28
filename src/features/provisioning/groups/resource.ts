import type { Platform } from '../../../platform/platform.ts'
import { groupType } from '../language/core-schemas.ts'
import type { ScimObject } from '../language/json.ts'
import { schemasOf } from '../language/normalise.ts'
import { lastModified, versionTag } from '../language/versions.ts'
import { endpointUrl } from '../scim/scim.ts'
import type { GroupRow, MemberRow } from './store.ts'

export function locationOf(platform: Platform, type: 'Users' | 'Groups', id: string): string {
  return `${endpointUrl(platform)}/${type}/${id}`
}

/** A group as SCIM shows it. `members` is null if they were not read. */
export function toResource(platform: Platform, group: GroupRow, members: MemberRow[] | null): ScimObject {
  const { id, display_name, external_id, resource } = group
  const [schema = '', ...extensions] = schemasOf(groupType, resource)
  return {
    // Sorted, because the database does not keep their order.
    schemas: [schema, ...extensions.toSorted()],
    id,
    ...(external_id === null ? {} : { externalId: external_id }),
    displayName: display_name,
    ...resource,
    ...(members === null ? {} : { members: members.map((member) => toMember(platform, member)) }),
    meta: {
      resourceType: 'Group',
      created: group.created_at.toISOString(),
      lastModified: lastModified(group),
      version: versionTag(group),
      location: locationOf(platform, 'Groups', id),
    },
  }
}

function toMember(platform: Platform, { id, type, display }: MemberRow): ScimObject {
  return { value: id, $ref: locationOf(platform, type === 'User' ? 'Users' : 'Groups', id), display, type }
}

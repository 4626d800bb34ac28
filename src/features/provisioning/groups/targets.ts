import { sql } from 'kysely'
import { defineFilterTargets, idTarget } from '../language/filter-sql.ts'

/** The id of a group, which is the last sort key of every list. */
export const groupId = sql`g.id`

const exact = { kind: 'column', type: 'string', caseExact: true } as const
const moment = { kind: 'column', type: 'dateTime', caseExact: true } as const

/**
 * Attributes by which groups can be filtered and sorted. Each has an index, except `meta.lastModified`, which comes
 * from two tables.
 */
export const groupTargets = defineFilterTargets({
  id: idTarget(sql`g.id::text`, { caseExact: true }),
  externalId: { ...exact, value: sql.ref('g.external_id') },
  displayName: {
    ...exact,
    caseExact: false,
    value: sql.ref('g.display_name'),
    folded: sql.ref('g.display_name_folded'),
  },
  'meta.resourceType': { ...exact, value: sql`'Group'::text` },
  'meta.created': { ...moment, value: sql.ref('g.created_at') },
  'meta.lastModified': { ...moment, value: sql`greatest(g.updated_at, shown.changed_at)` },
  members: {
    kind: 'elements',
    parts: { value: idTarget(sql`m.value`, { caseExact: false }) },
    exists: (condition) => sql`exists (
      select from (
        select directory_id, group_id, user_id::text as value from scim_group_members
        union all select directory_id, group_id, member_id::text from scim_group_groups) m
      where m.directory_id = g.directory_id and m.group_id = g.id and ${condition})`,
  },
})

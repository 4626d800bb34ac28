import { sql } from 'kysely'
import { ENTERPRISE_USER_SCHEMA } from '../language/core-schemas.ts'
import { defineFilterTargets, type FilterColumn, idTarget } from '../language/filter-sql.ts'

/** A text column of the user's row, with an index on its lower-case form. */
const line = (column: string): FilterColumn => ({
  kind: 'column',
  type: 'string',
  caseExact: false,
  value: sql.ref(column),
  folded: sql`lower(${sql.ref(column)}) collate "C"`,
})

const moment = (column: string): FilterColumn => ({
  kind: 'column',
  type: 'dateTime',
  caseExact: true,
  value: sql.ref(column),
})

/** The id of a user, which is the last sort key of every list. */
export const userId = sql`s.user_id`

/**
 * Attributes by which users can be filtered and sorted. Each has an index, except `meta.lastModified`, which comes
 * from two tables.
 */
export const userTargets = defineFilterTargets({
  id: idTarget(sql`s.user_id::text`, { caseExact: true }),
  externalId: { kind: 'column', type: 'string', caseExact: true, value: sql.ref('s.external_id') },
  userName: {
    kind: 'column',
    type: 'string',
    caseExact: false,
    value: sql.ref('s.user_name'),
    folded: sql.ref('s.user_name_folded'),
  },
  displayName: line('u.display_name'),
  name: { kind: 'presence', present: sql`(u.first_name is not null or u.last_name is not null)` },
  'name.givenName': line('u.first_name'),
  'name.familyName': line('u.last_name'),
  title: line('u.job_title'),
  [`${ENTERPRISE_USER_SCHEMA}:department`]: line('u.department'),
  active: { kind: 'column', type: 'boolean', caseExact: true, value: sql.ref('u.active') },
  'meta.resourceType': { kind: 'column', type: 'string', caseExact: true, value: sql`'User'::text` },
  'meta.created': moment('u.created_at'),
  'meta.lastModified': { ...moment('u.updated_at'), value: sql`greatest(u.updated_at, shown.changed_at)` },
  emails: {
    kind: 'elements',
    parts: {
      value: {
        kind: 'column',
        type: 'string',
        caseExact: false,
        value: sql.ref('e.value'),
        folded: sql.ref('e.value_folded'),
      },
      type: { kind: 'column', type: 'string', caseExact: false, value: sql.ref('e.type') },
      primary: { kind: 'column', type: 'boolean', caseExact: true, value: sql.ref('e.is_primary') },
    },
    sort: sql`(select e.value_folded from scim_user_emails e
      where e.directory_id = s.directory_id and e.user_id = s.user_id order by e.is_primary desc, e.n limit 1)`,
    exists: (condition) => sql`exists (
      select from scim_user_emails e where e.directory_id = s.directory_id and e.user_id = s.user_id and ${condition})`,
  },
})

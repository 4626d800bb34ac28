import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

/**
 * Removes former roles that no grace period depends on. A grace period continues across up to 30 days without a role,
 * and is at most 90 days long. Former roles of a person without a membership are removed when the newest is 30 days
 * old.
 */
export const cleanUpFormerRoles = defineCleanup('members.cleanup', '31 * * * *', [
  defineRetention({
    table: 'former_team_roles',
    key: ['account_id', 'email_norm', 'role', 'until'],
    where: sql`until < clock_now() - interval '120 days' or (until < clock_now() - interval '30 days'
      and not exists (select from members where members.account_id = former_team_roles.account_id
        and members.email_norm = former_team_roles.email_norm)
      and not exists (select from former_team_roles later where later.account_id = former_team_roles.account_id
        and later.email_norm = former_team_roles.email_norm and later.until >= clock_now() - interval '30 days'))`,
    orderBy: 'until',
  }),
])

import { sql } from 'kysely'
import { newId } from '../../src/platform/ids.ts'
import type { TestApp } from '../harness.ts'
import { newEmail } from './people.ts'

export interface PlantedMember {
  accountId: string
  role: 'owner' | 'admin' | 'developer' | 'member'
  /** Null, and by default: of the account. */
  organizationId?: string | null
  email?: string
  status?: 'active' | 'invited'
}

/** A membership without a user, or the one that is there already. Returns its id. */
export async function plantMember(app: TestApp, member: PlantedMember): Promise<string> {
  const { accountId, role, organizationId = null, email = newEmail(), status = 'active' } = member
  const { db } = app.app.platform
  await db
    .insertInto('members')
    .values({
      ...{ id: newId(), account_id: accountId, organization_id: organizationId },
      ...{ email, email_norm: email.toLowerCase(), role, status, joined_at: sql`clock_now()` },
      invite_expires_at: status === 'invited' ? sql`clock_now() + interval '7 days'` : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await db
    .selectFrom('members')
    .select('id')
    .where('account_id', '=', accountId)
    .where('organization_id', 'is not distinct from', organizationId)
    .where('email_norm', '=', email.toLowerCase())
    .executeTakeFirstOrThrow()
  return row.id
}

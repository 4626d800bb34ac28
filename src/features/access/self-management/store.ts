import { sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/** The second factors that a user has confirmed. */
export async function findSecondFactors(db: Db, { id }: Directory, userId: string) {
  const { rows } = await sql<{ totp: boolean; backup: boolean; sms: boolean }>`
    select
      exists (select from totp_enrollments
        where directory_id = ${id} and user_id = ${userId} and confirmed_at is not null) as totp,
      exists (select from backup_codes where directory_id = ${id} and user_id = ${userId}) as backup,
      exists (select from mfa_phones
        where directory_id = ${id} and user_id = ${userId} and confirmed_at is not null) as sms`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A statement without a row')
  return row
}

import { defineReading } from '../../../platform/joined/readings.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'

/** The confirmed phone of an address's user, and the user's other factors. */
export interface PhoneRow {
  phone_id: string | null
  phone: string | null
  has_app: boolean
  has_backup: boolean
}

/** Read in the statement that reads the facts about the user of an address. */
export const phoneOfUser = defineReading<PhoneRow>()({
  columns: {},
  joins: ({ directory }) => sqlText`left join lateral (
    select id, phone as number from mfa_phones
    where directory_id = ${directory('asked')} and user_id = users.id and confirmed_at is not null limit 1) phone on true`,
  selects: ({ directory }) => sqlText`phone.id as phone_id, phone.number as phone,
    exists (select from totp_enrollments where directory_id = ${directory('asked')} and user_id = users.id
      and confirmed_at is not null) as has_app,
    exists (select from backup_codes where directory_id = ${directory('asked')} and user_id = users.id) as has_backup`,
})

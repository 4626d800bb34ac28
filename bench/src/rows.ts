import type { Row } from './bench.ts'
import { betterAuthRows } from './peers/rows.ts'
import { enumerationRow } from './product/enumeration-row.ts'
import { loginRows } from './product/login-rows.ts'
import { otpRows } from './product/otp-rows.ts'
import { processRows } from './product/process-rows.ts'
import { userRows } from './product/user-rows.ts'
import { referenceRows } from './references/rows.ts'

/** Everything the bench measures, in the order of the table. */
export const rows: Row[] = [
  ...referenceRows,
  ...betterAuthRows,
  ...otpRows,
  ...loginRows,
  enumerationRow,
  ...userRows,
  ...processRows,
]

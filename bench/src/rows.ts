import type { Row } from './bench.ts'
import { betterAuthRows } from './peers/rows.ts'
import { costlyRows } from './product/costly-rows.ts'
import { cutOffRows } from './product/cut-off-rows.ts'
import { enumerationRows } from './product/enumeration-rows.ts'
import { federationRows } from './product/federation-rows.ts'
import { loginRows } from './product/login-rows.ts'
import { memoryRows } from './product/memory-rows.ts'
import { mfaRows } from './product/mfa-rows.ts'
import { otpRows } from './product/otp-rows.ts'
import { passkeyRows } from './product/passkey-rows.ts'
import { passwordRows } from './product/password-rows.ts'
import { processRows } from './product/process-rows.ts'
import { provisioningRows } from './product/provisioning-rows.ts'
import { rateRows } from './product/rate-rows.ts'
import { sheddingRows } from './product/shedding-rows.ts'
import { ssoRows } from './product/sso-rows.ts'
import { stormRows } from './product/storm-rows.ts'
import { userRows } from './product/user-rows.ts'
import { webhookRows } from './product/webhook-rows.ts'
import { referenceRows } from './references/rows.ts'

/** Everything the bench measures, in the order of the table. */
export const rows: Row[] = [
  ...referenceRows,
  ...betterAuthRows,
  ...otpRows,
  ...loginRows,
  ...passwordRows,
  ...mfaRows,
  ...passkeyRows,
  ...rateRows,
  ...stormRows,
  ...sheddingRows,
  ...costlyRows,
  ...enumerationRows,
  ...userRows,
  ...federationRows,
  ...provisioningRows,
  ...ssoRows,
  ...webhookRows,
  ...cutOffRows,
  ...processRows,
  ...memoryRows,
]

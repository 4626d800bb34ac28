import { coalesce } from '../../../platform/db/coalesce.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { toDeliveryState } from '../../../platform/outbox/delivery-state.ts'
import { perPlatform } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import { hashCode, makeCode } from './codes.ts'
import { otpErrors } from './errors.ts'
import {
  findIdOfSession,
  type GeneratedRow,
  insertGeneratedRows,
  insertGeneratedRowsOf,
  type PresentedCode,
  validatePlainRows,
  validateRows,
} from './generator-store.ts'
import { readRecipient, sendCode } from './sending.ts'
import { otpSettings } from './settings.ts'
import type { Verdict } from './store.ts'

interface GenerateInput {
  session_id?: string | null
  ttl_seconds?: number
  email?: string | null
  phone?: string | null
}

const insertRow = perPlatform((platform) =>
  coalesce({
    run: (items: GeneratedRow[], directoryId) =>
      directoryId === null
        ? insertGeneratedRows(platform.database, items)
        : insertGeneratedRowsOf(platform.db, directoryId, items),
    place: { database: platform.database, directoryOf: (item) => item.directory.id },
  }),
)

// Two attempts at one code never share a statement: the second must see the effect of the first.
const validatePlainRow = perPlatform((platform) =>
  coalesce({
    run: (items: PresentedCode[], directoryId) => validatePlainRows(platform.database, items, directoryId),
    place: { database: platform.database, directoryOf: (item) => item.directory.id },
    keyOf: (item) => item.otpId,
  }),
)
const validateRow = perPlatform((platform) =>
  coalesce({
    run: (items: PresentedCode[], directoryId) => validateRows(platform.database, items, directoryId),
    place: { database: platform.database, directoryOf: (item) => item.directory.id },
    keyOf: (item) => item.otpId,
  }),
)

/**
 * Creates a code, stores its hash and sends it by mail and SMS where that is requested. The code is answered whether or
 * not a message leaves; `delivery` says why one does not. Throws `invalid_request`.
 */
export async function generateOtp(work: Work, input: GenerateInput) {
  const { platform, directory } = work
  const settings = await otpSettings(work)
  const id = newId()
  const made = makeCode(platform, 'generator', id, settings.mode)
  const sessionRef = input.session_id ?? null
  const ttlSeconds = input.ttl_seconds ?? settings.ttl_seconds
  const { phraseHash, digitHash } = made
  // Most codes are sent to nobody: these need no promise.
  const recipient = typeof (input.email ?? input.phone) === 'string' ? await readRecipient(input) : null
  const row = { directory, id, sessionRef, phraseHash, digitHash, maxAttempts: settings.max_attempts, ttlSeconds }
  const { expiresAt, deliveries } = recipient
    ? await sendCode(work, { settings, recipient, row, made })
    : { expiresAt: await insertRow(platform)(row), deliveries: [] }
  return {
    otp_id: id,
    code: made.code,
    session_id: sessionRef,
    expires_at: expiresAt,
    delivery: toDeliveryState(deliveries),
    ...(made.digitCode === null ? {} : { digit_code: made.digitCode }),
  }
}

interface ValidateInput {
  code: string
  otp_id?: string | null
  session_id?: string | null
}

// A code that never existed, was voided by a newer one or belongs to another tenant looks like a wrong one.
const MESSAGES: Record<Exclude<Verdict, 'match'>, string> = {
  wrong: 'Invalid code',
  unknown: 'Invalid code',
  expired: 'Code has expired',
  used: 'Code has already been used',
  spent: 'Too many attempts',
}

/** Validates a code of the generator and consumes it. Throws `otp_reference_required`. */
export async function validateOtp(work: Work, input: ValidateInput) {
  const verdict = await judge(work, input)
  return verdict === 'match' ? { valid: true } : { valid: false, message: MESSAGES[verdict] }
}

async function judge({ platform, directory, db }: Work, input: ValidateInput): Promise<Verdict> {
  const sessionRef = input.session_id ?? null
  const given = input.otp_id?.toLowerCase() ?? null
  if (given === null && sessionRef === null)
    throw otpErrors.referenceRequired({ detail: 'Send the otp_id or the session_id that the code was created with.' })
  const otpId = given ?? (await findIdOfSession(db, directory, sessionRef ?? ''))
  if (otpId === null || !isId(otpId)) return 'unknown'
  const presented = { directory, otpId, sessionRef, hash: hashCode(platform, 'generator', otpId, input.code) }
  const plain = sessionRef === null ? await validatePlainRow(platform)(presented) : null
  return plain ?? validateRow(platform)(presented)
}

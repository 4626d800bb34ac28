import { isId, newId } from '../../../../platform/ids.ts'
import { runTogether } from '../../../../platform/joined/joined.ts'
import { toDeliveryState } from '../../../../platform/outbox/delivery-state.ts'
import type { Work } from '../../../../platform/work.ts'
import { hashCode, makeCode } from '../codes.ts'
import { otpErrors } from '../errors.ts'
import { otpSettings } from '../settings.ts'
import type { Verdict } from '../store.ts'
import { findIdOfSession, type GeneratedRow, generatedCode, verifiedCode } from './generator-store.ts'
import { readRecipient, sendCode } from './sending.ts'

interface GenerateInput {
  session_id?: string | null
  ttl_seconds?: number
  email?: string | null
  phone?: string | null
}

/**
 * Creates a code, stores its hash and sends it by mail and SMS if the request asks for that. The response has the code
 * whether or not a message is sent, and `delivery` gives the reason if none is. Throws `invalid_request`.
 */
export async function generateOtp(work: Work, input: GenerateInput) {
  const settings = await otpSettings(work)
  const id = newId()
  const made = makeCode(work.platform, 'generator', id, settings.mode)
  const row = {
    id,
    session_ref: input.session_id ?? null,
    phrase_hash: made.phraseHash,
    digit_hash: made.digitHash,
    max_attempts: settings.max_attempts,
    ttl_seconds: input.ttl_seconds ?? settings.ttl_seconds,
  }
  const recipient = await readRecipient(input)
  const { expiresAt, deliveries } = recipient
    ? await sendCode(work, { settings, recipient, row, made })
    : { expiresAt: await storeCode(work, row), deliveries: [] }
  return {
    otp_id: id,
    code: made.code,
    session_id: row.session_ref,
    expires_at: expiresAt.toISOString(),
    delivery: toDeliveryState(deliveries),
    ...(made.digitCode === null ? {} : { digit_code: made.digitCode }),
  }
}

async function storeCode({ platform, directory }: Work, row: GeneratedRow): Promise<Date> {
  const stored = await runTogether(platform, { statement: generatedCode, directoryId: directory.id, row })
  if (!stored) throw new Error('A code was not stored')
  return stored.expires_at
}

interface ValidateInput {
  code: string
  otp_id?: string | null
  session_id?: string | null
}

// A code that never existed, was voided by a newer code or belongs to another tenant gets the answer of a wrong code.
const MESSAGES: Record<Exclude<Verdict, 'match'>, string> = {
  wrong: 'Invalid code',
  unknown: 'Invalid code',
  expired: 'Code has expired',
  used: 'Code has already been used',
  exhausted: 'Too many attempts',
}

/** Checks a code of the generator and consumes it. Throws `otp_reference_required`. */
export async function validateOtp(work: Work, input: ValidateInput) {
  const verdict = await verifyCode(work, input)
  return verdict === 'match' ? { valid: true } : { valid: false, message: MESSAGES[verdict] }
}

async function verifyCode({ platform, directory, db }: Work, input: ValidateInput): Promise<Verdict> {
  const sessionRef = input.session_id ?? null
  const given = input.otp_id?.toLowerCase() ?? null
  if (given === null && sessionRef === null)
    throw otpErrors.referenceRequired({ detail: 'Send the otp_id or the session_id that the code was created with.' })
  const otpId = given ?? (await findIdOfSession(db, directory, sessionRef ?? ''))
  if (otpId === null || !isId(otpId)) return 'unknown'
  const hash = hashCode(platform, 'generator', otpId, input.code)
  const row = { id: otpId, session_ref: sessionRef, hash }
  // Two attempts at one code never share a statement, because the second must see the effect of the first.
  const verified = await runTogether(platform, { statement: verifiedCode, directoryId: directory.id, key: otpId, row })
  return verified?.verdict ?? 'unknown'
}

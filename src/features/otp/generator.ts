import { keyedHash } from '../../platform/crypto/tokens.ts'
import { coalesce } from '../../platform/db/coalesce.ts'
import { httpErrors } from '../../platform/errors.ts'
import { type Origin, record } from '../../platform/events.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { countAct } from '../../platform/http/rate-limit.ts'
import { isId, newId } from '../../platform/ids.ts'
import { type EmailAddress, parseEmail } from '../../platform/mail/address.ts'
import { queueMail } from '../../platform/mail/outbox.ts'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import { type FreshCode, hashCode, makeCode } from './codes.ts'
import { renderCodeMail } from './emails.ts'
import { otpErrors } from './errors.ts'
import { type OtpSettings, otpSettings } from './settings.ts'
import {
  findNewestIdOfSession,
  type GeneratedRow,
  insertGeneratedRows,
  insertOtpRow,
  type PresentedCode,
  type Verdict,
  validateRows,
} from './store.ts'

interface Caller {
  platform: Platform
  directory: Directory
}

interface GenerateInput {
  session_id?: string | null
  ttl_seconds?: number
  email?: string | null
  phone?: string | null
}

const insertRow = perPlatform((platform) =>
  coalesce({ run: (items: GeneratedRow[]) => insertGeneratedRows(platform.database.pool, items) }),
)

// Two tries at one code never share a statement: the second must see what the first left.
const validateRow = perPlatform((platform) =>
  coalesce({
    run: (items: PresentedCode[]) => validateRows(platform.database.pool, items),
    keyOf: (item) => item.otpId,
  }),
)

/**
 * Makes a code, keeps its hash and mails it where that is asked for and on. Whether it was delivered shows nowhere in
 * the answer. Throws `rate_limited` when the address has had too many.
 */
export async function generateOtp(caller: Caller & { origin: Origin }, input: GenerateInput) {
  const { platform, directory } = caller
  const settings = await otpSettings(platform, directory)
  const id = newId()
  const made = makeCode(platform, 'generator', id, settings.mode)
  const sessionRef = input.session_id ?? null
  const ttlSeconds = input.ttl_seconds ?? settings.ttl_seconds
  const { phraseHash, digitHash } = made
  const address = typeof input.email === 'string' ? readEmail(input.email) : null
  const row = { directory, id, sessionRef, phraseHash, digitHash, maxAttempts: settings.max_attempts, ttlSeconds }
  const expiresAt = address ? await sendCode(caller, settings, address, row, made) : await insertRow(platform)(row)
  return {
    otp_id: id,
    code: made.code,
    session_id: sessionRef,
    expires_at: expiresAt.toISOString(),
    ...(made.digitCode === null ? {} : { digit_code: made.digitCode }),
  }
}

function readEmail(text: string): EmailAddress {
  const address = parseEmail(text)
  if (address) return address
  const error = { field: 'email', code: 'email', message: 'email must be one bare e-mail address' }
  throw httpErrors.invalidRequest({ detail: 'email must be one bare e-mail address.', errors: [error] })
}

/** Keeps and mails a code for an address, whose older codes it voids. */
async function sendCode(
  { platform, directory, origin }: Caller & { origin: Origin },
  settings: OtpSettings,
  address: EmailAddress,
  row: GeneratedRow,
  made: FreshCode,
): Promise<Date> {
  const { id, sessionRef, ttlSeconds } = row
  const identity = keyedHash(platform.keyring.hashKey('identity'), address.norm)
  if (settings.channel_email) await countSending(platform, directory, identity, settings)
  return platform.tx(async (tx) => {
    const values = {
      id,
      purpose: 'generator',
      session_ref: sessionRef,
      identity,
      phrase_hash: row.phraseHash,
      digit_hash: row.digitHash,
      max_attempts: row.maxAttempts,
    }
    const expiresAt = await insertOtpRow(tx, directory, values, ttlSeconds)
    if (!settings.channel_email) return expiresAt
    await queueMail(tx, platform, directory, renderCodeMail(address.email, { ...made, ttlSeconds }), ttlSeconds)
    const data = { otp_id: id, session_id: sessionRef, email: address.email, delivery_method: 'email' }
    await record(tx, directory, origin, { type: 'auth.otp.sent', target: { type: 'otp', id }, data })
    return expiresAt
  })
}

/** Before a mail is made, so that nobody can be flooded through the generator. */
async function countSending(platform: Platform, directory: Directory, identity: Buffer, settings: OtpSettings) {
  await countAct(platform, directory, identity, [
    { bucket: 'otp.generate.minute', limit: settings.rate_limit_per_minute, windowSeconds: 60 },
    { bucket: 'otp.generate.hour', limit: settings.rate_limit_per_hour, windowSeconds: 3600 },
  ])
}

interface ValidateInput {
  code: string
  otp_id?: string | null
  session_id?: string | null
}

// A code that was never made, was voided by a newer one or belongs to somebody else answers as a wrong one.
const MESSAGES: Record<Exclude<Verdict, 'match'>, string> = {
  wrong: 'Invalid code',
  unknown: 'Invalid code',
  expired: 'Code has expired',
  used: 'Code has already been used',
  spent: 'Too many attempts',
}

/** Spends a code of the generator, once. Throws `otp_reference_required`. */
export async function validateOtp(caller: Caller, input: ValidateInput) {
  const verdict = await judge(caller, input)
  return verdict === 'match' ? { valid: true } : { valid: false, message: MESSAGES[verdict] }
}

async function judge({ platform, directory }: Caller, input: ValidateInput): Promise<Verdict> {
  const sessionRef = input.session_id ?? null
  const given = input.otp_id?.toLowerCase() ?? null
  if (given === null && sessionRef === null)
    throw otpErrors.referenceRequired({ detail: 'Send the otp_id or the session_id that the code was made with.' })
  const otpId = given ?? (await findNewestIdOfSession(platform.db, directory, sessionRef ?? ''))
  if (otpId === null || !isId(otpId)) return 'unknown'
  const hash = hashCode(platform, 'generator', otpId, input.code)
  return validateRow(platform)({ directory, otpId, sessionRef, hash })
}

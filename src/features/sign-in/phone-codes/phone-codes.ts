import { hashIdentity, type Identity, identify } from '../../../platform/crypto/identity.ts'
import { type EventInput, record } from '../../../platform/events/events.ts'
import { recordFailure } from '../../../platform/events/failures.ts'
import { newId } from '../../../platform/ids.ts'
import { countSend } from '../../../platform/limits/send-limit.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { decoyReasonOf } from '../../../platform/outbox/decoy.ts'
import { claimSmsQuietly } from '../../../platform/sms/limits.ts'
import { queueSms, takesSms } from '../../../platform/sms/outbox.ts'
import { parsePhone } from '../../../platform/sms/phone.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import {
  assertDoorOpen,
  loginErrors,
  loginEvents,
  type SignInFacts,
  type SignInMethod,
} from '../../access/login/login.ts'
import { enforcementFor } from '../../access/login/sso-only/sso-only.ts'
import { isMethodAllowed, methodsToPass } from '../../access/mfa/mfa.ts'
import {
  codeSent,
  codeSms,
  describeNothingSent,
  type OtpSettings,
  otpSettings,
  sendLimits,
  toSendCeilings,
  toSmsLimits,
} from '../otp/otp.ts'
import { findLiveOtp, issueOtp, type SentCode } from '../otp/sign-in-codes/sign-in-codes.ts'
import { phoneCodeSettings } from './settings.ts'
import { type PhoneRow, phoneOfUser } from './store.ts'

const purpose = 'login'
// Reveals neither the number nor whether there is one.
const HINT = '+•••••••'
const DECOY_NUMBER = '+10000000000'
// A valid mobile number, so that parsing takes as long as for a user's number.
const STAND_IN_NUMBER = '+14155550100'

/** Sessions opened by these codes have the method `otp`, which checks every code. Their `amr` is `sms`. */
export const phoneCodeMethod: SignInMethod = {
  id: 'otp_sms',
  offer: {
    label: 'SMS code',
    service: 'otp',
    isOn: async (work) =>
      (await takesCodesBySms(work, await otpSettings(work))) && (await isMethodAllowed(work, 'sms')),
  },
}

/** Why a user gets no message. The keys appear in the event, and the texts explain them to developers. */
const NOT_SENT = {
  sso_required: 'single sign-on is enforced',
  no_phone: 'the user has enrolled no phone',
  method_not_allowed: 'the policy allows no codes by SMS',
  email_not_verified: 'the user has not proved the mailbox',
  no_other_factor: 'the phone would be the second factor after itself',
  sms_withheld: 'the number, its country or a limit does not allow it',
} as const

/**
 * Sends a word pair to the phone of the address's user, if there is a phone that may get it. In all other cases the
 * response is the same and costs the same statements, with a decoy code and a message that is dropped (ASVS 6.3.8).
 * Throws `invalid_request`, `rate_limited`, `organization_suspended`, `account_locked`, `method_disabled`.
 */
export async function sendCodeBySms(work: Work, email: string): Promise<SentCode> {
  const who = identify(work.platform, requireEmail(email))
  const settings = await smsSettings(work)
  const { person: facts, read } = await assertDoorOpen(work, who, phoneOfUser({}))
  const chosen = await choosePhone(work, facts, read)
  const newerThanSeconds = settings.resend_interval_seconds
  const live = await findLiveOtp(work, { purpose, identity: who.hash, newerThanSeconds, bySms: true })
  // Texted and mailed codes share one limit, so that requesting both kinds does not give more codes. Whether a message
  // is sent is known only later.
  const sending = { leaves: false, byAnyone: true, ceilings: toSendCeilings(settings) }
  const rate = await countSend(work, who.hash, sendLimits(settings), sending)
  const shown = { deliveryHint: HINT, channel: 'sms' as const, rate }
  if (live) return { ...live, ...shown }
  // If the user has no phone, a stand-in number is parsed, because the response time would otherwise reveal it (see the
  // bench row `enumeration-otp-send-sms`).
  const phone = await parsePhone(chosen.number ?? STAND_IN_NUMBER)
  const claimed = await claimSmsQuietly(work, toSmsLimits(settings), {
    phone: chosen.number === null ? null : phone,
    // A stand-in that is the hash of no address and no number.
    standIn: hashIdentity(work.platform, `the phone of ${who.address.norm}`),
  })
  const to: ChosenPhone = chosen.number !== null && !claimed ? { number: null, reason: 'sms_withheld' } : chosen
  const otp = await inTx(work, (work) => issueAndSend(work, { who, settings, facts, to }))
  return { ...otp, ...shown }
}

/** Returns the settings if a code could be sent to any phone. Throws `method_disabled` otherwise. */
async function smsSettings(work: Work): Promise<OtpSettings> {
  const settings = await otpSettings(work)
  if (await takesCodesBySms(work, settings)) return settings
  throw loginErrors.methodDisabled({
    detail:
      'Codes cannot be sent by SMS. Either no SMS provider is configured, sms_sign_in_enabled is off, or sms_allowed_countries is empty.',
  })
}

async function takesCodesBySms(work: Work, settings: OtpSettings): Promise<boolean> {
  const { sms_sign_in_enabled } = await phoneCodeSettings.effective(work)
  return sms_sign_in_enabled && settings.sms_allowed_countries.length > 0 && takesSms(work.platform)
}

/** The phone that may get a code, or the reason why there is none. */
type ChosenPhone = { id: string; number: string } | { number: null; reason: keyof typeof NOT_SENT }

/**
 * Returns the phone factor of a user who has proved the mailbox, if the policy allows phones. The phone cannot be the
 * second factor as well, so a user without another factor gets no code. The same queries run for every address.
 */
async function choosePhone(work: Work, facts: SignInFacts | null, read: PhoneRow): Promise<ChosenPhone> {
  const { phone_id: id, phone: number, has_app: totp, has_backup: backup } = read
  const others = await methodsToPass(work, { totp, backup, sms: false })
  const isMfaOn = await isServiceEnabled(work, 'mfa')
  const isAllowed = await isMethodAllowed(work, 'sms')
  const isBound = (await enforcementFor(work, facts)) === 'bound'
  if (!facts?.active || id === null || number === null) return { number: null, reason: 'no_phone' }
  if (isBound) return { number: null, reason: 'sso_required' }
  if (!isAllowed) return { number: null, reason: 'method_not_allowed' }
  if (!facts.email_verified) return { number: null, reason: 'email_not_verified' }
  return isMfaOn && others.length === 0 ? { number: null, reason: 'no_other_factor' } : { id, number }
}

interface CodeToSend {
  who: Identity
  settings: OtpSettings
  facts: SignInFacts | null
  to: ChosenPhone
}

async function issueAndSend(work: TxWork, { who, settings, facts, to }: CodeToSend) {
  const userId = to.number !== null && facts ? facts.user_id : null
  const phoneId = to.number === null ? newId() : to.id
  // Without a phone the code is withheld. Otherwise the request would void a code that was mailed.
  const withheld = to.number === null
  const otp = await issueOtp(work, { purpose, userId, identity: who.hash, settings, phoneId, withheld })
  const message = codeSms({ phone: to.number ?? DECOY_NUMBER, locale: facts?.locale ?? null }, otp, 'login_otp')
  const decoy = to.number === null ? (facts?.active ? NOT_SENT[to.reason] : decoyReasonOf(facts)) : null
  await queueSms(work, { ...message, decoy }, otp.ttlSeconds)
  if (to.number === null) await recordFailure(work, who.hash, nothingSent(facts, to.reason))
  else await record(work, codeSent({ otpId: otp.otpId, purpose, userId }, 'sms'))
  return { otpId: otp.otpId, expiresAt: otp.expiresAt }
}

function nothingSent(facts: SignInFacts | null, reason: string): EventInput {
  if (!facts?.active) return describeNothingSent('otp', facts)
  return loginEvents.failed({ target: { type: 'user', id: facts.user_id }, data: { method: 'otp', reason } })
}

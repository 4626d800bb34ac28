import { sameHash } from '../../../platform/crypto/tokens.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import { queueSms } from '../../../platform/sms/outbox.ts'
import { maskPhone } from '../../../platform/sms/phone.ts'
import { inTx } from '../../../platform/work.ts'
import { type SecondFactor, setChallengeSms } from '../challenges/challenges.ts'
import { readBackupCode, verifyBackupCode } from './backup-codes.ts'
import { backupCodeUsedMail, factorSms } from './emails.ts'
import { matchCode } from './enrollment.ts'
import { claimFactorSms, hashSmsCode, makeSmsCode } from './sms.ts'
import { consumeBackupCode, findBackupCode, totpProof } from './store.ts'

const SMS_SECONDS = 300

/** The codes of an authenticator app. */
export const totpFactor: SecondFactor = {
  method: 'totp',
  form: 'digits',
  async verify(work, { totp }, code) {
    const step = totp && (await matchCode(work, totp, code))
    if (totp === null || step === null) return null
    return { method: 'totp', amr: ['otp', 'mfa'], spends: [totpProof({ totp_id: totp.id, totp_step: step })] }
  },
}

/** Codes sent by text message, which are consumed together with their challenge. */
export const smsFactor: SecondFactor = {
  method: 'sms',
  form: 'digits',
  async verify({ platform }, challenge, code) {
    if (!sameHash(challenge.sms_code_hash, hashSmsCode(platform, challenge.challenge_id, code))) return null
    return { method: 'sms', amr: ['sms', 'mfa'], spends: [] }
  },
  async send(work, challenge, { locale }) {
    const phone = await claimFactorSms(work, challenge.phone ?? '')
    const { code, hash } = makeSmsCode(work.platform, challenge.challenge_id)
    await inTx(work, async (work) => {
      await setChallengeSms(work.db, work.directory, challenge.challenge_id, hash)
      await queueSms(work, factorSms({ phone, locale }, code, SMS_SECONDS), SMS_SECONDS)
    })
    return { deliveryHint: maskPhone(phone) }
  },
}

/** Backup codes. The user is notified when one is used. */
export const backupCodeFactor: SecondFactor = {
  method: 'backup',
  form: 'text',
  async verify(work, { challenge_user_id: userId }, code) {
    const read = readBackupCode(code)
    const hash = read && (await findBackupCode(work.db, work.directory, userId, read.slot))
    if (!read || !hash || !(await verifyBackupCode(work, userId, hash, read.code))) return null
    return {
      method: 'backup',
      amr: ['otp', 'mfa'],
      spends: [],
      async also(work, user) {
        const left = await consumeBackupCode(work.db, work.directory, userId, { slot: read.slot, hash })
        if (left === null) return false
        await queueMail(work, backupCodeUsedMail(user, left), NOTICE_USEFUL_SECONDS)
        return true
      },
    }
  },
}

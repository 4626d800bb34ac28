import { sameHash } from '../../platform/crypto/tokens.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import {
  type ChallengeRow,
  consumeBackupCode,
  consumeTotpStep,
  findBackupCode,
  readBackupCode,
  verifyBackupCode,
} from '../factors/factors.ts'
import { hashSmsCode, type MfaMethod, matchCode, methodsOf, policyOf } from '../mfa/mfa.ts'

/** A code that was right when it was looked at. */
export interface RightCode {
  method: MfaMethod
  /** RFC 8176: what the session adds for the second factor. */
  amr: string[]
  /** @returns null when the code was consumed meanwhile. */
  consume(work: TxWork): Promise<{ backupCodesLeft: number | null } | null>
}

const CONSUMED = { backupCodesLeft: null }

/** Whether the input is a code of six digits; otherwise it is read as a backup code. */
export function isDigits(typed: string): boolean {
  return /^\d{6}$/.test(typed.replaceAll(/\s/g, ''))
}

/** The methods that may answer a challenge. */
export async function offeredMethods(work: Work, challenge: ChallengeRow): Promise<MfaMethod[]> {
  return methodsOf(await policyOf(work), {
    totp: challenge.totp !== null,
    backup: challenge.backup_codes > 0,
    sms: challenge.phone !== null,
  })
}

/** Matches the input against the methods offered; consumes nothing. Returns null when it is wrong. */
export async function judgeCode(work: Work, challenge: ChallengeRow, typed: string): Promise<RightCode | null> {
  const methods = await offeredMethods(work, challenge)
  const code = typed.replaceAll(/\s/g, '')
  if (isDigits(code)) {
    if (methods.includes('totp')) {
      const right = await judgeTotp(work, challenge, code)
      if (right) return right
    }
    return methods.includes('sms') ? judgeSms(work, challenge, code) : null
  }
  return methods.includes('backup') ? judgeBackupCode(work, challenge.user_id, code) : null
}

async function judgeTotp(work: Work, challenge: ChallengeRow, code: string): Promise<RightCode | null> {
  const { user_id: userId, totp } = challenge
  const step = totp && (await matchCode(work, totp, code))
  if (totp === null || step === null) return null
  const which = { userId, id: totp.id, step }
  return {
    method: 'totp',
    amr: ['otp', 'mfa'],
    consume: async ({ directory, db }) => ((await consumeTotpStep(db, directory, which)) ? CONSUMED : null),
  }
}

/** The code is consumed together with its challenge. */
function judgeSms({ platform }: Work, challenge: ChallengeRow, code: string): RightCode | null {
  if (!sameHash(challenge.sms_code_hash, hashSmsCode(platform, challenge.id, code))) return null
  return { method: 'sms', amr: ['sms', 'mfa'], consume: async () => CONSUMED }
}

async function judgeBackupCode(work: Work, userId: string, typed: string): Promise<RightCode | null> {
  const { platform, directory, db } = work
  const read = readBackupCode(typed)
  const hash = read && (await findBackupCode(db, directory, userId, read.slot))
  if (!read || !hash || !(await verifyBackupCode(platform, userId, hash, read.code))) return null
  return {
    method: 'backup',
    amr: ['otp', 'mfa'],
    async consume({ directory, db }) {
      const backupCodesLeft = await consumeBackupCode(db, directory, userId, { slot: read.slot, hash })
      return backupCodesLeft === null ? null : { backupCodesLeft }
    },
  }
}

import { sameHash } from '../../platform/crypto/tokens.ts'
import type { Tx } from '../../platform/db/pool.ts'
import {
  burnTotpStep,
  type ChallengeRow,
  findBackupCode,
  readBackupCode,
  spendBackupCode,
  verifyBackupCode,
} from '../factors/factors.ts'
import type { LoginContext } from '../login/login.ts'
import { hashSmsCode, type MfaMethod, matchCode, methodsOf, policyOf } from '../mfa/mfa.ts'

/** A code that was right when it was looked at. */
export interface RightCode {
  method: MfaMethod
  /** RFC 8176: what the session says of the second factor. */
  amr: string[]
  /** Spends it. Null: it has been spent meanwhile. */
  spend(tx: Tx): Promise<{ backupCodesLeft: number | null } | null>
}

const SPENT = { backupCodesLeft: null }

/** Whether what was typed reads as a code of six digits; else as a backup code. */
export function isDigits(typed: string): boolean {
  return /^\d{6}$/.test(typed.replaceAll(/\s/g, ''))
}

/** What a challenge was answered with. */
export async function offeredMethods(context: LoginContext, challenge: ChallengeRow): Promise<MfaMethod[]> {
  return methodsOf(await policyOf(context.platform, context.directory), {
    totp: challenge.totp !== null,
    backup: challenge.backup_codes > 0,
    sms: challenge.phone !== null,
  })
}

/** What a typed code is, among the methods that are offered to the user; null: it is wrong. Spends nothing. */
export async function judgeCode(
  context: LoginContext,
  challenge: ChallengeRow,
  typed: string,
): Promise<RightCode | null> {
  const methods = await offeredMethods(context, challenge)
  const code = typed.replaceAll(/\s/g, '')
  if (isDigits(code)) {
    if (methods.includes('totp')) {
      const right = await judgeTotp(context, challenge, code)
      if (right) return right
    }
    return methods.includes('sms') ? judgeSms(context, challenge, code) : null
  }
  return methods.includes('backup') ? judgeBackupCode(context, challenge.user_id, code) : null
}

async function judgeTotp(context: LoginContext, challenge: ChallengeRow, code: string): Promise<RightCode | null> {
  const { directory } = context
  const { user_id: userId, totp } = challenge
  const step = totp && (await matchCode(context, totp, code))
  if (totp === null || step === null) return null
  const which = { userId, id: totp.id, step }
  return {
    method: 'totp',
    amr: ['otp', 'mfa'],
    spend: async (tx) => ((await burnTotpStep(tx, directory, which)) ? SPENT : null),
  }
}

/** The code is spent with the challenge that it was sent for. */
function judgeSms({ platform }: LoginContext, challenge: ChallengeRow, code: string): RightCode | null {
  if (!sameHash(challenge.sms_code_hash, hashSmsCode(platform, challenge.id, code))) return null
  return { method: 'sms', amr: ['sms', 'mfa'], spend: async () => SPENT }
}

async function judgeBackupCode(context: LoginContext, userId: string, typed: string): Promise<RightCode | null> {
  const { platform, directory } = context
  const read = readBackupCode(typed)
  const hash = read && (await findBackupCode(platform.db, directory, userId, read.slot))
  if (!read || !hash || !(await verifyBackupCode(platform, userId, hash, read.code))) return null
  return {
    method: 'backup',
    amr: ['otp', 'mfa'],
    async spend(tx) {
      const backupCodesLeft = await spendBackupCode(tx, directory, userId, { slot: read.slot, hash })
      return backupCodesLeft === null ? null : { backupCodesLeft }
    },
  }
}

import type { Identity } from '../../../../platform/crypto/identity.ts'
import { randomBase62 } from '../../../../platform/crypto/tokens.ts'
import { newId } from '../../../../platform/ids.ts'
import type { UsedProof } from '../../../../platform/joined/proofs.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'
import type { Work } from '../../../../platform/work.ts'
import type { SignInFacts } from '../../../access/login/login.ts'
import { hashCode } from '../codes.ts'
import { codeProof, insertGrantedRows } from '../store.ts'
import { tryOtp } from './issued-codes.ts'

const PURPOSE = 'discovered'

/**
 * A code that is not mailed. A person who proved a mailbox or a passkey gets it for several directories, and each
 * accepts it once.
 */
export interface GrantedCode {
  otpId: string
  code: string
}

/**
 * Grants a code in each of these directories to a person's address there (`Identity.hash`), and voids older granted
 * codes of the address.
 */
export async function grantCode(
  { platform, db }: Pick<Work, 'platform' | 'db'>,
  places: { directory: Directory; identity: Buffer }[],
  ttlSeconds: number,
): Promise<GrantedCode> {
  const [otpId, code] = [newId(), randomBase62()]
  const row = { id: otpId, purpose: PURPOSE, phrase_hash: hashCode(platform, PURPOSE, otpId, code) }
  await insertGrantedRows(db, places, row, ttlSeconds)
  return { otpId, code }
}

/**
 * Checks a granted code in one of its directories, with the facts about the user of the address there. Returns the
 * proof that consumes the code, or null if the code is not or no longer valid.
 */
export async function proveGranted(
  work: Work,
  who: Identity,
  { otpId, code }: GrantedCode,
): Promise<{ spends: UsedProof[]; facts: SignInFacts | null } | null> {
  const { outcome, facts } = await tryOtp(work, who, { purpose: PURPOSE, otpId, code })
  return outcome === 'match' ? { spends: [codeProof({ otp_id: otpId, otp_purpose: PURPOSE })], facts } : null
}

import type { Work } from '../../../platform/work.ts'
import type { TotpRow } from '../challenges/challenges.ts'

/** The secret of an authenticator app as its row stores it. */
export function sealTotpSecret(work: Work, id: string, secret: string): Promise<string> {
  return work.platform.keyring.seal(secretPlace(work, id), secret)
}

export function openTotpSecret(work: Work, totp: Pick<TotpRow, 'id' | 'secret_sealed'>): Promise<string> {
  return work.platform.keyring.open(secretPlace(work, totp.id), totp.secret_sealed)
}

/** Independent of the directory, because factors move with their user. */
function secretPlace({ directory }: Work, id: string) {
  return { table: 'totp_enrollments', column: 'secret_sealed', row: id, accountId: directory.accountId }
}

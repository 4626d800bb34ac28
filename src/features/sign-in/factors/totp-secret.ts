import type { Work } from '../../../platform/work.ts'
import type { TotpRow } from '../challenges/challenges.ts'

/** Seals the secret of an authenticator app for its row. */
export function sealTotpSecret(work: Work, id: string, secret: string): Promise<string> {
  return work.platform.keyring.seal(secretPlace(work, id), secret)
}

export function openTotpSecret(work: Work, totp: Pick<TotpRow, 'id' | 'secret_sealed'>): Promise<string> {
  return work.platform.keyring.open(secretPlace(work, totp.id), totp.secret_sealed)
}

/** The seal does not depend on the directory, because factors move together with their user. */
function secretPlace({ directory }: Work, id: string) {
  return { table: 'totp_enrollments', column: 'secret_sealed', row: id, accountId: directory.accountId }
}

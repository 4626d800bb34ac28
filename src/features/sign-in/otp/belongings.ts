import { hashIdentity } from '../../../platform/crypto/identity.ts'
import type { Belonging, UserChange } from '../../../platform/lifecycle/belongings.ts'
import type { TxWork } from '../../../platform/work.ts'
import { endOtpRows } from './store.ts'

/** Invalidates codes early. From then on, even the right code is reported as expired. */
const expired = ({ platform, db, directory }: TxWork, { user }: UserChange) => ({
  query: endOtpRows(db, directory, hashIdentity(platform, user.email_norm)),
})

/** The codes of a user that were sent to the address. */
export const otpBelongings: Belonging[] = [
  {
    table: 'otps',
    proof: { kept: 'Only the mailbox has them, which has just been proved; those of a phone go with it.' },
    cutOff: expired,
    removal: expired,
    move: expired,
    exports: { nothing: 'A code on its way, of minutes.' },
  },
]

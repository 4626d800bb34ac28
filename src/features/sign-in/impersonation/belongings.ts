import { type Belonging, exportsColumns, isPending } from '../../../platform/lifecycle/belongings.ts'

const stays = { kept: 'The session ends; that this has ended is still to be recorded.' }
const impersonations: Belonging = {
  table: 'impersonations',
  proof: stays,
  cutOff: stays,
  removal: stays,
  move: stays,
  exports: exportsColumns('impersonations', 'id', 'id actor reason expires_at', 'auth_account_id'),
  isAbsent: isPending,
}

/** The impersonation sessions of a user, in which another person acts for the user. */
export const impersonationBelongings: Belonging[] = [impersonations]

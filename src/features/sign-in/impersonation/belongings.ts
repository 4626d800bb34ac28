import { type Belonging, isPending, tells } from '../../../platform/lifecycle/belongings.ts'

const stays = { stays: 'The session ends; that this has ended is still to be recorded.' }
const impersonations: Belonging = {
  table: 'impersonations',
  proof: stays,
  cutOff: stays,
  removal: stays,
  move: stays,
  exports: tells('impersonations', 'id', 'id actor reason expires_at', 'auth_account_id'),
  isAbsent: isPending,
}

/** What a user has of others who act for them. */
export const impersonationBelongings: Belonging[] = [impersonations]

import { type Belonging, isPending } from '../../platform/belongings.ts'

const stays = { stays: 'The session ends; that this has ended is still to be recorded.' }
const impersonations: Belonging = {
  table: 'impersonations',
  proof: stays,
  cutOff: stays,
  removal: stays,
  move: stays,
  isAbsent: isPending,
}

/** What a user has of others who act for them. */
export const impersonationBelongings: Belonging[] = [impersonations]

import { type Belonging, deletes, isPending } from '../../../platform/lifecycle/belongings.ts'

const remove = deletes('mfa_challenges')

/** What a user has of sign-ins that wait for the second factor. */
export const challengeBelongings: Belonging[] = [
  {
    table: 'mfa_challenges',
    // Whatever they began with may be among what the proof removes.
    proof: remove,
    cutOff: remove,
    removal: remove,
    move: remove,
    exports: { nothing: 'A sign-in under way, of five minutes.' },
    isAbsent: isPending,
  },
]

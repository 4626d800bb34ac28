import { type Belonging, deletes, isPending } from '../../../platform/lifecycle/belongings.ts'

const remove = deletes('mfa_challenges')

/** Pending sign-ins of a user that wait for the second factor. */
export const challengeBelongings: Belonging[] = [
  {
    table: 'mfa_challenges',
    // A pending sign-in may have begun with a factor that the first proof of the mailbox removes.
    proof: remove,
    cutOff: remove,
    removal: remove,
    move: remove,
    exports: { nothing: 'A sign-in under way, of five minutes.' },
    isAbsent: isPending,
  },
]

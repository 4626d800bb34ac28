import { type Belonging, goes, isPending, tells } from '../../platform/belongings.ts'

/** The groups that a user is in. */
export const groupBelongings: Belonging[] = [
  {
    table: 'scim_group_members',
    proof: { stays: 'The client says who is in a group.' },
    cutOff: { stays: 'The client says who is in a group.' },
    removal: goes('scim_group_members'),
    move: goes('scim_group_members'),
    exports: tells('scim_group_members', 'group_id', 'group_id', ''),
    isAbsent: isPending,
  },
]

import { type Belonging, goes, tells } from '../../platform/belongings.ts'

const gone = goes('role_assignments', { role_ids: [] })

/** The roles that a user has been given. */
export const roleBelongings: Belonging[] = [
  {
    table: 'role_assignments',
    proof: { stays: 'The organization, or its provider, has given them.' },
    cutOff: { stays: 'What somebody may do is another matter than who signs in.' },
    removal: gone,
    // They are roles of the organization that is left.
    move: gone,
    exports: tells('role_assignments', 'created_at', 'id role_id source created_at', ''),
    beforeProof: true,
    isAbsent: (user) => user.role_ids.length === 0,
  },
]

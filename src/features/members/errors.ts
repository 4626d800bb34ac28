import { defineErrors } from '../../platform/errors.ts'

export const memberErrors = defineErrors({
  notFound: [
    404,
    'member_not_found',
    'Member not found',
    'There is no such membership within the reach of the caller.',
  ],
  exists: [
    409,
    'member_exists',
    'Already a member',
    'Somebody with this address is a member: change their role instead.',
  ],
  lastOwner: [
    409,
    'last_owner',
    'Nobody would be an owner',
    'The account, and the roster of an organization, keep at least one owner who has joined: make somebody else an owner first.',
  ],
})

import { defineErrors } from '../../../platform/errors.ts'

export const memberErrors = defineErrors({
  notFound: [404, 'member_not_found', 'Member not found', 'The caller reaches no membership with this id.'],
  exists: [
    409,
    'member_exists',
    'Already a member',
    'The person with this address is already a member. Change the role instead: PATCH /v1/members/{membershipId}.',
  ],
  lastOwner: [
    409,
    'last_owner',
    'At least one owner is required',
    'The account and the roster of an organization keep at least one owner who has joined. Make another member an owner first.',
  ],
})

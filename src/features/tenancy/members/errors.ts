import { defineErrors } from '../../../platform/errors.ts'

export const memberErrors = defineErrors({
  notFound: [404, 'member_not_found', 'Member not found', 'No membership has this id, or the caller cannot reach it.'],
  exists: [
    409,
    'member_exists',
    'Already a member',
    'The person with this address is already a member. Change the member’s role instead (PATCH /v1/members/{membershipId}).',
  ],
  lastOwner: [
    409,
    'last_owner',
    'At least one owner is required',
    'The account and the roster of each organization must have at least one owner who has joined. Make another member an owner first.',
  ],
})

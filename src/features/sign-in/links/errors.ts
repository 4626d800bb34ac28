import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const linkErrors = defineErrors({
  tokenInvalid: [
    400,
    'token_invalid',
    'The link is not valid',
    'The link was never mailed to this address, was already used, was withdrawn, or was replaced by a newer link. Request a new link.',
    {
      reason: Type.Enum(['used', 'withdrawn'], {
        description: 'Whether the link was used or withdrawn. Absent if the link never existed.',
      }),
    },
  ],
  tokenExpired: [400, 'token_expired', 'The link has expired', 'The link was not used in time. Request a new link.'],
})

/** Errors about the delivery of a link. */
export const deliveryErrors = defineErrors({
  teamLinkWithheld: [
    403,
    'team_link_withheld',
    'Team links are only mailed',
    'The API never returns a link that belongs to a team member. Omit deliver to have the link mailed, or print the link on the server with npx watchword members link.',
  ],
})
